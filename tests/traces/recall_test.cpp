// SPDX-License-Identifier: Apache-2.0
// Lines that have come before are recognised by their bytes, many at a time: random programs,
// walked through by warps that differ in little, are read as a slow parser reads each line alone.
#include "trace_files.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

using namespace trace_files;

namespace
{

// One static instruction: the text of its lines but for the mask and the address.
struct instruction {
    std::string head, body, tail; // PC, operands up to mem_width, what follows
    std::string mode;             // of addresses; empty: none
    uint64_t address = 0;         // that the first one names
    uint32_t mask = UINT32_MAX;
};

class program
{
  public:
    program(unsigned seed, int version, bool line_numbers, unsigned binary = 75)
        : version_(version), line_numbers_(line_numbers), binary_(binary)
    {
        smrf_rng_seed(&rng_, seed, 0);
        inst_.resize(5 + below(60));
        for (size_t i = 0; i < inst_.size(); i++) {
            inst_[i] = make(i);
        }
    }

    // Blocks of warps that walk through it.
    std::string blocks()
    {
        std::string text = header(std::to_string(version_), 4 * 32, binary_,
                                  line_numbers_ ? "-enable lineinfo = 1" : "-enable lineinfo = 0");
        for (unsigned b = 0; b < 4; b++) {
            text += "\n#BEGIN_TB\n\nthread block = " + std::to_string(b) + ",0,0\n";
            for (unsigned w = 0; w < 4; w++) {
                const std::vector<std::string> lines = walk();
                text += "\nwarp = " + std::to_string(w) +
                        "\ninsts = " + std::to_string(lines.size()) + "\n";
                for (const std::string &line : lines) {
                    text += line + "\n" + (odd(60) ? "\n" : "");
                }
            }
            text += "\n#END_TB\n";
        }
        return text;
    }

  private:
    uint32_t below(uint32_t n)
    {
        return smrf_rng_below(&rng_, n);
    }
    bool odd(uint32_t of)
    {
        return below(of) == 0;
    }

    static std::string hex(uint64_t v, int digits)
    {
        char text[32];
        std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(v));
        return text;
    }

    // The immediate, and what stands behind it.
    std::string end()
    {
        if (version_ < 5) { // none
            return "";
        }
        return std::to_string(int(below(3)) - 1) + (version_ >= 6 ? " 0 NoVal" : "") +
               (odd(2) ? " " : "");
    }

    instruction make(size_t i)
    {
        instruction in;
        in.head = (line_numbers_ ? std::to_string(7 * i) + " " : "") + hex(16 * i, 4) + " ";
        in.mask = odd(6) ? random_mask(&rng_) : UINT32_MAX;
        if (odd(3)) {
            in.mode = odd(2) ? "1" : "2";
            in.address = odd(3) ? below(0x2000) : UINT64_C(0x7f0a00000000) + below(0x100000);
            in.body = "1 R" + std::to_string(below(200)) + " LDG.E.SYS 1 R2 4";
            std::string steps;
            const uint32_t bend = below(31);
            for (uint32_t l = 0; l < 31; l++) {
                steps += " " + std::to_string(l == bend ? -500 : 4);
            }
            in.tail = in.mode == "1" ? " 4 " + end() : steps; // cut to the mask's lanes
            in.tail += in.mode == "1" ? "" : " " + end();
        } else {
            in.body = odd(2) ? "1 R" + std::to_string(below(200)) + " FFMA 3 R1 R2 R3 0"
                             : "0 ISETP.LT.AND 1 R" + std::to_string(below(30)) + " 0";
            in.tail = " " + end();
        }
        return in;
    }

    // A list has as many steps as the mask has lanes after the first.
    static std::string cut(const std::string &tail, uint32_t mask)
    {
        const int drop = 32 - std::max(1, __builtin_popcount(mask));
        size_t at = 0;
        for (int i = 0; i < drop; i++) {
            at = tail.find(' ', at + 1);
        }
        return tail.substr(at);
    }

