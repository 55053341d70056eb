/* SPDX-License-Identifier: Apache-2.0 */
/* Options of CARS. Each enumeration names a choice that the paper leaves open, or that the code of
 * present compilers does not fit. */
#ifndef SMRF_CARS_PARAMS_H
#define SMRF_CARS_PARAMS_H

#include "models/common/smrf_param.h"

enum smrf_cars_saved { SMRF_CARS_SAVED_MASK, SMRF_CARS_SAVED_PREFIX };

enum smrf_cars_push { SMRF_CARS_PUSH_PER_REGISTER, SMRF_CARS_PUSH_LIST };

enum smrf_cars_policy {
    SMRF_CARS_POLICY_LOW,
    SMRF_CARS_POLICY_NXLOW,
    SMRF_CARS_POLICY_HIGH,
    SMRF_CARS_POLICY_ADAPTIVE,
    SMRF_CARS_POLICY_PAPER
};

enum smrf_cars_multiple {
    SMRF_CARS_MULTIPLE_FRAMES, /* the kernel's registers and n of the largest frames */
    SMRF_CARS_MULTIPLE_LITERAL /* n times Low */
};

enum smrf_cars_measure { SMRF_CARS_MEASURE_THROUGHPUT, SMRF_CARS_MEASURE_TIME };

#define SMRF_CARS_VALUES(E)                                                                        \
    E(CARS_SAVED, SMRF_CARS_SAVED_MASK, "mask")                                                    \
    E(CARS_SAVED, SMRF_CARS_SAVED_PREFIX, "prefix")                                                \
    E(CARS_PUSH, SMRF_CARS_PUSH_PER_REGISTER, "per_register")                                      \
    E(CARS_PUSH, SMRF_CARS_PUSH_LIST, "list")                                                      \
    E(CARS_POLICY, SMRF_CARS_POLICY_LOW, "low")                                                    \
    E(CARS_POLICY, SMRF_CARS_POLICY_NXLOW, "nxlow")                                                \
    E(CARS_POLICY, SMRF_CARS_POLICY_HIGH, "high")                                                  \
    E(CARS_POLICY, SMRF_CARS_POLICY_ADAPTIVE, "adaptive")                                          \
    E(CARS_POLICY, SMRF_CARS_POLICY_PAPER, "paper")                                                \
    E(CARS_MULTIPLE, SMRF_CARS_MULTIPLE_FRAMES, "frames")                                          \
    E(CARS_MULTIPLE, SMRF_CARS_MULTIPLE_LITERAL, "literal")                                        \
    E(CARS_MEASURE, SMRF_CARS_MEASURE_THROUGHPUT, "throughput")                                    \
    E(CARS_MEASURE, SMRF_CARS_MEASURE_TIME, "time")

#define SMRF_CARS_PARAMS(X)                                                                        \
    X(cars, issue_latency, NUM, 1, 0, 16, "cycles", "CARS IV-C",                                   \
      "added pipeline cycles in issue, beside issue.extra_latency")                                \
    X(cars, collector_latency, NUM, 1, 0, 16, "cycles", "CARS IV-C",                               \
      "added pipeline cycles in the collectors, beside rf.extra_latency")                          \
    X(cars, saved, CARS_SAVED, SMRF_CARS_SAVED_MASK, 0, 1, "", "CARS III-A has prefix",            \
      "registers of a frame: mask = those that the function saves; prefix = R16 up to the last "   \
      "of "                                                                                        \
      "them, renamed by the paper's rule alone (operands that it gets wrong are counted and fail " \
      "no run)")                                                                                   \
    X(cars, push, CARS_PUSH, SMRF_CARS_PUSH_PER_REGISTER, 0, 1, "", "CARS IV-A",                   \
      "operations that issue at a function's entry and return: one a register, as the stores and " \
      "loads that they replace, or one a list")                                                    \
    X(cars, rfp_slot, NUM, 1, 0, 1, "registers/frame", "CARS IV-A",                                \
      "where the caller's frame pointer is saved: 1 = in a register; 0 = in a separate array")     \
    X(cars, trap_overhead, NUM, 20, 0, 1000, "cycles", "proposed",                                 \
      "from a trap to the first operation of its handler")                                         \
    X(cars, policy, CARS_POLICY, SMRF_CARS_POLICY_ADAPTIVE, 0, 4, "", "CARS III-B",                \
      "registers of a warp: low = room for one frame; nxlow = for cars.frames of the largest; "    \
      "high = for the deepest path; adaptive = what blocks have shown to be best, like compared "  \
      "with like; paper = the same as Fig. 5 has it: means of all blocks of a level")              \
    X(cars, frames, NUM, 2, 1, 64, "frames", "CARS III-B",                                         \
      "largest frames that nxlow has room for")                                                    \
    X(cars, multiple, CARS_MULTIPLE, SMRF_CARS_MULTIPLE_FRAMES, 0, 1, "", "CARS III-B",            \
      "n x Low: frames = the kernel's registers and n of the largest frames; literal = n times "   \
      "Low; neither above High")                                                                   \
    X(cars, recursion, NUM, 1, 1, 64, "iterations", "CARS III-C: one",                             \
      "depth of recursion that High has room for")                                                 \
    X(cars, measure, CARS_MEASURE, SMRF_CARS_MEASURE_THROUGHPUT, 0, 1, "", "proposed",             \
      "performance of a block: throughput = instructions a cycle of its SM while it was there; "   \
      "time = its cycles")                                                                         \
    X(cars, interval, NUM, 500, 10, 1000000, "cycles", "proposed",                                 \
      "how often the adaptive policy evaluates finished blocks")

struct smrf_cars_params {
    SMRF_CARS_PARAMS(SMRF_PARAM_FIELD)
};

#endif
