// SPDX-License-Identifier: Apache-2.0
// Reuse distances and near/far bits beside an independent, slow reference that looks at a whole
// stream at once; the majority; the side file.
#include "firmware/annotate/reuse_file.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <vector>

namespace
{

using smrf_test::temporary_folder;

struct op_spec {
    std::vector<int> dst, src;
};

smrf_static_inst make_op(uint32_t index, const op_spec &spec, const char *text = "FFMA")
{
    smrf_static_inst op{};
    op.pc = 16 * index;
    op.index = index;
    op.text = text;
    for (int r : spec.dst) {
        op.dst[op.num_dst++] = uint8_t(r);
    }
    for (int r : spec.src) {
        op.src[op.num_src++] = uint8_t(r);
    }
    return op;
}

// By definition: from every access look forward for the next read before a write.
struct reference {
    std::map<uint64_t, uint64_t> bins;
    uint64_t accesses = 0, reuses = 0;
    std::vector<std::pair<uint32_t, uint32_t>> bits; // src, dst

    reference(const std::vector<const smrf_static_inst *> &stream, uint64_t rthld)
    {
        for (size_t i = 0; i < stream.size(); i++) {
            bits.emplace_back(0, 0);
            std::map<int, std::pair<uint32_t, uint32_t>> accessed; // reg -> positions
            for (unsigned k = 0; k < stream[i]->num_src; k++) {
                accessed[stream[i]->src[k]].first |= 1u << k;
            }
            accesses += accessed.size() + stream[i]->num_dst;
            for (unsigned k = 0; k < stream[i]->num_dst; k++) {
                accessed[stream[i]->dst[k]].second |= 1u << k;
            }
            for (const auto &[reg, where] : accessed) {
                uint64_t distance = next_read(stream, i, reg);
                if (distance == 0) {
                    continue;
                }
                reuses++;
                bins[distance]++;
                if (distance <= rthld) {
                    (where.second ? bits[i].second : bits[i].first) |=
                        where.second ? where.second : where.first;
                }
            }
        }
    }
    static bool has(const uint8_t *list, unsigned n, int reg)
    {
        return std::find(list, list + n, reg) != list + n;
    }
    static uint64_t next_read(const std::vector<const smrf_static_inst *> &s, size_t i, int reg)
    {
        for (size_t j = i + 1; j < s.size(); j++) {
            if (has(s[j]->src, s[j]->num_src, reg)) {
                return j - i;
            }
            if (has(s[j]->dst, s[j]->num_dst, reg)) {
                return 0;
            }
        }
        return 0;
    }
};

struct measured {
    std::unique_ptr<smrf_reuse_distances> d = std::make_unique<smrf_reuse_distances>();
    std::vector<std::pair<uint32_t, uint32_t>> bits;
    std::vector<const smrf_static_inst *> order;

