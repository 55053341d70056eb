/* SPDX-License-Identifier: Apache-2.0 */
/* Options of register caches before the read stages. */
#ifndef SMRF_WINDOW_CACHE_PARAMS_H
#define SMRF_WINDOW_CACHE_PARAMS_H

#include "models/common/smrf_param.h"

enum smrf_window_cache_tables { SMRF_WINDOW_CACHE_SHARED, SMRF_WINDOW_CACHE_PER_WARP };

/* Which operands that the banks deliver enter the table. */
enum smrf_window_cache_reads {
    SMRF_WINDOW_CACHE_READS_NONE,
    SMRF_WINDOW_CACHE_READS_MARKED,
    SMRF_WINDOW_CACHE_READS_NEAR,
    SMRF_WINDOW_CACHE_READS_ALL
};

/* Which results enter it; any other result drops an older value of its register. */
enum smrf_window_cache_results {
    SMRF_WINDOW_CACHE_RESULTS_NONE,
    SMRF_WINDOW_CACHE_RESULTS_PRESENT,
    SMRF_WINDOW_CACHE_RESULTS_NEAR,
    SMRF_WINDOW_CACHE_RESULTS_ALL
};

enum smrf_window_cache_replacement {
    SMRF_WINDOW_CACHE_LRU,
    SMRF_WINDOW_CACHE_FIFO,
    SMRF_WINDOW_CACHE_FAR_LRU
};

#define SMRF_WINDOW_CACHE_VALUES(E)                                                                \
    E(TABLES, SMRF_WINDOW_CACHE_SHARED, "subcore")                                                 \
    E(TABLES, SMRF_WINDOW_CACHE_PER_WARP, "warp")                                                  \
    E(READS, SMRF_WINDOW_CACHE_READS_NONE, "none")                                                 \
    E(READS, SMRF_WINDOW_CACHE_READS_MARKED, "marked")                                             \
    E(READS, SMRF_WINDOW_CACHE_READS_NEAR, "near")                                                 \
    E(READS, SMRF_WINDOW_CACHE_READS_ALL, "all")                                                   \
    E(RESULTS, SMRF_WINDOW_CACHE_RESULTS_NONE, "none")                                             \
    E(RESULTS, SMRF_WINDOW_CACHE_RESULTS_PRESENT, "present")                                       \
    E(RESULTS, SMRF_WINDOW_CACHE_RESULTS_NEAR, "near")                                             \
    E(RESULTS, SMRF_WINDOW_CACHE_RESULTS_ALL, "all")                                               \
    E(REPLACE, SMRF_WINDOW_CACHE_LRU, "lru")                                                       \
    E(REPLACE, SMRF_WINDOW_CACHE_FIFO, "fifo")                                                     \
    E(REPLACE, SMRF_WINDOW_CACHE_FAR_LRU, "far_lru")

#define SMRF_WINDOW_CACHE_PARAMS(X)                                                                \
    X(window_cache, entries, NUM, 16, 1, 32, "registers/table", "Malekeh (long) III-C: 2 x 8",     \
      "registers that a table holds")                                                              \
    X(window_cache, tables, TABLES, SMRF_WINDOW_CACHE_SHARED, 0, 1, "", "proposed",                \
      "subcore = a table for each sub-core, which its warps share; warp = a table for each warp")  \
    X(window_cache, reads, READS, SMRF_WINDOW_CACHE_READS_ALL, 0, 3, "", "proposed",               \
      "which operands enter when a bank has delivered them: none, those that the compiler marks "  \
      ".reuse, those that are reused soon (near), all")                                            \
    X(window_cache, results, RESULTS, SMRF_WINDOW_CACHE_RESULTS_PRESENT, 0, 3, "", "proposed",     \
      "which results enter: none, those of registers that are present, those that are reused "     \
      "soon (near), all; any other drops the older value of its register")                         \
    X(window_cache, replacement, REPLACE, SMRF_WINDOW_CACHE_LRU, 0, 2, "", "proposed",             \
      "which value makes room: lru = the least recently used; fifo = the first that entered; "     \
      "far_lru = the least recently used of those that are not reused soon, else of all")          \
    X(window_cache, window, NUM, 0, 0, 64, "instructions", "BOW: 3",                               \
      "instructions of its warp for which a value stays after its last use; 0 = no limit")

struct smrf_window_cache_params {
    SMRF_WINDOW_CACHE_PARAMS(SMRF_PARAM_FIELD)
};

#endif
