/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of interconnect, L2 and DRAM. */
#ifndef SMRF_MEMORY_PARAMS_H
#define SMRF_MEMORY_PARAMS_H

#include "models/common/smrf_param.h"

enum smrf_hash { SMRF_HASH_LINEAR, SMRF_HASH_IPOLY, SMRF_HASH_ACCELSIM };

#define SMRF_NOC_PARAMS(X)                                                                         \
    X(noc, flit_bytes, NUM, 40, 4, 256, "bytes", "Accel-Sim icnt_flit_size", "width of a link")    \
    X(noc, latency, NUM, 2, 0, 1000, "cycles", "calibrated on Accel-Sim",                          \
      "one way through the network")                                                               \
    X(noc, one_a_cycle, FLAG, 1, 0, 1, "", "Accel-Sim iSLIP_Advance: off",                         \
      "1 = an input of the network sends at most one packet a cycle; 0 = as many as the outputs "  \
      "accept, outputs in ascending order")                                                        \
    X(noc, credits, NUM, 512, 1, 4096, "requests/SM", "assumed", "outstanding requests of an SM")  \
    X(noc, input_queue, NUM, 0, 0, 4096, "packets", "Accel-Sim icnt_in_buffer_limit",              \
      "requests of an SM, or replies of a slice, that may wait in the network's input; 0 = any "   \
      "number")

struct smrf_noc_params {
    SMRF_NOC_PARAMS(SMRF_PARAM_FIELD)
};

#define SMRF_L2_VALUES(E)                                                                          \
    E(HASH, SMRF_HASH_LINEAR, "linear")                                                            \
    E(HASH, SMRF_HASH_IPOLY, "ipoly")                                                              \
    E(SLICE_HASH, SMRF_HASH_LINEAR, "linear")                                                      \
    E(SLICE_HASH, SMRF_HASH_IPOLY, "ipoly")                                                        \
    E(SLICE_HASH, SMRF_HASH_ACCELSIM, "accelsim")

#define SMRF_L2_PARAMS(X)                                                                          \
    X(l2, slices, NUM, 8, 1, 256, "slices", "Malekeh Table I: a third of 24",                      \
      "memory sub-partitions")                                                                     \
    X(l2, sets, NUM, 64, 1, 65536, "sets/slice", "Accel-Sim SM75_RTX2060",                         \
      "sets of a slice, a power of two")                                                           \
    X(l2, ways, NUM, 16, 1, 256, "ways", "Accel-Sim SM75_RTX2060",                                 \
      "associativity, lines of 128 bytes")                                                         \
    X(l2, latency, NUM, 194, 1, 10000, "cycles", "Accel-Sim l2_rop_latency",                       \
      "from the network to the tags")                                                              \
    X(l2, mshrs, NUM, 192, 1, 4096, "entries/slice", "Accel-Sim SM75_RTX2060",                     \
      "sectors in flight")                                                                         \
    X(l2, mshr_merge, NUM, 4, 1, 256, "requests/entry", "Accel-Sim SM75_RTX2060",                  \
      "requests merged into one MSHR")                                                             \
    X(l2, set_hash, HASH, SMRF_HASH_IPOLY, 0, 1, "", "Accel-Sim dl2 set index function P",         \
      "how lines of a slice spread over its sets")                                                 \
    X(l2, hash, SLICE_HASH, SMRF_HASH_LINEAR, 0, 2, "", "Accel-Sim memory_partition_indexing",     \
      "how addresses spread over slices; accelsim: exactly as its IPOLY, for 16, 32 or 64 slices") \
    X(l2, slice_bytes, NUM, 128, 128, 256, "bytes",                                                \
      "Accel-Sim gpgpu_mem_addr_mapping; SM7_QV100: 256",                                          \
      "neighbouring bytes that a slice holds, 128 or 256")                                         \
    X(l2, fetch_bytes, NUM, 32, 32, 128, "bytes",                                                  \
      "CUDA: cudaLimitMaxL2FetchGranularity, a hint of 32, 64 or 128",                             \
      "aligned bytes that a read miss fetches from DRAM, a power of two")                          \
    X(l2, atomic_cycles, NUM, 0, 0, 255, "cycles", "measured: docs/hardware.md",                   \
      "cycles that a line needs to add several words to a sector, and 1 for a single word, "       \
      "before "                                                                                    \
      "it adds others and the atomic is answered; 0 = none")                                       \
    X(l2, copies_warm, FLAG, 0, 0, 1, "", "proposed; Accel-Sim's runs show no such hits",          \
      "1 = host-to-device copies of the trace fill L2")

struct smrf_l2_params {
    SMRF_L2_PARAMS(SMRF_PARAM_FIELD)
};

