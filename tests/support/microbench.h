// SPDX-License-Identifier: Apache-2.0
// Micro-benchmark traces of one thread block: every warp runs n instructions of a pattern, then
// EXIT. The name tells all: <pattern>_w<warps>_n<instructions>.
#ifndef SMRF_TESTS_MICROBENCH_H
#define SMRF_TESTS_MICROBENCH_H

#include "models/ldst/ldst.h"
#include "models/sm/sm.h"
#include "platform/engine/engine.h"
#include "traces/trace.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace microbench
{

const uint64_t GLOBAL = UINT64_C(0x7f0a20000000);
const uint64_t SHARED = UINT64_C(0x7f0a10000000);
const uint64_t LOCAL = UINT64_C(0x7f0a0e000000);

// One instruction as a trace lists it.
struct op {
    std::string opcode;
    std::vector<uint16_t> dst, src;
    uint64_t address = 0; // of the first active lane; 0 = no memory
    uint32_t mask = UINT32_MAX;
    unsigned width = 4; // bytes a lane
    unsigned immediate = 0;
    int stride = -1; // bytes from one active lane to the next; -1: the width
};

using pattern = std::function<op(unsigned i)>;
using program = std::vector<op>;

inline uint16_t rotating(unsigned i, unsigned step = 1)
{
    return uint16_t(20 + step * (i % 16));
}

// Independent instructions with rotating destinations.
inline pattern independent(const char *opcode, std::vector<uint16_t> src, uint64_t address = 0)
{
    return [=](unsigned i) { return op{opcode, {rotating(i)}, src, address}; };
}

// Each instruction reads what the one before has written.
inline pattern dependent(const char *opcode, std::vector<uint16_t> src, uint64_t address = 0)
{
    return [=](unsigned) { return op{opcode, {10}, src, address}; };
}

inline pattern alternating(std::vector<uint16_t> src)
{
    return [=](unsigned i) { return op{i % 2 ? "IADD3" : "FFMA", {rotating(i)}, src}; };
}

inline const std::map<std::string, pattern> &patterns()
{
    static const std::map<std::string, pattern> all{
        {"dep_ffma", dependent("FFMA", {10, 11, 12})},
        {"dep_iadd", dependent("IADD3", {10, 11, 12})},
        {"dep_imad", dependent("IMAD", {10, 11, 12})},
        {"dep_mufu", dependent("MUFU.RCP", {10})},
        {"dep_dfma", dependent("DFMA", {10, 12, 14})},
        {"dep_hmma", dependent("HMMA.1688.F32", {10, 12, 14})},
        {"dep_hfma2", dependent("HFMA2", {10, 11, 12})},
        {"dep_lds", dependent("LDS.U", {10}, SHARED)},
        {"dep_ldg", dependent("LDG.E.SYS", {10}, GLOBAL)},
        {"dep_mov", dependent("MOV", {10})},
        {"dep_bra",
         [](unsigned) {
             return op{"BRA", {}, {}};
         }},
        {"ind_ffma_noconf", independent("FFMA", {2, 3, 5})},
        {"ind_ffma_2same", independent("FFMA", {2, 4, 5})},
        {"ind_ffma_3same", independent("FFMA", {2, 4, 6})},
        {"ind_ffma_1src", independent("FFMA", {2})},
        {"ind_ffma_0src", independent("FFMA", {})},
        {"ind_ffma_dup3", independent("FFMA", {2, 2, 2})},
        {"ind_ffma_rz", independent("FFMA", {2, 3, 255})},
        {"ind_ffma_rz3", independent("FFMA", {255, 255, 255})},
        {"ind_ffma_dsteven",
         [](unsigned i) {
             return op{"FFMA", {rotating(i, 2)}, {2, 4, 6}};
         }},
        {"ind_mix_ffma_iadd", alternating({2, 3, 5})},
        {"ind_mix_ffma_iadd_3same", alternating({2, 4, 6})},
        {"ind_mufu", independent("MUFU.RCP", {2})},
        {"ind_ldg", independent("LDG.E.SYS", {2}, GLOBAL)},
        {"ind_lds", independent("LDS.U", {2}, SHARED)},
        {"lat_l2hit", dependent("LDG.E.STRONG.GPU", {10}, GLOBAL)},
        {"lat_dram",
         [](unsigned i) {
             return op{"LDG.E.SYS", {10}, {10}, GLOBAL + i * 65536};
         }},
    };
    return all;
}

// Launch header of a program of one block.
struct launch {
    uint32_t threads = 32;
    uint32_t blocks = 1;
    uint32_t registers = 64;
    uint64_t shared_bytes = 0;
    unsigned binary_version = 75;
};

// The line of an instruction, tracer version 5.
inline std::string text_of(unsigned pc, const op &o)
{
    char head[64];
    std::snprintf(head, sizeof head, "%04x %08x ", pc, o.mask);
    std::ostringstream s;
    s << head << o.dst.size();
    for (uint16_t r : o.dst) {
        s << " R" << r;
    }
    s << " " << o.opcode << " " << o.src.size();
    for (uint16_t r : o.src) {
        s << " R" << r;
    }
    if (o.address) {
        s << " " << o.width << " 1 0x" << std::hex << o.address << std::dec << " "
          << (o.stride < 0 ? int(o.width) : o.stride);
    } else {
        s << " 0";
    }
    s << " " << o.immediate << "\n";
    return s.str();
}

// Write a trace of one launch into folder: program_of(block, warp) gives a warp's instructions.
inline void write(const std::string &folder, const launch &l,
                  const std::function<program(unsigned block, unsigned warp)> &program_of)
{
    std::ofstream(folder + "/kernelslist.g") << "kernel-1.traceg\n";
    std::ofstream f(folder + "/kernel-1.traceg");
    f << "-kernel name = micro\n-kernel id = 1\n-grid dim = (" << l.blocks << ",1,1)\n"
      << "-block dim = (" << l.threads << ",1,1)\n-shmem = " << l.shared_bytes
      << "\n-nregs = " << l.registers << "\n-binary version = " << l.binary_version
      << "\n-cuda stream id = 0\n"
      << "-shmem base_addr = 0x" << std::hex << SHARED << "\n-local mem base_addr = 0x" << LOCAL
      << std::dec << "\n-nvbit version = 1.5.5\n-accelsim tracer version = 5\n"
      << "-enable lineinfo = 0\n\n#traces format = PC mask dest_num [reg_dests] opcode src_num "
      << "[reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n\n";
    for (uint32_t b = 0; b < l.blocks; b++) {
        f << "#BEGIN_TB\n\nthread block = " << b << ",0,0\n";
        for (uint32_t warp = 0; warp < (l.threads + 31) / 32; warp++) {
            program p = program_of(b, warp);
            f << "\nwarp = " << warp << "\ninsts = " << p.size() << "\n";
            for (size_t i = 0; i < p.size(); i++) {
                f << text_of(unsigned(16 * i), p[i]);
            }
        }
        f << "\n#END_TB\n\n";
    }
    ASSERT_TRUE(f.flush()) << folder;
}

struct benchmark {
    std::string pattern;
    unsigned warps = 1, insts = 0;
};

// From a name; warps is 1 where the name has none.
inline benchmark parse(const std::string &name)
{
    benchmark b;
    size_t n = name.rfind("_n");
    size_t w = name.rfind("_w");
    b.insts = unsigned(std::stoul(name.substr(n + 2)));
    if (w != std::string::npos && name.find_first_not_of("0123456789", w + 2) == n) {
        b.warps = unsigned(std::stoul(name.substr(w + 2)));
        b.pattern = name.substr(0, w);
    } else {
        b.pattern = name.substr(0, n);
    }
    return b;
}

inline void write(const std::string &folder, const benchmark &b)
{
    auto found = patterns().find(b.pattern);
    ASSERT_NE(found, patterns().end()) << b.pattern;
    write(folder, launch{32 * b.warps}, [&](unsigned, unsigned) {
        program p;
        for (unsigned i = 0; i < b.insts; i++) {
            p.push_back(found->second(i));
        }
        p.push_back({"EXIT", {}, {}});
        return p;
    });
}

} // namespace microbench

#endif
