/* SPDX-License-Identifier: Apache-2.0 */
/* Every parameter of the model, once: the structs of smrf_config.h, the parser, the --explain text
 * and the echo of the effective configuration are all made from this list.
 *
 * X(section, name, kind, default, min, max, unit, source, meaning)
 * kind: NUM (uint32_t), FLAG (0 or 1), KBSET (bit k = 4 x k KiB), or the name of an enum list
 * below. Defaults are those of the preset rtx2060-paper; per-sub-core numbers say so in the unit.
 */
#ifndef SMRF_PARAMS_H
#define SMRF_PARAMS_H

/* E(kind, symbol, text) */
#define SMRF_PARAM_ENUMS(E)                                                                        \
    E(SCHEDULER, SMRF_SCHED_GTO, "gto")                                                            \
    E(SCHEDULER, SMRF_SCHED_LRR, "lrr")                                                            \
    E(SCHEDULER, SMRF_SCHED_OLDEST, "oldest")                                                      \
    E(SCHEDULER, SMRF_SCHED_TWO_LEVEL, "two_level")                                                \
    E(SCHEDULER, SMRF_SCHED_SWL, "swl")                                                            \
    E(INNER, SMRF_INNER_LRR, "lrr")                                                                \
    E(INNER, SMRF_INNER_GTO, "gto")                                                                \
    E(PICK, SMRF_PICK_FIRST, "first")                                                              \
    E(PICK, SMRF_PICK_RANDOM, "random")                                                            \
    E(ORDER, SMRF_ORDER_OLDEST, "oldest")                                                          \
    E(ORDER, SMRF_ORDER_INDEX, "index")                                                            \
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
    E(CLEAR, SMRF_MALEKEH_CLEAR_FORCED, "forced")                                                  \
    E(CLEAR, SMRF_MALEKEH_CLEAR_ANY, "any")                                                        \
    E(STHLD, SMRF_MALEKEH_ADAPTIVE, "adaptive")                                                    \
    E(STHLD, SMRF_MALEKEH_FIXED, "fixed")                                                          \
    E(REUSE, SMRF_REUSE_BITS_PROFILE, "profile")                                                   \
    E(REUSE, SMRF_REUSE_BITS_MAJORITY, "majority")                                                 \
    E(REUSE, SMRF_REUSE_BITS_DYNAMIC, "dynamic")                                                   \
    E(HASH, SMRF_HASH_LINEAR, "linear")                                                            \
    E(HASH, SMRF_HASH_IPOLY, "ipoly")

