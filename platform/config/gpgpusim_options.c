/* SPDX-License-Identifier: Apache-2.0 */
/* Every option of Accel-Sim's tested configurations: what it becomes here, or why it becomes
 * nothing. Options without an entry are reported as unknown. */
#include "gpgpusim.h"

#define KEY(name, param)                                                                           \
    {                                                                                              \
        name, smrf_gs_number, param, NULL                                                          \
    }
#define DEFER(name, which)                                                                         \
    {                                                                                              \
        name, smrf_gs_defer, which, NULL                                                           \
    }
#define FIXED(name, value, reason)                                                                 \
    {                                                                                              \
        name, smrf_gs_fixed, value, reason                                                         \
    }
#define NO_EFFECT(name, reason)                                                                    \
    {                                                                                              \
        name, smrf_gs_no_effect, 0, reason                                                         \
    }
#define NOT_MODELLED(name, reason)                                                                 \
    {                                                                                              \
        name, smrf_gs_not_modelled, 0, reason                                                      \
    }

static const char ptx[] = "PTX execution; traces are replayed";
static const char api[] = "limit of the CUDA run time";
static const char launch[] = "limit of a launch; a traced launch was legal";
static const char preference[] = "a preference of cudaFuncSetCacheConfig, which no trace has";
static const char stats[] = "statistics and logging";
static const char power[] = "Accel-Sim's power model";
static const char tensor[] = "tensor instructions of traces run on specialized unit 3";
static const char units[] = "one unit of each class a scheduler";
static const char queue[] = "a queue that has no parameter here";
static const char ideal[] = "texture and constant caches are ideal";
static const char special_collectors[] = "all collectors are generic";
static const char fr_fcfs[] = "DRAM scheduling is FR-FCFS, one queue for reads and writes";

