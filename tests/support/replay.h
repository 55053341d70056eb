// SPDX-License-Identifier: Apache-2.0
// Replays a trace on the plain engine and gives back everything that tests compare: cycles of every
// launch, the counters of all SMs, what the trace says it holds. The conservation laws are checked
// on every run.
#ifndef SMRF_TESTS_REPLAY_H
#define SMRF_TESTS_REPLAY_H

#include "models/ldst/ldst.h"
#include "models/sm/sm.h"
#include "platform/config/registry.h"
#include "platform/engine/engine.h"
#include "temporary_folder.h"
#include "traces/trace.h"

#include "platform/config/config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace replay
{

struct result {
    int err = 0;
    std::string error;
    std::vector<std::pair<uint64_t, uint64_t>> kernels; // first and last cycle
    struct smrf_sm_stats stats {
    };
    smrf_ldst_stats ldst{};
    struct smrf_trace_totals totals {
    };
    uint64_t cycles = 0; // last cycle of the last launch + 1

    // Everything that may not depend on how the simulation was cut into windows.
    std::vector<uint64_t> timing() const
    {
        std::vector<uint64_t> all;
        for (auto &k : kernels) {
            all.push_back(k.first);
            all.push_back(k.second);
        }
#define ADD(name, unit, meaning) all.push_back(stats.name);
        SMRF_SM_STATS(ADD)
#undef ADD
        all.insert(all.end(), stats.stall, stats.stall + SMRF_STALL_COUNT);
#define ADD(name, unit, meaning) all.push_back(ldst.name);
        SMRF_LDST_STATS(ADD)
#undef ADD
        return all;
    }
};

inline std::vector<std::string> timing_names()
{
    std::vector<std::string> names;
#define ADD(name, unit, meaning) names.push_back(#name);
    SMRF_SM_STATS(ADD)
#undef ADD
#define ADD(name, unit, meaning) names.push_back("stall " #name);
    SMRF_STALLS(ADD)
#undef ADD
#define ADD(name, unit, meaning) names.push_back("ldst " #name);
    SMRF_LDST_STATS(ADD)
#undef ADD
    return names;
}

// Names of what differs between two runs, for messages.
inline std::string difference(const result &a, const result &b)
{
    std::string text;
    std::vector<uint64_t> x = a.timing(), y = b.timing();
    std::vector<std::string> names = timing_names();
    if (x.size() != y.size()) {
        return "different number of launches";
    }
    size_t launches = x.size() - names.size();
    for (size_t i = 0; i < x.size(); i++) {
        if (x[i] != y[i]) {
            text += (i < launches ? (i % 2 ? "end of launch " : "start of launch ") +
                                        std::to_string(i / 2 + 1)
                                  : names[i - launches]) +
                    ": " + std::to_string(x[i]) + " and " + std::to_string(y[i]) + "; ";
        }
    }
    return text;
}

inline smrf_config preset(const char *name, std::initializer_list<const char *> pairs = {})
{
    smrf_config cfg;
    smrf_config_error err;
    EXPECT_EQ(0, smrf_preset_apply(&cfg, name, &err)) << err.text;
    std::vector<const char *> list(pairs);
    EXPECT_EQ(0, smrf_config_set_pairs(&cfg, list.data(), list.size(), "test", &err)) << err.text;
    EXPECT_EQ(0, smrf_config_check(&cfg, &err)) << err.text;
    return cfg;
}

template <typename stats> void add(stats *sum, const stats *part)
{
    static_assert(sizeof(stats) % sizeof(uint64_t) == 0, "counters only");
    auto to = reinterpret_cast<uint64_t *>(sum);
    auto from = reinterpret_cast<const uint64_t *>(part);
    for (size_t i = 0; i < sizeof(stats) / sizeof(uint64_t); i++) {
        to[i] += from[i];
    }
}

inline void expect_laws(const struct smrf_sm_stats &s, const smrf_config &cfg)
{
    uint64_t stalls = 0, by_class = 0, threads = 0;
    for (uint64_t n : s.stall) {
        stalls += n;
    }
    for (uint64_t n : s.warp_insts_by_class) {
        by_class += n;
    }
    for (uint64_t n : s.thread_insts_by_class) {
        threads += n;
    }
    EXPECT_EQ(s.warp_insts, s.completed) << "issued = completed";
    EXPECT_EQ(s.warp_insts, by_class) << "sum of classes";
    EXPECT_EQ(s.thread_insts, threads) << "sum of classes";
    EXPECT_EQ(s.operand_reads, s.bank_reads - s.part_reads + s.cache_hits)
        << "every operand from one place";
    EXPECT_EQ(s.operand_writes - s.copy_writes - s.shared_writes,
              s.bank_writes - s.round_writes - s.evictions)
        << "every result in one place";
    EXPECT_EQ(s.bank_reads, s.crossbar_transfers) << "every bank read crosses once";
    EXPECT_EQ(s.scheduler_cycles, s.cycles_issued + stalls) << "every cycle has one outcome";
    EXPECT_EQ(s.scheduler_cycles, s.active_cycles * cfg.sm.subcores);
    EXPECT_LE(s.stepped_cycles, s.active_cycles);
    EXPECT_GE(s.warp_insts, s.cycles_issued);
    EXPECT_LE(s.warp_insts, s.cycles_issued * cfg.issue.width);
    EXPECT_EQ(0u, s.oracle_violations + s.oracle_unrestored + s.oracle_wrong_shares);
    EXPECT_EQ(0u, s.oracle_trace_mismatches);
}

struct options {
    uint64_t slice = SMRF_NEVER; // cycles of one call of run
    bool laws = true;
    std::function<void(const smrf_machine *)> window;
    const smrf_annotator *annotator = nullptr;
    std::function<void(const uint64_t *)> row;     // of the mechanism's intervals
    std::function<void(const smrf_machine *)> end; // after the last launch
    const smrf_mechanism *mechanism = smrf_mechanism_find("baseline");
};

inline bool window_(void *ctx, const smrf_machine *machine)
{
    auto opt = static_cast<const options *>(ctx);
    if (opt->window) {
        opt->window(machine);
    }
    return true;
}

inline void begin_(void *, const smrf_gpu_kernel *) {}

inline void end_(void *ctx, const smrf_gpu_kernel *kernel)
{
    auto r = static_cast<std::pair<options *, result *> *>(ctx);
    r->second->kernels.push_back({kernel->start, kernel->end});
}

inline void row_(void *ctx, const uint64_t *row)
{
    const options *opt = static_cast<std::pair<options *, result *> *>(ctx)->first;
    if (opt->row) {
        opt->row(row);
    }
}

inline bool window_pair_(void *ctx, const smrf_machine *machine)
{
    return window_(static_cast<std::pair<options *, result *> *>(ctx)->first, machine);
}

inline void collect_(result *r, const smrf_machine *m, const smrf_trace *trace)
{
    for (uint32_t i = 0; i < m->cfg->gpu.sms; i++) {
        add(&r->stats, smrf_sm_stats_get(m->sm[i]));
        add(&r->ldst, smrf_ldst_statistics(smrf_sm_ldst(m->sm[i])));
        EXPECT_TRUE(smrf_sm_idle(m->sm[i]));
        EXPECT_TRUE(smrf_ldst_idle(smrf_sm_ldst(m->sm[i])));
    }
    r->totals = *smrf_trace_totals_get(trace);
    r->cycles = r->kernels.empty() ? 0 : r->kernels.back().second + 1;
}

// Run to the end.
inline result run(const std::string &path, const smrf_config &cfg, options opt = {})
{
    result r;
    std::pair<options *, result *> ctx{&opt, &r};
    smrf_gpu_hooks hooks{};
    hooks.ctx = &ctx;
    hooks.kernel_begin = begin_;
    hooks.kernel_end = end_;
    hooks.window = window_pair_;
    hooks.annotator = opt.annotator;
    hooks.interval = row_;
    smrf_trace *trace = nullptr;
    smrf_engine *engine = nullptr;
    char text[256] = "";
    const smrf_engine_ops &ops = smrf_engine_direct;

    r.err = smrf_trace_open(&trace, path.c_str(), nullptr);
    if (r.err) {
        r.error = smrf_trace_error(trace);
    } else if ((r.err = ops.create(&engine, &cfg, opt.mechanism, &hooks, text, sizeof text))) {
        r.error = text;
    } else if (!(r.err = ops.load(engine, trace))) {
        uint64_t until = 0;
        int end;
        do {
            until = opt.slice > SMRF_NEVER - until ? SMRF_NEVER : until + opt.slice;
            end = ops.run(engine, until);
        } while (end == SMRF_RUN_LIMIT);
        r.err = end < 0 ? end : 0;
        r.error = end < 0 ? ops.error(engine) : "";
        if (!r.err) {
            collect_(&r, ops.machine(engine), trace);
            if (opt.end) {
                opt.end(ops.counted(engine));
            }
        }
    }
    if (engine) {
        ops.destroy(engine);
    }
    smrf_trace_close(trace);
    EXPECT_EQ(0, r.err) << path << ": " << r.error;
    if (!r.err && opt.laws) {
        expect_laws(r.stats, cfg);
        EXPECT_EQ(r.totals.warp_insts - r.stats.removed_insts + r.stats.injected_insts,
                  r.stats.warp_insts);
        EXPECT_EQ(r.totals.thread_insts - r.stats.removed_threads + r.stats.injected_threads,
                  r.stats.thread_insts);
        EXPECT_EQ(r.totals.blocks, r.stats.blocks);
    }
    return r;
}

using smrf_test::temporary_folder;

// Folder named by a variable, or else one beside the sources; empty if there is none.
inline std::string folder(const char *variable, const char *fallback)
{
    const char *given = std::getenv(variable);
    const char *source = std::getenv("SMRF_SOURCE_DIR");
    std::string path = given && *given ? given : source ? std::string(source) + "/" + fallback : "";
    return !path.empty() && std::filesystem::is_directory(path) ? path : "";
}

inline std::string real_traces()
{
    return folder("SMRF_REAL_TRACES", "../shared/traces");
}

} // namespace replay

#endif
