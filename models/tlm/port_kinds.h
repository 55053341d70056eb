/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of transactions on the sockets of an SM: what passes, from which block to which. Results
 * state how many of each kind were sent (sim.transactions). */
#ifndef SMRF_PORT_KINDS_H
#define SMRF_PORT_KINDS_H

/* X(name, from, to, what passes) */
#define SMRF_PORT_KINDS_TABLE(X)                                                                   \
    X(flush, "issue", "ldst", "a memory barrier of a warp is over")                                \
    X(instruction, "issue", "collectors", "an instruction enters a collector unit")                \
    X(fetch, "front_end", "l0", "an instruction is fetched")                                       \
    X(code_line, "l0", "icache", "a line of code for a sub-core's instruction cache")              \
    X(line, "issue", "simt_stack", "an instruction that may change the stack")                     \
    X(meaning, "issue", "simt_stack", "what it did")                                               \
    X(constant, "issue", "constant_l0", "a constant of an instruction that would issue")           \
    X(status, "issue", "operand_cache", "warps that go before others (port R)")                    \
    X(missing, "collectors", "operand_cache", "sources that the cache does not hold (port H)")     \
    X(hit, "collectors", "operand_cache", "a source that it holds (port H)")                       \
    X(leave, "collectors", "operand_cache", "an instruction leaves its unit (port H)")             \
    X(request, "collectors", "arbiter", "the reads of an instruction")                             \
    X(grant, "arbiter", "collectors", "reads of an instruction that may be made")                  \
    X(read, "collectors", "xbar", "a granted read")                                                \
    X(bank_read, "xbar", "bank", "the same at its bank")                                           \
    X(source, "collectors", "operand_cache", "a source that came from its bank (port S)")          \
    X(collected, "collectors", "issue", "sources that have been read")                             \
    X(dispatch, "collectors", "units", "an instruction enters the latch before its unit")          \
    X(drained, "units", "collectors", "the latch before a unit is free again")                     \
    X(access, "units", "ldst", "an instruction leaves its latch for the load/store unit")          \
    X(port, "units", "arbiter", "write-back takes a bank for a write")                             \
    X(write, "units", "bank", "a result is written")                                               \
    X(forward, "units", "read_stage", "a result of fixed latency, for instructions that read")     \
    X(result, "units", "operand_cache", "a result that its bank has taken (port D)")               \
    X(alone, "units", "operand_cache", "does a result go to no bank? (port D)")                    \
    X(keep, "units", "operand_cache", "a result that no bank takes (port D)")                      \
    X(eviction, "units", "operand_cache", "what the cache evicts (port D)")                        \
    X(released, "units", "issue", "a register is usable")                                          \
    X(retired, "units", "issue", "an instruction has left the SM")                                 \
    X(settled, "units", "issue", "both, for all its destinations")                                 \
    X(offer, "ldst", "units", "a load offers its results")                                         \
    X(portless, "ldst", "units", "results of a load that takes no ports")                          \
    X(later, "ldst", "units", "results that come in a given cycle")                                \
    X(answered, "ldst", "issue", "an atomic is answered")                                          \
    X(stores, "ldst", "issue", "write answers that a warp awaits")                                 \
    X(question, "ldst", "mapping", "a question about a load, or an event that answers depend on")  \
    X(answer, "ldst", "mapping", "the answer")                                                     \
    X(vacant, "merge", "collectors", "does a unit hold nothing?")                                  \
    X(merge, "merge", "collectors", "a merge enters a collector unit")                             \
    X(part, "collectors", "merge", "a source of a merge")                                          \
    X(merged, "units", "merge", "a result of a merge")                                             \
    X(memory, "sm", "memory", "an access that leaves the SM")

#define SMRF_PORT_KIND_ENUM(name, from, to, meaning) SMRF_PORT_KIND_##name,
enum smrf_port_kind { SMRF_PORT_KINDS_TABLE(SMRF_PORT_KIND_ENUM) SMRF_PORT_KINDS };
#undef SMRF_PORT_KIND_ENUM

/* The name of a kind below SMRF_PORT_KINDS, as results print it. */
static inline const char *smrf_port_kind_name(unsigned kind)
{
#define SMRF_PORT_KIND_NAME(name, from, to, meaning) #name,
    static const char *const names[] = {SMRF_PORT_KINDS_TABLE(SMRF_PORT_KIND_NAME)};
#undef SMRF_PORT_KIND_NAME
    return names[kind];
}

#endif