const struct smrf_gs_option smrf_gs_options[] = {
    /* the GPU */
    DEFER("gpgpu_n_clusters", SMRF_GS_CLUSTERS),
    DEFER("gpgpu_n_cores_per_cluster", SMRF_GS_CORES_PER_CLUSTER),
    DEFER("gpgpu_compute_capability_major", SMRF_GS_CAPABILITY_MAJOR),
    DEFER("gpgpu_compute_capability_minor", SMRF_GS_CAPABILITY_MINOR),
    {"gpgpu_clock_domains", smrf_gs_clocks, 0, "SMs, interconnect and L2 share the core clock"},
    KEY("gpgpu_kernel_launch_latency", SMRF_P_gpu_launch_latency),
    FIXED("gpgpu_TB_launch_latency", 0, "no extra launch time a thread block"),
    FIXED("gpgpu_max_concurrent_kernel", 1, "kernels run one after another"),
    FIXED("gpgpu_concurrent_kernel_sm", 0, "kernels run one after another"),
    NOT_MODELLED("gpgpu_max_cycle", "use --max-cycles"),
    NOT_MODELLED("gpgpu_max_insn", "use --max-insts"),
    NOT_MODELLED("gpgpu_max_cta", "all thread blocks of the trace run"),
    /* the SM */
    {"gpgpu_shader_core_pipeline", smrf_gs_core_pipeline, 0, NULL},
    KEY("gpgpu_shader_cta", SMRF_P_sm_blocks),
    KEY("gpgpu_shader_registers", SMRF_P_sm_registers),
    KEY("gpgpu_shmem_size", SMRF_P_sm_shared_bytes),
    FIXED("gpgpu_simd_model", 1, "post-dominator SIMT stack, masks come from the trace"),
    DEFER("gpgpu_num_sched_per_core", SMRF_GS_SCHEDULERS),
    DEFER("gpgpu_sub_core_model", SMRF_GS_SUB_CORE_MODEL),
    {"gpgpu_scheduler", smrf_gs_scheduler, 0, NULL},
    FIXED("gpgpu_max_insn_issue_per_warp", 1, "one instruction a warp and cycle"),
    NO_EFFECT("gpgpu_dual_issue_diff_exec_units", "one instruction a warp and cycle"),
    KEY("gpgpu_inst_fetch_throughput", SMRF_P_frontend_fetch_warps),
    DEFER("gpgpu_perfect_inst_const_cache", SMRF_GS_PERFECT_ICACHE),
    {"gpgpu_cache:il1", smrf_gs_cache_inst, 0, NULL},
    NOT_MODELLED("gpgpu_tex_cache:l1", ideal),
    NOT_MODELLED("gpgpu_const_cache:l1", ideal),
    /* register file */
    DEFER("gpgpu_num_reg_banks", SMRF_GS_BANKS),
    KEY("gpgpu_reg_file_port_throughput", SMRF_P_rf_steps),
    DEFER("gpgpu_operand_collector_num_units_gen", SMRF_GS_COLLECTORS),
    KEY("gpgpu_operand_collector_num_in_ports_gen", SMRF_P_rf_in_ports),
    KEY("gpgpu_operand_collector_num_out_ports_gen", SMRF_P_rf_dispatch),
    FIXED("gpgpu_enable_specialized_operand_collector", 0, special_collectors),
    NOT_MODELLED("gpgpu_operand_collector_num_units_sp", special_collectors),
    NOT_MODELLED("gpgpu_operand_collector_num_units_dp", special_collectors),
    NOT_MODELLED("gpgpu_operand_collector_num_units_sfu", special_collectors),
    NOT_MODELLED("gpgpu_operand_collector_num_units_int", special_collectors),
    NOT_MODELLED("gpgpu_operand_collector_num_units_mem", special_collectors),
    NOT_MODELLED("gpgpu_operand_collector_num_units_tensor_core", special_collectors),
    NOT_MODELLED("gpgpu_operand_collector_num_in_ports_sp", special_collectors),
    NOT_MODELLED("gpgpu_operand_collector_num_out_ports_sp", special_collectors),
    NOT_MODELLED("gpgpu_operand_collector_num_in_ports_sfu", special_collectors),
    NOT_MODELLED("gpgpu_operand_collector_num_out_ports_sfu", special_collectors),
    NOT_MODELLED("gpgpu_operand_collector_num_in_ports_mem", special_collectors),
    NOT_MODELLED("gpgpu_operand_collector_num_out_ports_mem", special_collectors),
    NOT_MODELLED("gpgpu_operand_collector_num_in_ports_dp", special_collectors),
    NOT_MODELLED("gpgpu_operand_collector_num_out_ports_dp", special_collectors),
    /* execution */
    {"gpgpu_pipeline_widths", smrf_gs_widths, 0,
     "each scheduler has one latch of each unit type before and after the collectors"},
    {"gpgpu_num_sp_units", smrf_gs_units, 0, units},
    {"gpgpu_num_sfu_units", smrf_gs_units, 0, units},
    {"gpgpu_num_dp_units", smrf_gs_units, 0, units},
    {"gpgpu_num_int_units", smrf_gs_units, 0, units},
    DEFER("gpgpu_tensor_core_avail", SMRF_GS_TENSOR_CORES),
    NO_EFFECT("gpgpu_num_tensor_core_units", tensor),
    {"trace_opcode_latency_initiation_int", smrf_gs_pair, SMRF_P_exec_int_latency, NULL},
    {"trace_opcode_latency_initiation_sp", smrf_gs_single, SMRF_P_exec_sp_latency, NULL},
    {"trace_opcode_latency_initiation_dp", smrf_gs_pair, SMRF_P_exec_dp_latency, NULL},
    {"trace_opcode_latency_initiation_sfu", smrf_gs_pair, SMRF_P_exec_sfu_latency, NULL},
    NO_EFFECT("trace_opcode_latency_initiation_tensor", tensor),
    {"trace_opcode_latency_initiation_spec_op_1", smrf_gs_pair, SMRF_P_exec_branch_latency, NULL},
    {"trace_opcode_latency_initiation_spec_op_2", smrf_gs_pair, SMRF_P_exec_tex_latency, NULL},
    {"trace_opcode_latency_initiation_spec_op_3", smrf_gs_tensor, SMRF_P_exec_tensor_latency, NULL},
    {"trace_opcode_latency_initiation_spec_op_4", smrf_gs_pair, SMRF_P_exec_uniform_latency, NULL},
    {"specialized_unit_1", smrf_gs_special_unit, 0, units},
    {"specialized_unit_2", smrf_gs_special_unit, 0, units},
    {"specialized_unit_3", smrf_gs_special_unit, 0, units},
    {"specialized_unit_4", smrf_gs_special_unit, 0, units},
    /* load/store unit and L1D */
    KEY("gpgpu_smem_latency", SMRF_P_ldst_shared_latency),
    KEY("gpgpu_shmem_num_banks", SMRF_P_ldst_shared_banks),
    FIXED("gpgpu_shmem_limited_broadcast", 0, "broadcast is not limited"),
    FIXED("gpgpu_shmem_warp_parts", 1, "a warp's shared-memory access is one piece"),
    {"gpgpu_coalesce_arch", smrf_gs_at_least, 40, "accesses coalesce into 32-byte sectors"},
    DEFER("gpgpu_adaptive_cache_config", SMRF_GS_ADAPTIVE),
    DEFER("gpgpu_unified_l1d_size", SMRF_GS_UNIFIED_KIB),
    {"gpgpu_shmem_option", smrf_gs_carveouts, 0, NULL},
    {"gpgpu_cache:dl1", smrf_gs_cache_l1d, 0,
     "L1D has 128-byte lines of sectors, LRU, write-through, lazy fetch, linear index (S, "
     "L:T:m:L:L)"},
    KEY("gpgpu_l1_banks", SMRF_P_l1d_banks),
    FIXED("gpgpu_l1_banks_byte_interleaving", 32, "sectors alternate between L1D banks"),
    FIXED("gpgpu_l1_banks_hashing_function", 0, "sectors alternate between L1D banks"),
    KEY("gpgpu_l1_latency", SMRF_P_l1d_latency),
    KEY("gpgpu_gmem_skip_L1D", SMRF_P_l1d_bypass),
    KEY("gpgpu_flush_l1_cache", SMRF_P_l1d_flush),
    KEY("gpgpu_l1_cache_write_ratio", SMRF_P_l1d_write_ratio),
    NOT_MODELLED("gpgpu_n_cluster_ejection_buffer_size", queue),
    /* interconnect */
    FIXED("network_mode", 2, "a crossbar with the timing of the local crossbar"),
    NOT_MODELLED("inter_config_file", "a crossbar with the timing of the local crossbar"),
    NOT_MODELLED("gpgpu_n_chiplet_partition", "SMs and L2 are in one piece"),
    NOT_MODELLED("inter_chiplet_queue_size", "SMs and L2 are in one piece"),
    NOT_MODELLED("gpgpu_chiplet_interleave", "SMs and L2 are in one piece"),
    NOT_MODELLED("gpgpu_lrc_enabled", "no coalescer of requests before the L2"),
    NOT_MODELLED("gpgpu_lrc_max_entries", "no coalescer of requests before the L2"),
    NOT_MODELLED("gpgpu_lrc_max_merged", "no coalescer of requests before the L2"),
    NOT_MODELLED("gpgpu_n_ldst_response_buffer_size", queue),
    NOT_MODELLED("gpgpu_opndcoll_model", "operands are collected as its model 0 does"),
    NOT_MODELLED("gpgpu_simple_dram_model", "DRAM has its timing"),
    NOT_MODELLED("gpgpu_simple_dram_clock_multiplier", "DRAM has its timing"),
    KEY("icnt_flit_size", SMRF_P_noc_flit_bytes),
    KEY("icnt_in_buffer_limit", SMRF_P_noc_input_queue),
    NOT_MODELLED("icnt_out_buffer_limit", queue),
    FIXED("icnt_subnets", 2, "requests and replies have a network each"),
    NOT_MODELLED("icnt_arbiter_algo", "the arbiter of the network is not configurable"),
    /* L2 */
    {"gpgpu_cache:dl2", smrf_gs_cache_l2, 0,
     "L2 has 128-byte lines of sectors, LRU, write-back, lazy fetch, index L or P (S, L:B:m:L)"},
    FIXED("gpgpu_cache:dl2_texture_only", 0, "L2 serves all accesses"),
    KEY("gpgpu_l2_rop_latency", SMRF_P_l2_latency),
    KEY("rop_latency", SMRF_P_l2_latency),
    {"gpgpu_memory_partition_indexing", smrf_gs_slice_hash, 0,
     "slices are indexed linearly (0) or by IPOLY (2); unchanged"},
    NOT_MODELLED(
        "gpgpu_perf_sim_memcpy",
        "Accel-Sim's own runs show no L2 hits from copies; set l2.copies_warm to have them"),
    NOT_MODELLED("gpgpu_dram_partition_queues", queue),
    /* DRAM */
    DEFER("gpgpu_n_mem", SMRF_GS_MEMORIES),
    DEFER("gpgpu_n_sub_partition_per_mchannel", SMRF_GS_SUB_PARTITIONS),
    DEFER("gpgpu_n_mem_per_ctrlr", SMRF_GS_CHIPS),
    DEFER("gpgpu_dram_buswidth", SMRF_GS_BUS_WIDTH),
    KEY("gpgpu_dram_burst_length", SMRF_P_dram_burst),
    KEY("dram_data_command_freq_ratio", SMRF_P_dram_data_rate),
    KEY("dram_latency", SMRF_P_dram_latency),
    FIXED("gpgpu_dram_scheduler", 1, fr_fcfs),
    {"gpgpu_frfcfs_dram_sched_queue_size", smrf_gs_dram_queue, 0, NULL},
    NOT_MODELLED("gpgpu_dram_return_queue_size", queue),
    {"gpgpu_dram_timing_opt", smrf_gs_dram_timing, 0, NULL},
    {"gpgpu_mem_addr_mapping", smrf_gs_address_map, 0,
     "the maps are dramid@8;..RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS and ..RBBBCCCB.CCCSSSSS"},
    FIXED("gpgpu_mem_address_mask", 1, "the address map is gpgpu_mem_addr_mapping"),
    KEY("dram_dual_bus_interface", SMRF_P_dram_dual_bus),
    FIXED("dram_bnk_indexing_policy", 0, "banks are indexed linearly"),
    FIXED("dram_bnkgrp_indexing_policy", 1, "the lower bank bits are the bank group"),
    FIXED("dram_seperate_write_queue_enable", 0, fr_fcfs),
    NO_EFFECT("dram_write_queue_size", fr_fcfs),
    /* what cannot change timing here */
    NO_EFFECT("gpgpu_registers_per_block", launch),
    NO_EFFECT("gpgpu_ignore_resources_limitation", launch),
    NO_EFFECT("gpgpu_cache:dl1PrefL1", preference),
    NO_EFFECT("gpgpu_cache:dl1PrefShared", preference),
    NO_EFFECT("gpgpu_shmem_size_PrefL1", preference),
    NO_EFFECT("gpgpu_shmem_size_PrefShared", preference),
    NO_EFFECT("gpgpu_shmem_per_block", launch),
    NO_EFFECT("gpgpu_shmem_sizeDefault", launch),
    NO_EFFECT("gpgpu_occupancy_sm_number", launch),
    NO_EFFECT("gpgpu_ptx_instruction_classification", ptx),
    NO_EFFECT("gpgpu_ptx_sim_mode", ptx),
    NO_EFFECT("gpgpu_ptx_force_max_capability", ptx),
    NO_EFFECT("gpgpu_ptx_convert_to_ptxplus", ptx),
    NO_EFFECT("gpgpu_ptx_save_converted_ptxplus", ptx),
    NO_EFFECT("ptx_opcode_latency_int", ptx),
    NO_EFFECT("ptx_opcode_initiation_int", ptx),
    NO_EFFECT("ptx_opcode_latency_fp", ptx),
    NO_EFFECT("ptx_opcode_initiation_fp", ptx),
    NO_EFFECT("ptx_opcode_latency_dp", ptx),
    NO_EFFECT("ptx_opcode_initiation_dp", ptx),
    NO_EFFECT("ptx_opcode_latency_sfu", ptx),
    NO_EFFECT("ptx_opcode_initiation_sfu", ptx),
    NO_EFFECT("ptx_opcode_latency_tesnor", ptx),
    NO_EFFECT("ptx_opcode_initiation_tensor", ptx),
    NO_EFFECT("gpgpu_stack_size_limit", api),
    NO_EFFECT("gpgpu_heap_size_limit", api),
    NO_EFFECT("gpgpu_runtime_sync_depth_limit", api),
    NO_EFFECT("gpgpu_runtime_pending_launch_count_limit", api),
    NO_EFFECT("gpgpu_memlatency_stat", stats),
    NO_EFFECT("gpgpu_runtime_stat", stats),
    NO_EFFECT("gpgpu_deadlock_detect", "the watchdog is sim.watchdog"),
    NO_EFFECT("enable_ptx_file_line_stats", stats),
    NO_EFFECT("visualizer_enabled", stats),
    NO_EFFECT("trace_enabled", stats),
    NO_EFFECT("trace_components", stats),
    NO_EFFECT("trace_sampling_core", stats),
    NO_EFFECT("gpgpu_clock_gated_lanes", power),
    NO_EFFECT("power_simulation_enabled", power),
    NO_EFFECT("gpuwattch_xml_file", power),
    NO_EFFECT("accelwattch_xml_file", power),
};
const size_t smrf_gs_option_count = sizeof smrf_gs_options / sizeof smrf_gs_options[0];

