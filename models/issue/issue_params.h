/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the issue stage and its scoreboard. */
#ifndef SMRF_ISSUE_PARAMS_H
#define SMRF_ISSUE_PARAMS_H

#include "models/common/smrf_param.h"

enum smrf_sched {
    SMRF_SCHED_GTO,       /* greedy (last issued), then oldest */
    SMRF_SCHED_LRR,       /* rotate from the last issued */
    SMRF_SCHED_OLDEST,    /* the oldest warp, whichever issued last */
    SMRF_SCHED_TWO_LEVEL, /* small active list, the rest pending */
    SMRF_SCHED_SWL,       /* GTO over a limited number of warps */
    SMRF_SCHED_CGGTY      /* greedy (last issued), then youngest */
};

/* What holds an instruction back until its registers are there. */
enum smrf_dependence {
    SMRF_DEPENDENCE_SCOREBOARD, /* registers that wait for a result or for readers */
    SMRF_DEPENDENCE_CONTROL,    /* the control bits of its encoding; without them as LATENCY */
    SMRF_DEPENDENCE_LATENCY     /* a table of latencies, writer by reader */
};

/* The table of latencies, and what the compiler's control bits rely on. */
enum smrf_latencies { SMRF_LATENCIES_TURING, SMRF_LATENCIES_AMPERE };

/* What DEPBAR waits for. */
enum smrf_copy_rule { SMRF_COPY_RULE_GROUPS, SMRF_COPY_RULE_ACCELSIM };

enum smrf_inner { SMRF_INNER_LRR, SMRF_INNER_GTO };

#define SMRF_ISSUE_VALUES(E)                                                                       \
    E(SCHEDULER, SMRF_SCHED_GTO, "gto")                                                            \
    E(SCHEDULER, SMRF_SCHED_LRR, "lrr")                                                            \
    E(SCHEDULER, SMRF_SCHED_OLDEST, "oldest")                                                      \
    E(SCHEDULER, SMRF_SCHED_TWO_LEVEL, "two_level")                                                \
    E(SCHEDULER, SMRF_SCHED_SWL, "swl")                                                            \
    E(SCHEDULER, SMRF_SCHED_CGGTY, "cggty")                                                        \
    E(DEPENDENCE, SMRF_DEPENDENCE_SCOREBOARD, "scoreboard")                                        \
    E(DEPENDENCE, SMRF_DEPENDENCE_CONTROL, "control")                                              \
    E(DEPENDENCE, SMRF_DEPENDENCE_LATENCY, "latency")                                              \
    E(LATENCIES, SMRF_LATENCIES_TURING, "turing")                                                  \
    E(LATENCIES, SMRF_LATENCIES_AMPERE, "ampere")                                                  \
    E(INNER, SMRF_INNER_LRR, "lrr")                                                                \
    E(INNER, SMRF_INNER_GTO, "gto")                                                                \
    E(COPY_RULE, SMRF_COPY_RULE_GROUPS, "groups")                                                  \
    E(COPY_RULE, SMRF_COPY_RULE_ACCELSIM, "accelsim")

#define SMRF_ISSUE_PARAMS(X)                                                                       \
    X(issue, scheduler, SCHEDULER, SMRF_SCHED_GTO, 0, 5, "", "Malekeh Table I",                    \
      "warp scheduling policy")                                                                    \
    X(issue, width, NUM, 1, 1, 4, "instructions/scheduler/cycle", "Malekeh II",                    \
      "warps that one scheduler may issue from in one cycle")                                      \
    X(issue, active_warps, NUM, 2, 1, 64, "warps/scheduler", "Malekeh VI-A1",                      \
      "two_level: size of the active list")                                                        \
    X(issue, inner, INNER, SMRF_INNER_LRR, 0, 1, "", "Accel-Sim two_level_active",                 \
      "two_level: order within the active list")                                                   \
    X(issue, limit_warps, NUM, 64, 1, 64, "warps/scheduler", "Accel-Sim warp_limiting",            \
      "swl: number of warps of a scheduler that may issue")                                        \
    X(issue, latches, FLAG, 0, 0, 1, "", "Accel-Sim ID_OC registers",                              \
      "1 = a latch per unit type between issue and collectors; 0 = issue allocates a collector")   \
    X(issue, extra_latency, NUM, 0, 0, 16, "cycles", "CARS IV-C",                                  \
      "added pipeline cycles in issue")                                                            \
    X(issue, dependence, DEPENDENCE, SMRF_DEPENDENCE_SCOREBOARD, 0, 2, "",                         \
      "Huerta MICRO 2025: control bits",                                                           \
      "what holds an instruction back: scoreboard; control = stall count, yield and the six "      \
      "counters of its encoding, where the trace has them; latency = issue.latencies alone")       \
    X(issue, latencies, LATENCIES, SMRF_LATENCIES_TURING, 0, 1, "", "NVIDIA's tables in Mesa NAK", \
      "with control or latency: cycles from a writer's issue to a reader's")                       \
    X(issue, zero_stall, NUM, 45, 1, 255, "cycles", "Huerta MICRO 2025; A100 has 54",              \
      "with control: stall of an instruction whose count is 0 and that yields")                    \
    X(issue, barrier_latency, NUM, 0, 0, 255, "cycles", "an A100's clock windows: 23",             \
      "from the last warp's barrier of a thread block to the next instructions of its warps; 0 = " \
      "at once")                                                                                   \
    X(issue, barrier_slip, FLAG, 0, 0, 1, "", "assumed from an A100's clock windows: on",          \
      "with rf.read=window: 1 = one arithmetic instruction behind a barrier issues before the "    \
      "barrier holds its warp")

struct smrf_issue_params {
    SMRF_ISSUE_PARAMS(SMRF_PARAM_FIELD)
};

#define SMRF_SCOREBOARD_PARAMS(X)                                                                  \
    X(scoreboard, war, FLAG, 1, 0, 1, "", "proposed; Accel-Sim has none",                          \
      "do not issue a write while an older instruction still has to read the register (WAR)")      \
    X(scoreboard, uniform, FLAG, 1, 0, 1, "", "Accel-Sim 1.x: its traces do not list them",        \
      "do not issue an instruction before its uniform registers are ready, if the trace or its "   \
      "sidecar names them")                                                                        \
    X(scoreboard, copies, COPY_RULE, SMRF_COPY_RULE_GROUPS, 0, 1, "",                              \
      "PTX ISA cp.async.wait_group; Accel-Sim unset_depbar",                                       \
      "what DEPBAR waits for: groups = all groups of asynchronous copies except the last N; "      \
      "accelsim = also copies that belong to no group yet, if only one group is closed")

struct smrf_scoreboard_params {
    SMRF_SCOREBOARD_PARAMS(SMRF_PARAM_FIELD)
};

#endif
