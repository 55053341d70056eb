// SPDX-License-Identifier: Apache-2.0
// What a configuration file of Accel-Sim leaves out, and older forms of its options.
#include "tests/support/gpgpusim_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace
{

using namespace gpgpusim_files;

std::string value_of(const smrf_config &cfg, const char *key)
{
    for (size_t i = 0; i < smrf_param_count(); i++) {
        if (std::strcmp(smrf_param_at(i)->key, key) == 0) {
            char text[256];
            smrf_config_text(&cfg, i, text, sizeof text);
            return text;
        }
    }
    ADD_FAILURE() << key;
    return "";
}

// kOwnMachine without the line of an option, and of the next line if its value goes on there.
std::string own_without(const std::string &option)
{
    const std::string whole = kOwnMachine;
    const size_t from = whole.find("\n-" + option + " ");
    EXPECT_NE(std::string::npos, from) << option;
    const size_t to = std::min(whole.find("\n-", from + 1), whole.size() - 1);
    return whole.substr(0, from) + whole.substr(to);
}

// What a file that describes a machine leaves out has the default of Accel-Sim, and that is told. A
// file with some options only changes those. The values are Accel-Sim's registrations.
TEST(GpgpusimFile, WhatADescriptionOfAMachineLeavesOutHasTheDefaultOfAccelSim)
{
    const struct {
        const char *option, *key, *value, *taken;
    } rows[] = {
        {"gpgpu_n_clusters", "gpu.sms", "20", "10"}, // of two cores each
        {"gpgpu_n_cores_per_cluster", "gpu.sms", "21", "3"},
        {"gpgpu_compute_capability_major", "gpu.architecture", "71", "7"},
        {"gpgpu_clock_domains", "dram.khz", "2000000", "500.0:2000.0:2000.0:2000.0"},
        {"gpgpu_kernel_launch_latency", "gpu.launch_latency", "0", "0"},
        {"gpgpu_shader_core_pipeline", "sm.warps", "32", "1024:32"},
        {"gpgpu_shader_cta", "sm.blocks", "32", "32"},
        {"gpgpu_shader_registers", "sm.registers", "8192", "8192"},
        {"gpgpu_shmem_size", "sm.shared_bytes", "16384", "16384"},
        {"gpgpu_num_sched_per_core", "sm.subcores", "1", "1"},
        {"gpgpu_scheduler", "issue.scheduler", "gto", "gto"},
        {"gpgpu_inst_fetch_throughput", "frontend.fetch_warps", "1", "1"},
        {"gpgpu_cache:il1", "frontend.icache_bytes", "4096", "4:256:4,L:R:f:N,A:2:32,4"},
        {"gpgpu_num_reg_banks", "rf.banks", "4", "8"}, // two sub-cores
        {"gpgpu_reg_file_port_throughput", "rf.steps", "1", "1"},
        {"gpgpu_pipeline_widths", "exec.result_buses", "1", "1,1,1,1,1,1,1,1,1,1,1,1,1"},
        {"gpgpu_smem_latency", "ldst.shared_latency", "3", "3"},
        {"gpgpu_shmem_num_banks", "ldst.shared_banks", "16", "16"},
        {"gpgpu_adaptive_cache_config", "l1d.unified_bytes", "0", "0"},
        {"gpgpu_l1_banks", "l1d.banks", "1", "1"},
        {"gpgpu_l1_latency", "l1d.latency", "1", "1"},
        {"gpgpu_gmem_skip_L1D", "l1d.bypass", "off", "0"},
        {"gpgpu_flush_l1_cache", "l1d.flush", "off", "0"},
        {"gpgpu_l1_cache_write_ratio", "l1d.write_ratio", "0", "0"},
        {"icnt_flit_size", "noc.flit_bytes", "32", "32"},
        {"icnt_in_buffer_limit", "noc.input_queue", "64", "64"},
        {"gpgpu_cache:dl2", "l2.mshrs", "16", "64:128:8,L:B:m:N,A:16:4,4"},
        {"gpgpu_l2_rop_latency", "l2.latency", "85", "85"},
        {"gpgpu_memory_partition_indexing", "l2.hash", "linear", "0"},
        {"gpgpu_n_mem", "dram.channels", "8", "8"},
        {"gpgpu_n_sub_partition_per_mchannel", "l2.slices", "8", "1"},
        {"gpgpu_n_mem_per_ctrlr", "dram.bus_bytes", "4", "1"},
        {"gpgpu_dram_buswidth", "dram.bus_bytes", "8", "4"},
        {"gpgpu_dram_burst_length", "dram.burst", "4", "4"},
        {"dram_data_command_freq_ratio", "dram.data_rate", "2", "2"},
        {"dram_latency", "dram.latency", "30", "30"},
        {"gpgpu_dram_timing_opt", "dram.cdlr", "5", "4:2:8:12:21:13:34:9:4:5:13:1:0:0"},
        {"gpgpu_dram_timing_opt", "dram.ccdl", "2", "4:2:8:12:21:13:34:9:4:5:13:1:0:0"},
        {"dram_dual_bus_interface", "dram.dual_bus", "off", "0"},
        // no counterpart: what is below the file stays
        {"gpgpu_cache:dl1", "l1d.sets", "", ""},
        {"gpgpu_sub_core_model", "sm.subcores", "2", ""},
        {"gpgpu_operand_collector_num_units_gen", "rf.collectors", "4", ""},
        {"gpgpu_mem_addr_mapping", "dram.row_bits", "", ""},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.option);
        const Outcome o = read(own_without(row.option));
        ASSERT_EQ(SMRF_OK, o.rc) << o.error;
        const std::string below = value_of(defaults(), row.key);
        EXPECT_EQ(*row.value ? row.value : below, value_of(o.cfg, row.key));
        smrf_config_error err = {};
        EXPECT_EQ(SMRF_OK, smrf_config_check(&o.cfg, &err)) << err.text;
        unsigned told = 0;
        for (const Seen &s : o.reports) {
            told +=
                s.fate == SMRF_OPTION_LEFT_OUT && s.option == row.option && s.value == row.taken;
        }
        EXPECT_EQ(1u, told);
        for (const Seen &s : read(kOwnMachine).reports) {
            EXPECT_NE(SMRF_OPTION_LEFT_OUT, s.fate) << s.option;
        }
    }
    EXPECT_TRUE(read("-gpgpu_n_clusters 4\n-gpgpu_n_mem 8\n").reports.empty());
    EXPECT_EQ(value_of(defaults(), "l1d.latency"),
              value_of(read("-gpgpu_n_clusters 4\n").cfg, "l1d.latency"));
}