/* Sources: the sections of GPGPU-Sim's and Accel-Sim's code that the parameters name as theirs. The
 * options of a study (extra latencies, L1D ports, local memory that always hits) are left alone. */
const struct smrf_gs_behaviour smrf_gs_behaviours[] = {
    {SMRF_P_gpu_blocks_per_cycle, 1},
    {SMRF_P_sm_register_unit, 4},
    {SMRF_P_sm_registers_pooled, 1},
    {SMRF_P_frontend_ibuffer, 2},
    {SMRF_P_frontend_exit_at_fetch, 1},
    {SMRF_P_frontend_refill, 0},
    {SMRF_P_frontend_l0_bytes, 0},
    {SMRF_P_issue_latches, 1},
    {SMRF_P_issue_dependence, SMRF_DEPENDENCE_SCOREBOARD},
    {SMRF_P_issue_latencies, SMRF_LATENCIES_TURING},
    {SMRF_P_issue_zero_stall, 45},
    {SMRF_P_issue_barrier_latency, 0},
    {SMRF_P_issue_barrier_slip, 0},
    {SMRF_P_scoreboard_war, 0},
    {SMRF_P_scoreboard_uniform, 0},
    {SMRF_P_scoreboard_copies, SMRF_COPY_RULE_ACCELSIM},
    {SMRF_P_rf_swizzle, 1},
    {SMRF_P_exec_buses_by_kind, 1},
    {SMRF_P_exec_dp_shared, 0},
    {SMRF_P_exec_mem_interval, 1},
    {SMRF_P_exec_address_interval, 4},
    {SMRF_P_exec_address_delay, 11},
    {SMRF_P_exec_uniform_latency, 4},
    {SMRF_P_exec_uniform_interval, 1},
    {SMRF_P_rf_read, SMRF_READ_COLLECTORS},
    {SMRF_P_rf_unit_queue, 4},
    {SMRF_P_rf_collector_ports, 0},
    {SMRF_P_rf_oldest_first, 1},
    {SMRF_P_rf_collector_pick, SMRF_PICK_FIRST},
    {SMRF_P_rf_dispatch_order, SMRF_ORDER_INDEX},
    {SMRF_P_rf_base_registers_only, 1},
    {SMRF_P_rf_rz_is_register, 1},
    {SMRF_P_ldst_shared_atomic, 0},
    {SMRF_P_ldst_generic_local, SMRF_GENERIC_LOCAL_ACCELSIM},
    {SMRF_P_l1d_bypass_by, SMRF_BYPASS_BY_ACCELSIM},
    {SMRF_P_l1d_joins_filled, 1},
    {SMRF_P_l1d_age_by_cycle, 1},
    {SMRF_P_l1d_line_interval, 0},
    {SMRF_P_l2_fetch_bytes, 32},
    {SMRF_P_dram_open_bytes, 2048},
    {SMRF_P_dram_bank_hash, 0},
    {SMRF_P_noc_one_a_cycle, 0},
    {SMRF_P_noc_credits, 4096},
    {SMRF_P_dram_summed_clocks, 1},
    {SMRF_P_ldst_local_order, SMRF_LOCAL_ORDER_BLOCK},
    {SMRF_P_rf_drop_conflicting_writes, 1},
    {SMRF_P_rf_l1_hit_writes, 0},
    {SMRF_P_rf_write_per_sector, 1},
};
const size_t smrf_gs_behaviour_count = sizeof smrf_gs_behaviours / sizeof smrf_gs_behaviours[0];