    std::string line(const instruction &in, uint32_t mask)
    {
        std::string text = in.head + hex(mask, 8) + " " + in.body;
        std::string tail = in.tail;
        if (!in.mode.empty()) {
            static const uint64_t far[] = {0,
                                           4,
                                           0x1000,
                                           0x7ffffffc,
                                           0x80000000,
                                           0x123456789a,
                                           ~UINT64_C(0) - 0x7fffffff,
                                           ~UINT64_C(0) - 0x80000000};
            const uint64_t address = in.address + (odd(2) ? far[below(8)] : 0x40 * below(64));
            std::string digits = hex(address, 1);
            if (odd(20)) {
                std::transform(digits.begin(), digits.end(), digits.begin(), ::toupper);
            }
            const std::string mode = mask != 0 ? in.mode : "1"; // as tracers have it
            text += " " + mode + (odd(20) ? "  " : " ") + (odd(20) ? "" : "0x") + digits;
            tail = in.mode == "1" ? tail : mask != 0 ? cut(tail, mask) : " 0 " + end();
        } else if (odd(30)) {
            tail = " " + std::to_string(below(1000)) + (version_ >= 6 ? " 0 NoVal" : "");
        }
        text += tail;
        return odd(50) ? text + "\r" : odd(50) ? text + " " : text;
    }

    // Straight on, with jumps, and for a while with another mask.
    std::vector<std::string> walk()
    {
        std::vector<std::string> lines;
        uint32_t own = 0, left = 0;
        const uint32_t length = 1 + below(400);
        for (size_t i = odd(4) ? below(uint32_t(inst_.size())) : 0; lines.size() < length;
             i = odd(12) ? below(uint32_t(inst_.size())) : (i + 1) % inst_.size()) {
            left = left > 0 ? left - 1 : odd(40) ? 1 + below(20) : 0;
            own = left > 0 && odd(3) ? random_mask(&rng_) : own;
            lines.push_back(line(inst_[i], left > 0 ? own : inst_[i].mask));
        }
        return lines;
    }

    smrf_rng rng_;
    std::vector<instruction> inst_;
    int version_;
    bool line_numbers_;
    unsigned binary_;
};

// The static instructions of every launch, in the order of their indices.
std::vector<std::vector<smrf_static_inst>> static_parts(const std::string &path)
{
    std::vector<std::vector<smrf_static_inst>> all;
    smrf_trace *t;
    smrf_kernel_info info;
    EXPECT_EQ(smrf_trace_open(&t, path.c_str(), nullptr), 0);
    while (smrf_trace_next_kernel(t, &info) == 1) {
        smrf_trace_block *b = nullptr, *last = nullptr;
        while (smrf_trace_next_block(t, &b) == 1) {
            smrf_trace_release_block(t, last);
            last = b;
        }
        all.emplace_back();
        for (uint32_t i = 0; smrf_trace_instruction(last, i) != nullptr; i++) {
            all.back().push_back(*smrf_trace_instruction(last, i));
        }
        smrf_trace_release_block(t, last);
    }
    EXPECT_STREQ(smrf_trace_error(t), "");
    smrf_trace_close(t);
    return all;
}

TEST(Recall, RandomProgramsAreReadAsIfEachLineStoodAlone)
{
    temp_dir dir;
    for (unsigned seed = 0; seed < 60; seed++) {
        const int version = 4 + int(seed % 3);
        const std::string text = program(seed, version, seed % 4 == 3).blocks();
        write_file(dir / "kernel-1.traceg", text);
        smrf_trace_options options = {};
        options.memory_budget = seed % 5 == 0 ? 1 : 0;
        const outcome got = read_all(dir / "kernel-1.traceg", &options);
        ASSERT_EQ(got.rc, 0) << "seed " << seed << ": " << got.error;
        SCOPED_TRACE(seed);
        const std::vector<block_records> want = reference_kernel(text);
        ASSERT_NO_FATAL_FAILURE(expect_same(got.kernels.at(0), want));
        uint64_t lanes = 0;
        for (const block_records &b : want) {
            for (const auto &[w, records] : b.warp) {
                for (const record &r : records) {
                    lanes += uint64_t(__builtin_popcount(r.mask));
                }
            }
        }
        EXPECT_EQ(got.totals.thread_insts, lanes);
    }
}

// However many lines before it were recognised at once.
TEST(Recall, ALineThatIsRefusedIsNamedByItsNumber)
{
    temp_dir dir;
    smrf_rng rng;
    smrf_rng_seed(&rng, 31, 0);
    for (unsigned seed = 0; seed < 60; seed++) {
        const std::string text = program(100 + seed, 5, false).blocks();
        std::vector<size_t> starts; // of instruction lines
        for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
            if (text.compare(at, 2, "00") == 0) {
                starts.push_back(at);
            }
        }
        const size_t at = starts[smrf_rng_below(&rng, uint32_t(starts.size()))];
        const std::string bad[] = {"0000 fffffxff 0 EXIT 0 0 0", "0000 ffffffff x EXIT 0 0 0", "#",
                                   "warp = 1"};
        const std::string broken =
            text.substr(0, at) + bad[seed % 4] + text.substr(text.find('\n', at));
        write_file(dir / "kernel-1.traceg", broken);
        const outcome got = read_all(dir / "kernel-1.traceg");
        EXPECT_LT(got.rc, 0) << seed;
        const auto number = 1 + std::count(text.begin(), text.begin() + ptrdiff_t(at), '\n');
        EXPECT_NE(got.error.find(".traceg:" + std::to_string(number) + ": "), std::string::npos)
            << number << ", not " << got.error;
    }
}

