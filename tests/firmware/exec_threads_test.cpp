// SPDX-License-Identifier: Apache-2.0
// Blocks on several threads against the same blocks one after the other: memory, counts, errors and
// what a listener hears, of random programs whose blocks meet in memory, and of everything that a
// block must not do before it is the oldest.
#include "tests/support/exec_program.h"

#include <array>
#include <atomic>
#include <map>
#include <random>
#include <thread>

namespace
{

using namespace smrf_test;
using lines = std::vector<std::string>;

constexpr unsigned words = 4096;

// What a launch did, as far as anyone can see it.
struct outcome {
    int rc = 0;
    std::string error, printed;
    std::array<uint64_t, 9> totals{};
    std::vector<uint32_t> memory;
    std::vector<uint64_t> heard; // number and digest of each block, in the order of their ends
    bool operator==(const outcome &o) const
    {
        return rc == o.rc && error == o.error && printed == o.printed && totals == o.totals &&
               memory == o.memory && heard == o.heard;
    }
};

// A listener with an ear a thread.
struct listeners {
    struct ear {
        listeners *all = nullptr;
        smrf_exec_listener listener{};
        uint32_t block = 0; // that runs; others may have begun
        std::map<uint32_t, uint64_t> digest;
    };
    explicit listeners(bool threads) : ears(1 + SMRF_EXEC_MOST_THREADS)
    {
        for (ear &e : ears) {
            e.all = this;
            e.listener.ctx = &e;
            e.listener.block_begin = [](void *ctx, smrf_exec_dim id, uint32_t) {
                self(ctx).block = id.x;
                self(ctx).digest[id.x] = 0;
                return 0;
            };
            e.listener.block_resume = [](void *ctx, smrf_exec_dim id) { self(ctx).block = id.x; };
            e.listener.after = after;
            e.listener.block_end = [](void *ctx) {
                self(ctx).all->ends.push_back(self(ctx).block);
                self(ctx).all->ends.push_back(self(ctx).digest[self(ctx).block]);
                return self(ctx).all->ends.size() / 2 > self(ctx).all->fails_after ? -9 : 0;
            };
            e.listener.block_undone = [](void *ctx) { self(ctx).all->undone++; };
            if (threads) {
                e.listener.on_thread = [](void *ctx, unsigned n) {
                    const smrf_exec_listener *l = &self(ctx).all->ears[1 + n].listener;
                    return l;
                };
            }
        }
    }
    static ear &self(void *ctx)
    {
        return *static_cast<ear *>(ctx);
    }
    static int after(void *ctx, const smrf_exec_warp *w, const smrf_exec_op *op, uint32_t active,
                     uint32_t mask, const uint64_t *address)
    {
        uint64_t &d = self(ctx).digest[self(ctx).block];
        for (uint64_t v : {op->inst->address, uint64_t{active}, uint64_t{mask},
                           uint64_t{w->r[4][5]}, uint64_t{w->r[11][31]}, uint64_t{w->index},
                           address && mask ? address[__builtin_ctz(mask)] : 0}) {
            d = (d ^ v) * 0x100000001b3u + 1;
        }
        return 0;
    }
    std::vector<ear> ears;
    std::vector<uint64_t> ends;
    std::atomic<uint64_t> undone{0};
    size_t fails_after = SIZE_MAX;
};

struct settings {
    uint32_t blocks = 40, threads_a_block = 64;
    bool listened = true;
    uint64_t stop_after = 0;
    size_t fails_after = SIZE_MAX; // the listener, at the end of this many blocks
    std::string more;              // text behind the kernel
};

outcome run(const lines &text, unsigned threads, const settings &s, uint64_t *undone = nullptr)
{
    exec_program e(text, s.more);
    EXPECT_EQ(e.decoded, 0) << e.error;
    std::vector<uint32_t> start(words);
    for (unsigned i = 0; i < words; i++) {
        start[i] = i * 2654435761u;
    }
    const uint64_t at = e.buffer(start);
    listeners ears(threads > 1);
    ears.fails_after = s.fails_after;
    outcome o;
    e.launch.threads = threads;
    e.launch.threads_from = 1;
    e.launch.stop_after_insts = s.stop_after;
    e.launch.listener = s.listened ? &ears.ears[0].listener : nullptr;
    e.launch.print_ctx = &o;
    e.launch.print = [](void *ctx, bool, const char *text_, size_t bytes) {
        static_cast<outcome *>(ctx)->printed.append(text_, bytes);
    };
    o.rc = e.run(s.threads_a_block, s.blocks);
    o.error = e.error;
    const smrf_exec_totals &t = e.totals;
    o.totals = {t.blocks,     t.warps,        t.warp_insts,      t.thread_insts,      t.calls,
                t.call_depth, t.forced_syncs, uint64_t{t.fault}, t.divergent_branches};
    o.memory = e.read<uint32_t>(at, words);
    o.heard = ears.ends;
    if (undone) {
        *undone += ears.undone;
    }
    return o;
}

void expect_same(const lines &text, const settings &s = {}, uint64_t *undone = nullptr)
{
    const outcome one = run(text, 1, s);
    for (unsigned threads : {2u, 3u, 8u}) {
        const outcome many = run(text, threads, s, undone);
        EXPECT_EQ(many.rc, one.rc) << threads;
        EXPECT_EQ(many.error, one.error) << threads;
        EXPECT_EQ(many.printed, one.printed) << threads;
        EXPECT_EQ(many.totals, one.totals) << threads;
        EXPECT_EQ(many.heard, one.heard) << threads;
        EXPECT_TRUE(many.memory == one.memory) << threads;
        if (!(many == one)) {
            std::string all;
            for (const std::string &line : text) {
                all += line + "\n";
            }
            ADD_FAILURE() << all;
            return;
        }
    }
}

std::string hex(uint32_t value)
{
    char text[16];
    std::snprintf(text, sizeof text, "0x%x", value);
    return text;
}

// The thread's number in the grid in R21, the block's in R20, a random state in R10.
lines start(uint32_t seed)
{
    return {"MOV R1, c[0x0][0x28]",  "S2R R0, SR_TID.X",
            "S2R R20, SR_CTAID.X",   "IMAD R21, R20, c[0x0][0x0], R0",
            "MOV R10, " + hex(seed), "IMAD R10, R21, 0x19660d, R10"};
}

// Word number R16 modulo `words` of the buffer: its address in R2:R3.
lines address()
{
    return {"LOP3.LUT R16, R16, " + hex(words - 1) + ", RZ, 0xc0, !PT", "MOV R17, 0x4",
            "IMAD.WIDE.U32 R2, R16, R17, c[0x0][0x160]"};
}

// A step of a random program. shared: in a hundred accesses, those to words that all blocks use.
lines step(std::mt19937 &random, unsigned shared)
{
    lines text = {"IADD3 R10, R10, 0x3c6ef35f, RZ", "IMAD R10, R10, 0x19660d, RZ",
                  "SHF.R.U32.HI R16, RZ, 0xd, R10"};
    if (random() % 100 >= shared) {
        text.push_back("MOV R16, R21");
    } else if (random() % 2) {
        text.push_back("LOP3.LUT R16, R16, " + hex(random() % 2 ? 0x3f : 0x7) + ", RZ, 0xc0, !PT");
    }
    text = text + address();
    switch (random() % 8) {
    case 0:
    case 1:
    case 2:
        return text + lines{"LDG.E.SYS R4, [R2]", "IADD3 R11, R11, R4, RZ"};
    case 3:
    case 4:
        return text + lines{"STG.E.SYS [R2], R11"};
    case 5:
        return text + lines{"ATOMG.E.ADD.STRONG.GPU PT, R4, [R2], R10", "IADD3 R11, R11, R4, RZ"};
    case 6:
        return text + lines{"RED.E.ADD.STRONG.GPU [R2], R10"};
    default:
        return text + (random() % 8 ? lines{"LDG.E.U8.SYS R4, [R2]", "STG.E.U8.SYS [R2+0x1], R4"}
                                    : lines{"CS2R R4, SR_CLOCKLO", "IADD3 R11, R11, R4, RZ"});
    }
}

lines random_program(uint32_t seed)
{
    std::mt19937 random(seed);
    const unsigned shared = std::array<unsigned, 4>{0, 3, 30, 100}[random() % 4];
    lines text = start(static_cast<uint32_t>(random()));
    // Blocks take different times.
    text =
        text + lines{"LOP3.LUT R15, R20, 0x3, RZ, 0xc0, !PT", "IADD3 R15, R15, 0x2, RZ", ".L_x_1:"};
    for (unsigned long n = 2 + random() % 10; n-- > 0;) {
        text = text + step(random, shared);
    }
    return text + lines{"IADD3 R15, R15, -0x1, RZ", "ISETP.NE.AND P0, PT, R15, RZ, PT",
                        "@P0 BRA `(.L_x_1)", "EXIT"};
}

TEST(Threads, RandomProgramsWhoseBlocksMeetInMemory)
{
    uint64_t undone = 0;
#if defined(__SANITIZE_THREAD__) /* takes thirty times as long */
    const uint32_t seeds = 30;
#else
    const uint32_t seeds = 120;
#endif
    for (uint32_t seed = 0; seed < seeds; seed++) {
        settings s;
        s.blocks = 5 + seed % 40;
        s.listened = seed % 3 != 0;
        s.stop_after = seed % 5 == 4 ? 3000 : 0;
        expect_same(random_program(seed), s, &undone);
        if (HasFailure()) {
            FAIL() << "seed " << seed;
        }
    }
    if (std::thread::hardware_concurrency() > 1) {
        EXPECT_GT(undone, 0u); /* the programs try what they are for */
    }
}

// Blocks that read a range are undone once, by the first one that writes to it; after that only
// what they use counts.
TEST(Threads, IndependentBlocksAreUndoneOnceAtMost)
{
    uint64_t undone = 0;
    const lines own =
        start(1) + lines{"MOV R16, R21"} + address() +
        lines{"LDG.E.SYS R4, [R2]", "IADD3 R4, R4, 0x1, RZ", "STG.E.SYS [R2], R4", "EXIT"};
    expect_same(own, {}, &undone);
    EXPECT_LE(undone, 2u + 3u + 8u);
}

// Each block reads what the one before it has written, and writes for the next.
TEST(Threads, AChainOfBlocks)
{
    expect_same(
        start(1) + lines{"MOV R16, R20"} + address() +
        lines{"LDG.E.SYS R4, [R2]", "IADD3 R4, R4, 0x3, RZ", "STG.E.SYS [R2+0x4], R4", "EXIT"});
    expect_same(start(1) + lines{"MOV R16, RZ"} + address() +
                lines{"ATOMG.E.ADD.STRONG.GPU PT, R16, [R2], R0"} + address() +
                lines{"STG.E.SYS [R2], R20", "EXIT"});
}

// Blocks that wait for later ones run together from some point on.
TEST(Threads, BlocksThatWaitForLaterOnes)
{
    settings s;
    s.blocks = 12;
    for (const char *from : {"0x0", "0x4", "0x9"}) {
        const lines text = {"S2R R20, SR_CTAID.X",
                            "MOV R17, 0x4",
                            "IMAD.WIDE.U32 R2, R20, R17, c[0x0][0x160]",
                            "STG.E.STRONG.SYS [R2], RZ",
                            "ISETP.GE.AND P0, PT, R20, 0xb, PT",
                            "@P0 BRA `(.L_x_2)",
                            "ISETP.LT.AND P0, PT, R20, " + std::string(from) + ", PT",
                            "@P0 BRA `(.L_x_2)",
                            ".L_x_1:",
                            "YIELD",
                            "LDG.E.STRONG.SYS R4, [R2+0x4]",
                            "ISETP.NE.AND P1, PT, R4, RZ, PT",
                            "@P1 BRA `(.L_x_1)",
                            ".L_x_2:",
                            "STG.E.STRONG.SYS [R2+0x100], R20",
                            "EXIT"};
        expect_same(text, s);
    }
}

TEST(Threads, TheFirstFailureInOrderIsReported)
{
    for (uint32_t block : {1u, 7u, 39u}) {
        for (const char *fault :
             {"@P1 MOV R3, 0x1", "@P1 IADD3 R2, R2, 0x1, RZ", "@P1 BPT.TRAP 0x1"}) {
            lines text = random_program(3 + block);
            text.pop_back();
            text = text + lines{"ISETP.GE.AND P1, PT, R20, " + hex(block) + ", PT", fault,
                                "STG.E.SYS [R2], R11", "EXIT"};
            expect_same(text);
        }
    }
}

TEST(Threads, ListenersStopALaunch)
{
    for (size_t after : {1u, 2u, 20u}) {
        settings s;
        s.fails_after = after;
        const outcome one = run(random_program(8), 1, s), two = run(random_program(8), 3, s);
        EXPECT_EQ(two.rc, -9);
        EXPECT_EQ(two.error, one.error);
        EXPECT_EQ(two.heard, one.heard);
    }
}

lines call(const char *label, const char *name)
{
    const std::string l = label;
    return {"MOV R20, 32@lo((k + " + l + "@srel))", "MOV R21, 32@hi((k + " + l + "@srel))",
            std::string("CALL.ABS.NOINC `(") + name + ")", l + ":"};
}

// Addresses of the heap are given in order.
TEST(Threads, TheDeviceHeap)
{
    for (const char *first : {"0x0", "0x3", "0x14"}) {
        settings s;
        s.more = "\t.type\t\tmalloc,@function\n";
        expect_same(start(5) + lines{"MOV R16, R21"} + address() +
                        lines{"ISETP.LT.AND P0, PT, R20, " + std::string(first) + ", PT",
                              "@P0 EXIT", "MOV R4, 0x20", "MOV R5, RZ"} +
                        call(".L_r_1", "malloc") +
                        lines{"STG.E.SYS [R2], R4", "ST.E.SYS [R4], R0", "EXIT"},
                    s);
    }
}

// Output comes in order, once.
TEST(Threads, Output)
{
    settings s;
    s.more = "\t.type\t\tvprintf,@function\n";
    // The buffer's first words are the format "%d ", the argument lies on the stack.
    expect_same(start(5) +
                    lines{"IADD3 R1, R1, -0x8, RZ", "STL [R1], R21",
                          "ISETP.NE.AND P0, PT, R20, RZ, PT", "MOV R8, c[0x0][0x160]",
                          "MOV R9, c[0x0][0x164]", "MOV R4, 0x206425", "STG.E.SYS [R8], R4",
                          "MOV R4, R8", "MOV R5, R9", "IADD3 R6, P1, R1, c[0x0][0x20], RZ",
                          "IADD3.X R7, RZ, c[0x0][0x24], RZ, P1, !PT"} +
                    call(".L_r_1", "vprintf") + lines{"EXIT"},
                s);
}

} // namespace
