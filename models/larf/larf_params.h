/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the virtual register file and of the sharing of loaded registers. Each enumeration names a
 * choice that the letter leaves open. */
#ifndef SMRF_LARF_PARAMS_H
#define SMRF_LARF_PARAMS_H

#include "models/common/smrf_param.h"

enum smrf_larf_release {
    SMRF_LARF_RELEASE_DEATH,    /* when nobody needs a value any more */
    SMRF_LARF_RELEASE_OVERWRITE /* when its warp has exited */
};

enum smrf_larf_allocate { SMRF_LARF_AT_WRITE, SMRF_LARF_AT_LOOKUP };

enum smrf_larf_bank {
    SMRF_LARF_BANK_REGISTER, /* that of the architectural register: register mod banks */
    SMRF_LARF_BANK_TURN,     /* .. turned by the warp */
    SMRF_LARF_BANK_FULLEST   /* that with the most free registers */
};

enum smrf_larf_overwrite { SMRF_LARF_OVERWRITE_IN_PLACE, SMRF_LARF_OVERWRITE_NEW };

#define SMRF_LARF_VALUES(E)                                                                        \
    E(RELEASE, SMRF_LARF_RELEASE_DEATH, "death")                                                   \
    E(RELEASE, SMRF_LARF_RELEASE_OVERWRITE, "exit")                                                \
    E(ALLOCATE, SMRF_LARF_AT_WRITE, "write")                                                       \
    E(ALLOCATE, SMRF_LARF_AT_LOOKUP, "lookup")                                                     \
    E(BANK, SMRF_LARF_BANK_REGISTER, "register")                                                   \
    E(BANK, SMRF_LARF_BANK_TURN, "turn")                                                           \
    E(BANK, SMRF_LARF_BANK_FULLEST, "fullest")                                                     \
    E(OVERWRITE, SMRF_LARF_OVERWRITE_IN_PLACE, "in_place")                                         \
    E(OVERWRITE, SMRF_LARF_OVERWRITE_NEW, "new")

#define SMRF_LARF_PARAMS(X)                                                                        \
    X(larf, file_bytes, NUM, 0, 0, 1048576, "bytes", "LARF 4 has 128 KB",                          \
      "size of the register file behind the renaming, at most sm.registers x 4; 0 = that. Blocks " \
      "are placed by sm.registers, and warps are throttled where the file is short")               \
    X(larf, release, RELEASE, SMRF_LARF_RELEASE_DEATH, 0, 1, "", "LARF 3",                         \
      "when a register is free: at the death of its value (the last read by the analysis of the "  \
      "program, or by a look ahead where a trace has no sidecar), or when its warp exits")         \
    X(larf, allocate, ALLOCATE, SMRF_LARF_AT_WRITE, 0, 1, "", "proposed",                          \
      "when a load's register counts as in use: when the load issues, or when the look-up of its " \
      "addresses has failed")                                                                      \
    X(larf, bank, BANK, SMRF_LARF_BANK_REGISTER, 0, 2, "", "Jeon MICRO 2015",                      \
      "the bank of a new physical register: that of its architectural one, that turned by the "    \
      "warp, or that with the most free; if it has none, the one with the most free")              \
    X(larf, overwrite, OVERWRITE, SMRF_LARF_OVERWRITE_IN_PLACE, 0, 1, "", "proposed",              \
      "a result for a register in the address mapping table that only its warp names: written "    \
      "in place, and the entry goes; or to a new register")                                        \
    X(larf, extra_blocks, NUM, 0, 0, 32, "blocks/SM", "LARF 4.1",                                  \
      "thread blocks beyond those that sm.registers holds without renaming")

struct smrf_larf_params {
    SMRF_LARF_PARAMS(SMRF_PARAM_FIELD)
};

#endif
