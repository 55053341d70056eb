// SPDX-License-Identifier: Apache-2.0
// Configuration files of Accel-Sim as text, and what reading one reports.
#ifndef SMRF_TESTS_SUPPORT_GPGPUSIM_FILES_H
#define SMRF_TESTS_SUPPORT_GPGPUSIM_FILES_H

#include "platform/config/config.h"

#include <string>
#include <vector>

namespace gpgpusim_files
{

struct Seen {
    std::string option, value, reason;
    unsigned line;
    smrf_option_fate fate;
};

inline void collect(void *user, const smrf_option_report *r)
{
    static_cast<std::vector<Seen> *>(user)->push_back(
        {r->option, r->value, r->reason, r->line, r->fate});
}

struct Outcome {
    int rc;
    smrf_config cfg;
    std::vector<Seen> reports;
    std::string error;
};

inline smrf_config defaults()
{
    smrf_config cfg;
    smrf_config_default(&cfg);
    return cfg;
}

inline Outcome read(const std::string &text, smrf_config start = defaults())
{
    Outcome o = {0, start, {}, ""};
    smrf_config_error err = {};
    o.rc = smrf_config_gpgpusim_text(&o.cfg, "a.config", text.data(), text.size(), collect,
                                     &o.reports, &err);
    o.error = err.text;
    return o;
}

// A machine of our own with a value for every option that has a counterpart, all unlike the
// defaults; in the manner of Accel-Sim's files.
const char *const kOwnMachine = R"(# a machine that does not exist
-gpgpu_n_clusters 7
-gpgpu_n_cores_per_cluster 2   # two a cluster
-gpgpu_clock_domains 1500.25:1500.25:1500.25:2000
-gpgpu_compute_capability_major 9
-gpgpu_compute_capability_minor 1
-gpgpu_kernel_launch_latency 1234
-gpgpu_shader_core_pipeline 1536:32
-gpgpu_shader_cta 24
-gpgpu_shader_registers 32768
-gpgpu_shmem_size 49152
-gpgpu_num_sched_per_core 2
-gpgpu_sub_core_model 1
-gpgpu_scheduler two_level_active:6:2:1
-gpgpu_inst_fetch_throughput 3
-gpgpu_perfect_inst_const_cache 0
-gpgpu_cache:il1 N:64:128:8,L:R:f:N:L,S:2:48,4
-gpgpu_num_reg_banks 6
-gpgpu_reg_file_port_throughput 3
-gpgpu_operand_collector_num_units_gen 10
-gpgpu_operand_collector_num_in_ports_gen 9
-gpgpu_operand_collector_num_out_ports_gen 5
-gpgpu_pipeline_widths 2,2,2,2,2,2,2,2,2,2,6,2,2
-trace_opcode_latency_initiation_int 5,3
-trace_opcode_latency_initiation_sp 6,4
-trace_opcode_latency_initiation_dp 9,8
-trace_opcode_latency_initiation_sfu 22,9
-specialized_unit_1 1,2,7,2,2,BRA
-trace_opcode_latency_initiation_spec_op_1 7,5
-trace_opcode_latency_initiation_spec_op_2 201,6
-trace_opcode_latency_initiation_spec_op_3 33,30
-trace_opcode_latency_initiation_spec_op_4 8,2
-gpgpu_smem_latency 31
-gpgpu_shmem_num_banks 16
-gpgpu_adaptive_cache_config 1
-gpgpu_unified_l1d_size 64
-gpgpu_shmem_option 0,16,48
-gpgpu_cache:dl1 S:8:128:32,L:T:m:L:L,A:100:9,17:0,32
-gpgpu_l1_banks 2
-gpgpu_l1_latency 33
-gpgpu_gmem_skip_L1D 1
-gpgpu_flush_l1_cache 0
-gpgpu_l1_cache_write_ratio 40
-network_mode 2
-icnt_flit_size 64
-icnt_in_buffer_limit 300
-gpgpu_cache:dl2 S:32:128:8,L:B:m:L:L,A:99:5,31:0,32
-gpgpu_l2_rop_latency 150
-gpgpu_memory_partition_indexing 2
-gpgpu_n_mem 8
-gpgpu_n_sub_partition_per_mchannel 4
-gpgpu_n_mem_per_ctrlr 2
-gpgpu_dram_buswidth 4
-gpgpu_dram_burst_length 8
-dram_data_command_freq_ratio 2
-dram_latency 77
-gpgpu_frfcfs_dram_sched_queue_size 0
-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS
-dram_dual_bus_interface 1
-gpgpu_dram_timing_opt "nbk=32:CCD=2:RRD=5:RCD=13:RAS=27:
                        RP=11:RC=41:CL=14:WL=3:CDLR=6:WR=15:nbkgrp=8:CCDL=5:RTPL=7"
)";

} // namespace gpgpusim_files

#endif
