// SPDX-License-Identifier: Apache-2.0
// Accel-Sim's option files: every mapped option against a table written down here, the tokenizer,
// reports, errors, and equality with the presets that are to be the same.
#include "tests/support/gpgpusim_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace
{

using namespace gpgpusim_files;

smrf_config preset(const char *name)
{
    smrf_config cfg;
    smrf_config_error err;
    EXPECT_EQ(smrf_preset_apply(&cfg, name, &err), SMRF_OK) << err.text;
    return cfg;
}

std::string difference(const smrf_config &a, const smrf_config &b)
{
    std::string out;
    for (size_t i = 0; i < smrf_param_count(); i++) {
        if (smrf_config_get(&a, i) != smrf_config_get(&b, i)) {
            out += std::string(smrf_param_at(i)->key) + " " +
                   std::to_string(smrf_config_get(&a, i)) +
                   " != " + std::to_string(smrf_config_get(&b, i)) + "\n";
        }
    }
    return out;
}

// What that machine is, key by key; whatever is not listed keeps its default.
const std::map<std::string, std::string> kOwnValues = {{"gpu.sms", "14"},
                                                       {"gpu.core_khz", "1500250"},
                                                       {"dram.khz", "2000000"},
                                                       {"gpu.architecture", "91"},
                                                       {"gpu.launch_latency", "1234"},
                                                       {"sm.threads", "1536"},
                                                       {"sm.warps", "48"},
                                                       {"sm.blocks", "24"},
                                                       {"sm.registers", "32768"},
                                                       {"sm.shared_bytes", "49152"},
                                                       {"sm.subcores", "2"},
                                                       {"issue.scheduler", "two_level"},
                                                       {"issue.active_warps", "6"},
                                                       {"issue.inner", "gto"},
                                                       {"frontend.fetch_warps", "3"},
                                                       {"frontend.icache_bytes", "65536"},
                                                       {"frontend.icache_ways", "8"},
                                                       {"rf.banks", "3"},
                                                       {"rf.steps", "3"},
                                                       {"rf.collectors", "5"},
                                                       {"rf.dispatch", "5"},
                                                       {"rf.in_ports", "9"},
                                                       {"noc.input_queue", "300"},
                                                       {"sm.registers_pooled", "on"},
                                                       {"rf.oldest_first", "on"},
                                                       {"exec.result_buses", "6"},
                                                       {"exec.int_latency", "5"},
                                                       {"exec.int_interval", "3"},
                                                       {"exec.sp_latency", "6"},
                                                       {"exec.sp_interval", "4"},
                                                       {"exec.half_latency", "6"},
                                                       {"exec.half_interval", "2"},
                                                       {"exec.hmul2_interval", "4"},
                                                       {"exec.dp_latency", "9"},
                                                       {"exec.dp_interval", "8"},
                                                       {"exec.sfu_latency", "22"},
                                                       {"exec.sfu_interval", "9"},
                                                       {"exec.branch_latency", "7"},
                                                       {"exec.branch_interval", "5"},
                                                       {"exec.tex_latency", "201"},
                                                       {"exec.tex_interval", "6"},
                                                       {"exec.tensor_latency", "33"},
                                                       {"exec.tensor_interval", "30"},
                                                       {"exec.uniform_latency", "8"},
                                                       {"exec.uniform_interval", "2"},
                                                       {"ldst.shared_latency", "31"},
                                                       {"ldst.shared_banks", "16"},
                                                       {"l1d.unified_bytes", "65536"},
                                                       {"l1d.carveouts", "0,16,48"},
                                                       {"l1d.sets", "8"},
                                                       {"l1d.ways", "32"},
                                                       {"l1d.mshrs", "100"},
                                                       {"l1d.mshr_merge", "9"},
                                                       {"l1d.miss_queue", "17"},
                                                       {"l1d.banks", "2"},
                                                       {"l1d.latency", "33"},
                                                       {"l1d.bypass", "on"},
                                                       {"l1d.flush", "off"},
                                                       {"l1d.write_ratio", "40"},
                                                       {"noc.flit_bytes", "64"},
                                                       {"l2.sets", "32"},
                                                       {"l2.ways", "8"},
                                                       {"l2.mshrs", "99"},
                                                       {"l2.mshr_merge", "5"},
                                                       {"l2.set_hash", "linear"},
                                                       {"l2.latency", "150"},
                                                       {"l2.hash", "ipoly"},
                                                       {"l2.slices", "32"},
                                                       {"dram.channels", "8"},
                                                       {"dram.bus_bytes", "8"},
                                                       {"dram.burst", "8"},
                                                       {"dram.data_rate", "2"},
                                                       {"dram.latency", "77"},
                                                       {"dram.queue", "1024"},
                                                       {"dram.banks", "32"},
                                                       {"dram.row_bits", "13"},
                                                       {"dram.dual_bus", "on"},
                                                       {"dram.bank_groups", "8"},
                                                       {"dram.ccd", "2"},
                                                       {"dram.ccdl", "5"},
                                                       {"dram.rrd", "5"},
                                                       {"dram.rcd", "13"},
                                                       {"dram.ras", "27"},
                                                       {"dram.rp", "11"},
                                                       {"dram.rc", "41"},
                                                       {"dram.cl", "14"},
                                                       {"dram.wl", "3"},
                                                       {"dram.cdlr", "6"},
                                                       {"dram.wr", "15"},
                                                       {"dram.rtpl", "7"},
                                                       // behaviours without an option
                                                       {"frontend.exit_at_fetch", "on"},
                                                       {"issue.latches", "on"},
                                                       {"scoreboard.war", "off"},
                                                       {"scoreboard.uniform", "off"},
                                                       {"scoreboard.copies", "accelsim"},
                                                       {"rf.collector_ports", "0"},
                                                       {"rf.collector_pick", "first"},
                                                       {"rf.dispatch_order", "index"},
                                                       {"rf.base_registers_only", "on"},
                                                       {"rf.rz_is_register", "on"},
                                                       {"rf.drop_conflicting_writes", "on"},
                                                       {"rf.l1_hit_writes", "off"},
                                                       {"rf.write_per_sector", "on"},
                                                       {"ldst.generic_local", "accelsim"},
                                                       {"ldst.local_order", "block"},
                                                       {"l1d.bypass_by", "accelsim"},
                                                       {"l1d.joins_filled", "on"},
                                                       {"l1d.age_by_cycle", "on"},
                                                       {"exec.buses_by_kind", "on"},
                                                       {"noc.one_a_cycle", "off"},
                                                       {"noc.credits", "4096"},
                                                       {"dram.summed_clocks", "on"}};

smrf_config own_machine()
{
    smrf_config cfg = defaults();
    for (const auto &[key, value] : kOwnValues) {
        smrf_config_error err;
        EXPECT_EQ(smrf_config_set(&cfg, key.c_str(), value.c_str(), "test", &err), SMRF_OK)
            << err.text;
    }
    return cfg;
}

TEST(GpgpusimFile, EveryMappedOptionReachesItsParameter)
{
    Outcome o = read(kOwnMachine);
    ASSERT_EQ(o.rc, SMRF_OK) << o.error;
    EXPECT_EQ(difference(o.cfg, own_machine()), "");
    // Accel-Sim has a hash for 16, 32 and 64 slices; this machine has others, so that ours stands
    // in
    ASSERT_EQ(o.reports.size(), 1u);
    EXPECT_EQ(o.reports[0].option, "gpgpu_memory_partition_indexing") << o.reports[0].reason;
    smrf_config_error err;
    EXPECT_EQ(smrf_config_check(&o.cfg, &err), SMRF_OK) << err.text;
}

TEST(GpgpusimFile, AFullFileLeavesNothingOfThePresetBelowIt)
{
    for (size_t i = 0; i < smrf_preset_count(); i++) {
        Outcome o = read(kOwnMachine, preset(smrf_preset_name(i)));
        ASSERT_EQ(o.rc, SMRF_OK) << o.error;
        EXPECT_EQ(difference(o.cfg, own_machine()), "") << smrf_preset_name(i);
    }
}

TEST(GpgpusimFile, LeavesTheOptionsOfAStudyAlone)
{
    smrf_config start = defaults();
    start.rf.extra_latency = 1;
    start.issue.extra_latency = 1;
    start.l1d.ports = 4;
    start.l1d.always_hit_local = 1;
    start.sim.seed = 99;
    Outcome o = read(kOwnMachine, start);
    ASSERT_EQ(o.rc, SMRF_OK) << o.error;
    EXPECT_EQ(o.cfg.rf.extra_latency, 1u);
    EXPECT_EQ(o.cfg.issue.extra_latency, 1u);
    EXPECT_EQ(o.cfg.l1d.ports, 4u);
    EXPECT_EQ(o.cfg.l1d.always_hit_local, 1u);
    EXPECT_EQ(o.cfg.sim.seed, 99u);
}

TEST(GpgpusimFile, LineEndingsAndLayoutDoNotMatter)
{
    std::string crlf, dense;
    for (const char *p = kOwnMachine; *p != '\0'; p++) {
        crlf += *p == '\n' ? std::string("\r\n") : std::string(1, *p);
    }
    Outcome o = read(crlf);
    ASSERT_EQ(o.rc, SMRF_OK) << o.error;
    EXPECT_EQ(difference(o.cfg, own_machine()), "");
    o = read("-gpgpu_n_clusters\n\n 3\t-gpgpu_l1_latency 9#touching -gpgpu_n_clusters 4\n"
             "-gpgpu_shader_cta \"1\n2\"");
    ASSERT_EQ(o.rc, SMRF_OK) << o.error;
    EXPECT_EQ(o.cfg.gpu.sms, 3u);
    EXPECT_EQ(o.cfg.l1d.latency, 9u);
    EXPECT_EQ(o.cfg.sm.blocks, 12u);
}

TEST(GpgpusimFile, ALaterOptionReplacesAnEarlierOne)
{
    Outcome o = read("-gpgpu_l1_latency 9\n-gpgpu_n_clusters 4\n-gpgpu_l1_latency 10\n"
                     "-gpgpu_n_clusters 5\n");
    ASSERT_EQ(o.rc, SMRF_OK) << o.error;
    EXPECT_EQ(o.cfg.l1d.latency, 10u);
    EXPECT_EQ(o.cfg.gpu.sms, 5u);
}

TEST(GpgpusimFile, APartialFileKeepsTheRest)
{
    smrf_config start = preset("qv100-accelsim"), expected = start;
    expected.gpu.sms = 1;
    expected.gpu.launch_latency = 0;
    Outcome o = read("-gpgpu_n_clusters 1 -gpgpu_kernel_launch_latency 0", start);
    ASSERT_EQ(o.rc, SMRF_OK) << o.error;
    EXPECT_EQ(difference(o.cfg, expected), "");
    o = read("-gpgpu_num_reg_banks 8 -gpgpu_n_mem 16 -gpgpu_dram_buswidth 8", start);
    ASSERT_EQ(o.rc, SMRF_OK) << o.error;
    EXPECT_EQ(o.cfg.rf.banks, 2u);
    EXPECT_EQ(o.cfg.l2.slices, 32u);
    EXPECT_EQ(o.cfg.dram.bus_bytes, 8u);
}

TEST(GpgpusimFile, SchedulersOverOneRegisterFileBecomeOneWideScheduler)
{
    Outcome o = read("-gpgpu_num_sched_per_core 4 -gpgpu_sub_core_model 0\n"
                     "-gpgpu_num_reg_banks 16\n-gpgpu_operand_collector_num_units_gen 8\n");
    ASSERT_EQ(o.rc, SMRF_OK) << o.error;
    EXPECT_EQ(o.cfg.sm.subcores, 1u);
    EXPECT_EQ(o.cfg.issue.width, 4u);
    EXPECT_EQ(o.cfg.rf.banks, 16u);
    EXPECT_EQ(o.cfg.rf.collectors, 8u);
    ASSERT_EQ(o.reports.size(), 1u);
    EXPECT_EQ(o.reports[0].option, "gpgpu_sub_core_model");
    // and back again
    o = read("-gpgpu_num_sched_per_core 4 -gpgpu_sub_core_model 1", o.cfg);
    ASSERT_EQ(o.rc, SMRF_OK) << o.error;
    EXPECT_EQ(o.cfg.sm.subcores, 4u);
    EXPECT_EQ(o.cfg.issue.width, 1u);
    EXPECT_EQ(o.cfg.rf.banks, 4u);
    EXPECT_EQ(o.cfg.rf.collectors, 2u);
    // banks alone do not change the schedulers
    o = read("-gpgpu_num_reg_banks 12", own_machine());
    EXPECT_EQ(o.cfg.sm.subcores, 2u);
    EXPECT_EQ(o.cfg.rf.banks, 6u);
}

TEST(GpgpusimFile, AFixedL1DTakesItsWaysFromItsDescription)
{
    Outcome o = read("-gpgpu_adaptive_cache_config 0\n-gpgpu_unified_l1d_size 128\n"
                     "-gpgpu_cache:dl1 S:64:128:6,L:T:m:L:L,A:32:8,8");
    ASSERT_EQ(o.rc, SMRF_OK) << o.error;
    EXPECT_EQ(o.cfg.l1d.unified_bytes, 0u);
    EXPECT_EQ(o.cfg.l1d.sets, 64u);
    EXPECT_EQ(o.cfg.l1d.ways, 6u);
    o = read("-gpgpu_unified_l1d_size 128", o.cfg);
    EXPECT_EQ(o.cfg.l1d.unified_bytes, 131072u);
    o = read("-gpgpu_adaptive_cache_config 1", o.cfg);
    EXPECT_EQ(o.cfg.l1d.unified_bytes, 131072u);
}

TEST(GpgpusimFile, InstructionCacheIsIdealIfTheFileSaysSo)
{
    const std::string il1 = "-gpgpu_cache:il1 N:64:128:16,L:R:f:N:L,S:2:48,4\n";
    EXPECT_EQ(read(il1 + "-gpgpu_perfect_inst_const_cache 1").cfg.frontend.icache_bytes, 0u);
    EXPECT_EQ(read("-gpgpu_perfect_inst_const_cache 0\n" + il1).cfg.frontend.icache_bytes, 131072u);
    EXPECT_EQ(read(il1).cfg.frontend.icache_bytes, 0u) << "the default is ideal";
    smrf_config real = defaults();
    real.frontend.icache_bytes = 65536;
    EXPECT_EQ(read(il1, real).cfg.frontend.icache_bytes, 131072u);
    EXPECT_EQ(read("-gpgpu_perfect_inst_const_cache 1", real).cfg.frontend.icache_bytes, 0u);
}

TEST(GpgpusimFile, AWordIsNoNumberInAnyStructuredValue)
{
    for (const char *text :
         {"-trace_opcode_latency_initiation_int 2,x", "-gpgpu_shader_core_pipeline x:32",
          "-gpgpu_pipeline_widths 4,4,4,x,4,4,4,4,4,4,8,4,4", "-gpgpu_scheduler warp_limiting:2:x",
          "-gpgpu_cache:dl1 S:x:128:64,L:T:m:L:L,A:256:32,16", "-gpgpu_shmem_option 0,x",
          "-gpgpu_cache:dl2 S:64:128:16,L:B:m:L:P,A:x:4,32", "-gpgpu_dram_timing_opt nbk=x",
          "-gpgpu_cache:il1 N:64:128:16,L:R:f:N:L,S:2:48,x", "-gpgpu_n_clusters x",
          "-gpgpu_memory_partition_indexing x", "-gpgpu_frfcfs_dram_sched_queue_size x",
          "-specialized_unit_1 1,x,4,4,4,BRA", "-network_mode x", "-gpgpu_num_sp_units x",
          "-gpgpu_coalesce_arch x"}) {
        Outcome o = read(text);
        EXPECT_EQ(o.rc, SMRF_ERR_INVAL) << text;
        EXPECT_NE(o.error.find("'x' is not a number"), std::string::npos) << o.error;
    }
    EXPECT_EQ(read("-gpgpu_cache:il1 N:70000:70000:16,L:R:f:N:L,S:2:48,4").error,
              "a.config:1: -gpgpu_cache:il1 N:70000:70000:16,L:R:f:N:L,S:2:48,4: a cache of this "
              "size is not possible");
}

TEST(GpgpusimFile, KnowsEverySchedulerOfTheModel)
{
    EXPECT_EQ(read("-gpgpu_scheduler lrr").cfg.issue.scheduler, uint32_t{SMRF_SCHED_LRR});
    EXPECT_EQ(read("-gpgpu_scheduler gto", preset("rtx2060-accelsim")).cfg.issue.scheduler,
              uint32_t{SMRF_SCHED_GTO});
    EXPECT_EQ(read("-gpgpu_scheduler old").cfg.issue.scheduler, uint32_t{SMRF_SCHED_OLDEST});
    Outcome o = read("-gpgpu_scheduler two_level_active:5:0:1");
    EXPECT_EQ(o.cfg.issue.scheduler, uint32_t{SMRF_SCHED_TWO_LEVEL});
    EXPECT_EQ(o.cfg.issue.active_warps, 5u);
    EXPECT_EQ(o.cfg.issue.inner, uint32_t{SMRF_INNER_LRR});
    o = read("-gpgpu_scheduler warp_limiting:2:3");
    EXPECT_EQ(o.cfg.issue.scheduler, uint32_t{SMRF_SCHED_SWL});
    EXPECT_EQ(o.cfg.issue.limit_warps, 3u);
}

TEST(GpgpusimFile, ReportsOptionsWithoutCounterpartOnceWithTheirLastValue)
{
    Outcome o = read("-gpgpu_stack_size_limit 1\n"
                     "-gpgpu_stack_size_limit 2\n"
                     "-icnt_out_buffer_limit 512\n"
                     "-gpgpu_n_clustres 4\n"
                     "-gpgpu_n_clustres 5\n"
                     "-network_mode 1\n"
                     "-icnt_subnets 2\n");
    ASSERT_EQ(o.rc, SMRF_OK) << o.error;
    ASSERT_EQ(o.reports.size(), 4u);
    EXPECT_EQ(o.reports[0].option + "=" + o.reports[0].value, "gpgpu_stack_size_limit=2");
    EXPECT_EQ(o.reports[0].fate, SMRF_OPTION_NO_EFFECT);
    EXPECT_EQ(o.reports[0].line, 2u);
    EXPECT_EQ(o.reports[1].option, "icnt_out_buffer_limit");
    EXPECT_EQ(o.reports[1].fate, SMRF_OPTION_NOT_MODELLED);
    EXPECT_EQ(o.reports[2].option + "=" + o.reports[2].value, "gpgpu_n_clustres=5");
    EXPECT_EQ(o.reports[2].fate, SMRF_OPTION_UNKNOWN);
    EXPECT_EQ(o.reports[3].option, "network_mode");
    EXPECT_STREQ(smrf_option_fate_text(SMRF_OPTION_NO_EFFECT), "no effect on timing here");
    EXPECT_STREQ(smrf_option_fate_text(SMRF_OPTION_NOT_MODELLED), "not modelled");
    EXPECT_STREQ(smrf_option_fate_text(SMRF_OPTION_UNKNOWN), "unknown option");
}

// SM7_QV100's map: a slice holds 256 bytes in a row, whatever the hash.
TEST(GpgpusimFile, AMapOfWholeChunksSetsWhatASliceHolds)
{
    const std::string map =
        "-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000."
        "0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS\n-gpgpu_memory_partition_indexing ";
    const std::string slices = "\n-gpgpu_n_sub_partition_per_mchannel 2\n-gpgpu_n_mem ";
    const Outcome linear = read(map + "0" + slices + "32"),
                  hashed = read(map + "2" + slices + "32"), own = read(map + "2" + slices + "24");
    EXPECT_EQ(0u, linear.reports.size() + hashed.reports.size()) << linear.error << hashed.error;
    EXPECT_EQ(256u, linear.cfg.l2.slice_bytes);
    EXPECT_EQ(256u, hashed.cfg.l2.slice_bytes);
    EXPECT_EQ(uint32_t(SMRF_HASH_ACCELSIM), hashed.cfg.l2.hash);
    EXPECT_EQ(256u, own.cfg.l2.slice_bytes);
    EXPECT_EQ(uint32_t(SMRF_HASH_IPOLY), own.cfg.l2.hash);
    // Accel-Sim has no hash of 48 slices: smrf's own stands in, and says so
    ASSERT_EQ(1u, own.reports.size());
    EXPECT_EQ("gpgpu_memory_partition_indexing=2",
              own.reports[0].option + "=" + own.reports[0].value);
    EXPECT_EQ(SMRF_OPTION_NOT_MODELLED, own.reports[0].fate);
    EXPECT_EQ(2u, own.reports[0].line);
    EXPECT_NE(std::string::npos, own.reports[0].reason.find("l2.hash = ipoly"))
        << own.reports[0].reason;
}

TEST(GpgpusimFile, ReportsValuesThatTheModelCannotTake)
{
    const char *const texts[] = {
        "-gpgpu_clock_domains 1000:2000:1000:3000",
        "-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4,2",
        "-gpgpu_num_sp_units 2",
        "-specialized_unit_3 0,4,4,4,4,TENSOR",
        "-gpgpu_cache:dl1 N:4:128:64,L:T:m:L:L,A:256:32,16:0,32",
        "-gpgpu_cache:dl1 S:4:128:64,L:L:m:L:L,A:256:32,16:0,32",
        "-gpgpu_cache:dl2 S:64:64:16,L:B:m:L:P,A:192:4,32:0,32",
        "-gpgpu_cache:dl2 64:128:16,L:B:m:W,A:32:4,4",
        "-gpgpu_memory_partition_indexing 3",
        "-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR."
        "BBBBCCCC.CCSSSSSS",
        "-gpgpu_mem_addr_mapping dramid@9;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR."
        "RBBBCCCC.BCCSSSSS",
        "-gpgpu_perfect_inst_const_cache 0",
        "-dram_bnk_indexing_policy 1",
        "-gpgpu_coalesce_arch 13",
        "-gpgpu_dram_scheduler 0"};
    for (const char *text : texts) {
        Outcome o = read(text);
        EXPECT_EQ(o.rc, SMRF_OK) << text << o.error;
        ASSERT_EQ(o.reports.size(), 1u) << text;
        EXPECT_EQ(o.reports[0].fate, SMRF_OPTION_NOT_MODELLED) << text;
    }
}

// As upstream's files for the Orin (55,64) and the H100 (1,0) have them.
TEST(GpgpusimFile, AnIntervalOverTheLatencyOrOfNothingIsRaisedAndNoted)
{
    Outcome o = read("-trace_opcode_latency_initiation_dp 55,64\n"
                     "-trace_opcode_latency_initiation_spec_op_3 1,0\n");
    ASSERT_EQ(o.rc, SMRF_OK) << o.error;
    smrf_config_error err = {};
    EXPECT_EQ(smrf_config_check(&o.cfg, &err), SMRF_OK) << err.text;
    EXPECT_EQ(o.cfg.exec.dp_latency, 64u);
    EXPECT_EQ(o.cfg.exec.dp_interval, 64u);
    EXPECT_EQ(o.cfg.exec.tensor_latency, 1u);
    EXPECT_EQ(o.cfg.exec.tensor_interval, 1u);
    ASSERT_EQ(o.reports.size(), 2u);
    EXPECT_EQ(o.reports[0].fate, SMRF_OPTION_NOT_MODELLED);
}

// Slices, channels and pipelines of cards from Fermi to Hopper.
TEST(GpgpusimFile, LimitsAreNotBelowThoseOfRealCards)
{
    smrf_config_error err = {};
    const std::string shared = "-gpgpu_adaptive_cache_config 1\n-gpgpu_cache:dl1 "
                               "S:4:128:64,L:T:m:L:L,A:256:32,16:0,32\n";
    Outcome o = read(shared + "-gpgpu_unified_l1d_size 192\n-gpgpu_shmem_size 167936\n"
                              "-gpgpu_shmem_option 0,8,16,32,64,100,132,164\n");
    EXPECT_EQ(o.rc, SMRF_OK) << o.error;
    EXPECT_EQ(smrf_config_check(&o.cfg, &err), SMRF_OK) << err.text;
    o = read(shared + "-gpgpu_unified_l1d_size 256\n-gpgpu_shmem_size 233472\n"
                      "-gpgpu_shmem_option 0,8,16,32,64,100,132,164,196,228\n");
    EXPECT_EQ(o.rc, SMRF_OK) << o.error;
    EXPECT_EQ(smrf_config_check(&o.cfg, &err), SMRF_OK) << err.text;
    o = read("-gpgpu_n_mem 40\n-gpgpu_n_sub_partition_per_mchannel 4\n");
    EXPECT_EQ(o.cfg.l2.slices, 160u) << o.error;
    EXPECT_EQ(smrf_config_check(&o.cfg, &err), SMRF_OK) << err.text;
    o = read("-gpgpu_n_mem 80\n-gpgpu_n_sub_partition_per_mchannel 2\n");
    EXPECT_EQ(o.cfg.dram.channels, 80u) << o.error;
    EXPECT_EQ(smrf_config_check(&o.cfg, &err), SMRF_OK) << err.text;
    o = read("-gpgpu_pipeline_widths 4,0,0,4,4,4,0,0,4,4,8\n");
    EXPECT_EQ(o.cfg.exec.result_buses, 8u) << o.error;
}

TEST(GpgpusimFile, ErrorsCiteFileLineOptionAndReason)
{
    const std::pair<const char *, const char *> cases[] = {
        {"-gpgpu_l1_latency 3\n-gpgpu_l1_latency x3\n",
         "a.config:2: -gpgpu_l1_latency x3: 'x3' is not a number"},
        {"-gpgpu_l1_latency 99999\n",
         "a.config:1: -gpgpu_l1_latency 99999: gives l1d.latency = 99999, out of range 1 to 1000"},
        {"# c\n\n-gpgpu_n_clusters 600\n",
         "a.config:3: -gpgpu_n_clusters 600: gives gpu.sms = 600, out of range 1 to 256"},
        {"-gpgpu_num_reg_banks 9\n",
         "a.config:1: -gpgpu_num_reg_banks 9: 9 an SM do not divide among 4 sub-cores"},
        {"-gpgpu_clock_domains 1:2:3\n", "a.config:1: -gpgpu_clock_domains 1:2:3: expected four "
                                         "clocks in MHz, core:interconnect:L2:DRAM"},
        {"-gpgpu_clock_domains 1:2:3:4x\n", "a.config:1: -gpgpu_clock_domains 1:2:3:4x: expected "
                                            "four clocks in MHz, core:interconnect:L2:DRAM"},
        {"-gpgpu_shader_core_pipeline 1024:16\n",
         "a.config:1: -gpgpu_shader_core_pipeline 1024:16: expected threads:32, threads a multiple "
         "of 32"},
        {"-gpgpu_pipeline_widths 4,4\n", "a.config:1: -gpgpu_pipeline_widths 4,4: expected 13 "
                                         "widths (11 without tensor cores, or the 7 of "
                                         "GPGPU-Sim 3)"},
        {"-gpgpu_tensor_core_avail 1 -gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8\n",
         "a.config:1: -gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8: expected 13 widths, as "
         "-gpgpu_tensor_core_avail is 1"},
        {"-gpgpu_shmem_size 98304\n-gpgpu_adaptive_cache_config 1\n"
         "-gpgpu_unified_l1d_size 128\n",
         "a.config:2: -gpgpu_adaptive_cache_config 1: shared memory and L1D share an array, but "
         "the file has no -gpgpu_shmem_option (GPGPU-Sim's default, 0, leaves kernels no shared "
         "memory). Add the card's sizes up to the 96 KiB of -gpgpu_shmem_size, such as "
         "-gpgpu_shmem_option 0,8,16,32,64,96"},
        {"-gpgpu_shmem_size 98304\n-gpgpu_adaptive_cache_config 1\n-gpgpu_unified_l1d_size 96\n",
         "a.config:2: -gpgpu_adaptive_cache_config 1: shared memory and L1D share an array, but "
         "the file has no -gpgpu_shmem_option (GPGPU-Sim's default, 0, leaves kernels no shared "
         "memory). Add the card's sizes up to the 96 KiB of -gpgpu_shmem_size, such as "
         "-gpgpu_shmem_option 0,8,16,32,64,96, and a larger -gpgpu_unified_l1d_size, which holds "
         "the L1D, too"},
        {"-trace_opcode_latency_initiation_sp 2\n",
         "a.config:1: -trace_opcode_latency_initiation_sp 2: expected latency,initiation"},
        {"-specialized_unit_1 1,4\n", "a.config:1: -specialized_unit_1 1,4: expected "
                                      "enabled,units,latency,ID_OC,OC_EX,name"},
        {"-gpgpu_scheduler fifo\n", "a.config:1: -gpgpu_scheduler fifo: known are lrr, gto, old, "
                                    "two_level_active:N:inner:1 and warp_limiting:2:N"},
        {"-gpgpu_scheduler two_level_active:6\n", "a.config:1: -gpgpu_scheduler "
                                                  "two_level_active:6: expected 3 numbers after "
                                                  "the name"},
        {"-gpgpu_scheduler two_level_active:6:1:1\n",
         "a.config:1: -gpgpu_scheduler two_level_active:6:1:1: the inner level may be 0 (LRR) or 2 "
         "(GTO), the outer level 1"},
        {"-gpgpu_scheduler warp_limiting:1:1\n", "a.config:1: -gpgpu_scheduler warp_limiting:1:1: "
                                                 "only priority 2 (GTO) is known here"},
        {"-gpgpu_shmem_option 0,7\n",
         "a.config:1: -gpgpu_shmem_option 0,7: 7 KiB is not a multiple of 4 from 0 to 252"},
        {"-gpgpu_cache:dl1 S:4:128\n", "a.config:1: -gpgpu_cache:dl1 S:4:128: expected four "
                                       "groups: geometry,policies,mshrs,queue"},
        {"-gpgpu_cache:dl1 4:128,L:T:m:L:L,A:1:1,1\n",
         "a.config:1: -gpgpu_cache:dl1 4:128,L:T:m:L:L,A:1:1,1: expected sector "
         "kind:sets:line:ways before the first comma"},
        {"-gpgpu_cache:dl1 S:4:128:4,L:T,A:1:1,1\n",
         "a.config:1: -gpgpu_cache:dl1 S:4:128:4,L:T,A:1:1,1: expected five letters between the "
         "first two commas"},
        {"-gpgpu_cache:dl1 S:4:128:4,L:TT:m:L,A:1:1,1\n",
         "a.config:1: -gpgpu_cache:dl1 S:4:128:4,L:TT:m:L,A:1:1,1: 'TT' is not a policy letter"},
        {"-gpgpu_cache:dl2 S:4:128:4,L:T:m:L,A:1,1\n",
         "a.config:1: -gpgpu_cache:dl2 S:4:128:4,L:T:m:L,A:1,1: expected type:entries:merge for "
         "the MSHRs"},
        {"-gpgpu_adaptive_cache_config 1 -gpgpu_unified_l1d_size 0\n",
         "a.config:1: -gpgpu_adaptive_cache_config 1: needs -gpgpu_unified_l1d_size"},
        {"-gpgpu_dram_timing_opt nbk=16:XYZ=3\n", "a.config:1: -gpgpu_dram_timing_opt "
                                                  "nbk=16:XYZ=3: 'XYZ' is not a timing of the "
                                                  "form nbk=16"},
        {"-gpgpu_dram_timing_opt \"nbk=16:\nCCD=0\"\n",
         "a.config:1: -gpgpu_dram_timing_opt nbk=16:CCD=0: gives dram.ccd = 0, out of range 1 to "
         "255"},
        {"-gpgpu_mem_addr_mapping dramid@8;RRBB\n",
         "a.config:1: -gpgpu_mem_addr_mapping dramid@8;RRBB: expected dramid@8; and 64 letters out "
         "of 0, R, B, C, S, D"},
        {"\n-gpgpu_n_clusters\n", "a.config:2: no value follows -gpgpu_n_clusters"},
        {"-gpgpu_n_clusters -gpgpu_n_mem 3\n", "a.config:1: no value follows -gpgpu_n_clusters"},
        {"-gpgpu_n_clusters 3 4\n",
         "a.config:1: expected an option such as -gpgpu_n_clusters, found 4"},
        {"-gpgpu_n_clusters \"3\n\n", "a.config:1: quote without an end"}};
    for (const auto &[text, message] : cases) {
        Outcome o = read(text);
        EXPECT_LT(o.rc, 0) << text;
        EXPECT_EQ(o.error, message);
        EXPECT_EQ(difference(o.cfg, defaults()), "") << "changed by a file in error: " << text;
    }
}

TEST(GpgpusimFile, RefusesWhatIsNoOptionFile)
{
    Outcome o = read(std::string("-a 1\0-b 2", 9));
    EXPECT_EQ(o.rc, SMRF_ERR_FORMAT);
    EXPECT_EQ(o.error, "a.config: holds a NUL byte: not a text file");
    std::string many;
    for (int i = 0; i < 5000; i++) {
        many += "-a 1\n";
    }
    o = read(many);
    EXPECT_EQ(o.rc, SMRF_ERR_FORMAT);
    EXPECT_EQ(o.error, "a.config:4097: more options than any Accel-Sim file has");
    EXPECT_EQ(read(std::string(2u << 20, ' ')).rc, SMRF_ERR_LIMIT);
    smrf_config cfg = defaults();
    smrf_config_error err;
    EXPECT_EQ(smrf_config_gpgpusim(&cfg, "/nonexistent.config", nullptr, nullptr, &err),
              SMRF_ERR_IO);
    EXPECT_STREQ(err.text, "/nonexistent.config: cannot open: No such file or directory");
}

class RealFiles : public ::testing::TestWithParam<std::pair<std::string, std::string>>
{
  protected:
    std::string folder() const
    {
        const char *set = std::getenv("SMRF_ACCELSIM_CONFIGS");
        const char *root = std::getenv("SMRF_SOURCE_DIR");
        std::string base =
            set && *set ? set : std::string(root ? root : ".") + "/../shared/accelsim-configs";
        return base + "/" + GetParam().first + "/";
    }
};

TEST_P(RealFiles, GiveTheirPresetOverAnyPresetInAnyOrder)
{
    if (!std::ifstream(folder() + "gpgpusim.config")) {
        GTEST_SKIP() << "no Accel-Sim configurations at " << folder()
                     << "; set SMRF_ACCELSIM_CONFIGS to a folder that holds them";
    }
    smrf_config expected = preset(GetParam().second.c_str());
    const char *const orders[2][2] = {{"gpgpusim.config", "trace.config"},
                                      {"trace.config", "gpgpusim.config"}};
    for (size_t i = 0; i < 2 * smrf_preset_count(); i++) {
        smrf_config cfg = preset(smrf_preset_name(i / 2));
        std::vector<Seen> reports;
        for (const char *file : orders[i % 2]) {
            smrf_config_error err = {};
            ASSERT_EQ(
                smrf_config_gpgpusim(&cfg, (folder() + file).c_str(), collect, &reports, &err),
                SMRF_OK)
                << err.text;
        }
        EXPECT_EQ(difference(cfg, expected), "") << "over " << smrf_preset_name(i / 2);
        for (const auto &r : reports) {
            EXPECT_NE(r.fate, SMRF_OPTION_UNKNOWN) << r.option;
        }
    }
}

// Every configuration of a folder of Accel-Sim's, such as configs/tested-cfgs: a gpgpusim.config a
// folder, perhaps with a trace.config.
void expect_all_load(const std::filesystem::path &folder)
{
    unsigned found = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().filename() != "gpgpusim.config") {
            continue;
        }
        SCOPED_TRACE(entry.path().string());
        smrf_config cfg = defaults();
        smrf_config_error err = {};
        std::vector<Seen> reports;
        EXPECT_EQ(smrf_config_gpgpusim(&cfg, entry.path().c_str(), collect, &reports, &err),
                  SMRF_OK)
            << err.text;
        const auto trace = entry.path().parent_path() / "trace.config";
        if (std::filesystem::exists(trace)) {
            EXPECT_EQ(smrf_config_gpgpusim(&cfg, trace.c_str(), collect, &reports, &err), SMRF_OK)
                << err.text;
        }
        EXPECT_EQ(smrf_config_check(&cfg, &err), SMRF_OK) << err.text;
        for (const auto &r : reports) {
            EXPECT_NE(r.fate, SMRF_OPTION_UNKNOWN) << r.option;
        }
        found++;
    }
    EXPECT_GT(found, 0u) << "no gpgpusim.config below " << folder;
}

TEST(RealConfigurations, AllOfAFolderLoad)
{
    const char *cfgs = std::getenv("SMRF_TESTED_CFGS");
    const char *own = std::getenv("SMRF_ACCELSIM_CONFIGS"), *root = std::getenv("SMRF_SOURCE_DIR");
    const std::filesystem::path beside =
        own && *own ? own : std::string(root ? root : ".") + "/../shared/accelsim-configs";
    const bool has_beside = std::filesystem::exists(beside);
    if (has_beside) {
        expect_all_load(beside);
    }
    if (cfgs && *cfgs) {
        expect_all_load(cfgs);
    } else if (!has_beside) {
        GTEST_SKIP() << "set SMRF_TESTED_CFGS to Accel-Sim's configs/tested-cfgs";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Accelsim, RealFiles,
    ::testing::Values(std::pair<std::string, std::string>("SM75_RTX2060", "rtx2060-accelsim"),
                      std::pair<std::string, std::string>("SM7_QV100", "qv100-accelsim"),
                      std::pair<std::string, std::string>("SM86_RTX3070", "rtx3070-accelsim")),
    [](const auto &test) { return test.param.first; });

} // namespace