#define SMRF_PARAMS(X)                                                                             \
    /* ---- the GPU around the SMs ---- */                                                         \
    X(gpu, sms, NUM, 10, 1, 256, "SMs", "Malekeh Table I", "streaming multiprocessors")            \
    X(gpu, core_khz, NUM, 1365000, 1000, 4000000, "kHz", "Accel-Sim SM75_RTX2060",                 \
      "clock of SMs, interconnect and L2")                                                         \
    X(gpu, launch_latency, NUM, 0, 0, 1000000, "cycles", "Accel-Sim uses 5000",                    \
      "from a kernel's launch to its first thread block")                                          \
    X(gpu, blocks_per_cycle, NUM, 1, 1, 32, "blocks/SM", "Accel-Sim issue_block2core",             \
      "thread blocks that one SM can take in one cycle")                                           \
    /* ---- limits of an SM ---- */                                                                \
    X(sm, threads, NUM, 1024, 32, 2048, "threads", "Malekeh Table I", "resident threads")          \
    X(sm, warps, NUM, 32, 1, 64, "warps", "Malekeh Table I", "warp slots")                         \
    X(sm, blocks, NUM, 16, 1, 32, "blocks", "Accel-Sim SM75_RTX2060", "resident thread blocks")    \
    X(sm, registers, NUM, 65536, 1024, 262144, "32-bit registers", "Malekeh Table I (256 KB)",     \
      "register file")                                                                             \
    X(sm, register_unit, NUM, 4, 1, 256, "registers/thread", "Accel-Sim max_cta",                  \
      "a thread's registers are rounded up to a multiple of this")                                 \
    X(sm, registers_pooled, FLAG, 0, 0, 1, "", "Accel-Sim max_cta",                                \
      "1 = occupancy counts registers over the whole SM; 0 = each sub-core must hold its warps'")  \
    X(sm, shared_bytes, NUM, 65536, 0, 262144, "bytes", "Malekeh Table I", "shared memory")        \
    X(sm, subcores, NUM, 4, 1, 4, "sub-cores", "Malekeh II",                                       \
      "1 = one monolithic scheduler over the whole register file")                                 \
    /* ---- front end ---- */                                                                      \
    X(frontend, ibuffer, NUM, 2, 1, 2, "instructions/warp", "Accel-Sim", "instruction buffer")     \
    X(frontend, fetch_warps, NUM, 4, 1, 32, "warps/cycle", "Accel-Sim inst_fetch_throughput",      \
      "warps whose empty instruction buffer is refilled in one cycle")                             \
    X(frontend, icache_bytes, NUM, 0, 0, 1048576, "bytes", "Accel-Sim perfect_inst_const_cache",   \
      "instruction cache of an SM; 0 = ideal")                                                     \
    X(frontend, icache_ways, NUM, 16, 1, 64, "ways", "Accel-Sim il1", "associativity")             \
    X(frontend, icache_miss_latency, NUM, 100, 1, 10000, "cycles", "proposed",                     \
      "refill of an instruction-cache line")                                                       \
    /* ---- issue ---- */                                                                          \
    X(issue, scheduler, SCHEDULER, SMRF_SCHED_GTO, 0, 4, "", "Malekeh Table I",                    \
      "warp scheduling policy")                                                                    \
    X(issue, width, NUM, 1, 1, 4, "instructions/scheduler/cycle", "Malekeh II",                    \
      "distinct warps that one scheduler may issue from in a cycle")                               \
    X(issue, active_warps, NUM, 2, 1, 64, "warps/scheduler", "Malekeh VI-A1",                      \
      "two_level: size of the active list")                                                        \
    X(issue, inner, INNER, SMRF_INNER_LRR, 0, 1, "", "Accel-Sim two_level_active",                 \
      "two_level: order within the active list")                                                   \
    X(issue, limit_warps, NUM, 64, 1, 64, "warps/scheduler", "Accel-Sim warp_limiting",            \
      "swl: only the first so many warps of a scheduler issue")                                    \
    X(issue, latches, FLAG, 0, 0, 1, "", "Accel-Sim ID_OC registers",                              \
      "1 = a latch per unit type between issue and collectors; 0 = issue allocates a collector")   \
    X(issue, extra_latency, NUM, 0, 0, 16, "cycles", "CARS IV-C",                                  \
      "added pipeline cycles in issue")                                                            \
    X(scoreboard, war, FLAG, 1, 0, 1, "", "proposed; Accel-Sim has none",                          \
      "hold a write back at issue while an older instruction has not read the register")           \
    /* ---- reuse annotation, for the mechanisms that ask for it ---- */                           \
    X(reuse, mode, REUSE, SMRF_REUSE_BITS_PROFILE, 0, 2, "", "Malekeh III-A",                      \
      "near/far bits: profile = of a static operand, majority over the launch's first warps; "     \
      "majority = over all its warps; dynamic = of each execution (what the trace knows)")         \
    X(reuse, rthld, NUM, 12, 1, 255, "instructions", "Malekeh III-A",                              \
      "an operand that is read again within so many instructions of its warp is near")             \
    X(reuse, profile_ppm, NUM, 100, 1, 1000000, "warps per million", "Malekeh III-A (0.01 %)",     \
      "profile: warps of a launch that are profiled, at least one")                                \
    /* ---- register file ---- */                                                                  \
    X(rf, banks, NUM, 2, 1, 16, "banks/sub-core", "Malekeh II", "single-ported register banks")    \
    X(rf, swizzle, FLAG, 1, 0, 1, "", "Accel-Sim register_bank",                                   \
      "1 = bank is (register + warp) mod banks; 0 = register mod banks")                           \
    X(rf, collectors, NUM, 2, 1, 16, "collector units/sub-core", "Malekeh II", "collector units")  \
    X(rf, steps, NUM, 1, 1, 4, "steps/cycle", "Malekeh II; Accel-Sim uses 2",                      \
      "passes of arbitration, collection and dispatch in a core cycle")                            \
    X(rf, collector_ports, NUM, 1, 0, 16, "operands/collector/step", "Malekeh II",                 \
      "operands a collector accepts in one step; 0 = no limit, as Accel-Sim")                      \
    X(rf, in_ports, NUM, 8, 1, 64, "passes/step", "Accel-Sim in_ports_gen",                        \
      "with issue.latches: instructions of one unit type that can enter collectors in a step")     \
    X(rf, oldest_first, FLAG, 0, 0, 1, "", "Accel-Sim get_ready_reg_id",                           \
      "with issue.latches: 1 = only the oldest instruction of a unit type over all sub-cores "     \
      "may enter a collector, so a full sub-core holds up the others")                             \
    X(rf, collector_pick, PICK, SMRF_PICK_RANDOM, 0, 1, "", "Malekeh II",                          \
      "which free collector takes an instruction")                                                 \
    X(rf, dispatch, NUM, 1, 1, 16, "instructions/sub-core/step", "proposed; Accel-Sim uses 8",     \
      "instructions dispatched from the collectors in one step")                                   \
    X(rf, dispatch_order, ORDER, SMRF_ORDER_OLDEST, 0, 1, "", "proposed; Accel-Sim uses index",    \
      "which ready collector goes first")                                                          \
    X(rf, write_queue, NUM, 8, 0, 64, "results/bank", "Huerta MICRO 2025: result queue",           \
      "results that wait for a busy bank before units stall")                                      \
    X(rf, extra_latency, NUM, 0, 0, 16, "cycles", "CARS IV-C",                                     \
      "added pipeline cycles in the operand collector")                                            \
    X(rf, base_registers_only, FLAG, 0, 0, 1, "", "Accel-Sim trace parser",                        \
      "1 = only the registers that the trace lists, wide operands as their base register")         \
    X(rf, rz_is_register, FLAG, 0, 0, 1, "", "Accel-Sim trace_driven",                             \
      "1 = RZ takes a bank slot, is written and scoreboarded")                                     \
    X(rf, drop_conflicting_writes, FLAG, 0, 0, 1, "", "Accel-Sim writeback",                       \
      "1 = a second result for a bank in one cycle takes no port and no time")                     \
    X(rf, l1_hit_writes, FLAG, 1, 0, 1, "", "Accel-Sim L1_latency_queue_cycle",                    \
      "0 = a load that hits L1 takes no bank write")                                               \
    X(rf, write_per_sector, FLAG, 0, 0, 1, "", "Accel-Sim ldst_unit::writeback",                   \
      "1 = a load that misses writes its registers once for every sector that returns")            \
    /* ---- execution units, one of each class in a sub-core ---- */                               \
    X(exec, int_latency, NUM, 2, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                      \
      "integer, from unit to result")                                                              \
    X(exec, int_interval, NUM, 2, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                     \
      "integer, between two of a unit")                                                            \
    X(exec, sp_latency, NUM, 2, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                       \
      "single precision, from unit to result")                                                     \
    X(exec, sp_interval, NUM, 2, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                      \
      "single precision, between two of a unit")                                                   \
    X(exec, half_latency, NUM, 2, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                     \
      "packed half, from unit to result")                                                          \
    X(exec, half_interval, NUM, 1, 1, 1000, "cycles", "Accel-Sim: half of sp",                     \
      "packed half, between two of a unit")                                                        \
    X(exec, dp_latency, NUM, 64, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                      \
      "double precision, from unit to result")                                                     \
    X(exec, dp_interval, NUM, 64, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                     \
      "double precision, between two of a unit")                                                   \
    X(exec, sfu_latency, NUM, 21, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                     \
      "special function, from unit to result")                                                     \
    X(exec, sfu_interval, NUM, 8, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                     \
      "special function, between two of a unit")                                                   \
    X(exec, tensor_latency, NUM, 16, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                  \
      "tensor, from unit to result")                                                               \
    X(exec, tensor_interval, NUM, 16, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                 \
      "tensor, between two of a unit")                                                             \
    X(exec, branch_latency, NUM, 4, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                   \
      "branch, from unit to result")                                                               \
    X(exec, branch_interval, NUM, 4, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                  \
      "branch, between two of a unit")                                                             \
    X(exec, tex_latency, NUM, 200, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                    \
      "texture, from unit to result")                                                              \
    X(exec, tex_interval, NUM, 4, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                     \
      "texture, between two of a unit")                                                            \
    X(exec, uniform_latency, NUM, 4, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                  \
      "uniform, from unit to result")                                                              \
    X(exec, uniform_interval, NUM, 1, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                 \
      "uniform, between two of a unit")                                                            \
    X(exec, result_buses, NUM, 8, 1, 64, "results/cycle/SM", "Accel-Sim EX_WB width",              \
      "results of execution units that may end in one cycle")                                      \
    /* ---- load/store unit ---- */                                                                \
    X(ldst, shared_latency, NUM, 30, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                  \
      "shared memory, without conflicts")                                                          \
    X(ldst, shared_banks, NUM, 32, 1, 64, "banks of 4 bytes", "Accel-Sim SM75_RTX2060",            \
      "shared memory banks")                                                                       \
    X(l1d, unified_bytes, NUM, 98304, 0, 1048576, "bytes", "Accel-Sim SM75_RTX2060",               \
      "L1D and shared memory together; 0 = L1D has l1d.ways fixed")                                \
    X(l1d, carveouts, KBSET, (1u << 8) | (1u << 16), 0, 0xffffffff, "KiB",                         \
      "Accel-Sim shmem_option", "sizes that shared memory can take of unified_bytes")              \
    X(l1d, sets, NUM, 4, 1, 4096, "sets", "Accel-Sim SM75_RTX2060", "sets, a power of two")        \
    X(l1d, ways, NUM, 64, 1, 65536, "ways", "Accel-Sim SM75_RTX2060",                              \
      "associativity if unified_bytes is 0")                                                       \
    X(l1d, banks, NUM, 4, 1, 16, "banks", "Accel-Sim SM75_RTX2060", "one sector a cycle each")     \
    X(l1d, ports, NUM, 1, 1, 16, "sectors/bank/cycle", "CARS VI-E", "hit bandwidth scaling")       \
    X(l1d, latency, NUM, 32, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060", "hit latency")           \
    X(l1d, mshrs, NUM, 256, 1, 4096, "entries", "Accel-Sim SM75_RTX2060", "sectors in flight")     \
    X(l1d, mshr_merge, NUM, 32, 1, 256, "requests/entry", "Accel-Sim SM75_RTX2060",                \
      "requests merged into one MSHR")                                                             \
    X(l1d, miss_queue, NUM, 16, 1, 256, "requests", "Accel-Sim SM75_RTX2060",                      \
      "misses that wait for the memory port")                                                      \
    X(l1d, bypass, FLAG, 0, 0, 1, "", "Accel-Sim gmem_skip_L1D", "1 = global loads go to L2")      \
    X(l1d, flush, FLAG, 1, 0, 1, "", "Accel-Sim flush_l1_cache", "1 = emptied at kernel start")    \
    X(l1d, write_ratio, NUM, 0, 0, 100, "% of lines", "Accel-Sim gpgpu_l1_cache_write_ratio",      \
      "written lines are not replaced while they are fewer; 0 = plain LRU")                        \
    X(l1d, always_hit_local, FLAG, 0, 0, 1, "", "CARS ALL-HIT",                                    \
      "1 = local-memory accesses always hit")                                                      \
    /* ---- interconnect, L2 and DRAM ---- */                                                      \
    X(noc, flit_bytes, NUM, 40, 4, 256, "bytes", "Accel-Sim icnt_flit_size", "width of a link")    \
    X(noc, latency, NUM, 2, 0, 1000, "cycles", "calibrated on Accel-Sim",                          \
      "one way through the network")                                                               \
    X(noc, credits, NUM, 512, 1, 4096, "requests/SM", "Accel-Sim icnt_in_buffer_limit",            \
      "requests of an SM that may be unanswered")                                                  \
    X(l2, slices, NUM, 8, 1, 128, "slices", "Malekeh Table I: a third of 24",                      \
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
    X(l2, hash, HASH, SMRF_HASH_LINEAR, 0, 1, "", "Accel-Sim memory_partition_indexing",           \
      "how addresses spread over slices")                                                          \
    X(l2, copies_warm, FLAG, 0, 0, 1, "", "proposed; Accel-Sim's runs show no such hits",          \
      "1 = host-to-device copies in the trace leave their lines in L2")                            \
    X(dram, channels, NUM, 4, 1, 64, "channels", "Malekeh Table I: a third of 12",                 \
      "memory channels")                                                                           \
    X(dram, khz, NUM, 3500500, 1000, 20000000, "kHz", "Accel-Sim SM75_RTX2060", "DRAM clock")      \
    X(dram, latency, NUM, 96, 0, 10000, "core cycles", "Accel-Sim dram_latency",                   \
      "fixed part between L2 and the DRAM queue")                                                  \
    X(dram, bus_bytes, NUM, 2, 1, 64, "bytes", "Accel-Sim dram_buswidth", "data bus of a channel") \
    X(dram, burst, NUM, 16, 1, 64, "beats", "Accel-Sim dram_burst_length", "length of one access") \
    X(dram, data_rate, NUM, 4, 1, 8, "beats/cycle", "Accel-Sim dram_data_command_freq_ratio",      \
      "data beats in a DRAM command cycle")                                                        \
    X(dram, queue, NUM, 64, 1, 1024, "requests", "Accel-Sim frfcfs_dram_sched_queue_size",         \
      "FR-FCFS window of a channel")                                                               \
    X(dram, banks, NUM, 16, 1, 64, "banks", "Accel-Sim SM75_RTX2060 nbk", "banks of a channel")    \
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
    X(dram, rtpl, NUM, 4, 1, 255, "DRAM cycles", "Accel-Sim SM75_RTX2060", "read to precharge")    \
    /* ---- BOW: bypassing operand collectors (mechanisms bow-*) ---- */                           \
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
      "energy: results cross a crossbar of their own to the collectors")                           \
    /* ---- Malekeh: caching collector units (mechanisms malekeh-*, gto-lru) ---- */               \
    X(malekeh, cache, FLAG, 1, 0, 1, "", "",                                                       \
      "0 = the collector units cache nothing: operand collectors of the same shape")               \
    X(malekeh, ct_entries, NUM, 8, 1, 32, "registers/CCU", "Malekeh (long) III-C",                 \
      "entries of a CCU's cache table")                                                            \
    X(malekeh, slots, NUM, 6, 1, 24, "operands/CCU", "Malekeh (long) III-C; (short) 2 has 7",      \
      "sources of an instruction that the cache table holds; further ones are read, not cached")   \
    X(malekeh, replacement, REPLACEMENT, SMRF_CCU_FAR_RANDOM, 0, 2, "", "Malekeh (long) IV-A1",    \
      "which unlocked entry makes room, if none is empty: far_random = a random far one, else "    \
      "the least recently used; far_lru = the least recently used far one, else of all; lru = "    \
      "of all")                                                                                    \
    X(malekeh, write, CACHE_WRITE, SMRF_CCU_WRITE_NEAR, 0, 2, "", "Malekeh (long) IV-A2",          \
      "which results the CCU keeps: near ones, all, or near ones of registers that are present; "  \
      "the banks are written in any case")                                                         \
    X(malekeh, write_ports, NUM, 1, 0, 16, "results/CCU/cycle", "Malekeh (long) III-B",            \
      "results that port D takes, first come first served; 0 = no limit")                          \
    X(malekeh, far_write, FAR_WRITE, SMRF_CCU_FAR_INVALIDATE, 0, 1, "", "proposed",                \
      "a far result of a register that is present: drop the entry, or update it")                  \
    X(malekeh, partial_allocates, FLAG, 1, 0, 1, "", "proposed",                                   \
      "1 = a result of some lanes may take a new entry, filled from its bank's row at no cost")    \
    X(malekeh, read_marks, FLAG, 1, 0, 1, "", "proposed",                                          \
      "1 = a value that a read brings in is near if the operand is; 0 = it is far")                \
    X(malekeh, flush_on_exit, FLAG, 1, 0, 1, "", "proposed",                                       \
      "1 = a warp's CCU is emptied when the warp exits; 0 = when its slot is taken again")         \
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
      "among free CCUs without near values; fewest = that with the fewest values")                 \
    X(malekeh, forced_choice, CHOICE, SMRF_MALEKEH_CHOICE_RANDOM, 0, 2, "",                        \
      "Malekeh (long) IV-B2",                                                                      \
      "among free CCUs with near values, when the wait is over; fewest = that with the fewest "    \
      "near values, then the fewest values")                                                       \
    X(malekeh, strict_top_warp, FLAG, 0, 0, 1, "", "proposed",                                     \
      "1 = if the first warp gets no CCU, nothing issues; 0 = the next warp may")                  \
    X(malekeh, wait_inclusive, FLAG, 0, 0, 1, "", "Malekeh (short) 6 uses 1",                      \
      "1 = wait also while the counter equals STHLD; 0 = only while it is below")                  \
    X(malekeh, wait_counter, COUNTER, SMRF_MALEKEH_PER_SUBCORE, 0, 1, "", "Malekeh (long) IV-B2",  \
      "who has a counter of waits: every sub-core, or the SM")                                     \
    X(malekeh, wait_clear, CLEAR, SMRF_MALEKEH_CLEAR_FORCED, 0, 1, "", "Malekeh (long) IV-B2",     \
      "which allocations to a warp without a CCU clear the counter: forced = of a CCU with near "  \
      "values, any = every one")                                                                   \
    X(malekeh, sthld_mode, STHLD, SMRF_MALEKEH_ADAPTIVE, 0, 1, "", "Malekeh (long) IV-B3",         \
      "STHLD moves with IPC, or stays at sthld")                                                   \
    X(malekeh, sthld, NUM, 0, 0, 10000, "cycles", "proposed",                                      \
      "fixed STHLD, or the adaptive one's first value")                                            \
    X(malekeh, sthld_max, NUM, 64, 0, 10000, "cycles", "proposed", "the adaptive STHLD's ceiling") \
    X(malekeh, sthld_interval, NUM, 10000, 100, 100000000, "cycles", "Malekeh (long) IV-B3",       \
      "between two evaluations of the GPU's IPC")                                                  \
    X(malekeh, sthld_threshold, NUM, 200, 0, 10000, "1/10000", "Malekeh (long) IV-B3 (0.02)",      \
      "relative change of IPC up to which it is small")                                            \
    X(malekeh, sthld_climb, NUM, 8, 0, 10000, "cycles", "proposed",                                \
      "the machine's increase when it climbs or speculates")                                       \
    X(malekeh, sthld_back, NUM, 16, 0, 10000, "cycles", "proposed",                                \
      "the machine's decrease when a speculation has failed")                                      \
    X(malekeh, sthld_fine, NUM, 8, 0, 10000, "cycles", "proposed",                                 \
      "the machine's decrease in search of the knee")                                              \
    X(malekeh, sthld_only_drops, FLAG, 0, 0, 1, "", "proposed",                                    \
      "1 = a rise of IPC is never a large change")                                                 \
    X(malekeh, sthld_restart, FLAG, 0, 0, 1, "", "proposed",                                       \
      "1 = every launch begins in the start state; 0 = the machine goes on")                       \
    X(malekeh, sthld_count_idle, FLAG, 0, 0, 1, "", "proposed",                                    \
      "1 = an interval without an instruction counts; 0 = it is left out")                         \
    /* ---- the simulation itself ---- */                                                          \
    X(sim, seed, NUM, 1, 0, 0xffffffff, "", "", "seed of every random choice")                     \
    X(sim, check, FLAG, 1, 0, 1, "", "", "value oracle; never changes timing")                     \
    X(sim, monitor, FLAG, 0, 0, 1, "", "",                                                         \
      "1 = a monitor of the TLM base protocol on every connection in an SM and out of it")         \
    X(sim, watchdog, NUM, 200000, 1000, 0xffffffff, "cycles", "",                                  \
      "without progress of any warp before the run is given up")                                   \
    X(sim, quantum, NUM, 1024, 1, 1024, "cycles", "",                                              \
      "most cycles an SM runs ahead of the memory, within what that allows; never changes "        \
      "results")

#endif
