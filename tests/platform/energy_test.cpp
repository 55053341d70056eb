// SPDX-License-Identifier: Apache-2.0
// Energy of the register file: constants, geometry, the sum over events, and sets from files.
#include "platform/energy/energy.h"

#include "platform/config/config.h"
#include "tests/support/platform_files.h"

#include <cmath>
#include <cstring>

using namespace smrf_test;

namespace
{

const smrf_energy_set &set_of(const char *name)
{
    for (unsigned i = 0; smrf_energy_set_at(i); i++) {
        if (std::strcmp(smrf_energy_set_at(i)->name, name) == 0) {
            return *smrf_energy_set_at(i);
        }
    }
    ADD_FAILURE() << "no set " << name;
    return *smrf_energy_set_at(0);
}

smrf_config config()
{
    smrf_config cfg;
    smrf_config_default(&cfg);
    return cfg;
}

const double cfg_sms = config().gpu.sms;

smrf_counters counted()
{
    smrf_counters c{};
    c.sm.operand_reads = 1000;
    c.sm.bank_reads = c.sm.crossbar_transfers = 600;
    c.sm.cache_hits = 400;
    c.sm.operand_writes = c.sm.bank_writes = 300;
    c.sm.cache_writes = 50;
    return c;
}

TEST(Energy, EveryConstantOfEverySetHasAValueAndASource)
{
    for (unsigned i = 0; smrf_energy_set_at(i); i++) {
        const smrf_energy_set *set = smrf_energy_set_at(i);
        for (unsigned k = 0; k < SMRF_ENERGY_COUNT; k++) {
            EXPECT_STRNE("", set->source[k]) << set->name << " " << smrf_energy_constant_name(k);
            EXPECT_GE(set->value[k], 0.0);
        }
        EXPECT_GT(set->value[SMRF_ENERGY_bank_write], set->value[SMRF_ENERGY_bank_read]);
    }
}

TEST(Energy, CrossbarMeetsTheTableAndIsLinearBetweenAndBeyond)
{
    const smrf_energy_set &set = set_of("flat23");
    EXPECT_DOUBLE_EQ(85.6, smrf_energy_crossbar(&set, 1, 2));
    EXPECT_DOUBLE_EQ(264.1, smrf_energy_crossbar(&set, 1, 8));
    EXPECT_DOUBLE_EQ(160.6, smrf_energy_crossbar(&set, 2, 2));
    EXPECT_DOUBLE_EQ(267.4, smrf_energy_crossbar(&set, 2, 4));
    EXPECT_DOUBLE_EQ(481.2, smrf_energy_crossbar(&set, 2, 8));
    EXPECT_DOUBLE_EQ(908.6, smrf_energy_crossbar(&set, 2, 16));
    EXPECT_DOUBLE_EQ((160.6 + 267.4) / 2, smrf_energy_crossbar(&set, 2, 3));
    EXPECT_DOUBLE_EQ(481.2 + 4 * (908.6 - 481.2) / 8, smrf_energy_crossbar(&set, 2, 12));
    EXPECT_DOUBLE_EQ(160.6 - (267.4 - 160.6) / 2, smrf_energy_crossbar(&set, 2, 1));
    // a third and a fourth bank add what the second added
    EXPECT_DOUBLE_EQ(85.6 + 3 * (160.6 - 85.6), smrf_energy_crossbar(&set, 4, 2));
}

TEST(Energy, MoreCollectorsCostWhatTheFlatCrossbarExplains)
{
    // 2 to 8 and 2 to 16 collectors: 2.83 and 5.19 times the register file's energy as published;
    // reads alone through the flat crossbar come near.
    const smrf_energy_set &set = set_of("flat23");
    smrf_config cfg = config();
    smrf_counters c{};
    c.sm.operand_reads = c.sm.bank_reads = c.sm.crossbar_transfers = 1000;
    double pj[3][SMRF_ENERGY_COMPONENTS];
    const unsigned collectors[] = {2, 8, 16};
    for (int i = 0; i < 3; i++) {
        cfg.rf.collectors = collectors[i];
        smrf_energy_shape shape;
        smrf_energy_shape_of(nullptr, &cfg, &shape);
        smrf_energy_of(&set, &shape, &cfg, &c, pj[i]);
    }
    EXPECT_NEAR(2.68, pj[1][SMRF_ENERGY_TOTAL] / pj[0][SMRF_ENERGY_TOTAL], 0.02);
    EXPECT_NEAR(4.92, pj[2][SMRF_ENERGY_TOTAL] / pj[0][SMRF_ENERGY_TOTAL], 0.02);
}

TEST(Energy, IsTheSumOverEvents)
{
    const smrf_energy_set &set = set_of("flat23");
    const smrf_config cfg = config();
    const smrf_counters c = counted();
    double pj[SMRF_ENERGY_COMPONENTS];

    smrf_energy_shape shape{};
    shape.store_words = 8;
    shape.crossbar_outputs = 2;
    smrf_energy_of(&set, &shape, &cfg, &c, pj);
    EXPECT_DOUBLE_EQ(600 * 20.1 + 300 * 33.6, pj[SMRF_ENERGY_BANKS]);
    EXPECT_DOUBLE_EQ(600 * 160.6, pj[SMRF_ENERGY_CROSSBAR]);
    EXPECT_DOUBLE_EQ(900 * 0.001, pj[SMRF_ENERGY_ARBITER]);
    EXPECT_DOUBLE_EQ(650 * 6.0 + 1000 * 4.0, pj[SMRF_ENERGY_COLLECTORS]);
    EXPECT_DOUBLE_EQ(pj[0] + pj[1] + pj[2] + pj[3], pj[SMRF_ENERGY_TOTAL]);

    shape.result_path = true;
    shape.tags = true;
    smrf_energy_of(&set, &shape, &cfg, &c, pj);
    EXPECT_DOUBLE_EQ(600 * 160.6 + 50 * 85.6, pj[SMRF_ENERGY_CROSSBAR]);
    EXPECT_DOUBLE_EQ(650 * 6.0 + 1000 * 4.0 + 1300 * 0.1, pj[SMRF_ENERGY_COLLECTORS]);

    shape = {};
    shape.store_words = 24;
    shape.crossbar_outputs = 8;
    shape.hit_copies = true;
    smrf_energy_of(&set, &shape, &cfg, &c, pj);
    EXPECT_DOUBLE_EQ(600 * 481.2, pj[SMRF_ENERGY_CROSSBAR]);
    EXPECT_DOUBLE_EQ((650 + 400) * 6.7 + (1000 + 400) * 5.6, pj[SMRF_ENERGY_COLLECTORS]);

    shape = {};
    shape.store_words = 8;
    shape.crossbar_outputs = 2;
    shape.fills = 4;
    smrf_counters filled = c;
    filled.mechanism[3] = 70;
    smrf_energy_of(&set, &shape, &cfg, &filled, pj);
    EXPECT_DOUBLE_EQ((650 + 70) * 6.0 + 1000 * 4.0, pj[SMRF_ENERGY_COLLECTORS]);
}

// Each event of the rest of the GPU costs its constant, nothing else, and is in the sum.
TEST(Energy, WhatIsNotTheRegisterFilesIsCountedBesideIt)
{
    const smrf_config cfg = config();
    const smrf_energy_shape shape{6, 2, false, false, false, 0};
    const smrf_energy_set &set = set_of("aw");
    const struct {
        void (*count)(smrf_counters &c);
        smrf_energy_component component;
        double pj;
    } events[] = {
        {[](smrf_counters &c) { c.sm.warp_insts++; }, SMRF_ENERGY_EXECUTION, 173.2},
        {[](smrf_counters &c) { c.sm.thread_insts++; }, SMRF_ENERGY_EXECUTION, 6.9},
        {[](smrf_counters &c) { c.ldst.l1d_local_load_hits++; }, SMRF_ENERGY_L1D, 507},
        {[](smrf_counters &c) { c.ldst.l1d_global_load_misses++; }, SMRF_ENERGY_L1D, 338},
        {[](smrf_counters &c) { c.ldst.l1d_local_store_hits++; }, SMRF_ENERGY_L1D, 37},
        {[](smrf_counters &c) { c.ldst.l1d_global_store_misses++; }, SMRF_ENERGY_L1D, 393},
        {[](smrf_counters &c) { c.memory.l2_reads++; }, SMRF_ENERGY_L2, 69},
        {[](smrf_counters &c) { c.memory.l2_atomics++; }, SMRF_ENERGY_L2, 270},
        {[](smrf_counters &c) { c.memory.dram_reads++; }, SMRF_ENERGY_DRAM, 2062},
        {[](smrf_counters &c) { c.memory.dram_writes++; }, SMRF_ENERGY_DRAM, 1179},
        {[](smrf_counters &c) { c.cycles++; }, SMRF_ENERGY_STATIC, 562.0 * cfg_sms},
    };
    double before[SMRF_ENERGY_COMPONENTS], after[SMRF_ENERGY_COMPONENTS];
    for (const auto &event : events) {
        smrf_counters c = counted();
        smrf_energy_of(&set, &shape, &cfg, &c, before);
        event.count(c);
        smrf_energy_of(&set, &shape, &cfg, &c, after);
        for (unsigned k = 0; k < SMRF_ENERGY_COMPONENTS; k++) {
            const bool moves = k == unsigned(event.component) || k == SMRF_ENERGY_GPU;
            EXPECT_NEAR(moves ? event.pj : 0, after[k] - before[k], 1e-6)
                << &event - events << " " << smrf_energy_component_name(k);
        }
    }
}

TEST(Energy, PathFactorScalesOnlyTheBanksTransfers)
{
    smrf_energy_set set = set_of("flat23");
    set.value[SMRF_ENERGY_path_factor] = 1.17;
    const smrf_config cfg = config();
    const smrf_counters c = counted();
    double pj[SMRF_ENERGY_COMPONENTS];
    smrf_energy_shape shape{};
    shape.store_words = 8;
    shape.crossbar_outputs = 2;
    shape.result_path = true;
    smrf_energy_of(&set, &shape, &cfg, &c, pj);
    EXPECT_DOUBLE_EQ(600 * 160.6 * 1.17 + 50 * 85.6, pj[SMRF_ENERGY_CROSSBAR]);
}

struct energy_file : testing::Test {
    temporary_folder folder;
    smrf_energy_set set{};
    std::string text;

