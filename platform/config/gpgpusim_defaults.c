/* SPDX-License-Identifier: Apache-2.0 */
/* What Accel-Sim takes for an option that a file leaves out, and older names of options. */
#include "gpgpusim.h"

#include <stdio.h>
#include <string.h>

/* The registered defaults of Accel-Sim (gpu-sim.cc, shader.cc, cuda-sim.cc, l2cache.cc,
 * local_interconnect.cc), for the options that belong to every description of a GPU. NULL: none
 * that can be taken, since a part would be missing or the whole replaced. Then the value that the
 * file is laid over stays. */
const struct smrf_gs_default smrf_gs_defaults[] = {
    {"gpgpu_n_clusters", "10"},
    {"gpgpu_n_cores_per_cluster", "3"},
    {"gpgpu_compute_capability_major", "7"},
    {"gpgpu_compute_capability_minor", "0"},
    {"gpgpu_clock_domains", "500.0:2000.0:2000.0:2000.0"},
    {"gpgpu_kernel_launch_latency", "0"},
    {"gpgpu_shader_core_pipeline", "1024:32"},
    {"gpgpu_shader_cta", "32"},
    {"gpgpu_shader_registers", "8192"},
    {"gpgpu_shmem_size", "16384"},
    {"gpgpu_num_sched_per_core", "1"},
    {"gpgpu_sub_core_model", NULL}, /* 0: all schedulers read all banks */
    {"gpgpu_scheduler", "gto"},
    {"gpgpu_inst_fetch_throughput", "1"},
    {"gpgpu_perfect_inst_const_cache", "0"},
    {"gpgpu_cache:il1", "4:256:4,L:R:f:N,A:2:32,4"},
    {"gpgpu_num_reg_banks", "8"},
    {"gpgpu_reg_file_port_throughput", "1"},
    {"gpgpu_operand_collector_num_units_gen", NULL}, /* 0: each kind of unit has its own */
    {"gpgpu_operand_collector_num_in_ports_gen", NULL},
    {"gpgpu_operand_collector_num_out_ports_gen", NULL},
    {"gpgpu_pipeline_widths", "1,1,1,1,1,1,1,1,1,1,1,1,1"},
    {"gpgpu_smem_latency", "3"},
    {"gpgpu_shmem_num_banks", "16"},
    {"gpgpu_adaptive_cache_config", "0"},
    {"gpgpu_unified_l1d_size", "0"},
    {"gpgpu_cache:dl1", NULL}, /* no L1D */
    {"gpgpu_l1_banks", "1"},
    {"gpgpu_l1_latency", "1"},
    {"gpgpu_gmem_skip_L1D", "0"},
    {"gpgpu_flush_l1_cache", "0"},
    {"gpgpu_l1_cache_write_ratio", "0"},
    {"icnt_flit_size", "32"},
    {"icnt_in_buffer_limit", "64"},
    {"gpgpu_cache:dl2", "64:128:8,L:B:m:N,A:16:4,4"},
    {"gpgpu_l2_rop_latency", "85"},
    {"gpgpu_memory_partition_indexing", "0"},
    {"gpgpu_n_mem", "8"},
    {"gpgpu_n_sub_partition_per_mchannel", "1"},
    {"gpgpu_n_mem_per_ctrlr", "1"},
    {"gpgpu_dram_buswidth", "4"},
    {"gpgpu_dram_burst_length", "4"},
    {"dram_data_command_freq_ratio", "2"},
    {"dram_latency", "30"},
    {"gpgpu_frfcfs_dram_sched_queue_size", "0"},
    {"gpgpu_dram_timing_opt", "4:2:8:12:21:13:34:9:4:5:13:1:0:0"},
    {"gpgpu_mem_addr_mapping", NULL}, /* made from the number of channels */
    {"dram_dual_bus_interface", "0"},
};
const size_t smrf_gs_default_count = sizeof smrf_gs_defaults / sizeof smrf_gs_defaults[0];

/* Before 2020 many options had no gpgpu_ in front: -gmem_skip_L1D, -smem_latency, -rop_latency. */
int smrf_gs_find(const char *option)
{
    static const char *const fronts[] = {"", "gpgpu_", "gpgpu_l2_"};
    char name[96];
    for (size_t f = 0; f < sizeof fronts / sizeof fronts[0]; f++) {
        int length = snprintf(name, sizeof name, "%s%s", fronts[f], option);
        for (size_t i = 0; length < (int)sizeof name && i < smrf_gs_option_count; i++) {
            if (strcmp(smrf_gs_options[i].name, name) == 0) {
                return (int)i;
            }
        }
    }
    return -1;
}
