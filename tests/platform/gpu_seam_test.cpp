// SPDX-License-Identifier: Apache-2.0
// What is decided for the whole GPU. A mechanism in the manner of CARS: of a kernel seen for the
// first time half of the SMs give their blocks few registers and half give them many; the blocks
// that end tell which did better, all go on with that, and a later launch of the same kernel begins
// with it. And one that takes a short cut past the edges, from SM to SM, which then shows.
#include "tests/support/engine_outcome.h"
#include "tests/support/pattern_trace.h"

#include <array>
#include <fstream>
#include <sstream>

using namespace engine_outcome;
using smrf_test::temporary_folder;

namespace
{

constexpr uint32_t level[2] = {32, 64}; // registers of a thread: low, high
constexpr uint64_t interval = 500;

enum { PLACED, FINISHED, WARP_INSTS, THREAD_INSTS, MICRO_INSTS, DIGEST, COUNTERS };

// One SM's part.
struct sm_part {
    uint64_t counter[COUNTERS];
    uint32_t registers;                             // of the next block
    uint64_t blocks[2], cycles[2], thread_insts[2]; // of the blocks that have ended, by level
    void *const *all;                               // the short cut: everybody's part
    uint32_t sms;
    uint64_t latest; // .. and of the first: cycles of the block that ended last
};

struct told {
    char what; // b begin, e end
    char name[16];
    uint64_t number, cycle, start, blocks, threads;
};

// The GPU's part.
struct gpu_part {
    uint32_t sms, trying, known;
    uint32_t settled; // registers, 0: not yet
    struct {
        char name[16];
        uint32_t registers;
    } best[4];
    uint32_t num_told;
    told log[8];
};

sm_part *part(void *m)
{
    return static_cast<sm_part *>(m);
}

// --- an SM
// ----------------------------------------------------------------------------------------

void digest(void *m, std::initializer_list<uint64_t> values)
{
    for (uint64_t v : values) {
        part(m)->counter[DIGEST] = (part(m)->counter[DIGEST] ^ v) * UINT64_C(1099511628211);
    }
}

size_t sm_bytes(const smrf_mechanism_setup *)
{
    return sizeof(sm_part);
}

int sm_init(void *m, const smrf_mechanism_setup *, unsigned)
{
    *part(m) = {};
    return 0;
}

uint32_t registers(void *m, const smrf_sm_kernel *)
{
    return m ? part(m)->registers : level[1];
}

void placed(void *m, const smrf_block_record *b)
{
    EXPECT_EQ(part(m)->registers, b->registers);
    EXPECT_EQ(0u, b->last + b->warp_insts + b->thread_insts + b->micro_insts);
    part(m)->counter[PLACED]++;
    digest(m, {b->number, b->first, b->slot, b->warps, b->registers});
}

void finished(void *m, const smrf_block_record *b)
{
    sm_part &p = *part(m);
    const unsigned l = b->registers == level[1];
    p.counter[FINISHED]++;
    p.counter[WARP_INSTS] += b->warp_insts;
    p.counter[THREAD_INSTS] += b->thread_insts;
    p.counter[MICRO_INSTS] += b->micro_insts;
    p.blocks[l]++;
    p.cycles[l] += b->last + 1 - b->first;
    p.thread_insts[l] += b->thread_insts;
    EXPECT_LT(b->first, b->last);
    digest(m, {b->number, b->last, b->slot, b->warp_insts, b->thread_insts, b->registers});
}

const uint64_t *counters(const void *m)
{
    return static_cast<const sm_part *>(m)->counter;
}

// --- the GPU
// --------------------------------------------------------------------------------------

gpu_part *whole(void *g)
{
    return static_cast<gpu_part *>(g);
}

size_t gpu_bytes(const smrf_mechanism_setup *)
{
    return sizeof(gpu_part);
}

int gpu_init(void *g, const smrf_mechanism_setup *setup)
{
    *whole(g) = {};
    whole(g)->sms = setup->gpu.sms;
    return 0;
}

// The better level: thread instructions a cycle and register. 0: one of them has no block yet.
uint32_t better(void *const *sm, uint32_t sms)
{
    uint64_t blocks[2] = {}, cycles[2] = {}, insts[2] = {};
    for (uint32_t i = 0; i < sms; i++) {
        for (unsigned l = 0; l < 2; l++) {
            blocks[l] += part(sm[i])->blocks[l];
            cycles[l] += part(sm[i])->cycles[l];
            insts[l] += part(sm[i])->thread_insts[l];
        }
    }
    if (!blocks[0] || !blocks[1]) {
        return 0;
    }
    return level[insts[1] * cycles[0] * level[0] > insts[0] * cycles[1] * level[1]];
}

void write_down(void *g, char what, const smrf_gpu_launch *l, uint64_t cycle)
{
    gpu_part &p = *whole(g);
    ASSERT_LT(p.num_told, 8u);
    told &t = p.log[p.num_told++];
    t = {what,
         {},
         l->number,
         cycle,
         l->start,
         uint64_t(l->grid[0]) * l->grid[1] * l->grid[2],
         uint64_t(l->block[0]) * l->block[1] * l->block[2]};
    std::snprintf(t.name, sizeof t.name, "%s", l->name);
    EXPECT_EQ(t.threads, l->kernel->threads_per_block);
}

void kernel_begin(void *g, void *const *sm, const smrf_gpu_launch *launch, uint64_t cycle)
{
    gpu_part &p = *whole(g);
    write_down(g, 'b', launch, cycle);
    p.settled = 0;
    for (uint32_t i = 0; i < p.known; i++) {
        p.settled = std::string(p.best[i].name) == launch->name ? p.best[i].registers : p.settled;
    }
    p.trying = p.settled == 0;
    for (uint32_t i = 0; i < p.sms; i++) {
        sm_part &s = *part(sm[i]);
        s.registers = p.trying ? level[i % 2] : p.settled;
        std::fill_n(s.blocks, 2, 0);
        std::fill_n(s.cycles, 2, 0);
        std::fill_n(s.thread_insts, 2, 0);
        s.all = sm;
        s.sms = p.sms;
    }
}

void kernel_end(void *g, void *const *sm, const smrf_gpu_launch *launch, uint64_t cycle)
{
    gpu_part &p = *whole(g);
    write_down(g, 'e', launch, cycle);
    if (p.trying && better(sm, p.sms)) {
        p.settled = better(sm, p.sms);
    }
    if (p.trying || p.settled) {
        ASSERT_LT(p.known, 4u);
        std::snprintf(p.best[p.known].name, 16, "%s", launch->name);
        p.best[p.known++].registers = p.settled ? p.settled : level[1];
    }
}

uint64_t every(const smrf_mechanism_setup *)
{
    return interval;
}

bool edge(void *g, void *const *sm, uint64_t cycle, uint64_t thread_insts, uint64_t launches,
          uint64_t *row)
{
    gpu_part &p = *whole(g);
    if (p.trying && better(sm, p.sms)) {
        p.settled = better(sm, p.sms);
        p.trying = 0;
        for (uint32_t i = 0; i < p.sms; i++) {
            part(sm[i])->registers = p.settled;
        }
    }
    uint64_t done = 0, all = 0;
    for (uint32_t i = 0; i < p.sms; i++) {
        done += part(sm[i])->counter[FINISHED];
        all += part(sm[i])->counter[DIGEST];
    }
    const uint64_t values[] = {cycle, thread_insts, launches, p.settled, done, all};
    std::copy(std::begin(values), std::end(values), row);
    return true;
}

const smrf_gpu_seam::smrf_series_column columns[] = {
    {"cycle", "", "", 1},   {"thread_insts", "", "", 1}, {"launches", "", "", 1},
    {"settled", "", "", 1}, {"finished", "", "", 1},     {"digest", "", "", 1},
};

const smrf_allotment_seam allotment = {registers, false};
const smrf_block_seam blocks = {placed, finished, true};

smrf_gpu_seam gpu_seam(bool edges)
{
    smrf_gpu_seam s{};
    s.bytes = gpu_bytes;
    s.init = gpu_init;
    s.kernel_begin = kernel_begin;
    s.kernel_end = kernel_end;
    s.interval = edges ? every : nullptr;
    s.edge = edges ? edge : nullptr;
    s.series = "levels";
    s.columns = columns;
    s.num_columns = 6;
    return s;
}

const smrf_gpu_seam with_edges = gpu_seam(true), without_edges = gpu_seam(false);

smrf_mechanism levels(const smrf_gpu_seam *gpu)
{
    smrf_mechanism m{};
    m.name = "levels";
    m.bytes = sm_bytes;
    m.init = sm_init;
    m.allotment = &allotment;
    m.block = &blocks;
    m.gpu = gpu;
    m.counters = counters;
    m.num_counters = COUNTERS;
    return m;
}

// The short cut: whoever finishes a block tells the other SMs at once to try the other level if it
// was slower than the block that was finished before it, anywhere.
void decide_at_once(void *m, const smrf_block_record *b)
{
    finished(m, b);
    const sm_part &p = *part(m);
    const uint64_t before = part(p.all[0])->latest, now = b->last - b->first;
    const unsigned same = b->registers == level[1];
    for (uint32_t i = 0; i < p.sms; i++) {
        part(p.all[i])->registers = level[now > before ? !same : same];
    }
    part(p.all[0])->latest = now;
}

const smrf_block_seam hasty_blocks = {nullptr, decide_at_once, true};

smrf_mechanism hasty()
{
    smrf_mechanism m = levels(&without_edges);
    m.block = &hasty_blocks;
    return m;
}

// --- traces
// -----------------------------------------------------------------------------------------

std::string text_of(const std::string &path)
{
    std::ifstream from(path);
    std::stringstream s;
    s << from.rdbuf();
    return s.str();
}

// A pattern as a kernel of that name, in the folder.
void kernel(const temporary_folder &to, const std::string &name,
            const std::vector<const char *> &lines, uint32_t count, uint64_t length)
{
    temporary_folder folder;
    const std::string path = smrf_test::pattern(folder, lines, count, 4, length);
    std::string text = text_of(path + "/kernel-1.traceg");
    const std::string old = "kernel name = pattern";
    ASSERT_NE(std::string::npos, text.find(old));
    text.replace(text.find(old), old.size(), "kernel name = " + name);
    std::ofstream(to / ("kernel-" + name + ".traceg")) << text;
}

// stream, twist, stream, stream.
std::string launches(const temporary_folder &folder)
{
    kernel(folder, "stream",
           {"LDG.E.32.SYS R16+8 R2 @0x100000,4,128,65536", "FFMA R24 R16 R17 R18",
            "STG.E.32.SYS - R2 R24 @0x900000,4,128,65536"},
           40, 60);
    kernel(folder, "twist", {"FFMA R8+8 R1 R2 R3", "MUFU.RCP R24 R9", "BAR.SYNC -"}, 24, 90);
    std::ofstream list(folder / "kernelslist.g");
    for (const char *name : {"stream", "twist", "stream", "stream"}) {
        list << "kernel-" << name << ".traceg\n";
    }
    return folder / "kernelslist.g";
}

// Registers for four blocks at the high level, eight at the low one.
smrf_config machine(uint32_t quantum = 195)
{
    smrf_config cfg = preset("rtx2060-paper", {"gpu.sms=4", "sm.registers=32768"});
    cfg.gpu.launch_latency = 700;
    cfg.sim.quantum = quantum;
    return cfg;
}

outcome run_with(const smrf_mechanism &m, const std::string &trace, const smrf_config &cfg,
                 uint64_t slice = SMRF_NEVER, gpu_part *last = nullptr)
{
    run_options o;
    o.mechanism = &m;
    o.slice = slice;
    o.window = [last](const smrf_machine *machine) {
        if (last) {
            *last = *static_cast<const gpu_part *>(machine->mechanism_gpu);
        }
        return true;
    };
    return run(smrf_engine_direct, trace, cfg, o);
}

} // namespace

