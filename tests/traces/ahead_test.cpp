// SPDX-License-Identifier: Apache-2.0
// Blocks read ahead on another thread, against a reader that does not: whatever the turns of the
// two threads, both have read the same whenever somebody looks, and fail in the same place.
#include "beside.h"
#include "trace_files.h"

#include "traces/generate/generate.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <thread>

using namespace trace_files;

namespace
{

struct closer {
    void operator()(smrf_trace *t) const
    {
        smrf_trace_close(t);
    }
};
using trace_ptr = std::unique_ptr<smrf_trace, closer>;

trace_ptr open_trace(const std::string &path, const smrf_trace_options *options)
{
    smrf_trace *t = nullptr;
    EXPECT_EQ(smrf_trace_open(&t, path.c_str(), options), 0) << smrf_trace_error(t);
    return trace_ptr(t);
}

// What everybody may see of a trace at any time.
void expect_same_view(const smrf_trace *a, const smrf_trace *b)
{
    const struct smrf_trace_totals x = *smrf_trace_totals_get(a), y = *smrf_trace_totals_get(b);
    EXPECT_EQ(x.kernels, y.kernels);
    EXPECT_EQ(x.blocks, y.blocks);
    EXPECT_EQ(x.warps, y.warps);
    EXPECT_EQ(x.warp_insts, y.warp_insts);
    EXPECT_EQ(x.thread_insts, y.thread_insts);
    EXPECT_EQ(x.unknown_opcodes, y.unknown_opcodes);
    EXPECT_EQ(x.missing_blocks, y.missing_blocks);
    EXPECT_EQ(x.repeated_blocks, y.repeated_blocks);
    EXPECT_EQ(x.contradictions, y.contradictions);
    EXPECT_EQ(x.digest, y.digest);
    for (size_t i = 0;; i++) {
        const char *p = smrf_trace_warning(a, i), *q = smrf_trace_warning(b, i);
        ASSERT_STREQ(p, q);
        if (p == nullptr) {
            break;
        }
    }
}

// A trace of which another thread reads ahead and, of most launches, a third one gets bytes beside
// it, and one that is read as asked for, in step.
class in_step
{
  public:
    in_step(const std::string &path, const smrf_trace_options *options, uint32_t room,
            uint64_t seed)
        : ahead_(open_trace(path, options)), plain_(open_trace(path, options))
    {
        smrf_rng_seed(&rng_, seed, 1);
        smrf_trace_ahead_room(ahead_.get(), room);
    }
    ~in_step()
    {
        end();
    }

    // To the end, or to the error of both. Returns it, or 0.
    int run()
    {
        smrf_kernel_info info[2];
        for (;;) {
            const int rc = smrf_trace_next_kernel(plain_.get(), &info[1]);
            end();
            EXPECT_EQ(smrf_trace_next_kernel(ahead_.get(), &info[0]), rc);
            expect_same_view(ahead_.get(), plain_.get());
            const smrf_trace_beside beside = helper_.beside();
            smrf_trace_read_beside(ahead_.get(), smrf_rng_below(&rng_, 4) ? &beside : nullptr);
            const int end = rc > 0 ? launch() : rc;
            if (end < 0 || rc <= 0 || testing::Test::HasFailure()) {
                EXPECT_STREQ(smrf_trace_error(ahead_.get()), smrf_trace_error(plain_.get()));
                return end < 0 ? end : rc;
            }
        }
    }
    // Blocks handed out that were there already.
    unsigned early() const
    {
        return early_;
    }
    // Parts of the file that the third got.
    unsigned beside() const
    {
        return helper_.times();
    }

  private:
    struct pair {
        smrf_trace_block *ahead, *plain;
        std::vector<uint64_t> left;
    };

    int launch()
    {
        int rc = 1;
        while ((rc > 0 || !out_.empty()) && !testing::Test::HasFailure()) {
            switch (smrf_rng_below(&rng_, 6)) {
            case 0:
                begin();
                break;
            case 1:
                rc = rc > 0 ? next() : rc;
                break;
            case 2:
                expect_same_view(ahead_.get(), plain_.get());
                break;
            case 3:
                give_back();
                break;
            default:
                read_some();
            }
            if (rc < 0) {
                break;
            }
        }
        while (!out_.empty()) {
            give_back();
        }
        return rc;
    }