// Options of the local crossbar say nothing of another network.
TEST(GpgpusimFile, AnotherNetworkHasNoDefaultsOfTheCrossbar)
{
    std::string text = own_without("icnt_flit_size");
    text.replace(text.find("-network_mode 2"), 15, "-network_mode 1");
    const Outcome o = read(text);
    ASSERT_EQ(SMRF_OK, o.rc) << o.error;
    EXPECT_EQ(value_of(defaults(), "noc.flit_bytes"), value_of(o.cfg, "noc.flit_bytes"));
    EXPECT_EQ("300", value_of(o.cfg, "noc.input_queue"));
}

// A share that leaves the L1D nothing is one that GPGPU-Sim takes for no kernel.
TEST(GpgpusimFile, SharesBeyondTheArrayAreLeftOut)
{
    const Outcome o = read("-gpgpu_adaptive_cache_config 1\n-gpgpu_unified_l1d_size 160\n"
                           "-gpgpu_shmem_option 0,8,16,32,64,164\n-gpgpu_shmem_size 167936\n"
                           "-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:384:48,16:0,32\n");
    ASSERT_EQ(SMRF_OK, o.rc) << o.error;
    EXPECT_EQ("65536", value_of(o.cfg, "sm.shared_bytes"));
    smrf_config_error err = {};
    EXPECT_EQ(SMRF_OK, smrf_config_check(&o.cfg, &err)) << err.text;
    ASSERT_EQ(1u, o.reports.size());
    EXPECT_EQ("gpgpu_shmem_option", o.reports[0].option);
    EXPECT_EQ(SMRF_OPTION_NOT_MODELLED, o.reports[0].fate);
}

// A default that contradicts the file is told as one.
TEST(GpgpusimFile, ADefaultThatContradictsTheFileIsNamed)
{
    const Outcome o = read(own_without("gpgpu_unified_l1d_size"));
    EXPECT_EQ(SMRF_ERR_INVAL, o.rc);
    EXPECT_NE(std::string::npos, o.error.find("needs -gpgpu_unified_l1d_size")) << o.error;
}

// Older files: names without gpgpu_, timings without names, no bank groups, many merged misses.
TEST(GpgpusimFile, OlderFormsOfOptions)
{
    const struct {
        const char *text, *key, *value;
    } rows[] = {
        {"-gmem_skip_L1D 1", "l1d.bypass", "on"},
        {"-smem_latency 26", "ldst.shared_latency", "26"},
        {"-rop_latency 120", "l2.latency", "120"},
        {"-l1_latency 28", "l1d.latency", "28"},
        {"-gpgpu_dram_timing_opt 8:2:8:12:25:10:35:10:7:6:11", "dram.wr", "11"},
        {"-gpgpu_dram_timing_opt 8:2:8:12:25:10:35:10:7:6:11", "dram.bank_groups", "1"},
        {"-gpgpu_dram_timing_opt 8:2:8:12:25:10:35:10:7:6:11:4:3:2", "dram.rtpl", "2"},
        {"-gpgpu_dram_timing_opt 8:2:8:12:25:10:35:10:7:6:11:4:3:2", "dram.ccdl", "3"},
        {"-gpgpu_dram_timing_opt nbk=16:CCD=3:nbkgrp=1:CCDL=0:RTPL=0", "dram.ccdl", "3"},
        {"-gpgpu_cache:dl2 N:64:128:16,L:B:m:W:L,A:1024:1024,4:0,32", "l2.mshr_merge", "256"},
    };
    for (const auto &row : rows) {
        const Outcome o = read(row.text);
        EXPECT_EQ(SMRF_OK, o.rc) << row.text << ": " << o.error;
        EXPECT_EQ(row.value, value_of(o.cfg, row.key)) << row.text;
        for (const Seen &s : o.reports) {
            EXPECT_NE(SMRF_OPTION_UNKNOWN, s.fate) << row.text;
        }
    }
    EXPECT_NE(SMRF_OK, read("-gpgpu_dram_timing_opt 8:2:8").rc);
    EXPECT_NE(SMRF_OK, read("-gpgpu_dram_timing_opt 1:2:3:4:5:6:7:8:9:10:11:12:13:14:15").rc);
}

} // namespace
