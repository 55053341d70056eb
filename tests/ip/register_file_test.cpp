// SPDX-License-Identifier: Apache-2.0
// smrf::register_file in the hands of others: time, back-pressure, byte enables, kinds of
// collectors.
#include "models/tlm/has_process.h"
#include "tests/support/expected_reports.h"
#include "tests/support/outside_platform.h"
#include "tests/support/tlm_mocks.h"

#include "models/rf/register_file.h"
#include "platform/config/config.h"
#include "platform/config/registry.h"

#include <array>
#include <map>
#include <random>

using outside::cpu;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace
{

constexpr unsigned warps = 4, regs = 16, word = SMRF_WARP_REG_BYTES;

// A configuration whose options the mechanism's state points to.
struct machine {
    smrf_config cfg{};
    smrf::register_file::setup setup{};

    explicit machine(const char *mechanism, uint32_t collectors = 2, uint32_t ports = 3)
    {
        const smrf_mechanism *m = smrf_mechanism_find(mechanism);
        smrf_config_error err{};
        EXPECT_EQ(SMRF_OK, smrf_preset_apply(&cfg, "rtx2060-paper", &err));
        size_t n = 0;
        while (m->defaults != nullptr && m->defaults[n] != nullptr) {
            n++;
        }
        EXPECT_EQ(SMRF_OK, smrf_config_set_pairs(&cfg, m->defaults, n, "test", &err));
        cfg.sm.subcores = 1;
        cfg.sm.warps = warps;
        cfg.rf.collectors = collectors;
        cfg.rf.swizzle = 0;
        setup.rf = cfg.rf;
        setup.sm = cfg.sm;
        setup.warps = warps;
        setup.registers_per_warp = regs;
        setup.mechanism = m;
        setup.mechanism_setup = smrf_mechanism_setup_of(&cfg, m);
        setup.period = sc_time(2, SC_NS);
        setup.ports = ports;
        setup.monitors = true;
    }
};

uint64_t at(unsigned warp, unsigned reg)
{
    return (uint64_t{warp} * regs + reg) * word;
}

using row = std::array<uint32_t, 32>;

row pattern(uint32_t seed)
{
    row r{};
    for (unsigned l = 0; l < 32; l++) {
        r[l] = seed * 1000 + l;
    }
    return r;
}

// Takes operands; holds each up for some time.
struct processor : sc_core::sc_module {
    tlm_utils::simple_target_socket<processor> in{"in"};
    std::vector<std::pair<uint64_t, std::vector<unsigned char>>> got;
    std::vector<sc_time> when;
    sc_time hold;

    explicit processor(const sc_core::sc_module_name &name) : sc_module(name)
    {
        in.register_b_transport(this, &processor::take);
    }
    void take(tlm::tlm_generic_payload &gp, sc_time &delay)
    {
        got.emplace_back(gp.get_address(),
                         std::vector<unsigned char>(gp.get_data_ptr(),
                                                    gp.get_data_ptr() + gp.get_data_length()));
        when.push_back(sc_core::sc_time_stamp() + delay);
        delay += hold;
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

struct bench {
    outside::monitors lines;
    machine m;
    smrf::register_file rf;
    processor units{"units"};
    std::vector<std::unique_ptr<cpu>> masters; // one a port
    cpu issuer{"issuer"}, watcher{"watcher"};
    sc_core::sc_signal<bool> none;

    explicit bench(const char *mechanism = "baseline", uint32_t collectors = 2,
                   bool loosely = false)
        : m(mechanism, collectors), rf("rf", (m.setup.loosely_timed = loosely, m.setup))
    {
        for (unsigned p = 0; p < 3; p++) {
            masters.push_back(std::make_unique<cpu>(("master_" + std::to_string(p)).c_str()));
            masters[p]->irq(none);
            masters[p]->program = [](cpu &) {};
            lines.connect(masters[p]->out, rf.registers(p));
        }
        for (cpu *c : {&issuer, &watcher}) {
            c->irq(none);
            c->program = [](cpu &) {};
        }
        lines.connect(issuer.out, rf.issue());
        lines.connect(watcher.out, rf.status());
        lines.connect(rf.operands(), units.in);
    }
    void run()
    {
        sc_core::sc_start();
        for (const auto &c : masters) {
            EXPECT_TRUE(c->ended) << c->name();
        }
        EXPECT_TRUE(issuer.ended && watcher.ended);
        EXPECT_EQ(rf.violations(), 0u);
        lines.expect_clean();
    }
};

smrf_rf_instruction instruction(uint32_t tag, uint32_t warp, std::vector<uint8_t> src,
                                uint32_t near = 0)
{
    smrf_rf_instruction in{tag, warp, UINT32_MAX, near, static_cast<uint32_t>(src.size()), {}};
    std::copy(src.begin(), src.end(), in.src);
    return in;
}

} // namespace

TEST(RegisterFile, ThreeReadsOfOneBankTakeThreeCyclesAndOfDifferentOnesOne)
{
    bench b;
    sc_time same[3], apart[3];
    const unsigned bank_delay = smrf_bank_delay(&b.m.cfg.rf);
    ASSERT_EQ(b.m.cfg.rf.banks, 2u);
    for (unsigned p = 0; p < 3; p++) {
        b.masters[p]->program = [&, p](cpu &c) {
            row r;
            const sc_time begin = sc_core::sc_time_stamp();
            c.access(tlm::TLM_READ_COMMAND, at(0, 2 * p), &r, word); // even: bank 0
            same[p] = sc_core::sc_time_stamp() - begin;
            c.wait(sc_time(100, SC_NS) - sc_core::sc_time_stamp());
            if (p < 2) {
                c.access(tlm::TLM_READ_COMMAND, at(0, p), &r, word); // banks 0 and 1
                apart[p] = sc_core::sc_time_stamp() - sc_time(100, SC_NS);
            }
        };
    }
    b.run();
    std::sort(same, same + 3);
    for (unsigned i = 0; i < 3; i++) {
        EXPECT_EQ(same[i], b.m.setup.period * (1 + i + bank_delay));
    }
    EXPECT_EQ(apart[0], b.m.setup.period * (1 + bank_delay));
    // One port of the memory view takes an operand a step, as a collector does.
    EXPECT_LE(apart[1], b.m.setup.period * (2 + bank_delay));
}

TEST(RegisterFile, WritesObeyByteEnablesAndGoBeforeReads)
{
    bench b;
    b.masters[0]->program = [&](cpu &c) {
        row w = pattern(7), r{};
        EXPECT_EQ(c.access(tlm::TLM_WRITE_COMMAND, at(1, 3), &w, word), tlm::TLM_OK_RESPONSE);
        unsigned char bytes[4] = {1, 2, 3, 4}, enables[2] = {0xff, 0};
        tlm::tlm_generic_payload gp;
        sc_time delay;
        gp.set_write();
        gp.set_address(at(1, 3) + 4);
        gp.set_data_ptr(bytes);
        gp.set_data_length(4);
        gp.set_streaming_width(4);
        gp.set_byte_enable_ptr(enables);
        gp.set_byte_enable_length(2);
        gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        const sc_time begin = sc_core::sc_time_stamp();
        c.out->b_transport(gp, delay);
        EXPECT_EQ(sc_core::sc_time_stamp() + delay - begin, b.m.setup.period) << "a write: a cycle";
        EXPECT_TRUE(gp.is_response_ok());
        c.access(tlm::TLM_READ_COMMAND, at(1, 3), &r, word);
        w[1] = (w[1] & 0xff00ff00) | 0x00030001;
        EXPECT_EQ(r, w);
        row d{};
        gp.set_read();
        gp.set_byte_enable_ptr(nullptr);
        gp.set_address(at(1, 3));
        gp.set_data_ptr(reinterpret_cast<unsigned char *>(&d));
        gp.set_data_length(word);
        gp.set_streaming_width(word);
        const sc_time before = sc_core::sc_time_stamp();
        EXPECT_EQ(c.out->transport_dbg(gp), word);
        EXPECT_EQ(sc_core::sc_time_stamp(), before);
        EXPECT_EQ(d, w) << "a debug read";
        EXPECT_EQ(c.access(tlm::TLM_READ_COMMAND, at(warps, 0), &r, word),
                  tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(c.access(tlm::TLM_READ_COMMAND, at(0, 0) + 64, &r, word),
                  tlm::TLM_BURST_ERROR_RESPONSE);
    };
    sc_time write, read;
    b.masters[1]->program = [&](cpu &c) {
        row w = pattern(1);
        c.wait(sc_time(200, SC_NS));
        c.access(tlm::TLM_WRITE_COMMAND, at(0, 0), &w, word);
        write = sc_core::sc_time_stamp() - sc_time(200, SC_NS);
    };
    b.masters[2]->program = [&](cpu &c) {
        row r;
        c.wait(sc_time(200, SC_NS));
        c.access(tlm::TLM_READ_COMMAND, at(0, 2), &r, word);
        read = sc_core::sc_time_stamp() - sc_time(200, SC_NS);
    };
    b.run();
    EXPECT_EQ(write, b.m.setup.period);
    EXPECT_EQ(read, b.m.setup.period * (2 + smrf_bank_delay(&b.m.cfg.rf)))
        << "the write had the bank";
}

TEST(RegisterFile, OperandsComeInTheInstructionsOrderARegisterReadOnce)
{
    bench b;
    b.issuer.program = [&](cpu &c) {
        for (unsigned r = 0; r < regs; r++) {
            tlm::tlm_generic_payload gp;
            row w = pattern(r);
            gp.set_write();
            gp.set_address(at(2, r));
            gp.set_data_ptr(reinterpret_cast<unsigned char *>(&w));
            gp.set_data_length(word);
            gp.set_streaming_width(word);
            EXPECT_EQ(b.masters[0]->out->transport_dbg(gp), word);
        }
        smrf_rf_instruction in = instruction(0x5000, 2, {9, 4, 9});
        EXPECT_EQ(c.access(tlm::TLM_WRITE_COMMAND, 0, &in, sizeof in), tlm::TLM_OK_RESPONSE);
        smrf_rf_instruction bad = instruction(1, 2, {regs});
        EXPECT_EQ(c.access(tlm::TLM_WRITE_COMMAND, 0, &bad, sizeof bad),
                  tlm::TLM_GENERIC_ERROR_RESPONSE);
        bad = instruction(1, warps, {0});
        EXPECT_EQ(c.access(tlm::TLM_WRITE_COMMAND, 0, &bad, sizeof bad),
                  tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(c.access(tlm::TLM_WRITE_COMMAND, 0, &bad, 8), tlm::TLM_GENERIC_ERROR_RESPONSE);
    };
    b.watcher.program = [&](cpu &c) {
        c.wait(sc_time(500, SC_NS));
        EXPECT_EQ(c.read(4 * SMRF_RF_DELIVERED), 1u);
        EXPECT_EQ(c.read(4 * SMRF_RF_UNDER_WAY), 0u);
        EXPECT_EQ(c.read(4 * SMRF_RF_FREE), 3u);
        EXPECT_EQ(c.read(4 * SMRF_RF_BANK_READS), 2u);
        uint32_t none = 0;
        EXPECT_EQ(c.access(tlm::TLM_READ_COMMAND, 4 * SMRF_RF_STATUS_WORDS, &none, 4),
                  tlm::TLM_ADDRESS_ERROR_RESPONSE);
    };
    b.run();
    ASSERT_EQ(b.units.got.size(), 1u);
    EXPECT_EQ(b.units.got[0].first, 0x5000u);
    ASSERT_EQ(b.units.got[0].second.size(), 3u * word);
    for (const auto &[i, r] : {std::pair<unsigned, unsigned>{0, 9}, {1, 4}, {2, 9}}) {
        EXPECT_EQ(std::memcmp(&b.units.got[0].second[i * word], pattern(r).data(), word), 0) << i;
    }
}

TEST(RegisterFile, ASlowProcessorHoldsUpCollectorsAndTheseTheIssue)
{
    bench b;
    constexpr unsigned n = 20;
    const sc_time hold(50, SC_NS);
    b.units.hold = hold;
    b.issuer.program = [&](cpu &c) {
        for (unsigned i = 0; i < n; i++) {
            smrf_rf_instruction in = instruction(i, i % warps, {1, 2});
            EXPECT_EQ(c.access(tlm::TLM_WRITE_COMMAND, 0, &in, sizeof in), tlm::TLM_OK_RESPONSE);
        }
        // Two in the collectors and one at the processor are ahead of it.
        EXPECT_GE(sc_core::sc_time_stamp(), hold * (n - 4));
    };
    b.run();
    ASSERT_EQ(b.units.got.size(), n);
    for (unsigned i = 1; i < n; i++) {
        EXPECT_GE(b.units.when[i] - b.units.when[i - 1], hold) << i;
    }
}

namespace
{

// A register file whose status nobody reads, and two CPUs at its sockets.
struct plain_bench {
    machine m{"baseline", 2, 1};
    smrf::register_file rf{"rf", m.setup};
    processor units{"units"};
    cpu issuer{"issuer"}, master{"master"};
    sc_core::sc_signal<bool> none;
    plain_bench()
    {
        issuer.irq(none);
        master.irq(none);
        issuer.out.bind(rf.issue());
        master.out.bind(rf.registers());
        rf.operands().bind(units.in);
    }
};

} // namespace

// A status that nobody reads stays unbound; commands and pointers that mean nothing are answered.
TEST(RegisterFile, RefusesNullPointersAndUnknownCommandsAndNeedsNoReaderOfItsStatus)
{
    plain_bench b;
    row r = pattern(3);
    b.issuer.program = [&](cpu &c) {
        EXPECT_EQ(c.access(tlm::TLM_WRITE_COMMAND, 0, nullptr, sizeof(smrf_rf_instruction)),
                  tlm::TLM_GENERIC_ERROR_RESPONSE);
    };
    b.master.program = [&](cpu &c) {
        EXPECT_EQ(c.access(tlm::TLM_WRITE_COMMAND, 0, nullptr, 128),
                  tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(c.access(tlm::TLM_READ_COMMAND, 0, nullptr, 128),
                  tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(c.access(static_cast<tlm::tlm_command>(3), 0, &r, 128),
                  tlm::TLM_COMMAND_ERROR_RESPONSE);
        EXPECT_EQ(c.access(tlm::TLM_WRITE_COMMAND, 0, &r, 128), tlm::TLM_OK_RESPONSE);
    };
    sc_core::sc_start();
    EXPECT_TRUE(b.issuer.ended && b.master.ended);
}

TEST(RegisterFile, APhaseOfTheOtherPathIsReported)
{
    smrf_test::expected_reports reports("/smrf/tlm/phase");
    plain_bench b;
    b.issuer.program = [](cpu &) {};
    b.master.program = [&](cpu &c) {
        tlm::tlm_generic_payload gp;
        for (tlm::tlm_phase phase : {tlm::END_REQ, tlm::BEGIN_RESP}) {
            sc_time delay;
            EXPECT_EQ(c.out->nb_transport_fw(gp, phase, delay), tlm::TLM_ACCEPTED);
        }
    };
    sc_core::sc_start();
    EXPECT_EQ(reports.seen.size(), 2u);
}

namespace
{

// Sends reads of bank 0 as fast as it may, by nb_transport.
struct requester : sc_core::sc_module, tlm::tlm_bw_transport_if<>, tlm::tlm_mm_interface {
    static constexpr unsigned requests = 2001;
    tlm::tlm_initiator_socket<> out{"out"};
    unsigned sent = 0, answered = 0, most = 0;
    sc_time last;

    SMRF_HAS_PROCESS(requester);
    explicit requester(const sc_core::sc_module_name &name) : sc_module(name)
    {
        out.bind(*this);
        SC_THREAD(run);
    }
    ~requester() override
    {
        EXPECT_EQ(sent, answered);
    }

  private:
    bool open_ = true;
    row data_{};
    sc_core::sc_event go_;

    void run()
    {
        for (; sent < requests; sent++) {
            while (!open_) {
                wait(go_);
            }
            auto *gp = new tlm::tlm_generic_payload(this);
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_time delay;
            gp->acquire();
            gp->set_read();
            gp->set_address(at(0, 2 * (sent % 8)));
            gp->set_data_ptr(reinterpret_cast<unsigned char *>(&data_));
            gp->set_data_length(word);
            gp->set_streaming_width(word);
            open_ = false;
            EXPECT_EQ(out->nb_transport_fw(*gp, phase, delay), tlm::TLM_ACCEPTED);
            most = std::max(most, sent + 1 - answered);
        }
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_time &) override
    {
        if (phase == tlm::END_REQ) {
            open_ = true;
            go_.notify();
            return tlm::TLM_ACCEPTED;
        }
        answered++;
        last = sc_core::sc_time_stamp();
        EXPECT_TRUE(gp.is_response_ok());
        phase = tlm::END_RESP;
        gp.release();
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void free(tlm::tlm_generic_payload *gp) override
    {
        delete gp;
    }
};

} // namespace

// They are granted one a cycle, and what finds no room waits at the socket.
TEST(RegisterFile, TwoThousandRequestsOfOneBankWaitTheirTurnAndNoneIsLost)
{
    machine m("baseline", 2, 1);
    smrf::register_file rf("rf", m.setup);
    requester r("requester");
    outside::monitors lines;
    cpu issuer("issuer"), watcher("watcher");
    processor units("units");
    sc_core::sc_signal<bool> none;
    for (cpu *c : {&issuer, &watcher}) {
        c->irq(none);
        c->program = [](cpu &) {};
    }
    lines.connect(r.out, rf.registers());
    lines.connect(issuer.out, rf.issue());
    lines.connect(watcher.out, rf.status());
    lines.connect(rf.operands(), units.in);
    sc_core::sc_start();
    EXPECT_EQ(r.answered, requester::requests);
    EXPECT_LE(r.most, m.setup.plain_reads + 3) << "the rest was not taken";
    EXPECT_GE(r.last, m.setup.period * requester::requests);
    EXPECT_LE(r.last, m.setup.period * (requester::requests + 4));
    EXPECT_EQ(rf.violations(), 0u);
    lines.expect_clean();
}

class RegisterFileKind : public testing::TestWithParam<const char *>
{
};

// Random instructions and write-backs against plain arrays: whatever the collectors keep, operands
// are those of the program's order.
TEST_P(RegisterFileKind, DeliversWhatThePlainArrayHolds)
{
    bench b(GetParam(), std::string(GetParam()) == "malekeh-private" ? warps : 2);
    std::mt19937 random(5);
    std::map<uint64_t, std::vector<row>> expected;
    row arrays[warps][regs] = {};
    b.issuer.program = [&](cpu &c) {
        for (unsigned i = 0; i < 400; i++) {
            const unsigned w = random() % warps;
            const unsigned n = 1 + random() % 4;
            smrf_rf_instruction in = instruction(i * 4096, w, {}, random() & 15);
            in.num_src = n;
            for (unsigned k = 0; k < n; k++) {
                in.src[k] = static_cast<uint8_t>(random() % regs);
                expected[in.tag].push_back(arrays[w][in.src[k]]);
            }
            EXPECT_EQ(c.access(tlm::TLM_WRITE_COMMAND, 0, &in, sizeof in), tlm::TLM_OK_RESPONSE);
            while (b.rf.word(SMRF_RF_UNDER_WAY) != 0) {
                c.wait(b.m.setup.period); // the processor sees to hazards: here, none overlap
            }
            const unsigned to = random() % regs;
            row &r = arrays[w][to];
            const unsigned lane = random() % 32;
            r[lane] = static_cast<uint32_t>(random());
            cpu &m = *b.masters[0];
            tlm::tlm_generic_payload gp;
            sc_time delay;
            gp.set_write();
            gp.set_address(at(w, to) + 4 * lane);
            gp.set_data_ptr(reinterpret_cast<unsigned char *>(&r[lane]));
            gp.set_data_length(4);
            gp.set_streaming_width(4);
            gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            m.out->b_transport(gp, delay);
            EXPECT_TRUE(gp.is_response_ok());
        }
    };
    b.run();
    ASSERT_EQ(b.units.got.size(), 400u);
    for (const auto &[tag, bytes] : b.units.got) {
        const std::vector<row> &rows = expected.at(tag);
        ASSERT_EQ(bytes.size(), rows.size() * word);
        EXPECT_EQ(std::memcmp(bytes.data(), rows.data(), bytes.size()), 0)
            << "instruction " << tag / 4096;
    }
    const bool caches = std::string(GetParam()) != "baseline";
    EXPECT_EQ(b.rf.word(SMRF_RF_CACHE_HITS) > 0, caches) << "the kind makes a difference";
}

INSTANTIATE_TEST_SUITE_P(RegisterFile, RegisterFileKind,
                         testing::Values("baseline", "malekeh-long", "malekeh-private", "gto-lru"));

TEST(RegisterFile, AResetAnswersWhatIsUnderWayAndIsAsNew)
{
    bench b;
    unsigned errors = 0;
    b.masters[0]->program = [&](cpu &c) {
        row r = pattern(3);
        c.access(tlm::TLM_WRITE_COMMAND, at(0, 0), &r, word);
        c.wait(sc_time(100, SC_NS) - sc_core::sc_time_stamp());
        errors += c.access(tlm::TLM_READ_COMMAND, at(0, 0), &r, word) != tlm::TLM_OK_RESPONSE;
        EXPECT_EQ(c.access(tlm::TLM_READ_COMMAND, at(0, 0), &r, word), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(r, row{}) << "registers are zero again";
    };
    b.masters[1]->program = [&](cpu &c) {
        c.wait(sc_time(100, SC_NS) + sc_time(500, sc_core::SC_PS));
        b.rf.reset();
    };
    b.run();
    EXPECT_EQ(errors, 1u);
    EXPECT_EQ(b.rf.word(SMRF_RF_DELIVERED), 0u);
}

TEST(RegisterFile, WhatCannotBeBuiltIsRefused)
{
    machine m("baseline");
    m.setup.rf.collectors = 16;
    EXPECT_THROW(smrf::register_file("rf", m.setup), std::invalid_argument);
}

// --- loosely timed -----------------------------------------------------------------------------

namespace
{

// Random instructions, each followed by the write-back of one lane: what is collected, and when it
// ends.
struct random_program {
    std::map<uint64_t, std::vector<row>> expected;
    row arrays[warps][regs] = {};
    sc_time end;
    unsigned syncs = 0;

    static constexpr unsigned count = 300;

    // quantum: of the processor that runs ahead; zero: it waits for every answer.
    void run(bench &b, cpu &c, const sc_time &quantum, bool dmi)
    {
        std::mt19937 random(5);
        sc_time local;
        const auto access = [&](cpu &by, tlm::tlm_command command, uint64_t address, void *data,
                                unsigned bytes) {
            tlm::tlm_generic_payload gp;
            gp.set_command(command);
            gp.set_address(address);
            gp.set_data_ptr(static_cast<unsigned char *>(data));
            gp.set_data_length(bytes);
            gp.set_streaming_width(bytes);
            gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            by.out->b_transport(gp, local);
            EXPECT_TRUE(gp.is_response_ok());
            if (local > quantum) {
                c.wait(local);
                local = sc_core::SC_ZERO_TIME;
                syncs++;
            }
        };
        for (unsigned i = 0; i < count; i++) {
            const unsigned w = random() % warps;
            smrf_rf_instruction in = instruction(i * 4096, w, {}, random() & 15);
            in.num_src = 1 + random() % 4;
            for (unsigned k = 0; k < in.num_src; k++) {
                in.src[k] = static_cast<uint8_t>(random() % regs);
                expected[in.tag].push_back(arrays[w][in.src[k]]);
            }
            access(c, tlm::TLM_WRITE_COMMAND, 0, &in, sizeof in);
            while (b.rf.word(SMRF_RF_UNDER_WAY) != 0) {
                c.wait(b.m.setup.period);
            }
            const unsigned to = random() % regs, lane = random() % 32;
            row &r = arrays[w][to];
            r[lane] = static_cast<uint32_t>(random());
            tlm::tlm_generic_payload gp;
            tlm::tlm_dmi range;
            gp.set_write();
            gp.set_address(at(w, to) + 4 * lane);
            gp.set_data_ptr(reinterpret_cast<unsigned char *>(&r[lane]));
            gp.set_data_length(4);
            if (dmi && b.masters[0]->out->get_direct_mem_ptr(gp, range)) {
                EXPECT_EQ(range.get_start_address(), at(w, to));
                std::memcpy(range.get_dmi_ptr() + 4 * lane, &r[lane], 4);
                local += range.get_write_latency();
            } else {
                access(*b.masters[0], tlm::TLM_WRITE_COMMAND, at(w, to) + 4 * lane, &r[lane], 4);
            }
        }
        end = sc_core::sc_time_stamp() + local;
    }
    void check(const bench &b) const
    {
        ASSERT_EQ(b.units.got.size(), size_t{count});
        for (const auto &[tag, bytes] : b.units.got) {
            const std::vector<row> &rows = expected.at(tag);
            ASSERT_EQ(bytes.size(), rows.size() * word);
            EXPECT_EQ(std::memcmp(bytes.data(), rows.data(), bytes.size()), 0) << tag / 4096;
        }
    }
};

class RegisterFileLoosely : public testing::TestWithParam<const char *>
{
  protected:
    // Returns what the status words say in the end.
    static std::vector<uint32_t> words(bool loosely, const sc_time &quantum, bool dmi,
                                       random_program &p)
    {
        bench b(GetParam(), std::string(GetParam()) == "malekeh-private" ? warps : 2, loosely);
        b.issuer.program = [&](cpu &c) { p.run(b, c, quantum, dmi); };
        b.run();
        p.check(b);
        std::vector<uint32_t> all;
        for (unsigned i = 0; i < SMRF_RF_STATUS_WORDS; i++) {
            all.push_back(b.rf.word(i));
        }
        return all;
    }
};

} // namespace

TEST_P(RegisterFileLoosely, ComputesTheSameAheadOfTimeAsOneThatWaits)
{
    random_program p;
    const std::vector<uint32_t> w = words(true, sc_time(1000, SC_NS), false, p);
    EXPECT_EQ(w[SMRF_RF_DELIVERED], random_program::count);
    EXPECT_EQ(w[SMRF_RF_UNDER_WAY], 0u);
    EXPECT_EQ(w[SMRF_RF_BANK_WRITES], random_program::count);
    EXPECT_EQ(w[SMRF_RF_CACHE_HITS] > 0, std::string(GetParam()) != "baseline");
    EXPECT_LT(p.syncs, random_program::count / 20) << "it runs ahead";
    EXPECT_GE(p.end, sc_time(2, SC_NS) * (2 * random_program::count));
}

TEST_P(RegisterFileLoosely, ComputesTheSameWithoutAQuantum)
{
    random_program p;
    words(true, sc_core::SC_ZERO_TIME, false, p);
    EXPECT_GE(p.syncs, 2 * random_program::count);
}

TEST_P(RegisterFileLoosely, ComputesTheSameWithDmiWhereItIsGranted)
{
    random_program p;
    const std::vector<uint32_t> w = words(true, sc_time(1000, SC_NS), true, p);
    const bool caches = std::string(GetParam()) != "baseline";
    EXPECT_EQ(w[SMRF_RF_BANK_WRITES], caches ? random_program::count : 0u)
        << "no writes past collectors that keep operands";
}

INSTANTIATE_TEST_SUITE_P(RegisterFile, RegisterFileLoosely,
                         testing::Values("baseline", "malekeh-long", "malekeh-private", "gto-lru"));

TEST(RegisterFileLooselyTimed, AnAccessTakesTheTimeThatItTakesAloneCycleByCycle)
{
    bench b("baseline", 2, true);
    const sc_time period = b.m.setup.period;
    b.masters[0]->program = [&](cpu &c) {
        row w = pattern(7), r{};
        tlm::tlm_generic_payload gp;
        sc_time delay = period * 10 + sc_time(1, SC_NS);
        gp.set_write();
        gp.set_address(at(1, 3));
        gp.set_data_ptr(reinterpret_cast<unsigned char *>(&w));
        gp.set_data_length(word);
        gp.set_streaming_width(word);
        gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        c.out->b_transport(gp, delay);
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME) << "nobody waited";
        EXPECT_EQ(delay, period * 12) << "decided at the next edge";
        gp.set_read();
        gp.set_dmi_allowed(false);
        gp.set_data_ptr(reinterpret_cast<unsigned char *>(&r));
        gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        c.out->b_transport(gp, delay);
        EXPECT_EQ(delay, period * (13 + smrf_bank_delay(&b.m.cfg.rf)));
        EXPECT_EQ(r, w);
        EXPECT_TRUE(gp.is_dmi_allowed());
        gp.set_address(at(warps, 0));
        gp.set_dmi_allowed(false);
        gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        c.out->b_transport(gp, delay);
        EXPECT_EQ(gp.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        tlm::tlm_dmi range;
        gp.set_address(at(1, 3) + 8);
        ASSERT_TRUE(c.out->get_direct_mem_ptr(gp, range));
        EXPECT_EQ(range.get_end_address(), at(1, 4) - 1);
        EXPECT_EQ(std::memcmp(range.get_dmi_ptr(), w.data(), word), 0);
    };
    b.run();
}

TEST(RegisterFileLooselyTimed, ASlowProcessorHoldsUpCollectorsAndTheseTheIssue)
{
    bench b("baseline", 2, true);
    constexpr unsigned n = 20;
    const sc_time hold(50, SC_NS);
    b.units.hold = hold;
    b.issuer.program = [&](cpu &c) {
        sc_time local;
        for (unsigned i = 0; i < n; i++) {
            smrf_rf_instruction in = instruction(i, i % warps, {1, 2});
            tlm::tlm_generic_payload gp;
            gp.set_write();
            gp.set_data_ptr(reinterpret_cast<unsigned char *>(&in));
            gp.set_data_length(sizeof in);
            gp.set_streaming_width(sizeof in);
            gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            c.out->b_transport(gp, local);
        }
        EXPECT_GE(local, hold * (n - 4));
        EXPECT_LE(local, hold * n);
    };
    b.run();
    ASSERT_EQ(b.units.got.size(), n);
    for (unsigned i = 1; i < n; i++) {
        EXPECT_GE(b.units.when[i] - b.units.when[i - 1], hold) << i;
    }
}

namespace
{

// When the last of many instructions has its operands, and how often banks were read.
std::pair<double, uint32_t> stream(bool loosely)
{
    bench b("baseline", 4, loosely);
    b.issuer.program = [&](cpu &c) {
        std::mt19937 random(3);
        sc_time local;
        for (unsigned i = 0; i < 400; i++) {
            const auto any = [&] { return static_cast<uint8_t>(random() % regs); };
            smrf_rf_instruction in = instruction(i, i % warps, {any(), any(), any()});
            tlm::tlm_generic_payload gp;
            gp.set_write();
            gp.set_data_ptr(reinterpret_cast<unsigned char *>(&in));
            gp.set_data_length(sizeof in);
            gp.set_streaming_width(sizeof in);
            gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            c.out->b_transport(gp, local);
        }
    };
    b.run();
    return {b.units.when.back() / b.m.setup.period, b.rf.word(SMRF_RF_BANK_READS)};
}

} // namespace

class RegisterFileStream : public testing::TestWithParam<bool>
{
};

// Two banks do a read a cycle each; conflicts cost some more.
TEST_P(RegisterFileStream, IsAsFastAsItsBanks)
{
    const auto [cycles, reads] = stream(GetParam());
    EXPECT_GE(cycles, reads / 2.0);
    EXPECT_LE(cycles, 1.2 * reads / 2.0);
}

INSTANTIATE_TEST_SUITE_P(RegisterFile, RegisterFileStream, testing::Bool());
