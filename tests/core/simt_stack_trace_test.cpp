// SPDX-License-Identifier: Apache-2.0
// The SIMT stack against traces recorded on real GPUs, read with a small parser of its own.
#include "models/simt_stack/simt_stack.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace
{

namespace fs = std::filesystem;

struct line {
    uint32_t pc, mask;
    uint64_t imm;
    std::string opcode;
};

struct kernel {
    uint32_t binary_version = 0, block_threads = 0;
    int tracer_version = 0;
    std::vector<std::pair<uint32_t, std::vector<line>>> warps; // (warp in block, lines)
};

std::string slurp(const fs::path &path)
{
    if (path.extension() == ".xz") {
        std::string text, cmd = "xz -dc '" + path.string() + "'";
        FILE *p = popen(cmd.c_str(), "r");
        char buf[65536];
        for (size_t n; p != nullptr && (n = fread(buf, 1, sizeof buf, p)) > 0;) {
            text.append(buf, n);
        }
        if (p == nullptr || pclose(p) != 0) {
            return "";
        }
        return text;
    }
    std::ifstream in(path);
    std::stringstream ss;
    ss << in.rdbuf();
    return ss.str();
}

/* One instruction line. Fields: spec of the format; only what the stack needs. */
line parse_line(const std::string &text, int version)
{
    std::istringstream in(text);
    std::string skip;
    for (int i = 0; i < (version < 3 ? 4 : 0); i++) {
        in >> skip;
    }
    line l{};
    unsigned num_dst = 0, num_src = 0, width = 0;
    in >> std::hex >> l.pc >> l.mask >> std::dec >> num_dst;
    for (unsigned i = 0; i < num_dst; i++) {
        in >> skip;
    }
    in >> l.opcode >> num_src;
    for (unsigned i = 0; i < num_src; i++) {
        in >> skip;
    }
    in >> width;
    if (width == 0 && version >= 5) {
        int64_t imm = 0;
        in >> imm;
        l.imm = static_cast<uint64_t>(imm);
    }
    return l;
}

kernel parse(const fs::path &path)
{
    kernel k;
    std::istringstream in(slurp(path));
    std::string text;
    while (std::getline(in, text)) {
        unsigned a = 0, b = 0, c = 0;
        if (text.rfind("-binary version", 0) == 0) {
            k.binary_version = static_cast<uint32_t>(std::stoul(text.substr(text.find('=') + 1)));
        } else if (text.rfind("-accelsim tracer version", 0) == 0) {
            k.tracer_version = std::stoi(text.substr(text.find('=') + 1));
        } else if (std::sscanf(text.c_str(), "-block dim = (%u,%u,%u)", &a, &b, &c) == 3) {
            k.block_threads = a * b * c;
        } else if (std::sscanf(text.c_str(), "warp = %u", &a) == 1) {
            k.warps.emplace_back(a, std::vector<line>());
        } else if (!text.empty() && std::isxdigit(static_cast<unsigned char>(text[0])) != 0) {
            k.warps.back().second.push_back(parse_line(text, k.tracer_version));
        }
    }
    return k;
}

uint8_t flow_of(const std::string &opcode)
{
    static const std::map<std::string, smrf_flow> table = {
        {"BRA", SMRF_FLOW_BRANCH},  {"BRX", SMRF_FLOW_BRANCH},  {"JMP", SMRF_FLOW_BRANCH},
        {"JMX", SMRF_FLOW_BRANCH},  {"CALL", SMRF_FLOW_CALL},   {"CAL", SMRF_FLOW_CALL},
        {"JCAL", SMRF_FLOW_CALL},   {"RET", SMRF_FLOW_RET},     {"BSSY", SMRF_FLOW_BSSY},
        {"BSYNC", SMRF_FLOW_BSYNC}, {"BREAK", SMRF_FLOW_BREAK}, {"WARPSYNC", SMRF_FLOW_WARPSYNC},
        {"YIELD", SMRF_FLOW_YIELD}, {"SSY", SMRF_FLOW_SSY},     {"PBK", SMRF_FLOW_SSY},
        {"PCNT", SMRF_FLOW_SSY},    {"SYNC", SMRF_FLOW_SYNC},   {"BRK", SMRF_FLOW_SYNC},
        {"CONT", SMRF_FLOW_SYNC},   {"EXIT", SMRF_FLOW_EXIT},
    };
    auto it = table.find(opcode.substr(0, opcode.find('.')));
    return static_cast<uint8_t>(it == table.end() ? SMRF_FLOW_NONE : it->second);
}

uint32_t lanes_of_warp(const kernel &k, uint32_t warp)
{
    uint32_t left = k.block_threads - warp * 32;
    return left >= 32 ? UINT32_MAX : (1u << left) - 1;
}

fs::path trace_root()
{
    const char *env = std::getenv("SMRF_REAL_TRACES");
    if (env != nullptr && *env != '\0') {
        return env;
    }
    const char *source = std::getenv("SMRF_SOURCE_DIR");
    return fs::path(source != nullptr ? source : ".") / ".." / "shared" / "traces";
}

std::vector<fs::path> trace_files()
{
    std::vector<fs::path> files;
    if (fs::is_directory(trace_root())) {
        for (const auto &e : fs::recursive_directory_iterator(trace_root())) {
            if (e.path().string().find(".traceg") != std::string::npos) {
                files.push_back(e.path());
            }
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

struct replayed {
    smrf_simt_log log{};
    uint32_t unfinished = 0; // warps that end with live lanes
    bool damaged = false;
};

/* Lines of a kernel, and one of them to damage: an inactive lane runs, or the line is lost. */
enum class fault { none, extra_lane, lost_line };

replayed replay(const kernel &k, fault f = fault::none, uint64_t at = 0)
{
    replayed r;
    smrf_simt_config cfg{k.binary_version, k.tracer_version >= 5};
    auto s = std::make_unique<smrf_simt>();
    auto splits = std::make_unique<smrf_simt_split[]>(SMRF_LANES);
    auto store = std::make_unique<smrf_simt_store>();
    for (const auto &[warp, lines] : k.warps) {
        EXPECT_EQ(smrf_simt_init(s.get(), splits.get(), store.get(), &cfg, warp, &r.log), 0);
        smrf_simt_reset(s.get(), lanes_of_warp(k, warp));
        for (const line &l : lines) {
            smrf_static_inst op{};
            op.pc = l.pc;
            op.flow = flow_of(l.opcode);
            op.text = l.opcode.c_str();
            smrf_simt_out out;
            uint32_t mask = l.mask, quiet = ~smrf_simt_probe_active(s.get());
            bool fits = mask != 0 && op.flow == SMRF_FLOW_NONE && s->pc == op.pc &&
                        &l != &lines.back() && (f != fault::extra_lane || quiet != 0);
            if (f != fault::none && !r.damaged && fits && at-- == 0) {
                r.damaged = true;
                if (f == fault::lost_line) {
                    continue;
                }
                mask |= quiet & (0u - quiet);
            }
            smrf_inst inst{};
            inst.op = &op;
            inst.mask = mask;
            inst.imm = l.imm;
            smrf_simt_line told = smrf_simt_line_of(&inst);
            smrf_simt_step(s.get(), &told, &out);
        }
        r.unfinished += !lines.empty() && smrf_simt_probe_live(s.get()) != 0;
    }
    return r;
}

uint64_t mismatches(const smrf_simt_stats &st)
{
    return st.mismatch_pc + st.mismatch_converge + st.mismatch_barrier + st.mismatch_dead;
}

void explain(const smrf_simt_log &log)
{
    for (uint32_t i = 0; i < log.num_first; i++) {
        std::printf("  line %llu warp %u: got %04x/%08x, predicted %04x/%08x, kind %u\n",
                    static_cast<unsigned long long>(log.first[i].line), log.first[i].warp,
                    log.first[i].pc, log.first[i].mask, log.first[i].expected_pc,
                    log.first[i].expected_mask, log.first[i].kind);
    }
}

TEST(SimtStackTraces, PredictEveryLineOfEveryRealTrace)
{
    auto files = trace_files();
    if (files.empty()) {
        GTEST_SKIP() << "no traces under " << trace_root() << "; set SMRF_REAL_TRACES";
    }
    for (const auto &file : files) {
        kernel k = parse(file);
        ASSERT_FALSE(k.warps.empty()) << file;
        replayed r = replay(k);
        const smrf_simt_stats &st = r.log.stats;
        std::printf("%-60s lines %7llu exact %7llu subset %5llu empty %5llu mismatch %llu "
                    "divergences %llu reconvergences %llu calls %llu learned %llu unfinished %u\n",
                    fs::relative(file, trace_root()).c_str(), (unsigned long long)st.insts,
                    (unsigned long long)st.exact, (unsigned long long)st.subset,
                    (unsigned long long)st.empty, (unsigned long long)mismatches(st),
                    (unsigned long long)st.divergences, (unsigned long long)st.reconvergences,
                    (unsigned long long)st.calls, (unsigned long long)st.learned, r.unfinished);
        explain(r.log);
        EXPECT_EQ(mismatches(st), 0u) << file;
        EXPECT_EQ(st.insts, st.exact + st.subset + st.empty) << file;
        EXPECT_GT(st.insts, 0u) << file;
    }
}

TEST(SimtStackTraces, FindDamageInEveryRealTrace)
{
    auto files = trace_files();
    if (files.empty()) {
        GTEST_SKIP() << "no traces under " << trace_root() << "; set SMRF_REAL_TRACES";
    }
    uint64_t damaged = 0, found = 0;
    for (const auto &file : files) {
        kernel k = parse(file);
        for (fault f : {fault::extra_lane, fault::lost_line}) {
            for (uint64_t at = 0; at < 20; at++) {
                replayed r = replay(k, f, at * 3);
                damaged += r.damaged;
                found += r.damaged && mismatches(r.log.stats) != 0;
            }
        }
    }
    std::printf("%llu damaged lines, %llu found\n", static_cast<unsigned long long>(damaged),
                static_cast<unsigned long long>(found));
    EXPECT_GT(damaged, 300u);
    EXPECT_EQ(found, damaged);
}

} // namespace