    measured(const std::vector<const smrf_static_inst *> &stream, uint32_t rthld)
    {
        std::vector<uint64_t> place((smrf_reuse_warp_bytes(rthld) + 7) / 8);
        auto *w = reinterpret_cast<smrf_reuse_warp *>(place.data());
        smrf_reuse_warp_start(w, rthld);
        for (const auto *op : stream) {
            smrf_reuse_feed(w, op, d.get());
            if (smrf_reuse_ready(w)) {
                take(w);
            }
        }
        while (take(w)) {
        }
    }
    bool take(smrf_reuse_warp *w)
    {
        const smrf_reuse_marked *m = smrf_reuse_take(w);
        if (m) {
            bits.emplace_back(m->near_src, m->near_dst);
            order.push_back(m->op);
        }
        return m != nullptr;
    }
};

TEST(Reuse, NextInstructionIsDistanceOne)
{
    const smrf_static_inst a = make_op(0, {{4}, {}}), b = make_op(1, {{5}, {4}});
    measured m({&a, &b}, 12);
    EXPECT_EQ(1u, m.d->bin[1]);
    EXPECT_EQ(1u, m.d->reuses);
    EXPECT_EQ(3u, m.d->accesses);
    EXPECT_EQ(1u, m.bits[0].second);
}

TEST(Reuse, ThresholdItselfIsNearAndOneMoreIsFar)
{
    for (uint32_t rthld : {1u, 3u, 12u, 255u}) {
        for (uint32_t gap : {rthld, rthld + 1}) {
            const smrf_static_inst write = make_op(0, {{4}, {}}), none = make_op(1, {{}, {}}),
                                   read = make_op(2, {{}, {4}});
            std::vector<const smrf_static_inst *> stream{&write};
            stream.insert(stream.end(), gap - 1, &none);
            stream.push_back(&read);
            measured m(stream, rthld);
            EXPECT_EQ(gap == rthld, m.bits[0].second == 1) << rthld << " " << gap;
            EXPECT_EQ(1u, m.d->bin[gap]);
        }
    }
}

TEST(Reuse, ValueThatIsOverwrittenHasNone)
{
    const smrf_static_inst a = make_op(0, {{4}, {}}), b = make_op(1, {{4}, {}}),
                           c = make_op(2, {{}, {4}});
    measured m({&a, &b, &c}, 12);
    EXPECT_EQ(0u, m.bits[0].second);
    EXPECT_EQ(1u, m.bits[1].second);
    EXPECT_EQ(1u, m.d->reuses);
}

TEST(Reuse, SourceThatTheSameInstructionOverwritesIsDead)
{
    const smrf_static_inst a = make_op(0, {{4}, {4, 5}}), b = make_op(1, {{}, {4}});
    measured m({&a, &b}, 12);
    EXPECT_EQ(0u, m.bits[0].first);
    EXPECT_EQ(1u, m.bits[0].second);
}

TEST(Reuse, DistancesBeyondTheTableAreCountedTogether)
{
    const smrf_static_inst write = make_op(0, {{4}, {}}), none = make_op(1, {{}, {}}),
                           read = make_op(2, {{}, {4}});
    std::vector<const smrf_static_inst *> stream{&write};
    stream.insert(stream.end(), SMRF_REUSE_BINS, &none);
    stream.push_back(&read);
    measured m(stream, 12);
    EXPECT_EQ(1u, m.d->bin[0]);
    EXPECT_EQ(1u, m.d->reuses);
}

TEST(Reuse, RandomStreamsEqualTheReference)
{
    for (unsigned seed = 1; seed <= 300; seed++) {
        std::mt19937 rng(seed);
        auto below = [&](unsigned n) { return unsigned(rng() % n); };
        std::vector<smrf_static_inst> ops;
        unsigned regs = 2 + below(40), statics = 1 + below(30);
        for (unsigned i = 0; i < statics; i++) {
            op_spec spec;
            for (unsigned k = below(5); k; k--) {
                spec.src.push_back(int(below(regs)));
            }
            int first = int(below(regs));
            for (unsigned k = 0, n = below(3); k < n; k++) {
                spec.dst.push_back(first + int(k));
            }
            ops.push_back(make_op(i, spec));
        }
        std::vector<const smrf_static_inst *> stream;
        for (unsigned i = 0, n = below(400); i < n; i++) {
            stream.push_back(&ops[below(statics)]);
        }
        uint32_t rthld = 1 + below(20);
        reference want(stream, rthld);
        measured got(stream, rthld);
        ASSERT_EQ(stream, got.order) << "seed " << seed;
        ASSERT_EQ(want.bits, got.bits) << "seed " << seed;
        ASSERT_EQ(want.accesses, got.d->accesses) << "seed " << seed;
        ASSERT_EQ(want.reuses, got.d->reuses) << "seed " << seed;
        for (unsigned d = 1; d < SMRF_REUSE_BINS; d++) {
            ASSERT_EQ(want.bins.count(d) ? want.bins[d] : 0, got.d->bin[d])
                << "seed " << seed << " distance " << d;
        }
    }
}

TEST(Reuse, MajorityNeedsMoreThanHalf)
{
    const smrf_static_inst op = make_op(3, {{4}, {5, 6}});
    smrf_reuse_profile p{};
    const smrf_reuse_marked runs[] = {{&op, 1, 1}, {&op, 1, 0}, {&op, 2, 0}, {&op, 1, 1}};
    for (const auto &m : runs) {
        ASSERT_EQ(0, smrf_reuse_count(&p, &m));
    }
    uint32_t src, dst;
    smrf_reuse_majority(&p.counts[3], &src, &dst);
    EXPECT_EQ(1u, src); // 3 of 4, 1 of 4
    EXPECT_EQ(0u, dst); // a tie
    smrf_reuse_majority(&p.counts[0], &src, &dst);
    EXPECT_EQ(0u, src | dst);
    smrf_reuse_profile_free(&p);
}

// --- side files ---------------------------------------------------------------------------------

struct launch_info {
    smrf_kernel_info info{};
    launch_info(const char *name)
    {
        info.name = name;
    }
};

TEST(ReuseFile, StaticBitsComeBackByPcOpcodeAndRegisters)
{
    temporary_folder folder;
    const smrf_static_inst a = make_op(0, {{4}, {5, 6}}),
                           b = make_op(1, {{7, 8}, {4}}, "IMAD.WIDE"),
                           other = make_op(0, {{4}, {5, 9}});
    smrf_reuse_profile p{};
    const smrf_reuse_marked runs[] = {{&a, 2, 1}, {&b, 0, 2}};
    for (const auto &m : runs) {
        ASSERT_EQ(0, smrf_reuse_count(&p, &m));
    }
    launch_info k("_Z1kPf");
    char text[SMRF_REUSE_TEXT] = "";
    std::string path = folder / "bits";
    smrf_reuse_writer *w = nullptr;
    ASSERT_EQ(0, smrf_reuse_writer_open(&w, path.c_str(), SMRF_REUSE_PROFILE, 9));
    ASSERT_EQ(0, smrf_reuse_writer_launch(w, &k.info));
    ASSERT_EQ(0, smrf_reuse_writer_profile(w, &p));
    ASSERT_EQ(0, smrf_reuse_writer_end_launch(w));
    ASSERT_EQ(0, smrf_reuse_writer_close(w, text)) << text;
    std::stringstream all;
    all << std::ifstream(path).rdbuf();
    EXPECT_EQ("smrf-reuse 1\nmode profile\nrthld 9\nlaunch 1 _Z1kPf\n0000 FFMA R4+ : R5- R6+\n"
              "0010 IMAD.WIDE R7- R8+ : R4-\nend\n",
              all.str());

    smrf_reuse_reader *r = nullptr;
    smrf_reuse_bits *bits = nullptr;
    ASSERT_EQ(0, smrf_reuse_bits_create(&bits));
    ASSERT_EQ(0, smrf_reuse_reader_open(&r, path.c_str(), text)) << text;
    EXPECT_EQ(SMRF_REUSE_PROFILE, smrf_reuse_reader_mode(r));
    EXPECT_EQ(9u, smrf_reuse_reader_rthld(r));
    ASSERT_EQ(0, smrf_reuse_reader_launch(r, &k.info, bits)) << smrf_reuse_reader_error(r);
    uint32_t src, dst;
    EXPECT_TRUE(smrf_reuse_bits_find(bits, &a, &src, &dst));
    EXPECT_EQ(2u, src);
    EXPECT_EQ(1u, dst);
    EXPECT_TRUE(smrf_reuse_bits_find(bits, &b, &src, &dst));
    EXPECT_EQ(0u, src);
    EXPECT_EQ(2u, dst);
    EXPECT_FALSE(smrf_reuse_bits_find(bits, &other, &src, &dst));
    EXPECT_EQ(0u, src | dst);
    EXPECT_EQ(SMRF_ERR_CORRUPT, smrf_reuse_reader_launch(r, &k.info, bits)) << "past the last";
    smrf_reuse_reader_close(r);
    smrf_reuse_bits_free(bits);
    smrf_reuse_profile_free(&p);
}

TEST(ReuseFile, BadTextIsAnErrorWithFileAndLine)
{
    const struct {
        const char *content, *says;
    } cases[] = {
        {"", ":1: the file ends"},
        {"smrf-reuse 2\n", ":1: version 2"},
        {"reuse\n", ":1: expected 'smrf-reuse"},
        {"smrf-reuse 1\nmode best\n", ":2: mode is"},
        {"smrf-reuse 1\nmode profile\nrthld 0\n", ":3: rthld is"},
        {"smrf-reuse 1\nmode profile\nrthld 12x\n", ":3: rthld is"},
        {"smrf-reuse 1\nmode profile\nrthld 12\nlaunch 1 other\nend\n", ":4: this is launch"},
        {"smrf-reuse 1\nmode profile\nrthld 12\nlaunch 2 k\nend\n", ":4: this is launch"},
        {"smrf-reuse 1\nmode profile\nrthld 12\nlaunch 1 k\n0000 FFMA R4+ R5-\nend\n",
         ":5: expected: PC"},
        {"smrf-reuse 1\nmode profile\nrthld 12\nlaunch 1 k\n0000 FFMA R4 : R5-\nend\n",
         ":5: 'R4' is no register"},
        {"smrf-reuse 1\nmode profile\nrthld 12\nlaunch 1 k\n0000 FFMA R4+ : R5-\n",
         ":6: the file ends"},
    };
    temporary_folder folder;
    launch_info k("k");
    for (const auto &c : cases) {
        std::string path = folder / "bad";
        std::ofstream(path) << c.content;
        char text[SMRF_REUSE_TEXT] = "";
        smrf_reuse_reader *r = nullptr;
        smrf_reuse_bits *bits = nullptr;
        ASSERT_EQ(0, smrf_reuse_bits_create(&bits));
        int err = smrf_reuse_reader_open(&r, path.c_str(), text);
        std::string said = text;
        if (!err) {
            err = smrf_reuse_reader_launch(r, &k.info, bits);
            said = smrf_reuse_reader_error(r);
        }
        EXPECT_LT(err, 0) << c.content;
        EXPECT_NE(std::string::npos, said.find(c.says)) << said;
        smrf_reuse_reader_close(r);
        smrf_reuse_bits_free(bits);
    }
}

TEST(ReuseFile, NothingIsLeftWhereItCannotBeWrittenOrIsAbandoned)
{
    temporary_folder folder;
    char text[SMRF_REUSE_TEXT] = "";
    smrf_reuse_writer *w = nullptr;
    EXPECT_EQ(SMRF_ERR_IO, smrf_reuse_writer_open(&w, "/nowhere/bits", SMRF_REUSE_PROFILE, 12));
    EXPECT_EQ(SMRF_ERR_IO, smrf_reuse_writer_close(w, text));
    EXPECT_NE(nullptr, std::strstr(text, "/nowhere/bits: cannot write the file")) << text;
    std::string path = folder / "bits";
    ASSERT_EQ(0, smrf_reuse_writer_open(&w, path.c_str(), SMRF_REUSE_PROFILE, 12));
    smrf_reuse_writer_abandon(w);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

} // namespace
