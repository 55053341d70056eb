/* SPDX-License-Identifier: Apache-2.0 */
/* Options of BOW. */
#ifndef SMRF_BOW_PARAMS_H
#define SMRF_BOW_PARAMS_H

#include "models/common/smrf_param.h"

#define SMRF_BOW_PARAMS(X)                                                                         \
    X(bow, window, NUM, 3, 1, 8, "instructions", "Malekeh (long) VI-B",                            \
      "window size: instructions that a collector holds")                                          \
    X(bow, counts_entering, FLAG, 0, 0, 1, "", "proposed",                                         \
      "on = the entering instruction counts as part of the window, so it sees one fewer earlier "  \
      "instruction")                                                                               \
    X(bow, sources, NUM, 6, 1, 12, "operands/instruction", "Malekeh (long) VI-B",                  \
      "source operands kept for each instruction of the window; others are read but not kept")     \
    X(bow, results, NUM, 2, 0, 4, "operands/instruction", "Malekeh (long) VI-B",                   \
      "results kept for each instruction of the window; others go only to the banks")              \
    X(bow, private, FLAG, 1, 0, 1, "", "Malekeh (long) VI-B; shared: (short) 9",                   \
      "on = a collector for every warp; off = shared, a warp has at most one")                     \
    X(bow, flush_on_branch, FLAG, 0, 0, 1, "", "Malekeh (short) 9.2",                              \
      "a taken branch starts a new window")                                                        \
    X(bow, result_crossbar, FLAG, 0, 0, 1, "", "proposed",                                         \
      "energy: results have their own crossbar to the collectors")

/* "private" is a word of C++: the fields bear the section's name. */
#define SMRF_BOW_PARAM_FIELD(section, name, ...) uint32_t section##_##name;
struct smrf_bow_params {
    SMRF_BOW_PARAMS(SMRF_BOW_PARAM_FIELD)
};
#undef SMRF_BOW_PARAM_FIELD

#endif
