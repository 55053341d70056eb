/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the value oracle. X(name, unit, "meaning") */
#ifndef SMRF_ORACLE_STATS_H
#define SMRF_ORACLE_STATS_H

#define SMRF_ORACLE_STATS(X)                                                                       \
    X(oracle_checked, "operands", "operands compared with program order")                          \
    X(oracle_violations, "operands", "operands that differed from program order")                  \
    X(oracle_overtaken, "operands", "operands overtaken by a younger write (no WAR check)")        \
    X(oracle_stale_copies, "writes",                                                               \
      "writes after which a mechanism's copy differed from the bank")                              \
    X(oracle_unrestored, "registers",                                                              \
      "registers saved by a removed store and not restored by the callee")                         \
    X(oracle_wrong_shares, "registers",                                                            \
      "registers shared with an instruction that computed another value")                          \
    X(oracle_raced, "registers",                                                                   \
      "registers of loads whose bytes a store of the same launch changed, with load and store in " \
      "another order than in the trace")                                                           \
    X(oracle_unjudged, "registers",                                                                \
      "registers that the oracle could not judge: too many loads differ, or the launch was cut "   \
      "off")                                                                                       \
    X(oracle_lost_saves, "registers",                                                              \
      "registers saved by a removed store and not tracked, because there were too many")           \
    X(oracle_trace_values, "operands", "operands compared with values of the trace")               \
    X(oracle_trace_mismatches, "operands",                                                         \
      "values of the trace that differ from what the trace itself wrote")                          \
    X(removed_insts, "instructions", "warp instructions of the trace that a mechanism removed")    \
    X(removed_threads, "instructions",                                                             \
      "thread instructions of the removed or added warp instructions")                             \
    X(injected_insts, "instructions", "warp instructions that a mechanism added to the trace")     \
    X(injected_threads, "instructions",                                                            \
      "thread instructions of the removed or added warp instructions")

#endif
