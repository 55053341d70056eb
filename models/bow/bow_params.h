/* SPDX-License-Identifier: Apache-2.0 */
/* Options of BOW. */
#ifndef SMRF_BOW_PARAMS_H
#define SMRF_BOW_PARAMS_H

#include "models/common/smrf_param.h"

#define SMRF_BOW_PARAMS(X)                                                                         \
    X(bow, window, NUM, 3, 1, 8, "instructions", "Malekeh (long) VI-B",                            \
      "instructions that a collector holds, and that the entering one looks back on")              \
    X(bow, counts_entering, FLAG, 0, 0, 1, "", "proposed",                                         \
      "on = the entering instruction is one of the window: it looks back on one fewer")            \
    X(bow, sources, NUM, 6, 1, 12, "operands/instruction", "Malekeh (long) VI-B",                  \
      "source slots of an instruction in the window; more are read but not kept")                  \
    X(bow, results, NUM, 2, 0, 4, "operands/instruction", "Malekeh (long) VI-B",                   \
      "result slots of an instruction in the window; more go to the banks only")                   \
    X(bow, private, FLAG, 1, 0, 1, "", "Malekeh (long) VI-B; shared: (short) 9",                   \
      "on = a collector for every warp; off = shared, a warp has at most one")                     \
    X(bow, flush_on_branch, FLAG, 0, 0, 1, "", "Malekeh (short) 9.2",                              \
      "a taken branch starts a new window")                                                        \
    X(bow, result_crossbar, FLAG, 0, 0, 1, "", "proposed",                                         \
      "energy: results cross a crossbar of their own to the collectors")

/* "private" is a word of C++: the fields bear the section's name. */
#define SMRF_BOW_PARAM_FIELD(section, name, ...) uint32_t section##_##name;
struct smrf_bow_params {
    SMRF_BOW_PARAMS(SMRF_BOW_PARAM_FIELD)
};
#undef SMRF_BOW_PARAM_FIELD

#endif