    void begin()
    {
        if (done_) {
            end();
        }
        if (!thread_.joinable() && smrf_trace_ahead_begin(ahead_.get())) {
            done_ = false;
            thread_ = std::thread([this] {
                smrf_trace_ahead_read(ahead_.get());
                done_ = true;
            });
        }
    }
    void end()
    {
        if (thread_.joinable()) {
            smrf_trace_ahead_stop(ahead_.get());
            thread_.join();
            smrf_trace_ahead_end(ahead_.get());
        }
        done_ = false;
    }

    // A thread that has begun reads a block before it returns, unless it is stopped.
    void wait_for_block() const
    {
        while (!smrf_trace_ahead_ready(ahead_.get()) && !done_) {
            std::this_thread::yield();
        }
    }

    // Every second call waits for the thread, however late it runs. The other ones stop it wherever
    // it is if it has no block yet.
    int next()
    {
        pair p = {};
        if (smrf_rng_below(&rng_, 2) && thread_.joinable()) {
            wait_for_block();
        }
        const bool ready = smrf_trace_ahead_ready(ahead_.get());
        if (!ready) {
            end();
        }
        early_ += ready;
        const int rc = smrf_trace_next_block(plain_.get(), &p.plain);
        EXPECT_EQ(smrf_trace_next_block(ahead_.get(), &p.ahead), rc);
        if (rc < 0) {
            EXPECT_STREQ(smrf_trace_error(ahead_.get()), smrf_trace_error(plain_.get()));
            expect_same_view(ahead_.get(), plain_.get());
        }
        if (rc > 0) {
            const smrf_dim3 a = smrf_trace_block_id(p.ahead), b = smrf_trace_block_id(p.plain);
            EXPECT_EQ(std::make_tuple(a.x, a.y, a.z), std::make_tuple(b.x, b.y, b.z));
            EXPECT_EQ(smrf_trace_block_warps(p.ahead), smrf_trace_block_warps(p.plain));
            out_.push_back(p);
        }
        return rc;
    }

    // Of a random block, some instructions of each warp.
    void read_some()
    {
        if (out_.empty()) {
            return;
        }
        const pair &p = out_[smrf_rng_below(&rng_, static_cast<uint32_t>(out_.size()))];
        static smrf_inst a, b;
        for (uint32_t w = 0; w < smrf_trace_block_warps(p.plain); w++) {
            int rc = 1;
            for (uint32_t n = smrf_rng_below(&rng_, 200); n > 0 && rc > 0; n--) {
                rc = smrf_trace_next_inst(p.plain, w, &b);
                ASSERT_EQ(smrf_trace_next_inst(p.ahead, w, &a), rc);
                if (rc > 0) {
                    ASSERT_EQ(from_inst(a), from_inst(b));
                    ASSERT_EQ(a.op->index, b.op->index);
                    ASSERT_EQ(std::make_pair(a.next_pc, a.next_mask),
                              std::make_pair(b.next_pc, b.next_mask));
                }
            }
        }
    }