    int load(const std::string &content)
    {
        char buffer[512] = "";
        std::string path = folder.path() + "/e.yaml";
        write_file(path, content);
        int rc = smrf_energy_load(&set, path.c_str(), buffer, sizeof buffer);
        text = buffer;
        return rc;
    }
};

TEST_F(energy_file, TakesWhatItDoesNotGiveFromItsBase)
{
    ASSERT_EQ(0, load("name: mine\nbank_read: 7.5\nbase: aw\n"
                      "arbiter: {value: 0.25, source: measured}\n"))
        << text;
    EXPECT_STREQ("mine", set.name);
    EXPECT_DOUBLE_EQ(7.5, set.value[SMRF_ENERGY_bank_read]);
    EXPECT_DOUBLE_EQ(0.25, set.value[SMRF_ENERGY_arbiter]);
    EXPECT_STREQ("measured", set.source[SMRF_ENERGY_arbiter]);
    EXPECT_DOUBLE_EQ(68.4, set.value[SMRF_ENERGY_bank_write]);
}

TEST_F(energy_file, WithoutABaseEveryConstantIsNeeded)
{
    std::string all = "name: whole\n";
    for (unsigned k = 0; k < SMRF_ENERGY_COUNT; k++) {
        all += std::string(smrf_energy_constant_name(k)) + ": " + std::to_string(k) + ".5\n";
    }
    ASSERT_EQ(0, load(all)) << text;
    for (unsigned k = 0; k < SMRF_ENERGY_COUNT; k++) {
        EXPECT_DOUBLE_EQ(k + 0.5, set.value[k]);
    }
    EXPECT_EQ(SMRF_ERR_INVAL, load("name: part\nbank_read: 1\n"));
    EXPECT_NE(std::string::npos, text.find("bank_write is not given")) << text;
}

TEST_F(energy_file, SaysFileLineAndReason)
{
    const struct {
        const char *content, *says;
        int code;
    } cases[] = {
        {"name: mine\nbase: flat23\nbank_raed: 1\n",
         "e.yaml:3: there is no constant 'bank_raed', "
         "did you mean bank_read",
         SMRF_ERR_UNKNOWN},
        {"name: mine\nbase: flat23\nbank_read: much\n", "e.yaml:3: bank_read takes a number",
         SMRF_ERR_INVAL},
        {"name: mine\nbase: flat23\nbank_read: -1\n", "e.yaml:3: bank_read takes", SMRF_ERR_INVAL},
        {"name: mine\nbase: flat23\nbank_read: nan\n", "e.yaml:3: bank_read takes", SMRF_ERR_INVAL},
        {"name: mine\nbase: flat23\nbank_read: [1]\n", "e.yaml:3: bank_read takes", SMRF_ERR_INVAL},
        {"name: mine\nbase: flat23\nbank_read: 1\nbank_read: 2\n",
         "e.yaml:4: bank_read is given "
         "twice, first on line 3",
         SMRF_ERR_INVAL},
        {"name: mine\nbase: flat\n", "e.yaml:2: base is", SMRF_ERR_UNKNOWN},
        {"name: mine\nbase: flat23\nbank_read: {source: x}\n", "e.yaml:3: bank_read has no value",
         SMRF_ERR_INVAL},
        {"name: mine\nbase: flat23\nbank_read: {valeu: 1}\n", "e.yaml:3: bank_read has a value",
         SMRF_ERR_UNKNOWN},
        {"base: flat23\n", "the set has no name", SMRF_ERR_INVAL},
        {"name: aw\nbase: flat23\n", "built-in", SMRF_ERR_INVAL},
        {"name: A b\nbase: flat23\n", "use a-z", SMRF_ERR_INVAL},
        {"- 1\n", "expected lines", SMRF_ERR_FORMAT},
        {"", "expected lines", SMRF_ERR_FORMAT},
        {"a: [\n", "not valid YAML", SMRF_ERR_FORMAT},
    };
    for (const auto &c : cases) {
        set.name[0] = '\0';
        EXPECT_EQ(c.code, load(c.content)) << c.content;
        EXPECT_NE(std::string::npos, text.find(c.says)) << text;
        EXPECT_STREQ("", set.name) << "changed by a failure";
    }
    char buffer[512];
    EXPECT_EQ(SMRF_ERR_IO, smrf_energy_load(&set, "/nowhere/e.yaml", buffer, sizeof buffer));
}

} // namespace