TEST(GpuSeam, KernelsAreToldByNameAtTheirBeginningAndTheirEndWithOrWithoutEdges)
{
    temporary_folder folder;
    const std::string trace = launches(folder);
    const char *const names[] = {"stream", "twist", "stream", "stream"};
    for (const smrf_gpu_seam *seam : {&with_edges, &without_edges}) {
        gpu_part g{};
        const outcome o = run_with(levels(seam), trace, machine(), SMRF_NEVER, &g);
        expect_complete(o);
        ASSERT_EQ(8u, g.num_told);
        for (uint64_t k = 0; k < 4; k++) {
            const uint64_t start = o.kernels[k * (words + 2)], end = o.kernels[k * (words + 2) + 1];
            const told &b = g.log[2 * k], &e = g.log[2 * k + 1];
            EXPECT_EQ('b', b.what);
            EXPECT_EQ('e', e.what);
            for (const told *t : {&b, &e}) {
                EXPECT_STREQ(names[k], t->name);
                EXPECT_EQ(k + 1, t->number);
                EXPECT_EQ(start, t->start);
                EXPECT_EQ(k == 1 ? 24u : 40u, t->blocks);
                EXPECT_EQ(128u, t->threads);
            }
            EXPECT_EQ(start - 700, b.cycle) << "handed out the launch latency earlier";
            EXPECT_EQ(k ? g.log[2 * k - 1].cycle : 0, b.cycle);
            EXPECT_EQ(end + 1, e.cycle);
        }
    }
}

