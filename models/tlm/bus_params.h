/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the memory sockets: what a memory of others, bound in the place of the in-tree one,
 * wants of the SMs. */
#ifndef SMRF_BUS_PARAMS_H
#define SMRF_BUS_PARAMS_H

#include "models/common/smrf_param.h"

/* How a write travels whose values nobody knows. */
enum smrf_bus_unknown { SMRF_BUS_MASKED, SMRF_BUS_IGNORED, SMRF_BUS_ZEROS };

#define SMRF_BUS_VALUES(E)                                                                         \
    E(UNKNOWN, SMRF_BUS_MASKED, "masked")                                                          \
    E(UNKNOWN, SMRF_BUS_IGNORED, "ignored")                                                        \
    E(UNKNOWN, SMRF_BUS_ZEROS, "zeros")

#define SMRF_BUS_PARAMS(X)                                                                         \
    X(bus, access, NUM, 32, 32, 128, "bytes", "",                                                  \
      "size of an access, 32, 64 or 128: a read fetches an aligned block, and further sectors of " \
      "a block that is under way come with it")                                                    \
    X(bus, address_bits, NUM, 64, 20, 64, "bits", "", "low bits of an address that are kept")      \
    X(bus, base_mib, NUM, 0, 0, 0xffffffff, "MiB", "", "added to what is kept of an address")      \
    X(bus, end_resp, FLAG, 0, 0, 1, "", "",                                                        \
      "1 = END_RESP comes as a call of its own, for targets that do not look at TLM_COMPLETED")    \
    X(bus, response_cycles, NUM, 0, 0, 1000, "cycles", "",                                         \
      "from BEGIN_RESP to END_RESP: how long an answer holds the socket")                          \
    X(bus, blocking, FLAG, 0, 0, 1, "", "",                                                        \
      "1 = b_transport, as many calls at a time as bus.outstanding says")                          \
    X(bus, outstanding, NUM, 256, 1, 4096, "accesses", "",                                         \
      "that an SM has under way at most, where bus.blocking")                                      \
    X(bus, latency, NUM, 0, 0, 100000, "cycles", "",                                               \
      "that the memory takes at least from a request to its answer; 0 = unknown. SMs run ahead "   \
      "as far as no answer can be missed")                                                         \
    X(bus, unknown_data, UNKNOWN, SMRF_BUS_MASKED, 0, 2, "", "",                                   \
      "stores whose values the trace does not carry: a write with all byte enables off, an "       \
      "ignored command, or zeros")                                                                 \
    X(bus, dmi, FLAG, 0, 0, 1, "", "",                                                             \
      "1 = DMI where the target grants it, in the view lt. It meets no other initiator: cycles "   \
      "are "                                                                                       \
      "off by tens of per cent")                                                                   \
    X(bus, shared, NUM, 0, 0, 1000, "cycles", "",                                                  \
      "0: none; else all SMs share a bus, which an access holds for so long, with a memory of "    \
      "bus.memory behind it, in the place of network, L2 and DRAM")                                \
    X(bus, memory, NUM, 200, 1, 100000, "cycles", "", "latency of the memory behind bus.shared")   \
    X(bus, traffic, NUM, 0, 0, 1000, "accesses/1000 cycles", "",                                   \
      "of another initiator on bus.shared")                                                        \
    X(bus, interconnect, FLAG, 0, 0, 1, "", "",                                                    \
      "1 = what is bound may change addresses, for sim.monitor")

struct smrf_bus_params {
    SMRF_BUS_PARAMS(SMRF_PARAM_FIELD)
};

/* What a memory socket counts. */
#define SMRF_BUS_STATS(X)                                                                          \
    X(accesses, "accesses", "of memory sockets")                                                   \
    X(joined, "sectors", "that came with an access under way (bus.access)")                        \
    X(errors, "accesses", "answered with an error")                                                \
    X(late, "answers", "that came for a cycle which the SM had passed (bus.latency too long)")

struct smrf_bus_stats {
#define X(name, unit, meaning) uint64_t name;
    SMRF_BUS_STATS(X)
#undef X
};

#endif
