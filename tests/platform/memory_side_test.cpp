// SPDX-License-Identifier: Apache-2.0
// What memories of others want of an SM's socket: sizes and places of accesses, END_RESP as a call,
// many blocking calls at a time, windows as long as their latency, stores that leave alone what
// they do not know, and errors that nobody overlooks.
#include "models/tlm/has_process.h"
#include "tests/support/engine_outcome.h"
#include "tests/support/expected_reports.h"
#include "tests/support/pattern_trace.h"
#include "tests/support/tlm_mocks.h"

#include "models/memory/fixed_latency_memory.h"
#include "models/tlm/memory_port.h"
#include "models/tlm/width_bridge.h"
#include "platform/platform_tlm.h"

#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_target_socket.h>

using engine_outcome::expect_complete;
using engine_outcome::outcome;
using engine_outcome::preset;
using engine_outcome::run;
using engine_outcome::run_in_child;
using engine_outcome::run_options;
using engine_outcome::source_folder;
using namespace smrf;
using smrf_test::ns;
using smrf_test::pattern;
using smrf_test::ps;
using smrf_test::temporary_folder;

namespace
{

smrf_config machine(const std::vector<const char *> &pairs = {})
{
    std::vector<const char *> all = {"gpu.sms=1", "sim.monitor=on"};
    all.insert(all.end(), pairs.begin(), pairs.end());
    return preset("rtx2060-paper", all);
}

std::string bundled(const char *name)
{
    return source_folder() + "/traces/bundled/" + name;
}

// Loads of consecutive sectors, then stores of what was computed.
std::string streams(const temporary_folder &folder, uint64_t length = 60)
{
    return pattern(folder,
                   {"LDG.E.32.SYS R16+8 R2 @0x1000,4,128,4096", "FFMA R40 R16 R17 R18",
                    "STG.E.32.SYS - R2 R40 @0x40000,4,128,4096"},
                   4, 2, length);
}

// A target that is only b_transport and takes its time in it.
struct waiting_memory : sc_core::sc_module {
    tlm_utils::simple_target_socket<waiting_memory> in{"in"};
    sc_core::sc_time latency;
    unsigned now = 0, most = 0;
    waiting_memory(const sc_core::sc_module_name &name, const sc_core::sc_time &l)
        : sc_module(name), latency(l)
    {
        in.register_b_transport(this, &waiting_memory::transport);
    }
    void transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &)
    {
        most = std::max(most, ++now);
        sc_core::wait(latency);
        now--;
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

// As a memory controller of others has it: queues by annotated time, answers one after the other
// with END_RESP in between as a call of its own, whatever nb_transport_bw returns; addresses from
// its base on, which it takes off.
struct controller : sc_core::sc_module {
    tlm_utils::simple_target_socket<controller> in{"in"};
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> due{"due"};
    uint64_t base = 0, size = UINT64_MAX;
    unsigned burst = 0; // every access is so long, or of any length
    unsigned answered = 0, wrong = 0;
    tlm::tlm_generic_payload *answering = nullptr;
    std::deque<tlm::tlm_generic_payload *> ready;

    SMRF_HAS_PROCESS(controller);
    explicit controller(const sc_core::sc_module_name &name) : sc_module(name)
    {
        in.register_nb_transport_fw(this, &controller::forward);
        SC_METHOD(collect);
        sensitive << due.get_event();
        dont_initialize();
    }
    tlm::tlm_sync_enum forward(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                               sc_core::sc_time &delay)
    {
        if (phase == tlm::END_RESP) {
            answering->release();
            answering = nullptr;
            answer();
            return tlm::TLM_COMPLETED;
        }
        wrong += gp.get_address() < base || gp.get_address() - base >= size ||
                 (burst != 0 && (gp.get_data_length() != burst || gp.get_address() % burst != 0));
        gp.set_address(gp.get_address() - base);
        gp.acquire();
        due.notify(gp, delay + ns(60));
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void collect()
    {
        while (tlm::tlm_generic_payload *gp = due.get_next_transaction()) {
            ready.push_back(gp);
        }
        answer();
    }
    void answer()
    {
        if (answering != nullptr || ready.empty()) {
            return;
        }
        answering = ready.front();
        ready.pop_front();
        answering->set_response_status(tlm::TLM_OK_RESPONSE);
        answered++;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        (void)in->nb_transport_bw(*answering, phase, delay);
    }
};

template <class Memory> run_options on(std::shared_ptr<Memory> &memory, memory_binder &binder)
{
    binder = [&memory](unsigned, tlm::tlm_initiator_socket<> &socket) { socket.bind(memory->in); };
    run_options options;
    options.binder = &binder;
    return options;
}

// Makes the memory within the run's process, runs, and looks at it there.
template <class Memory, class Make, class Look>
outcome play(const std::string &trace, const smrf_config &cfg, Make make, Look look)
{
    std::shared_ptr<Memory> memory = make();
    memory_binder binder;
    const outcome got = run(smrf_engine_systemc, trace, cfg, on(memory, binder));
    look(*memory);
    return got;
}

uint64_t sent(const outcome &got)
{
    const smrf_counters sum = got.sum();
    return sum.ldst.reads_sent + sum.ldst.writes_sent + sum.ldst.atomics_sent;
}

} // namespace

// ---- blocking targets ----

TEST(MemorySide, ABlockingTargetIsCalledManyTimesAtOnce)
{
    temporary_folder folder;
    const std::string trace = streams(folder);
    uint64_t cycles[2] = {};
    for (const bool pipelined : {false, true}) {
        const smrf_config cfg = machine({pipelined ? "bus.blocking=on" : "bus.blocking=off"});
        auto *memory = new std::shared_ptr<waiting_memory>; // lives until the child process ends
        memory_binder binder = [&, memory](unsigned, tlm::tlm_initiator_socket<> &socket) {
            *memory = std::make_shared<waiting_memory>("memory", ns(100));
            socket.bind((*memory)->in);
        };
        run_options options;
        options.binder = &binder;
        const outcome got = run_in_child(smrf_engine_systemc, trace, cfg, options);
        expect_complete(got);
        cycles[pipelined] = got.kernels.at(1);
    }
    EXPECT_GT(cycles[0], 5 * cycles[1]) << "one at a time, and many";
}

TEST(MemorySide, NoMoreBlockingCallsThanAllowed)
{
    temporary_folder folder;
    const outcome got = play<waiting_memory>(
        streams(folder), machine({"bus.blocking=on", "bus.outstanding=5"}),
        [] { return std::make_shared<waiting_memory>("memory", ns(100)); },
        [](const waiting_memory &m) { EXPECT_EQ(m.most, 5u); });
    expect_complete(got);
}

TEST(MemorySide, BlockingCallsTakeTheTimeOfTheTarget)
{
    temporary_folder folder;
    const std::string trace =
        pattern(folder, {"LDG.E.32.SYS R10 R10 @0x1000,0,128,4096"}, 1, 1, 20);
    uint64_t ends[2] = {};
    for (const unsigned more : {0u, 1u}) {
        const smrf_config cfg = machine({"bus.blocking=on"});
        memory_binder binder = [&](unsigned, tlm::tlm_initiator_socket<> &socket) {
            const auto period = period_ps(cfg.gpu.core_khz);
            socket.bind((new waiting_memory("memory", ps((50 + 37 * more) * period)))->in);
        };
        run_options options;
        options.binder = &binder;
        const outcome got = run_in_child(smrf_engine_systemc, trace, cfg, options);
        expect_complete(got);
        ends[more] = got.kernels.at(1);
    }
    EXPECT_EQ(ends[1] - ends[0], 20u * 37);
}

// ---- size and place ----

class access_size : public testing::TestWithParam<unsigned>
{
};

TEST_P(access_size, EveryAccessIsAnAlignedBlockAndTheSectorsComeWithIt)
{
    const unsigned bytes = GetParam();
    const std::string size = "bus.access=" + std::to_string(bytes);
    temporary_folder folder;
    for (const bool synthetic : {true, false}) {
        const std::string trace = synthetic ? streams(folder) : bundled("divergent");
        uint64_t accesses = 0;
        const outcome got = play<fixed_latency_memory>(
            trace, machine({size.c_str()}),
            [] {
                fixed_latency_options o;
                o.latency = ns(60);
                return std::make_shared<fixed_latency_memory>("memory", o);
            },
            [](const fixed_latency_memory &m) { EXPECT_TRUE(m.idle()); });
        expect_complete(got);
        accesses = got.sum().bus.accesses;
        EXPECT_EQ(accesses + got.sum().bus.joined, sent(got));
        EXPECT_EQ(got.sum().bus.joined == 0, bytes == 32);
        EXPECT_EQ(got.sum().bus.errors, 0u);
        if (synthetic) {
            break; // one simulation a process
        }
    }
}

INSTANTIATE_TEST_SUITE_P(MemorySide, access_size, testing::Values(32u, 64u, 128u));

TEST(MemorySide, AccessesOfTheSizeOfABurstInTheRangeOfAController)
{
    const outcome got = play<controller>(
        bundled("divergent"),
        machine({"bus.access=64", "bus.end_resp=on", "bus.address_bits=30", "bus.base_mib=2048",
                 "bus.interconnect=on", "gpu.sms=1"}),
        [] {
            auto c = std::make_shared<controller>("controller");
            c->base = UINT64_C(2048) << 20;
            c->size = UINT64_C(1) << 30;
            c->burst = 64;
            return c;
        },
        [](const controller &c) {
            EXPECT_EQ(c.wrong, 0u);
            EXPECT_GT(c.answered, 100u);
        });
    expect_complete(got);
}

// ---- END_RESP ----

TEST(MemorySide, AControllerThatWantsEndRespStandsStillWithoutAndRunsWithIt)
{
    for (const bool ends : {false, true}) {
        const smrf_config cfg = machine({ends ? "bus.end_resp=on" : "bus.end_resp=off",
                                         "bus.interconnect=on", "sim.monitor=off"});
        memory_binder binder = [&](unsigned, tlm::tlm_initiator_socket<> &socket) {
            socket.bind((new controller("controller"))->in);
        };
        run_options options;
        options.binder = &binder;
        const outcome got = run_in_child(smrf_engine_systemc, bundled("divergent"), cfg, options);
        if (ends) {
            expect_complete(got);
        } else {
            EXPECT_EQ(got.end, SMRF_ERR_PROTOCOL);
        }
    }
}

TEST(MemorySide, AnAnswerHoldsTheSocketAsLongAsItIsTold)
{
    temporary_folder folder;
    const std::string trace = streams(folder);
    uint64_t cycles[2] = {};
    for (const bool slow : {false, true}) {
        const smrf_config cfg = machine({slow ? "bus.response_cycles=40" : "bus.end_resp=on"});
        memory_binder binder = [&](unsigned, tlm::tlm_initiator_socket<> &socket) {
            fixed_latency_options o;
            o.latency = ns(60);
            socket.bind((new fixed_latency_memory("memory", o))->in);
        };
        run_options options;
        options.binder = &binder;
        const outcome got = run_in_child(smrf_engine_systemc, trace, cfg, options);
        expect_complete(got);
        cycles[slow] = got.kernels.at(1);
    }
    EXPECT_GT(cycles[1], 2 * cycles[0]);
}

// ---- a declared latency ----

TEST(MemorySide, ADeclaredLatencyMakesNoOtherCycles)
{
    temporary_folder folder;
    const std::string trace = streams(folder);
    std::vector<outcome> got;
    for (const char *latency : {"bus.latency=0", "bus.latency=60"}) {
        const smrf_config cfg = machine({latency, "sim.monitor=off"});
        memory_binder binder = [&](unsigned, tlm::tlm_initiator_socket<> &socket) {
            fixed_latency_options o;
            o.phases = 2;
            o.latency = ps(80 * period_ps(cfg.gpu.core_khz));
            socket.bind((new fixed_latency_memory("memory", o))->in);
        };
        run_options options;
        options.binder = &binder;
        got.push_back(run_in_child(smrf_engine_systemc, trace, cfg, options));
        expect_complete(got.back());
        EXPECT_EQ(got.back().sum().bus.late, 0u);
    }
    EXPECT_EQ("", engine_outcome::difference(got[0], got[1]));
}

TEST(MemorySide, ADeclaredLatencyMakesFewerWindows)
{
    temporary_folder folder;
    const smrf_config cfg = machine({"bus.latency=60", "sim.monitor=off"});
    uint64_t windows = 0;
    memory_binder binder = [&](unsigned, tlm::tlm_initiator_socket<> &socket) {
        fixed_latency_options o;
        o.phases = 2;
        o.latency = ps(80 * period_ps(cfg.gpu.core_khz));
        socket.bind((new fixed_latency_memory("memory", o))->in);
    };
    run_options options;
    options.binder = &binder;
    options.window = [&](const smrf_machine *) { return ++windows != 0; };
    const std::string trace = pattern(folder, {"FFMA R40 R16 R17 R18"}, 4, 2, 2000);
    const outcome got = run(smrf_engine_systemc, trace, cfg, options);
    expect_complete(got);
    EXPECT_LT(windows, got.kernels.at(1) / 20);
}

TEST(MemorySide, ALatencyThatIsNotKeptIsCounted)
{
    temporary_folder folder;
    const smrf_config cfg = machine({"bus.latency=500", "sim.monitor=off"});
    const outcome got = play<fixed_latency_memory>(
        streams(folder), cfg,
        [] {
            fixed_latency_options o;
            o.phases = 2;
            o.latency = ns(30);
            return std::make_shared<fixed_latency_memory>("memory", o);
        },
        [](const fixed_latency_memory &) {});
    expect_complete(got);
    EXPECT_GT(got.sum().bus.late, 0u);
}

// ---- widths ----

template <unsigned Width> struct wide_memory : sc_core::sc_module {
    tlm_utils::simple_target_socket<wide_memory, Width> in{"in"};
    unsigned accesses = 0;
    explicit wide_memory(const sc_core::sc_module_name &name) : sc_module(name)
    {
        in.register_nb_transport_fw(this, &wide_memory::forward);
    }
    tlm::tlm_sync_enum forward(tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                               sc_core::sc_time &delay)
    {
        accesses++;
        delay += ns(40);
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
};

template <unsigned Width> void run_on_width()
{
    temporary_folder folder;
    wide_memory<Width> memory("memory");
    smrf_platform *p = nullptr;
    ASSERT_EQ(0, smrf_platform_create(&p));
    EXPECT_EQ(0, smrf_platform_set(p, "gpu.sms=1"));
    EXPECT_EQ(0, smrf_platform_set(p, "sim.monitor=on"));
    EXPECT_EQ(0, smrf_platform_add_trace(p, streams(folder).c_str()));
    EXPECT_EQ(0, bind_memory<Width>(p, [&](unsigned, tlm::tlm_initiator_socket<Width> &socket) {
                  socket.bind(memory.in);
              }));
    EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << smrf_platform_error(p);
    EXPECT_GT(memory.accesses, 100u);
    smrf_platform_destroy(p);
}

TEST(MemorySide, OnABusOf64Bits)
{
    run_on_width<64>();
}

TEST(MemorySide, OnABusOf128Bits)
{
    run_on_width<128>();
}

TEST(MemorySide, OnABusOf256Bits)
{
    run_on_width<256>();
}

// ---- stores ----

namespace
{

// Every byte of the pages that the program stores to, before and after.
std::vector<uint8_t> around(backing_store &store, uint64_t from, size_t bytes)
{
    std::vector<uint8_t> all(bytes);
    store.read(from, all.data(), all.size());
    return all;
}

outcome store_to(const std::string &trace, const char *how, uint64_t from,
                 std::vector<uint8_t> &before, std::vector<uint8_t> &after)
{
    before.resize(0x20000);
    for (size_t i = 0; i < before.size(); i++) {
        before[i] = static_cast<uint8_t>(i * 7 + 3);
    }
    return play<fixed_latency_memory>(
        trace, machine({how}),
        [&] {
            fixed_latency_options o;
            o.latency = ns(60);
            auto m = std::make_shared<fixed_latency_memory>("memory", o);
            m->store().write(from, before.data(), before.size());
            return m;
        },
        [&](fixed_latency_memory &m) { after = around(m.store(), from, before.size()); });
}

} // namespace

class unknown_data : public testing::TestWithParam<const char *>
{
};

TEST_P(unknown_data, StoresThatNobodyKnowsLeaveMemoryAlone)
{
    temporary_folder folder;
    std::vector<uint8_t> before, after;
    const outcome got = store_to(streams(folder), GetParam(), 0x40000, before, after);
    expect_complete(got);
    EXPECT_GT(got.sum().ldst.writes_sent, 0u);
    EXPECT_EQ(before, after);
}

INSTANTIATE_TEST_SUITE_P(MemorySide, unknown_data,
                         testing::Values("bus.unknown_data=masked", "bus.unknown_data=ignored",
                                         "bus.access=64"));

TEST(MemorySide, ZerosAreWrittenOnlyWhereThatIsWished)
{
    temporary_folder folder;
    std::vector<uint8_t> before, after;
    expect_complete(store_to(streams(folder), "bus.unknown_data=zeros", 0x40000, before, after));
    EXPECT_NE(before, after);
}

namespace
{

constexpr uint64_t stored_at = 0x40000;

// One warp: lane l stores two words to stored_at + 8 x l, and a half-word past them; odd lanes
// only.
std::string with_values(const temporary_folder &folder)
{
    const std::string path = folder / "values";
    smrf_trace_writer *w = nullptr;
    EXPECT_EQ(0, smrf_trace_writer_open(&w, path.c_str(), SMRF_TRACE_V6, SMRF_COMPRESS_NONE));
    smrf_kernel_info info = {};
    info.name = "stores";
    info.grid = {1, 1, 1};
    info.block = {32, 1, 1};
    info.num_regs = 32;
    info.binary_version = 75;
    info.has_values = true;
    EXPECT_EQ(0, smrf_trace_writer_begin_kernel(w, &info));
    EXPECT_EQ(0, smrf_trace_writer_begin_block(w, {0, 0, 0}));
    EXPECT_EQ(0, smrf_trace_writer_begin_warp(w, 0, 3));
    smrf_values values{};
    values.num_src = 4;
    smrf_trace_line line = {};
    line.mask = 0xaaaaaaaa;
    line.opcode = "STG.E.64.SYS";
    line.num_src = 2;
    line.src[0] = 2;
    line.src[1] = 4;
    line.mem_width = 8;
    for (unsigned lane = 0; lane < 32; lane++) {
        line.lane[lane] = stored_at + 8 * lane;
        values.src[0][lane] = static_cast<uint32_t>(line.lane[lane]);
        values.src[2][lane] = 0x01020304 + lane;
        values.src[3][lane] = 0xa0b0c0d0 + lane;
    }
    line.values = &values;
    EXPECT_EQ(0, smrf_trace_writer_line(w, &line)) << smrf_trace_writer_error(w);
    smrf_values half{};
    half.num_src = 3;
    line.pc = 16;
    line.opcode = "STG.E.U16.SYS";
    line.mem_width = 2;
    for (unsigned lane = 0; lane < 32; lane++) {
        line.lane[lane] = stored_at + 0x1000 + 2 * lane;
        half.src[2][lane] = 0xffff7000 + lane;
    }
    line.values = &half;
    EXPECT_EQ(0, smrf_trace_writer_line(w, &line)) << smrf_trace_writer_error(w);
    smrf_trace_line last = {};
    last.pc = 32;
    last.mask = 0xffffffff;
    last.opcode = "EXIT";
    EXPECT_EQ(0, smrf_trace_writer_line(w, &last));
    EXPECT_EQ(0, smrf_trace_writer_end_block(w));
    EXPECT_EQ(0, smrf_trace_writer_end_kernel(w)) << smrf_trace_writer_error(w);
    EXPECT_EQ(0, smrf_trace_writer_close(w));
    return path;
}

} // namespace

class stored_values_of : public testing::TestWithParam<const char *>
{
};

TEST_P(stored_values_of, TheTraceReachMemoryAndNothingElse)
{
    temporary_folder folder;
    std::vector<uint8_t> before, after;
    const outcome got = store_to(with_values(folder), GetParam(), stored_at, before, after);
    expect_complete(got);
    for (unsigned lane = 1; lane < 32; lane += 2) {
        const uint32_t words[2] = {0x01020304 + lane, 0xa0b0c0d0 + lane};
        std::memcpy(&before[8 * lane], words, sizeof words);
        const auto half = static_cast<uint16_t>(0x7000 + lane);
        std::memcpy(&before[0x1000 + 2 * lane], &half, sizeof half);
    }
    EXPECT_EQ(before, after);
}

INSTANTIATE_TEST_SUITE_P(MemorySide, stored_values_of,
                         testing::Values("bus.access=32", "bus.access=128",
                                         "bus.unknown_data=ignored", "sim.view=lt",
                                         "sim.view=cycle"));

// ---- errors ----

namespace
{

// Answers every access with an error.
struct refusing : sc_core::sc_module {
    tlm_utils::simple_target_socket<refusing> in{"in"};
    explicit refusing(const sc_core::sc_module_name &name) : sc_module(name)
    {
        in.register_nb_transport_fw(this, &refusing::forward);
    }
    tlm::tlm_sync_enum forward(tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                               sc_core::sc_time &delay)
    {
        delay += ns(10);
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
};

} // namespace

TEST(MemorySide, AMemoryOfErrorsFailsTheRunWhateverReportsDo)
{
    temporary_folder folder;
    smrf_test::expected_reports reports("/smrf/memory_port/response");
    refusing memory("memory");
    smrf_platform *p = nullptr;
    ASSERT_EQ(0, smrf_platform_create(&p));
    EXPECT_EQ(0, smrf_platform_set(p, "gpu.sms=1"));
    EXPECT_EQ(0, smrf_platform_add_trace(p, streams(folder).c_str()));
    EXPECT_EQ(0, bind_memory(p, [&](unsigned, tlm::tlm_initiator_socket<> &socket) {
                  socket.bind(memory.in);
              }));
    EXPECT_EQ(SMRF_ERR_PROTOCOL, smrf_platform_run(p, SMRF_NO_LIMIT));
    const std::string text = smrf_platform_error(p);
    EXPECT_NE(text.find("with an error"), std::string::npos) << text;
    EXPECT_EQ(text.find("bug of smrf"), std::string::npos) << text;
    uint64_t errors = 0, accesses = 0;
    EXPECT_EQ(SMRF_OK, smrf_platform_count(p, "bus.errors", &errors));
    EXPECT_EQ(SMRF_OK, smrf_platform_count(p, "bus.accesses", &accesses));
    EXPECT_GT(errors, 100u);
    EXPECT_EQ(errors, accesses);
    smrf_platform_destroy(p);
}

TEST(MemorySide, AFaultOfAForeignProtocolIsNoBugOfOurs)
{
    temporary_folder folder;
    smrf_test::expected_reports reports("/smrf/memory_port/phase");
    smrf_test::mock_target memory("memory");
    unsigned calls = 0;
    memory.fw = [&](tlm::tlm_generic_payload &gp, tlm::tlm_phase &, sc_core::sc_time &delay) {
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        if (++calls == 3) { // a second END_REQ
            (void)smrf_test::nb_bw(*memory.socket.operator->(), gp, tlm::END_REQ);
            (void)smrf_test::nb_bw(*memory.socket.operator->(), gp, tlm::END_REQ);
        }
        delay += ns(10);
        return tlm::TLM_COMPLETED;
    };
    smrf_platform *p = nullptr;
    ASSERT_EQ(0, smrf_platform_create(&p));
    EXPECT_EQ(0, smrf_platform_set(p, "gpu.sms=1"));
    EXPECT_EQ(0, smrf_platform_add_trace(p, streams(folder).c_str()));
    EXPECT_EQ(0, bind_memory(p, [&](unsigned, tlm::tlm_initiator_socket<> &socket) {
                  socket.bind(memory.socket);
              }));
    EXPECT_EQ(SMRF_ERR_PROTOCOL, smrf_platform_run(p, SMRF_NO_LIMIT));
    const std::string text = smrf_platform_error(p);
    EXPECT_NE(text.find("memory that is bound"), std::string::npos) << text;
    EXPECT_EQ(text.find("bug of smrf"), std::string::npos) << text;
    smrf_platform_destroy(p);
}

TEST(MemorySide, OptionsThatDoNotFitAreRefused)
{
    for (const char *pair : {"bus.access=48", "bus.access=96"}) {
        smrf_config cfg = machine();
        smrf_config_error err;
        EXPECT_EQ(0, smrf_config_set_pairs(&cfg, &pair, 1, "test", &err));
        EXPECT_EQ(SMRF_ERR_INVAL, smrf_config_check(&cfg, &err)) << pair;
    }
}