// Whatever an earlier launch has had of the same text, of the same program or of another.
TEST(Recall, LaunchesOfAListAreReadAsIfEachWereAlone)
{
    temp_dir dir;
    smrf_rng rng;
    smrf_rng_seed(&rng, 37, 0);
    std::string list;
    std::vector<std::string> files;
    for (unsigned n = 1; n <= 24; n++) {
        static const unsigned binaries[] = {61, 75, 90};
        const unsigned seed = smrf_rng_below(&rng, 3), version = 5 + smrf_rng_below(&rng, 2);
        files.push_back("kernel-" + std::to_string(n) + ".traceg");
        write_file(
            dir / files.back(),
            program(200 + seed, int(version), false, binaries[smrf_rng_below(&rng, 3)]).blocks());
        list += files.back() + "\n";
    }
    write_file(dir / "kernelslist.g", list);
    const auto together = static_parts(dir / "kernelslist.g");
    ASSERT_EQ(together.size(), files.size());
    for (size_t k = 0; k < files.size(); k++) {
        const auto alone = static_parts(dir / files[k]).at(0);
        ASSERT_EQ(together[k].size(), alone.size()) << files[k];
        for (size_t i = 0; i < alone.size(); i++) {
            smrf_static_inst a = alone[i], b = together[k][i];
            EXPECT_EQ(a.num_src, b.num_src);
            EXPECT_EQ(std::memcmp(&a, &b, offsetof(smrf_static_inst, source)), 0)
                << files[k] << " instruction " << i;
        }
    }
}

// The same text beside sidecars that say more of it, each its own, or beside none.
TEST(Recall, LaunchesOfAListHaveTheirOwnSidecars)
{
    temp_dir dir;
    const std::string text = header("5") + one_warp({"0000 ffffffff 1 R1 FFMA 3 R2 R3 R4 0 0 "});
    const std::string reuse[] = {"", ".reuse", ".reuse", "", ".reuse"};
    std::string list;
    for (unsigned n = 0; n < 6; n++) {
        const std::string name = "kernel-" + std::to_string(n + 1);
        write_file(dir / (name + ".traceg"), text);
        if (n < 5) {
            write_file(dir / (name + ".operands"), "#smrf operands 2\n#line 6 \"a.cu\"\n0000 PT - "
                                                   "FFMA =R1 A:R2 B:R3" +
                                                       reuse[n] + " C:R4\n");
        }
        list += name + ".traceg\n";
    }
    write_file(dir / "kernelslist.g", list);
    smrf_trace *t;
    smrf_kernel_info info;
    smrf_trace_block *b = nullptr;
    ASSERT_EQ(smrf_trace_open(&t, (dir / "kernelslist.g").c_str(), nullptr), 0);
    for (unsigned n = 0; n < 6; n++) {
        ASSERT_EQ(smrf_trace_next_kernel(t, &info), 1) << smrf_trace_error(t);
        ASSERT_EQ(smrf_trace_next_block(t, &b), 1) << smrf_trace_error(t);
        const smrf_static_inst *op = smrf_trace_instruction(b, 0);
        EXPECT_EQ(op->has_operands, n < 5) << n;
        EXPECT_EQ(op->src_reuse, n < 5 && !reuse[n].empty() ? 2u : 0u) << n;
        EXPECT_STREQ(op->source, n < 5 ? "a.cu" : nullptr) << n;
        smrf_trace_release_block(t, b);
    }
    smrf_trace_close(t);
}