#define SMRF_DRAM_PARAMS(X)                                                                        \
    X(dram, channels, NUM, 4, 1, 128, "channels", "Malekeh Table I: a third of 12",                \
      "memory channels")                                                                           \
    X(dram, khz, NUM, 3500500, 1000, 20000000, "kHz", "Accel-Sim SM75_RTX2060", "DRAM clock")      \
    X(dram, summed_clocks, FLAG, 0, 0, 1, "", "Accel-Sim gpgpu_sim::next_clock_domain: on",        \
      "where a core and a DRAM cycle begin together, rounding of their added periods decides "     \
      "which goes first; 0 = the DRAM cycle")                                                      \
    X(dram, latency, NUM, 96, 0, 10000, "core cycles", "Accel-Sim dram_latency",                   \
      "fixed part between L2 and the DRAM queue")                                                  \
    X(dram, bus_bytes, NUM, 2, 1, 64, "bytes", "Accel-Sim dram_buswidth", "data bus of a channel") \
    X(dram, burst, NUM, 16, 1, 64, "beats", "Accel-Sim dram_burst_length", "length of one access") \
    X(dram, data_rate, NUM, 4, 1, 8, "beats/cycle", "Accel-Sim dram_data_command_freq_ratio",      \
      "data beats in a DRAM command cycle")                                                        \
    X(dram, queue, NUM, 64, 1, 1024, "requests", "Accel-Sim frfcfs_dram_sched_queue_size",         \
      "FR-FCFS window of a channel")                                                               \
    X(dram, banks, NUM, 16, 1, 64, "banks", "Accel-Sim SM75_RTX2060 nbk", "banks of a channel")    \
    X(dram, open_bytes, NUM, 2048, 128, 16384, "bytes/channel",                                    \
      "Accel-Sim gpgpu_mem_addr_mapping; fitted to an RTX 2060: 128, docs/hardware.md",            \
      "neighbouring bytes of a channel that one activation serves, a power of two; 128 = a row "   \
      "is closed behind each line")                                                                \
    X(dram, bank_hash, FLAG, 0, 0, 1, "", "Zhang, Zhu and Zhang, MICRO 2000",                      \
      "1 = the number of a bank is combined with the lowest bits of the row's by exclusive or")    \
    X(dram, dual_bus, FLAG, 0, 0, 1, "", "Accel-Sim dram_dual_bus_interface: on (HBM)",            \
      "1 = a channel gives a row and a column command in one cycle")                               \
    X(dram, row_bits, NUM, 49, 1, 49, "bits", "Accel-Sim gpgpu_mem_addr_mapping",                  \
      "bits of a row's number; addresses that differ only in higher bits share a row; 49 = use "   \
      "the whole address")                                                                         \
    X(dram, bank_groups, NUM, 4, 1, 16, "groups", "Accel-Sim SM75_RTX2060 nbkgrp",                 \
      "groups of banks")                                                                           \
    X(dram, ccd, NUM, 4, 1, 255, "DRAM cycles", "Accel-Sim SM75_RTX2060", "column to column")      \
    X(dram, ccdl, NUM, 6, 1, 255, "DRAM cycles", "Accel-Sim SM75_RTX2060", "same bank group")      \
    X(dram, rrd, NUM, 12, 1, 255, "DRAM cycles", "Accel-Sim SM75_RTX2060", "row to row")           \
    X(dram, rcd, NUM, 24, 1, 255, "DRAM cycles", "Accel-Sim SM75_RTX2060", "row to column")        \
    X(dram, ras, NUM, 55, 1, 255, "DRAM cycles", "Accel-Sim SM75_RTX2060", "row active")           \
    X(dram, rp, NUM, 24, 1, 255, "DRAM cycles", "Accel-Sim SM75_RTX2060", "precharge")             \
    X(dram, rc, NUM, 78, 1, 255, "DRAM cycles", "Accel-Sim SM75_RTX2060", "row cycle")             \
    X(dram, cl, NUM, 24, 1, 255, "DRAM cycles", "Accel-Sim SM75_RTX2060", "read latency")          \
    X(dram, wl, NUM, 8, 1, 255, "DRAM cycles", "Accel-Sim SM75_RTX2060", "write latency")          \
    X(dram, cdlr, NUM, 10, 1, 255, "DRAM cycles", "Accel-Sim SM75_RTX2060", "write to read")       \
    X(dram, wr, NUM, 24, 1, 255, "DRAM cycles", "Accel-Sim SM75_RTX2060", "write recovery")        \
    X(dram, rtpl, NUM, 4, 1, 255, "DRAM cycles", "Accel-Sim SM75_RTX2060", "read to precharge")

struct smrf_dram_params {
    SMRF_DRAM_PARAMS(SMRF_PARAM_FIELD)
};

#endif
