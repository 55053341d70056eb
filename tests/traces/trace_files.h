// SPDX-License-Identifier: Apache-2.0
// Temporary folders, small trace files and a slow, obvious parser of .traceg text to compare with.
#ifndef SMRF_TESTS_TRACE_FILES_H
#define SMRF_TESTS_TRACE_FILES_H

#include "models/common/smrf_err.h"
#include "models/common/smrf_rng.h"
#include "tests/support/temporary_folder.h"
#include "traces/trace.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace trace_files
{

namespace fs = std::filesystem;

using temp_dir = smrf_test::temporary_folder;

inline void write_file(const std::string &path, const std::string &content)
{
    std::ofstream out(path, std::ios::binary);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    ASSERT_TRUE(out.good()) << path;
}

inline std::string read_file(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// Header of a kernel of one block of `threads` threads.
inline std::string header(const std::string &version, unsigned threads = 32, unsigned binary = 75,
                          const std::string &extra = "")
{
    return "-kernel name = _Z1kv\n-kernel id = 1\n-grid dim = (4,2,2)\n-block dim = (" +
           std::to_string(threads) +
           ",1,1)\n-shmem = 128\n-nregs = 40\n-binary version = " + std::to_string(binary) +
           "\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0a10000000\n"
           "-local mem base_addr = 0x00007f0a0e000000\n-nvbit version = 1.5.5\n"
           "-accelsim tracer version = " +
           version + "\n" + extra + "\n#traces format = whatever\n\n";
}

// One block with one warp of the given lines.
inline std::string one_warp(const std::vector<std::string> &lines, const std::string &end = "\n")
{
    std::string text =
        "\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = " + std::to_string(lines.size()) +
        "\n";
    for (const std::string &line : lines) {
        text += line + end;
    }
    return text + "\n#END_TB\n";
}

// What the reader says about one execution.
struct record {
    uint32_t pc = 0, mask = 0, line = 0;
    std::string opcode;
    std::vector<int> dst, src; // as listed, vector registers only
    std::map<int, uint64_t> address;
    uint64_t imm = 0;
    bool operator==(const record &o) const
    {
        return pc == o.pc && mask == o.mask && opcode == o.opcode && dst == o.dst && src == o.src &&
               address == o.address && imm == o.imm && line == o.line;
    }
};

inline std::ostream &operator<<(std::ostream &out, const record &r)
{
    out << std::hex << r.pc << " " << r.mask << std::dec << " " << r.opcode << " dst";
    for (int d : r.dst) {
        out << " " << d;
    }
    out << " src";
    for (int s : r.src) {
        out << " " << s;
    }
    out << " imm " << r.imm << " line " << r.line << std::hex;
    for (auto [lane, a] : r.address) {
        out << " " << lane << ":" << a;
    }
    return out << std::dec;
}

struct block_records {
    smrf_dim3 id = {0, 0, 0};
    std::map<unsigned, std::vector<record>> warp; // warps that are listed
};

inline record from_inst(const smrf_inst &i)
{
    record r;
    r.pc = i.op->pc;
    r.mask = i.mask;
    r.line = i.line;
    r.opcode = i.op->text;
    r.dst.assign(i.op->dst_listed, i.op->dst_listed + i.op->num_dst_listed);
    r.src.assign(i.op->src_listed, i.op->src_listed + i.op->num_src_listed);
    r.imm = i.imm;
    unsigned k = 0;
    for (int lane = 0; lane < SMRF_LANES; lane++) {
        if ((i.mask >> lane & 1) == 0) {
            continue;
        }
        if (i.addr_kind == SMRF_ADDR_STRIDE) {
            r.address[lane] = i.base + k * static_cast<uint64_t>(i.stride);
        } else if (i.addr_kind == SMRF_ADDR_LIST) {
            r.address[lane] = smrf_inst_address(&i, unsigned(lane));
        }
        k++;
    }
    return r;
}

// Everything the reader finds, launch by launch; one instruction of each warp in turn.
struct outcome {
    int rc = 0; // of the call that ended it: 0 or an error
    std::string error;
    std::vector<std::vector<block_records>> kernels;
    std::vector<smrf_kernel_info> infos; // strings in it are gone
    std::vector<std::string> warnings;
    struct smrf_trace_totals totals = {};
};

inline outcome read_all(const std::string &path, const smrf_trace_options *options = nullptr)
{
    outcome o;
    smrf_trace *t = nullptr;
    smrf_kernel_info info;
    o.rc = smrf_trace_open(&t, path.c_str(), options);
    while (o.rc >= 0 && (o.rc = smrf_trace_next_kernel(t, &info)) > 0) {
        o.infos.push_back(info);
        o.kernels.emplace_back();
        smrf_trace_block *b = nullptr;
        while ((o.rc = smrf_trace_next_block(t, &b)) > 0) {
            block_records out;
            out.id = smrf_trace_block_id(b);
            bool more = true;
            std::map<unsigned, smrf_inst> before; // what stands ahead of each warp
            std::map<unsigned, size_t> steps;     // further ones, which are no lines
            while (more) {
                more = false;
                for (unsigned w = 0; w < smrf_trace_block_warps(b); w++) {
                    smrf_inst inst;
                    int rc = smrf_trace_next_inst(b, w, &inst);
                    EXPECT_GE(rc, 0) << smrf_trace_error(t);
                    auto last = before.find(w);
                    if (rc >= 0 && last != before.end()) {
                        EXPECT_EQ(last->second.next_pc, rc > 0 ? inst.op->pc : 0);
                        EXPECT_EQ(last->second.next_mask, rc > 0 ? inst.mask : 0);
                    }
                    if (rc > 0) {
                        steps[w] += inst.op->step != 0;
                        if (inst.op->step == 0) {
                            out.warp[w].push_back(from_inst(inst));
                        }
                        before[w] = inst;
                        more = true;
                    } else {
                        before.erase(w);
                    }
                }
            }
            for (auto &[w, records] : out.warp) {
                EXPECT_EQ(records.size() + steps[w], smrf_trace_warp_length(b, w));
            }
            o.kernels.back().push_back(out);
            smrf_trace_release_block(t, b);
        }
        if (o.rc < 0) {
            break;
        }
    }
    if (t != nullptr) {
        o.error = smrf_trace_error(t);
        o.totals = *smrf_trace_totals_get(t);
        for (size_t i = 0; smrf_trace_warning(t, i) != nullptr; i++) {
            o.warnings.emplace_back(smrf_trace_warning(t, i));
        }
    }
    smrf_trace_close(t);
    return o;
}

// The slow reference: splits lines into words, follows the format's description field by field.
inline record reference_line(const std::string &text, int version, bool lineinfo)
{
    std::istringstream in(text);
    std::vector<std::string> w;
    for (std::string word; in >> word;) {
        w.push_back(word);
    }
    size_t at = version < 3 ? 4 : 0;
    record r;
    if (lineinfo) {
        r.line = static_cast<uint32_t>(std::stoul(w.at(at++)));
    }
    r.pc = static_cast<uint32_t>(std::stoul(w.at(at++), nullptr, 16));
    r.mask = static_cast<uint32_t>(std::stoul(w.at(at++), nullptr, 16));
    auto registers = [&](std::vector<int> &out) {
        int n = std::stoi(w.at(at++));
        for (int i = 0; i < n; i++) {
            const std::string &name = w.at(at++);
            if (name[0] == 'R') {
                out.push_back(std::stoi(name.substr(1)));
            }
        }
    };
    registers(r.dst);
    r.opcode = w.at(at++);
    registers(r.src);
    if (std::stoi(w.at(at++)) != 0) {
        int mode = std::stoi(w.at(at++));
        std::vector<int> lanes;
        for (int lane = 0; lane < 32; lane++) {
            if (r.mask >> lane & 1) {
                lanes.push_back(lane);
            }
        }
        uint64_t last = 0;
        for (size_t i = 0; i < lanes.size(); i++) {
            if (i == 0 || mode == 0) {
                last = std::stoull(w.at(at++), nullptr, 16);
            } else if (mode == 1) {
                last += static_cast<uint64_t>(std::stoll(w.at(at)));
            } else {
                last += static_cast<uint64_t>(std::stoll(w.at(at++)));
            }
            r.address[lanes[i]] = last;
        }
        if (mode == 1) {
            at += lanes.empty() ? 2 : 1;
        }
    }
    if (version >= 5 && at < w.size()) {
        r.imm = w[at][0] == '-' ? static_cast<uint64_t>(std::stoll(w[at])) : std::stoull(w[at]);
    }
    return r;
}

inline std::vector<block_records> reference_kernel(const std::string &text)
{
    std::vector<block_records> blocks;
    std::istringstream in(text);
    int version = 0;
    bool lineinfo = false;
    unsigned warp = 0;
    size_t left = 0;
    for (std::string line; std::getline(in, line);) {
        unsigned a, b, c;
        if (line.empty()) {
            continue;
        }
        if (left > 0) {
            blocks.back().warp[warp].push_back(reference_line(line, version, lineinfo));
            left--;
        } else if (std::sscanf(line.c_str(), "-accelsim tracer version = %d", &version) == 1) {
        } else if (std::sscanf(line.c_str(), "-enable lineinfo = %u", &a) == 1) {
            lineinfo = a != 0;
        } else if (std::sscanf(line.c_str(), "thread block = %u,%u,%u", &a, &b, &c) == 3) {
            blocks.emplace_back();
            blocks.back().id = {a, b, c};
        } else if (std::sscanf(line.c_str(), "warp = %u", &a) == 1) {
            warp = a;
        } else if (std::sscanf(line.c_str(), "insts = %u", &a) == 1) {
            left = a;
        }
    }
    return blocks;
}

inline void expect_same(const std::vector<block_records> &got,
                        const std::vector<block_records> &want)
{
    ASSERT_EQ(got.size(), want.size());
    for (size_t b = 0; b < want.size(); b++) {
        EXPECT_EQ(got[b].id.x, want[b].id.x);
        EXPECT_EQ(got[b].id.y, want[b].id.y);
        EXPECT_EQ(got[b].id.z, want[b].id.z);
        ASSERT_EQ(got[b].warp.size(), want[b].warp.size()) << "block " << b;
        for (const auto &[w, records] : want[b].warp) {
            const std::vector<record> &mine = got[b].warp.at(w);
            ASSERT_EQ(mine.size(), records.size()) << "block " << b << " warp " << w;
            for (size_t i = 0; i < records.size(); i++) {
                ASSERT_EQ(mine[i], records[i]) << "block " << b << " warp " << w << " line " << i;
            }
        }
    }
}

// Folder of real traces; empty where there is none.
inline std::string real_traces()
{
    const char *set = std::getenv("SMRF_REAL_TRACES");
    const char *source = std::getenv("SMRF_SOURCE_DIR");
    std::string path = set != nullptr && *set != '\0' ? set
                       : source != nullptr            ? std::string(source) + "/../shared/traces"
                                                      : "";
    return fs::is_directory(path) ? path : "";
}

// None, any, one lane, a run of lanes, all.
inline uint32_t random_mask(smrf_rng *r)
{
    switch (smrf_rng_below(r, 5)) {
    case 0:
        return 0;
    case 1:
        return smrf_rng_next(r);
    case 2:
        return UINT32_C(1) << smrf_rng_below(r, 32);
    case 3:
        return (UINT32_MAX >> smrf_rng_below(r, 31)) << smrf_rng_below(r, 31);
    default:
        return UINT32_MAX;
    }
}

} // namespace trace_files

#endif
