// SPDX-License-Identifier: Apache-2.0
// The value oracle fires for every kind of fault between issue and execution, and only then.
#include "../support/sm_dut.h"

namespace
{

using namespace sm_test;

// 16 warps, each a chain over many registers, so that every value is read soon.
std::vector<block> traffic()
{
    block b(16);
    for (program &p : b) {
        for (unsigned i = 0; i < 100; i++) {
            uint8_t dst = uint8_t(1 + i % 30);
            p.push_back(alu(i % 3 ? SMRF_CLASS_SP : SMRF_CLASS_INT, {dst},
                            {uint8_t(1 + (i + 29) % 30), uint8_t(1 + (i + 7) % 30)}));
        }
        p.push_back(exit_step());
    }
    return {b};
}

class on_preset : public testing::TestWithParam<const char *>
{
  protected:
    on_preset() : d(replay::preset(GetParam()), traffic())
    {
        d.laws = false;
    }
    uint64_t violations()
    {
        d.run(1);
        EXPECT_EQ(d.stats().warp_insts, d.stats().completed) << "faults never stop the run";
        return d.stats().oracle_violations;
    }
    dut d;
    unsigned events = 0;
};

TEST_P(on_preset, NoFaultNoViolation)
{
    EXPECT_EQ(0u, violations());
    EXPECT_GT(d.stats().oracle_checked, 1000u);
}

TEST_P(on_preset, FindsALaneThatFlipsInABank)
{
    d.on_write = [&](const smrf_write *w) {
        d.write(w);
        if (++events == 50) {
            smrf_bank_poke(&d.plain->sub[w->sub].bank[w->at.bank], w->at.row)->lane[17] ^= 1;
        }
    };
    EXPECT_GT(violations(), 0u);
}

// Flip a lane of a known row and look at every field of what is found.
TEST_P(on_preset, SaysWhereALaneFlippedInABank)
{
    smrf_write last{};
    smrf_flight writer{};
    uint32_t right = 0;
    uint64_t flipped_at = 0;
    d.on_write = [&](const smrf_write *w) {
        d.write(w);
        if (++events == 50) {
            last = *w;
            writer = d.flight(w->flight);
            right = w->data[17];
            flipped_at = smrf_sm_cycle(d.sm());
            smrf_bank_poke(&d.plain->sub[w->sub].bank[w->at.bank], w->at.row)->lane[17] ^= 1;
        }
    };
    ASSERT_GT(violations(), 0u);
    const smrf_oracle *o = smrf_sm_oracle(d.sm());
    ASSERT_GT(o->model.count, 0u);
    const smrf_finding &f = o->model.first[0];
    EXPECT_EQ(SMRF_FINDING_OPERAND, f.kind);
    EXPECT_EQ(1u, f.launch);
    EXPECT_EQ(0u, f.block);
    EXPECT_EQ(writer.warp, f.warp);
    EXPECT_EQ(writer.warp, f.block_warp) << "the first block starts in slot 0";
    EXPECT_EQ(17u, f.lane);
    EXPECT_EQ(UINT32_C(1) << 17, f.lanes);
    EXPECT_EQ(writer.dst_reg[last.destination], f.reg);
    EXPECT_EQ(last.sub, f.sub);
    EXPECT_EQ(last.at.bank, f.bank);
    EXPECT_EQ(last.at.row, f.row);
    EXPECT_EQ(0x5550u, f.pc);
    EXPECT_EQ(0u, f.sm);
    EXPECT_GE(f.cycle, flipped_at);
    EXPECT_LE(f.cycle, d.ends[0]);
    EXPECT_FALSE(f.cached);
    EXPECT_EQ(last.version, f.expected.version);
    EXPECT_EQ(last.version, f.found.version);
    ASSERT_TRUE(f.expected.known);
    EXPECT_EQ(right, f.expected.value);
    EXPECT_EQ(right ^ 1, f.found.value);
}

TEST_P(on_preset, FindsAWriteThatIsLost)
{
    d.on_write = [&](const smrf_write *w) {
        if (++events != 50) {
            d.write(w);
        }
    };
    EXPECT_GT(violations(), 0u);
}

TEST_P(on_preset, FindsAWriteToTheWrongRegister)
{
    d.on_write = [&](const smrf_write *w) {
        smrf_write wrong = *w;
        wrong.at.row = uint16_t(w->at.row + (++events == 50));
        d.write(&wrong);
    };
    EXPECT_GT(violations(), 0u);
}

TEST_P(on_preset, FindsAWriteToTheWrongBank)
{
    d.on_write = [&](const smrf_write *w) {
        smrf_write wrong = *w;
        wrong.at.bank = uint8_t(++events == 50 ? w->at.bank ^ 1 : w->at.bank);
        d.write(&wrong);
    };
    EXPECT_GT(violations(), 0u);
}

TEST_P(on_preset, FindsAWrongVersion)
{
    d.on_write = [&](const smrf_write *w) {
        smrf_write wrong = *w;
        wrong.version += ++events == 50;
        d.write(&wrong);
    };
    EXPECT_GT(violations() + d.stats().oracle_overtaken, 0u);
}

TEST_P(on_preset, FindsLanesThatWereNotWritten)
{
    d.on_write = [&](const smrf_write *w) {
        smrf_write wrong = *w;
        wrong.lanes &= ++events == 50 ? 0xffffu : UINT32_MAX;
        d.write(&wrong);
    };
    EXPECT_GT(violations(), 0u);
}

TEST_P(on_preset, FindsDataThatChangesInTheCrossbar)
{
    d.on_read = [&](unsigned sub, uint32_t word, uint32_t *data, uint32_t *version) {
        d.read(sub, word, data, version);
        data[3] ^= ++events == 2500 ? 0x10000u : 0;
    };
    EXPECT_EQ(1u, violations()) << "exactly the one operand";
}

TEST_P(on_preset, FindsAReadOfTheWrongRow)
{
    d.on_read = [&](unsigned sub, uint32_t word, uint32_t *data, uint32_t *version) {
        word ^= ++events == 2500; // of its row
        d.read(sub, word, data, version);
    };
    EXPECT_EQ(1u, violations());
}

TEST_P(on_preset, FindsOperandsThatAreSwappedBetweenCollectors)
{
    d.on_read = [&](unsigned sub, uint32_t word, uint32_t *data, uint32_t *version) {
        d.read(sub, word, data, version);
        smrf_operand_latches *units = d.plain->sub[sub].collectors.latches;
        if (++events == 2500) {
            const unsigned unit = smrf_read_collector(word);
            std::swap(units[unit].data[smrf_read_source(word)], units[unit ^ 1].data[0]);
        }
    };
    EXPECT_GT(violations(), 0u);
}

TEST_P(on_preset, FindsABankThatForgets)
{
    d.on_write = [&](const smrf_write *w) {
        d.write(w);
        if (++events == 200) {
            smrf_bank_reset(&d.plain->sub[w->sub].bank[w->at.bank]);
        }
    };
    EXPECT_GT(violations(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Oracle, on_preset, testing::Values("rtx2060-paper", "rtx2060-accelsim"),
                         [](const auto &p) {
                             std::string name = p.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST(Oracle, WithoutTheWarCheckAnOvertakenReadIsCountedNotBlamed)
{
    smrf_config cfg = replay::preset("rtx2060-accelsim");
    program p;
    for (unsigned i = 0; i < 200;
         i++) { // a slow reader of R1 while its unit is busy, then a writer
        p.push_back(alu(SMRF_CLASS_SP, {1}, {}));
        p.push_back(alu(SMRF_CLASS_DP, {2}, {1}));
        p.push_back(alu(SMRF_CLASS_INT, {1}, {}));
    }
    p.push_back(exit_step());
    dut d(cfg, {{p, p, p, p, p, p, p, p}});
    d.run();
    EXPECT_EQ(0u, d.stats().oracle_violations);
    cfg.scoreboard.war = 1;
    dut checked(cfg, {{p, p, p, p, p, p, p, p}});
    checked.run();
    EXPECT_EQ(0u, checked.stats().oracle_violations);
    EXPECT_EQ(0u, checked.stats().oracle_overtaken) << "the option rules it out";
}

TEST(Oracle, SwitchedOffItChecksNothingAndChangesNoCycle)
{
    for (const char *preset : {"rtx2060-paper", "rtx2060-accelsim"}) {
        smrf_config cfg = replay::preset(preset);
        dut on(cfg, traffic());
        on.run();
        cfg.sim.check = 0;
        dut off(cfg, traffic());
        off.run();
        EXPECT_EQ(on.issues, off.issues);
        EXPECT_EQ(on.ends, off.ends);
        EXPECT_EQ(0u, off.stats().oracle_checked);
    }
}

TEST(Oracle, DebugAccessShowsARegisterAsTheBanksHoldIt)
{
    smrf_config cfg = replay::preset("rtx2060-paper");
    program p{alu(SMRF_CLASS_SP, {5}, {})};
    for (int i = 0; i < 40; i++) {
        p.push_back(alu(SMRF_CLASS_SFU, {6}, {6}));
    }
    p.push_back(exit_step());
    dut d(cfg, {{p, p}});
    std::vector<uint32_t> written[2];
    d.on_write = [&](const smrf_write *w) {
        const smrf_flight &f = d.flight(w->flight);
        if (f.dst_reg[w->destination] == 5) {
            written[f.warp].assign(w->data, w->data + SMRF_LANES);
        }
        d.write(w);
    };
    smrf_sm_begin_kernel(d.sm(), &d.kernel, 0);
    d.advance(200);
    for (unsigned w = 0; w < 2; w++) {
        std::vector<uint32_t> seen(SMRF_LANES);
        ASSERT_EQ(0, smrf_sm_read_register(d.sm(), w, 5, seen.data()));
        EXPECT_EQ(written[w], seen) << w;
        EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_sm_read_register(d.sm(), w, 250, seen.data()));
    }
    std::vector<uint32_t> none(SMRF_LANES);
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_sm_read_register(d.sm(), 9, 5, none.data())) << "no warp";
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_sm_read_register(d.sm(), 99, 5, none.data()));
}

} // namespace
