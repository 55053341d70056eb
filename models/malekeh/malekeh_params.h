/* SPDX-License-Identifier: Apache-2.0 */
/* Options of Malekeh. Each enumeration names a choice that the papers leave open or disagree on. */
#ifndef SMRF_MALEKEH_PARAMS_H
#define SMRF_MALEKEH_PARAMS_H

#include "models/common/smrf_param.h"

/* Malekeh. Each names a choice that the papers leave open or disagree on. */
enum smrf_ccu_replacement {
    SMRF_CCU_FAR_RANDOM, /* a random far entry; if there is none, the least recently used */
    SMRF_CCU_FAR_LRU,    /* the least recently used far entry; if there is none, of all */
    SMRF_CCU_LRU         /* the least recently used, near or far */
};

enum smrf_ccu_write_policy {
    SMRF_CCU_WRITE_NEAR,   /* results that are reused soon */
    SMRF_CCU_WRITE_ALL,    /* every result */
    SMRF_CCU_WRITE_PRESENT /* results that are reused soon, of registers that are present */
};

enum smrf_ccu_far_write { SMRF_CCU_FAR_INVALIDATE, SMRF_CCU_FAR_UPDATE };

enum smrf_malekeh_priority {
    SMRF_MALEKEH_LAST_FIRST,     /* last issued, then those with data in a CCU, then the others */
    SMRF_MALEKEH_RESIDENT_FIRST, /* those with data (last issued, then oldest), then the others */
    SMRF_MALEKEH_GTO             /* the scheduler's own order */
};

enum smrf_malekeh_allocation {
    SMRF_MALEKEH_NEAR_FAR, /* the warp's own CCU; else one without near values; else wait */
    SMRF_MALEKEH_OWN,      /* the warp's own CCU; else any free one, without waiting */
    SMRF_MALEKEH_PRIVATE,  /* CCU k belongs to warp k of the sub-core */
    SMRF_MALEKEH_ANY       /* any free one, as in the baseline */
};

enum smrf_malekeh_choice {
    SMRF_MALEKEH_CHOICE_RANDOM,
    SMRF_MALEKEH_CHOICE_FIRST, /* lowest number */
    SMRF_MALEKEH_CHOICE_FEWEST /* fewest near, then fewest values; then lowest number */
};

enum smrf_malekeh_counter { SMRF_MALEKEH_PER_SUBCORE, SMRF_MALEKEH_PER_SM };

enum smrf_malekeh_clear { SMRF_MALEKEH_CLEAR_FORCED, SMRF_MALEKEH_CLEAR_ANY };

enum smrf_malekeh_port { SMRF_MALEKEH_PORT_REGISTER, SMRF_MALEKEH_PORT_RESULT };

enum smrf_malekeh_sthld { SMRF_MALEKEH_ADAPTIVE, SMRF_MALEKEH_FIXED };

#define SMRF_MALEKEH_VALUES(E)                                                                     \
    E(REPLACEMENT, SMRF_CCU_FAR_RANDOM, "far_random")                                              \
    E(REPLACEMENT, SMRF_CCU_FAR_LRU, "far_lru")                                                    \
    E(REPLACEMENT, SMRF_CCU_LRU, "lru")                                                            \
    E(CACHE_WRITE, SMRF_CCU_WRITE_NEAR, "near")                                                    \
    E(CACHE_WRITE, SMRF_CCU_WRITE_ALL, "all")                                                      \
    E(CACHE_WRITE, SMRF_CCU_WRITE_PRESENT, "present")                                              \
    E(FAR_WRITE, SMRF_CCU_FAR_INVALIDATE, "invalidate")                                            \
    E(FAR_WRITE, SMRF_CCU_FAR_UPDATE, "update")                                                    \
    E(PRIORITY, SMRF_MALEKEH_LAST_FIRST, "last_first")                                             \
    E(PRIORITY, SMRF_MALEKEH_RESIDENT_FIRST, "resident_first")                                     \
    E(PRIORITY, SMRF_MALEKEH_GTO, "gto")                                                           \
    E(ALLOCATION, SMRF_MALEKEH_NEAR_FAR, "near_far")                                               \
    E(ALLOCATION, SMRF_MALEKEH_OWN, "own")                                                         \
    E(ALLOCATION, SMRF_MALEKEH_PRIVATE, "private")                                                 \
    E(ALLOCATION, SMRF_MALEKEH_ANY, "any")                                                         \
    E(CHOICE, SMRF_MALEKEH_CHOICE_RANDOM, "random")                                                \
    E(CHOICE, SMRF_MALEKEH_CHOICE_FIRST, "first")                                                  \
    E(CHOICE, SMRF_MALEKEH_CHOICE_FEWEST, "fewest")                                                \
    E(COUNTER, SMRF_MALEKEH_PER_SUBCORE, "subcore")                                                \
    E(COUNTER, SMRF_MALEKEH_PER_SM, "sm")                                                          \
    E(PORT, SMRF_MALEKEH_PORT_REGISTER, "register")                                                \
    E(PORT, SMRF_MALEKEH_PORT_RESULT, "result")                                                    \
    E(CLEAR, SMRF_MALEKEH_CLEAR_FORCED, "forced")                                                  \
    E(CLEAR, SMRF_MALEKEH_CLEAR_ANY, "any")                                                        \
    E(STHLD, SMRF_MALEKEH_ADAPTIVE, "adaptive")                                                    \
    E(STHLD, SMRF_MALEKEH_FIXED, "fixed")