TEST(GpuSeam, TheBlocksAccountsAddUpToWhatTheSmsCount)
{
    temporary_folder folder;
    const outcome o = run_with(levels(&with_edges), launches(folder), machine());
    expect_complete(o);
    const smrf_counters c = o.sum();
    EXPECT_EQ(3u * 40 + 24, c.mechanism[PLACED]);
    EXPECT_EQ(c.mechanism[PLACED], c.mechanism[FINISHED]);
    EXPECT_EQ(c.sm.blocks, c.mechanism[FINISHED]);
    EXPECT_EQ(c.sm.warp_insts, c.mechanism[WARP_INSTS]);
    EXPECT_EQ(c.sm.thread_insts, c.mechanism[THREAD_INSTS]);
    EXPECT_EQ(0u, c.mechanism[MICRO_INSTS]);
}

TEST(GpuSeam, AKernelSeenBeforeBeginsWithWhatWasFoundBest)
{
    temporary_folder folder;
    gpu_part g{};
    const outcome o = run_with(levels(&with_edges), launches(folder), machine(), SMRF_NEVER, &g);
    expect_complete(o);
    ASSERT_GE(g.known, 2u);
    EXPECT_STREQ("stream", g.best[0].name);
    uint64_t trying[5] = {}, settled[5] = {};
    for (size_t i = 0; i < o.series.size(); i += 6) {
        const uint64_t launch = o.series[i + 2];
        ASSERT_EQ(o.series[i], (i / 6 + 1) * interval) << "each edge once, in order";
        (o.series[i + 3] ? settled : trying)[launch]++;
        if (launch >= 3) {
            EXPECT_EQ(g.best[0].registers, o.series[i + 3]);
        }
    }
    EXPECT_GT(trying[1], 0u) << "of an unknown kernel";
    EXPECT_GT(settled[1], 0u) << "two blocks of it have ended";
    EXPECT_GT(settled[3], 0u);
    EXPECT_EQ(0u, trying[3] + trying[4]) << "it is known";
}