// What stands ready for good, and what is written into the room of the caller, says the same.
TEST(Recall, AnInstructionThatStandsReadyIsTheOneThatIsCopied)
{
    temp_dir dir;
    write_file(dir / "kernel-1.traceg", program(7, 5, false).blocks());
    smrf_trace *t[2];
    unsigned ready = 0, copied = 0, behind = 0;
    smrf_kernel_info info;
    smrf_trace_block *b[2];
    for (unsigned i = 0; i < 2; i++) {
        ASSERT_EQ(smrf_trace_open(&t[i], (dir / "kernel-1.traceg").c_str(), nullptr), 0);
        ASSERT_EQ(smrf_trace_next_kernel(t[i], &info), 1);
    }
    while (smrf_trace_next_block(t[0], &b[0]) == 1 && smrf_trace_next_block(t[1], &b[1]) == 1) {
        for (uint32_t w = 0; w < smrf_trace_block_warps(b[0]); w++) {
            smrf_inst one, room[3];
            const smrf_inst *at[3] = {};
            unsigned have = 0, next = 0, most = 0; // some at a time
            smrf_inst_run run = {};
            const bool runs = w % 3 != 0;
            while (smrf_trace_next_inst(b[0], w, &one) == 1) {
                if (next == have && run.left == 0) {
                    most = most % 3 + 1;
                    const int got =
                        smrf_trace_take_insts(b[1], w, most, room, at, runs ? &run : nullptr);
                    ASSERT_GT(got, 0);
                    ASSERT_LE(unsigned(got), most);
                    have = unsigned(got);
                    next = 0;
                }
                const smrf_inst *i;
                if (next < have) {
                    i = at[next];
                    (i == &room[next] ? copied : ready)++;
                    next++;
                } else {
                    i = smrf_inst_run_take(&run);
                    behind++;
                }
                EXPECT_EQ(from_inst(one), from_inst(*i));
                EXPECT_EQ(one.next_pc, i->next_pc);
                EXPECT_EQ(one.next_mask, i->next_mask);
                EXPECT_EQ(i->values, nullptr);
                EXPECT_EQ(i->facts, nullptr);
                EXPECT_EQ(i->near_src | i->near_dst, 0u);
            }
            EXPECT_EQ(next, have);
            EXPECT_EQ(run.left, 0u);
            EXPECT_EQ(smrf_trace_take_insts(b[1], w, 2, room, at, nullptr), 0);
        }
        for (unsigned i = 0; i < 2; i++) {
            smrf_trace_release_block(t[i], b[i]);
        }
    }
    EXPECT_GT(ready, 100u);
    EXPECT_GT(copied, 100u);
    EXPECT_GT(behind, 30u);
    for (smrf_trace *trace : t) {
        smrf_trace_close(trace);
    }
}

// Runs of any mask have the same instructions and, beside them, the mask.
TEST(Recall, RunsOfAnyMaskHaveTheInstructionsAndTheirMask)
{
    temp_dir dir;
    write_file(dir / "kernel-1.traceg", program(7, 5, false).blocks());
    smrf_trace *t[2];
    smrf_kernel_info info;
    smrf_trace_block *b[2];
    unsigned behind = 0, others = 0;
    for (unsigned i = 0; i < 2; i++) {
        ASSERT_EQ(smrf_trace_open(&t[i], (dir / "kernel-1.traceg").c_str(), nullptr), 0);
        smrf_trace_run_any_mask(t[i], i == 1);
        ASSERT_EQ(smrf_trace_next_kernel(t[i], &info), 1);
    }
    while (smrf_trace_next_block(t[0], &b[0]) == 1 && smrf_trace_next_block(t[1], &b[1]) == 1) {
        for (uint32_t w = 0; w < smrf_trace_block_warps(b[0]); w++) {
            smrf_inst one, room;
            const smrf_inst *i = nullptr;
            smrf_inst_run run = {};
            while (smrf_trace_next_inst(b[0], w, &one) == 1) {
                uint32_t mask = run.mask;
                if (run.left != 0) {
                    i = smrf_inst_run_take(&run);
                    behind++;
                    others += i->mask != mask;
                } else {
                    ASSERT_EQ(smrf_trace_take_insts(b[1], w, 1, &room, &i, &run), 1);
                    EXPECT_EQ(from_inst(one), from_inst(*i));
                    mask = i->mask;
                }
                EXPECT_EQ(one.op->index, i->op->index);
                EXPECT_EQ(one.mask, mask);
            }
            EXPECT_EQ(run.left, 0u);
            EXPECT_EQ(smrf_trace_take_insts(b[1], w, 1, &room, &i, &run), 0);
        }
        for (unsigned i = 0; i < 2; i++) {
            smrf_trace_release_block(t[i], b[i]);
        }
    }
    EXPECT_GT(behind, 100u);
    EXPECT_GT(others, 10u);
    for (smrf_trace *trace : t) {
        smrf_trace_close(trace);
    }
}

} // namespace
