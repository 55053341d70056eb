/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the value oracle. X(name, unit, "meaning") */
#ifndef SMRF_ORACLE_STATS_H
#define SMRF_ORACLE_STATS_H

#define SMRF_ORACLE_STATS(X)                                                                       \
    X(oracle_checked, "operands", "operands compared with program order")                          \
    X(oracle_violations, "operands", "operands that differed from program order")                  \
    X(oracle_overtaken, "operands", "operands overtaken by a younger write (no WAR check)")        \
    X(oracle_stale_copies, "writes", "after which a mechanism's copy differed from the bank")      \
    X(oracle_trace_values, "operands", "operands compared with values of the trace")               \
    X(oracle_trace_mismatches, "operands", "values of the trace that differ from its own writes")

#endif