    void give_back()
    {
        if (!out_.empty()) {
            const size_t i = smrf_rng_below(&rng_, static_cast<uint32_t>(out_.size()));
            smrf_trace_release_block(ahead_.get(), out_[i].ahead);
            smrf_trace_release_block(plain_.get(), out_[i].plain);
            out_.erase(out_.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }

    helper helper_{helper::thread};
    trace_ptr ahead_, plain_;
    std::deque<pair> out_;
    std::thread thread_;
    std::atomic<bool> done_{false}; // the thread has nothing left to do
    smrf_rng rng_;
    unsigned early_ = 0;
};

// A launch with something of everything: loops, lists, strides, instructions that only late blocks
// have.
std::string launch_text(smrf_rng *rng, unsigned blocks)
{
    std::string text = header("5", 64);
    const size_t grid = text.find("(4,2,2)");
    text.replace(grid, 7, "(" + std::to_string(blocks) + ",1,1)");
    for (unsigned b = 0; b < blocks; b++) {
        text += "\n#BEGIN_TB\n\nthread block = " + std::to_string(b) + ",0,0\n";
        for (unsigned w = 0; w < 2; w++) {
            std::string lines;
            unsigned n = 0;
            for (unsigned loop = 10 + smrf_rng_below(rng, 60); loop > 0; loop--) {
                char line[160];
                const unsigned pc = 16 * smrf_rng_below(rng, 4 + 3 * b);
                const unsigned long long at = 0x7f0000000000u + 4096u * smrf_rng_below(rng, 999);
                std::snprintf(line, sizeof line, "%04x ffffffff 1 R1 IMAD 2 R2 R3 0 %u\n", pc, pc);
                lines += line;
                std::snprintf(line, sizeof line, "%04x %08x 1 R4 LDG.E 1 R2 4 1 0x%llx 4 0\n",
                              pc + 8, smrf_rng_below(rng, 3) ? 0xffffffffu : 0xffffu, at);
                lines += line;
                n += 2;
            }
            lines += "fff8 ffffffff 0 EXIT 0 0 0\n";
            n++;
            text +=
                "\nwarp = " + std::to_string(w) + "\ninsts = " + std::to_string(n) + "\n" + lines;
        }
        text += "\n#END_TB\n";
    }
    return text;
}

std::string list_of(const temp_dir &dir, const std::vector<std::string> &launches)
{
    std::string list = "MemcpyHtoD,0x7f0000000000,4096\n";
    for (size_t i = 0; i < launches.size(); i++) {
        const std::string name = "kernel-" + std::to_string(i + 1) + ".traceg";
        write_file(dir / name, launches[i]);
        list += name + "\n";
    }
    write_file(dir / "kernelslist.g", list);
    return dir / "kernelslist.g";
}

} // namespace

TEST(Ahead, RandomLivesOfTwoThreads)
{
    unsigned early = 0, beside = 0;
    for (uint64_t seed = 1; seed <= 16 && !HasFailure(); seed++) {
        smrf_rng rng;
        smrf_rng_seed(&rng, seed, 0);
        temp_dir dir;
        std::vector<std::string> launches;
        for (unsigned n = 1 + smrf_rng_below(&rng, 3); n > 0; n--) {
            launches.push_back(launch_text(&rng, 40 + smrf_rng_below(&rng, 150)));
        }
        in_step both(list_of(dir, launches), nullptr, 1 + smrf_rng_below(&rng, 60), seed);
        EXPECT_EQ(both.run(), 0) << seed;
        early += both.early();
        beside += both.beside();
    }
    EXPECT_GT(early, 300u);
    EXPECT_GT(beside, 20u);
}

// Bad lines, an unknown opcode, a missing end, a block twice, in any block: found when it is asked
// for.
TEST(Ahead, WhatIsWrongIsFoundInItsPlace)
{
    struct {
        const char *what, *with;
        int rc;
        bool strict;
    } const faults[] = {
        {"LDG.E 1 R2 4 1 0x", "LDG.E 1 R2 4 9 0x", SMRF_ERR_FORMAT, false},
        {"IMAD", "NONSENSE", 0, false},
        {"IMAD", "NONSENSE", SMRF_ERR_UNKNOWN, true},
        {"#END_TB", "", SMRF_ERR_FORMAT, false},
        {"insts = ", "insts = 9", SMRF_ERR_CORRUPT, false},
        {"\n#BEGIN_TB", "\nthread", SMRF_ERR_FORMAT, false},
        {"EXIT", "NOP", 0, false},
        {"EXIT", "NOP", SMRF_ERR_CORRUPT, true},
        {" R4 LDG.E 1", " R44 LDG.E 1", SMRF_ERR_CORRUPT, true},
        {"thread block = 1", "thread block = 2", 0, false},
        {"thread block = 1", "thread block = 2", SMRF_ERR_CORRUPT, true},
    };
    unsigned early = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        for (const auto &f : faults) {
            SCOPED_TRACE(f.what);
            smrf_rng rng;
            smrf_rng_seed(&rng, seed, 0);
            std::string text = launch_text(&rng, 120);
            size_t at =
                text.find("thread block = 1" + std::to_string(smrf_rng_below(&rng, 10)) + ",");
            at = text.find(f.what, at);
            text.replace(at, std::strlen(f.what), f.with);
            temp_dir dir;
            smrf_trace_options options = {};
            options.strict = f.strict;
            in_step both(list_of(dir, {text}), &options, 30, seed);
            EXPECT_EQ(both.run(), f.rc);
            early += both.early();
        }
    }
    EXPECT_GT(early, 100u);
}

TEST(Ahead, PackedForms)
{
    for (const smrf_trace_format format : {SMRF_TRACE_V5, SMRF_TRACE_TRACEZ}) {
        for (const bool cut : {false, true}) {
            temp_dir dir;
            const std::string out = dir / "o";
            smrf_gen_pattern p = {};
            char copy[2][64], error[256];
            smrf_gen_target target = {out.c_str(), format,
                                      format == SMRF_TRACE_V5 ? SMRF_COMPRESS_XZ
                                                              : SMRF_COMPRESS_NONE};
            ASSERT_EQ(smrf_generate_parse_inst("LDG.E.SYS R40 R10 @0x7f0a20000000,4,640,7",
                                               &p.inst[0], copy[0]),
                      0);
            ASSERT_EQ(smrf_generate_parse_inst("FFMA R20+4 R2 R3 R5", &p.inst[1], copy[1]), 0);
            p.num_insts = 2;
            p.blocks = 100;
            p.warps = 4;
            p.length = 500;
            p.num_regs = 64;
            p.binary_version = 75;
            ASSERT_EQ(smrf_generate_pattern(&target, &p, error), 0) << error;
            if (cut) { // bytes in the middle
                for (const auto &entry : fs::directory_iterator(out)) {
                    if (entry.path().filename() != "kernelslist.g") {
                        std::string text = read_file(entry.path());
                        text.replace(text.size() / 2, 40, std::string(40, 'x'));
                        write_file(entry.path(), text);
                    }
                }
            }
            in_step both(out, nullptr, 20, 7);
            EXPECT_EQ(both.run() < 0, cut);
            EXPECT_GT(both.early(), 10u);
        }
    }
}

// No block goes to the temporary file because another has been read early.
TEST(Ahead, ASmallBudgetIsLeftToThoseThatAreAskedFor)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, 3, 0);
    temp_dir dir;
    const std::string path = list_of(dir, {launch_text(&rng, 200)});
    for (const size_t budget : {size_t{1}, size_t{700}, size_t{2000}, size_t{20000}}) {
        smrf_trace_options options = {};
        options.memory_budget = budget;
        in_step both(path, &options, 60, budget);
        EXPECT_EQ(both.run(), 0);
        if (budget != 2000) { // that is enough for one block, but seldom for another
            EXPECT_EQ(both.early() > 0, budget > 2000) << budget;
        }

        const trace_ptr alone = open_trace(path, &options);
        smrf_trace_ahead_room(alone.get(), 60);
        smrf_kernel_info info;
        smrf_trace_block *b = nullptr;
        ASSERT_EQ(smrf_trace_next_kernel(alone.get(), &info), 1);
        while (smrf_trace_next_block(alone.get(), &b) > 0) {
            if (smrf_trace_ahead_begin(alone.get())) {
                smrf_trace_ahead_read(alone.get());
                smrf_trace_ahead_end(alone.get());
            }
            smrf_trace_release_block(alone.get(), b);
        }
        const uint64_t spilled = smrf_trace_totals_get(alone.get())->spilled_bytes;
        EXPECT_EQ(spilled == 0, budget >= 2000) << budget;
    }
}

