/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the memory sockets: what a foreign memory, bound instead of the in-tree one,
 * expects from the SMs. */
#ifndef SMRF_BUS_PARAMS_H
#define SMRF_BUS_PARAMS_H

#include "models/common/smrf_param.h"

/* How a write without a known value is sent. */
enum smrf_bus_unknown { SMRF_BUS_MASKED, SMRF_BUS_IGNORED, SMRF_BUS_ZEROS };

#define SMRF_BUS_VALUES(E)                                                                         \
    E(UNKNOWN, SMRF_BUS_MASKED, "masked")                                                          \
    E(UNKNOWN, SMRF_BUS_IGNORED, "ignored")                                                        \
    E(UNKNOWN, SMRF_BUS_ZEROS, "zeros")

#define SMRF_BUS_PARAMS(X)                                                                         \
    X(bus, access, NUM, 32, 32, 128, "bytes", "",                                                  \
      "size of an access: 32, 64 or 128. A read fetches an aligned block; reads of other sectors " \
      "of that block wait for it")                                                                 \
    X(bus, address_bits, NUM, 64, 20, 64, "bits", "", "low bits of an address that the bus sees")  \
    X(bus, base_mib, NUM, 0, 0, 0xffffffff, "MiB", "", "offset that is added to the address")      \
    X(bus, end_resp, FLAG, 0, 0, 1, "", "",                                                        \
      "1 = send END_RESP as a separate call, for targets that ignore TLM_COMPLETED")               \
    X(bus, response_cycles, NUM, 0, 0, 1000, "cycles", "",                                         \
      "time from BEGIN_RESP to END_RESP, in which an answer occupies the socket")                  \
    X(bus, blocking, FLAG, 0, 0, 1, "", "",                                                        \
      "1 = use b_transport, with up to bus.outstanding calls at a time")                           \
    X(bus, outstanding, NUM, 256, 1, 4096, "accesses", "",                                         \
      "most outstanding accesses of an SM, with bus.blocking")                                     \
    X(bus, latency, NUM, 0, 0, 100000, "cycles", "",                                               \
      "shortest latency of the memory; 0 = unknown. SMs may run ahead of the memory by this much") \
    X(bus, unknown_data, UNKNOWN, SMRF_BUS_MASKED, 0, 2, "", "",                                   \
      "what a store sends if the trace has no values: masked = a write with all byte enables "     \
      "off; ignored = TLM_IGNORE_COMMAND; zeros = zeros")                                          \
    X(bus, dmi, FLAG, 0, 0, 1, "", "",                                                             \
      "1 = in the view lt, use DMI if the target grants it. DMI does not see other initiators, "   \
      "so cycles may be off by tens of per cent")                                                  \
    X(bus, shared, NUM, 0, 0, 1000, "cycles", "",                                                  \
      "occupancy of a bus that all SMs share, in place of network, L2 and DRAM; a memory with "    \
      "latency bus.memory is behind it; 0 = no such bus")                                          \
    X(bus, memory, NUM, 200, 1, 100000, "cycles", "", "latency of the memory behind bus.shared")   \
    X(bus, traffic, NUM, 0, 0, 1000, "accesses/1000 cycles", "",                                   \
      "accesses of another initiator on bus.shared")                                               \
    X(bus, interconnect, FLAG, 0, 0, 1, "", "",                                                    \
      "1 = tell sim.monitor that the bound target may change addresses")

struct smrf_bus_params {
    SMRF_BUS_PARAMS(SMRF_PARAM_FIELD)
};

/* What a memory socket counts. */
#define SMRF_BUS_STATS(X)                                                                          \
    X(accesses, "accesses", "accesses at the memory sockets")                                      \
    X(joined, "sectors", "sectors that came with the access of another one (bus.access)")          \
    X(errors, "accesses", "accesses that were answered with an error")                             \
    X(late, "answers",                                                                             \
      "answers for a cycle that the SM had already passed (bus.latency is too long)")

struct smrf_bus_stats {
#define X(name, unit, meaning) uint64_t name;
    SMRF_BUS_STATS(X)
#undef X
};

#endif