// Edges bound windows, and the SMs share nothing in one: how far one runs ahead of another does not
// show, nor does the engine.
TEST(GpuSeam, AnswersDoNotDependOnTheOrderInWhichSmsAreStepped)
{
    temporary_folder folder;
    const std::string trace = launches(folder);
    for (const smrf_gpu_seam *seam : {&with_edges, &without_edges}) {
        const smrf_mechanism m = levels(seam);
        const outcome first = run_with(m, trace, machine());
        expect_complete(first);
        for (uint32_t quantum : {1u, 7u, 64u, 1024u}) {
            const outcome plain = run_with(m, trace, machine(quantum), 777);
            EXPECT_EQ("", difference(first, plain)) << quantum;
        }
        run_options o;
        o.mechanism = &m;
        for (uint32_t quantum : {7u, 1024u}) {
            smrf_config cfg = machine(quantum);
            cfg.sim.monitor = 1;
            const outcome systemc = run_in_child(smrf_engine_systemc, trace, cfg, o);
            expect_complete(systemc);
            EXPECT_EQ("", difference(first, systemc)) << quantum;
        }
    }
}

TEST(GpuSeam, AShortCutFromSmToSmShowsInTheOrderOfStepping)
{
    temporary_folder folder;
    const std::string trace = launches(folder);
    const smrf_mechanism m = hasty();
    const outcome fine = run_with(m, trace, machine(1)), coarse = run_with(m, trace, machine(195));
    ASSERT_EQ(SMRF_RUN_FINISHED, fine.end) << fine.error;
    ASSERT_EQ(SMRF_RUN_FINISHED, coarse.end) << coarse.error;
    EXPECT_NE("", difference(fine, coarse));
}