// A launch that is given up with blocks waiting, and with some out that are given back after.
TEST(Ahead, ALaunchGivenUp)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, 5, 0);
    temp_dir dir;
    const std::string path = list_of(dir, {launch_text(&rng, 90), launch_text(&rng, 90)});
    const trace_ptr t = open_trace(path, nullptr);
    smrf_trace_ahead_room(t.get(), 60);
    smrf_kernel_info info;
    for (unsigned launch = 0; launch < 2; launch++) {
        smrf_trace_block *b[3] = {};
        ASSERT_EQ(smrf_trace_next_kernel(t.get(), &info), 1) << smrf_trace_error(t.get());
        for (smrf_trace_block *&block : b) {
            ASSERT_EQ(smrf_trace_next_block(t.get(), &block), 1);
        }
        ASSERT_TRUE(smrf_trace_ahead_begin(t.get()));
        smrf_trace_release_block(t.get(), b[1]);
        smrf_trace_ahead_read(t.get());
        EXPECT_TRUE(smrf_trace_ahead_ready(t.get()));
        EXPECT_EQ(smrf_trace_totals_get(t.get())->blocks, launch == 0 ? 3u : 66u);
        smrf_trace_release_block(t.get(), b[0]);
        if (launch == 0) {
            smrf_trace_release_block(t.get(), b[2]);
            smrf_trace_ahead_end(t.get());
        }
    } // closed with one out and sixty waiting
}