#define SMRF_MALEKEH_PARAMS(X)                                                                     \
    X(malekeh, cache, FLAG, 1, 0, 1, "", "",                                                       \
      "1 = collector units cache operands; 0 = plain operand collectors of the same size")         \
    X(malekeh, ct_entries, NUM, 8, 1, 32, "registers/CCU", "Malekeh (long) III-C",                 \
      "entries of a CCU's cache table")                                                            \
    X(malekeh, slots, NUM, 6, 1, 24, "operands/CCU", "Malekeh (long) III-C; (short) 2 has 7",      \
      "source operands of an instruction that may enter the cache table; others are read but not " \
      "cached")                                                                                    \
    X(malekeh, replacement, REPLACEMENT, SMRF_CCU_FAR_RANDOM, 0, 2, "", "Malekeh (long) IV-A1",    \
      "which unlocked entry makes room, if none is empty: far_random = a random far one, else "    \
      "the least recently used; far_lru = the least recently used far one, else of all; lru = "    \
      "of all")                                                                                    \
    X(malekeh, write, CACHE_WRITE, SMRF_CCU_WRITE_NEAR, 0, 2, "", "Malekeh (long) IV-A2",          \
      "which results the CCU keeps: near ones, all, or near ones of registers that are present; "  \
      "the banks are written in any case")                                                         \
    X(malekeh, write_ports, NUM, 1, 0, 16, "results/CCU/cycle", "Malekeh (long) III-B",            \
      "results that port D accepts, in order of arrival; 0 = no limit")                            \
    X(malekeh, port_takes, PORT, SMRF_MALEKEH_PORT_REGISTER, 0, 1, "", "Malekeh (long) III-B",     \
      "what counts as one write at port D: register = each register of a wide result; result = "   \
      "the whole result, so that only different instructions conflict")                            \
    X(malekeh, far_write, FAR_WRITE, SMRF_CCU_FAR_INVALIDATE, 0, 1, "", "proposed",                \
      "what a far result does to an entry of its register: invalidate = drop it; update = update " \
      "it")                                                                                        \
    X(malekeh, partial_allocates, FLAG, 1, 0, 1, "", "proposed",                                   \
      "1 = a result that writes only some lanes may take a new entry; the other lanes come from "  \
      "the bank for free")                                                                         \
    X(malekeh, read_marks, FLAG, 1, 0, 1, "", "proposed",                                          \
      "1 = a value that a read caches is near if the operand is near; 0 = it is far")              \
    X(malekeh, flush_on_exit, FLAG, 1, 0, 1, "", "proposed",                                       \
      "1 = empty a warp's CCU when the warp exits; 0 = when a new warp takes its slot")            \
    X(malekeh, priority, PRIORITY, SMRF_MALEKEH_LAST_FIRST, 0, 2, "",                              \
      "Malekeh (long) IV-B1; (short) 5 puts residents first",                                      \
      "last_first = the last issued, then warps with data in a CCU, then the others; "             \
      "resident_first = warps with data (of them the last issued, then the oldest), then the "     \
      "others; gto = the scheduler's own order")                                                   \
    X(malekeh, allocation, ALLOCATION, SMRF_MALEKEH_NEAR_FAR, 0, 3, "", "Malekeh (long) Fig. 6",   \
      "which CCU a warp gets: near_far = its own, else one without near values, else it waits; "   \
      "own = its own, else any free one; private = every warp has one; any = any free one, as in " \
      "the baseline")                                                                              \
    X(malekeh, far_choice, CHOICE, SMRF_MALEKEH_CHOICE_RANDOM, 0, 2, "", "Malekeh (long) IV-B2",   \
      "choice among free CCUs without near values; fewest = the one with the fewest values")       \
    X(malekeh, forced_choice, CHOICE, SMRF_MALEKEH_CHOICE_RANDOM, 0, 2, "",                        \
      "Malekeh (long) IV-B2",                                                                      \
      "choice among free CCUs with near values, after the wait; fewest = the one with the fewest " \
      "near values, then the fewest values")                                                       \
    X(malekeh, strict_top_warp, FLAG, 0, 0, 1, "", "proposed",                                     \
      "1 = if the first warp gets no CCU, no warp issues; 0 = the next warp may issue")            \
    X(malekeh, wait_inclusive, FLAG, 0, 0, 1, "", "Malekeh (short) 6 uses 1",                      \
      "1 = wait while the counter is at most STHLD; 0 = only while it is below")                   \
    X(malekeh, wait_counter, COUNTER, SMRF_MALEKEH_PER_SUBCORE, 0, 1, "", "Malekeh (long) IV-B2",  \
      "the wait counter belongs to: subcore = each sub-core; sm = the SM")                         \
    X(malekeh, wait_clear, CLEAR, SMRF_MALEKEH_CLEAR_FORCED, 0, 1, "", "Malekeh (long) IV-B2",     \
      "which allocations clear the counter: forced = only those of a CCU with near values; any = " \
      "every allocation to a warp without a CCU")                                                  \
    X(malekeh, sthld_mode, STHLD, SMRF_MALEKEH_ADAPTIVE, 0, 1, "", "Malekeh (long) IV-B3",         \
      "adaptive = STHLD follows IPC; fixed = STHLD stays at malekeh.sthld")                        \
    X(malekeh, sthld, NUM, 0, 0, 10000, "cycles", "proposed",                                      \
      "fixed STHLD, or the adaptive one's first value")                                            \
    X(malekeh, sthld_max, NUM, 64, 0, 10000, "cycles", "proposed",                                 \
      "largest value of the adaptive STHLD")                                                       \
    X(malekeh, sthld_interval, NUM, 10000, 100, 100000000, "cycles", "Malekeh (long) IV-B3",       \
      "between two evaluations of the GPU's IPC")                                                  \
    X(malekeh, sthld_threshold, NUM, 200, 0, 10000, "1/10000", "Malekeh (long) IV-B3 (0.02)",      \
      "largest relative change of IPC that counts as small")                                       \
    X(malekeh, sthld_climb, NUM, 8, 0, 10000, "cycles", "smrf study sthld",                        \
      "step up, while climbing or speculating")                                                    \
    X(malekeh, sthld_back, NUM, 16, 0, 10000, "cycles", "smrf study sthld",                        \
      "step down, after a failed speculation")                                                     \
    X(malekeh, sthld_fine, NUM, 8, 0, 10000, "cycles", "smrf study sthld",                         \
      "step down, while searching for the knee")                                                   \
    X(malekeh, sthld_only_drops, FLAG, 0, 0, 1, "", "proposed",                                    \
      "1 = only a fall of IPC can be a large change")                                              \
    X(malekeh, sthld_restart, FLAG, 0, 0, 1, "", "proposed",                                       \
      "1 = the state machine restarts at every launch; 0 = it keeps its state")                    \
    X(malekeh, sthld_count_idle, FLAG, 0, 0, 1, "", "proposed",                                    \
      "1 = an interval without instructions counts; 0 = it is ignored")

struct smrf_malekeh_params {
    SMRF_MALEKEH_PARAMS(SMRF_PARAM_FIELD)
};

#endif