namespace
{

// Registers of which no block's fit an SM, until the edge after so many cycles.
uint64_t shy_until;

uint32_t shy(void *m, const smrf_sm_kernel *k)
{
    return m && part(m)->registers ? part(m)->registers : k->registers;
}

void shy_begin(void *g, void *const *sm, const smrf_gpu_launch *, uint64_t)
{
    for (uint32_t i = 0; i < whole(g)->sms; i++) {
        part(sm[i])->registers = i ? 255 : 64;
    }
}

bool shy_edge(void *g, void *const *sm, uint64_t cycle, uint64_t, uint64_t, uint64_t *)
{
    for (uint32_t i = 0; cycle == shy_until && i < whole(g)->sms; i++) {
        part(sm[i])->registers = 64;
    }
    return false;
}

const smrf_block_seam who_and_when = {[](void *m, const smrf_block_record *b) {
                                          sm_part &p = *part(m);
                                          p.counter[DIGEST] =
                                              p.counter[PLACED]++ ? p.counter[DIGEST] : b->first;
                                      },
                                      nullptr, false};

} // namespace

// An SM that has no room stands empty and asleep; an answer at an edge gives it blocks from there
// on.
TEST(GpuSeam, AnSmThatStandsEmptyTakesBlocksFromTheCycleOfTheAnswerOn)
{
    temporary_folder folder;
    const std::string trace = launches(folder);
    const smrf_allotment_seam seam = {shy, false};
    smrf_gpu_seam gpu = gpu_seam(true);
    gpu.kernel_begin = shy_begin;
    gpu.kernel_end = nullptr;
    gpu.edge = shy_edge;
    smrf_mechanism m = levels(&gpu);
    m.allotment = &seam;
    m.block = &who_and_when;
    shy_until = 3 * interval;
    for (uint32_t quantum : {1u, 7u, 195u}) {
        smrf_config cfg = machine(quantum);
        cfg.sm.registers = 16384; // two blocks of 64 registers a thread, none of 255
        std::array<uint64_t, 4> first{};
        run_options o;
        o.mechanism = &m;
        o.window = [&first](const smrf_machine *machine) {
            for (uint32_t i = 0; i < 4; i++) {
                first[i] = part(machine->mechanism_state[i])->counter[DIGEST];
            }
            return machine->gpu->kernel.info.name == std::string("stream");
        };
        const outcome run_out = run(smrf_engine_direct, trace, cfg, o);
        EXPECT_EQ(SMRF_RUN_STOPPED, run_out.end) << run_out.error;
        EXPECT_EQ(701u, first[0]);
        for (uint32_t i = 1; i < 4; i++) {
            EXPECT_EQ(shy_until, first[i]) << "SM " << i << ", quantum " << quantum;
        }
    }
}
