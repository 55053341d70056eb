/* SPDX-License-Identifier: Apache-2.0 */
/* Published names of the instruction classes. C(name, symbol, meaning): SMRF_CLASS_<symbol>. */
#ifndef SMRF_CLASSES_H
#define SMRF_CLASSES_H

#define SMRF_CLASSES(C)                                                                            \
    C("int", INT, "integer: IADD3, IMAD, LOP3, ...")                                               \
    C("alu", ALU, "integer pipe: MOV, SEL, S2R, SHFL, conversions")                                \
    C("sp", SP, "single precision: FADD, FMUL, FFMA, ...")                                         \
    C("half", HALF, "packed half: HADD2, HFMA2, ...")                                              \
    C("dp", DP, "double precision")                                                                \
    C("sfu", SFU, "special functions: MUFU")                                                       \
    C("tensor", TENSOR, "HMMA, IMMA, BMMA")                                                        \
    C("branch", BRANCH, "control flow")                                                            \
    C("tex", TEX, "texture")                                                                       \
    C("uniform", UNIFORM, "uniform datapath")                                                      \
    C("load", LOAD, "loads")                                                                       \
    C("store", STORE, "stores")                                                                    \
    C("atomic", ATOMIC, "atomics and reductions")                                                  \
    C("barrier", BARRIER, "thread-block barriers")                                                 \
    C("membar", MEMBAR, "memory barriers")                                                         \
    C("exit", EXIT, "EXIT")

#endif
