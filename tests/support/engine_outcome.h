// SPDX-License-Identifier: Apache-2.0
// Replays a trace on an engine and brings back everything that does not depend on the machine it
// ran on: cycles of every launch and all counters, as one row of numbers. SystemC allows one
// simulation a process, so an engine can be run in a child process.
#ifndef SMRF_TESTS_ENGINE_OUTCOME_H
#define SMRF_TESTS_ENGINE_OUTCOME_H

#include "models/ldst/ldst.h"
#include "models/sm/sm.h"
#include "platform/config/registry.h"
#include "platform/engine/engine.h"
#include "traces/trace.h"

#include "platform/config/config.h"
#include "platform/counters/counters.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace engine_outcome
{

constexpr size_t words = sizeof(smrf_counters) / sizeof(uint64_t);

struct outcome {
    int end = 0; // enum smrf_run_end or an error
    std::string error;
    std::vector<uint64_t> kernels; // first cycle, last cycle, all counters; of each launch
    std::vector<uint64_t> series;  // rows of the mechanism's intervals, one after the other
    struct smrf_trace_totals totals {
    };
    std::vector<uint64_t> reads; // blocks, instructions and digest of the trace, after each slice
    uint64_t cycle = 0, payloads_in_use = 0, payloads_peak = 0, violations = 0;

    smrf_counters sum() const // at the end of the last launch
    {
        smrf_counters c{};
        if (!kernels.empty()) {
            std::memcpy(&c, &kernels[kernels.size() - words], sizeof c);
        }
        return c;
    }
};

inline smrf_config preset(const char *name, const std::vector<const char *> &pairs = {})
{
    smrf_config cfg;
    smrf_config_error err;
    EXPECT_EQ(0, smrf_preset_apply(&cfg, name, &err)) << err.text;
    EXPECT_EQ(0, smrf_config_set_pairs(&cfg, pairs.data(), pairs.size(), "test", &err)) << err.text;
    EXPECT_EQ(0, smrf_config_check(&cfg, &err)) << err.text;
    return cfg;
}

struct run_options {
    uint64_t slice = SMRF_NEVER; // cycles of one call of run
    uint64_t limit = SMRF_NEVER; // .. and of all of them
    const smrf_outside_memory *outside = nullptr;
    void *binder = nullptr;
    std::function<bool(const smrf_machine *)> window; // hook; none = runs to the end
    const smrf_annotator *annotator = nullptr;
    unsigned threads = 1;
    const smrf_mechanism *mechanism = smrf_mechanism_find("baseline");
    std::string before;                  // a trace that is replayed first; then comes a reset
    uint64_t before_cycles = SMRF_NEVER; // .. up to here
};

struct recorder {
    outcome *o;
    const run_options *options;
    const smrf_engine_ops *ops;
    smrf_engine *engine = nullptr;

    static void begin(void *, const smrf_gpu_kernel *) {}
    static void end(void *ctx, const smrf_gpu_kernel *kernel)
    {
        auto *self = static_cast<recorder *>(ctx);
        smrf_counters c;
        smrf_counters_collect(&c, self->ops->machine(self->engine));
        self->o->kernels.push_back(kernel->start);
        self->o->kernels.push_back(kernel->end);
        const auto *row = reinterpret_cast<const uint64_t *>(&c);
        self->o->kernels.insert(self->o->kernels.end(), row, row + words);
    }
    static void interval(void *ctx, const uint64_t *row)
    {
        auto *self = static_cast<recorder *>(ctx);
        self->o->series.insert(self->o->series.end(), row,
                               row + self->options->mechanism->gpu->num_columns);
    }
    static bool window(void *ctx, const smrf_machine *machine)
    {
        return static_cast<recorder *>(ctx)->options->window(machine);
    }
};

// Replay something else, and reset. Returns an error's text.
inline std::string run_before(const smrf_engine_ops &ops, smrf_engine *engine,
                              const run_options &options)
{
    smrf_trace *trace = nullptr;
    std::string error;
    if (smrf_trace_open(&trace, options.before.c_str(), nullptr) < 0) {
        error = smrf_trace_error(trace);
    } else if (ops.load(engine, trace) < 0 || ops.run(engine, options.before_cycles) < 0 ||
               ops.reset(engine) < 0) {
        error = ops.error(engine);
    }
    smrf_trace_close(trace);
    return error;
}

// In this process.
inline outcome run(const smrf_engine_ops &ops, const std::string &path, const smrf_config &cfg,
                   const run_options &options = {})
{
    outcome o;
    recorder r{&o, &options, &ops};
    smrf_gpu_hooks hooks{};
    hooks.ctx = &r;
    hooks.kernel_begin = recorder::begin;
    hooks.kernel_end = recorder::end;
    hooks.window = options.window ? recorder::window : nullptr;
    hooks.outside = options.outside;
    hooks.binder = options.binder;
    hooks.annotator = options.annotator;
    hooks.threads = options.threads;
    hooks.interval = recorder::interval;
    smrf_trace *trace = nullptr;
    char text[256] = "";

    o.end = smrf_trace_open(&trace, path.c_str(), nullptr);
    if (o.end) {
        o.error = smrf_trace_error(trace);
    } else if ((o.end =
                    ops.create(&r.engine, &cfg, options.mechanism, &hooks, text, sizeof text))) {
        o.error = text;
    } else if (!options.before.empty() && !(o.error = run_before(ops, r.engine, options)).empty()) {
        o.end = SMRF_ERR_STATE;
    } else if (!(o.end = ops.load(r.engine, trace))) {
        o.kernels.clear(); // of what was replayed before
        o.series.clear();
        uint64_t until = 0;
        do {
            until = options.slice > SMRF_NEVER - until ? SMRF_NEVER : until + options.slice;
            until = until < options.limit ? until : options.limit;
            o.end = ops.run(r.engine, until);
            const struct smrf_trace_totals *read = smrf_trace_totals_get(trace);
            o.reads.insert(o.reads.end(), {read->blocks, read->warp_insts, read->digest});
        } while (o.end == SMRF_RUN_LIMIT && until != options.limit);
        o.error = o.end < 0 ? ops.error(r.engine) : "";
        const smrf_machine *m = ops.counted(r.engine);
        o.cycle = m->cycle;
        o.payloads_in_use = m->payloads_in_use;
        o.payloads_peak = m->payloads_peak;
        o.violations = m->protocol_violations;
        o.totals = *smrf_trace_totals_get(trace);
    }
    if (r.engine) {
        ops.destroy(r.engine);
    }
    smrf_trace_close(trace);
    return o;
}

// The same in a child process.
inline outcome run_in_child(const smrf_engine_ops &ops, const std::string &path,
                            const smrf_config &cfg, const run_options &options = {})
{
    outcome o;
    int ends[2];
    if (pipe(ends) != 0) {
        ADD_FAILURE() << "no pipe";
        return o;
    }
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid == 0) {
        const outcome mine = run(ops, path, cfg, options);
        std::FILE *to = fdopen(ends[1], "w");
        const uint64_t head[] = {static_cast<uint64_t>(mine.end),
                                 mine.kernels.size(),
                                 mine.cycle,
                                 mine.payloads_in_use,
                                 mine.payloads_peak,
                                 mine.violations,
                                 mine.series.size()};
        std::fwrite(head, sizeof head, 1, to);
        std::fwrite(&mine.totals, sizeof mine.totals, 1, to);
        for (const auto *list : {&mine.kernels, &mine.series}) {
            if (!list->empty()) {
                std::fwrite(list->data(), sizeof(uint64_t), list->size(), to);
            }
        }
        std::fwrite(mine.error.data(), 1, mine.error.size(), to);
        std::fclose(to);
        std::fflush(nullptr);
        _exit(testing::Test::HasFailure());
    }
    close(ends[1]);
    std::FILE *from = fdopen(ends[0], "r");
    uint64_t head[7] = {};
    bool good = std::fread(head, sizeof head, 1, from) == 1 &&
                std::fread(&o.totals, sizeof o.totals, 1, from) == 1;
    o.end = static_cast<int>(static_cast<int64_t>(head[0]));
    o.kernels.resize(head[1]);
    o.series.resize(head[6]);
    for (auto *list : {&o.kernels, &o.series}) {
        good = good && (list->empty() || std::fread(list->data(), sizeof(uint64_t), list->size(),
                                                    from) == list->size());
    }
    o.cycle = head[2];
    o.payloads_in_use = head[3];
    o.payloads_peak = head[4];
    o.violations = head[5];
    for (int c; (c = std::fgetc(from)) != EOF;) {
        o.error += static_cast<char>(c);
    }
    std::fclose(from);
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0) << "the child process failed";
    EXPECT_TRUE(good) << "the child process brought nothing back";
    return o;
}

// Which counter is the index-th word of a launch's row.
inline std::string name_of(size_t word)
{
    struct section {
        const char *name;
        size_t offset;
    };
    const section sections[] = {{"mechanism", offsetof(smrf_counters, mechanism)},
                                {"bank accesses", offsetof(smrf_counters, bank_reads)},
                                {"memory", offsetof(smrf_counters, memory)},
                                {"simt", offsetof(smrf_counters, simt)},
                                {"ldst", offsetof(smrf_counters, ldst)},
                                {"sm", offsetof(smrf_counters, sm)},
                                {"cycles", 0}};
    std::vector<std::string> memory, sm, ldst;
#define ADD(name, unit, meaning) memory.push_back(#name);
    SMRF_MEMORY_STATS(ADD)
#undef ADD
#define ADD(name, unit, meaning) sm.push_back(#name);
    SMRF_SM_STATS(ADD)
#undef ADD
#define ADD(name, unit, meaning) ldst.push_back(#name);
    SMRF_LDST_STATS(ADD)
#undef ADD
    for (const section &s : sections) {
        if (word >= s.offset / sizeof(uint64_t)) {
            const size_t at = word - s.offset / sizeof(uint64_t);
            const std::string section_name = s.name;
            const auto &names = section_name == "memory" ? memory
                                : section_name == "sm"   ? sm
                                                         : ldst;
            return section_name + "." +
                   (section_name != "simt" && at < names.size() && section_name.size() < 7
                        ? names[at]
                        : std::to_string(at));
        }
    }
    return "?";
}

// What differs, for messages; empty if nothing does.
inline std::string difference(const outcome &a, const outcome &b)
{
    std::string text;
    if (a.end != b.end) {
        return "ends: " + std::to_string(a.end) + " (" + a.error + ") and " +
               std::to_string(b.end) + " (" + b.error + ")";
    }
    if (a.kernels.size() != b.kernels.size()) {
        return "numbers of launches";
    }
    if (a.series != b.series) {
        return "rows of the mechanism's intervals";
    }
    for (size_t i = 0; i < a.kernels.size() && text.size() < 800; i++) {
        if (a.kernels[i] != b.kernels[i]) {
            const size_t row = i / (words + 2), at = i % (words + 2);
            text += "launch " + std::to_string(row + 1) + " " +
                    (at == 0   ? "start"
                     : at == 1 ? "end"
                               : name_of(at - 2)) +
                    ": " + std::to_string(a.kernels[i]) + " and " + std::to_string(b.kernels[i]) +
                    "; ";
        }
    }
    return text;
}

// What holds after every run to the end.
inline void expect_complete(const outcome &o)
{
    const smrf_counters c = o.sum();
    EXPECT_EQ(o.end, SMRF_RUN_FINISHED) << o.error;
    EXPECT_EQ(c.sm.warp_insts, o.totals.warp_insts - c.sm.removed_insts + c.sm.injected_insts);
    EXPECT_EQ(c.sm.thread_insts,
              o.totals.thread_insts - c.sm.removed_threads + c.sm.injected_threads);
    EXPECT_EQ(c.sm.blocks, o.totals.blocks);
    EXPECT_EQ(c.sm.oracle_violations, 0u);
    EXPECT_EQ(c.sm.oracle_trace_mismatches, 0u);
    EXPECT_EQ(o.payloads_in_use, 0u);
    EXPECT_EQ(o.violations, 0u);
}

inline std::string source_folder()
{
    const char *source = std::getenv("SMRF_SOURCE_DIR");
    return source ? source : ".";
}

// Folder of recorded traces, empty if there is none.
inline std::string real_traces()
{
    const char *given = std::getenv("SMRF_REAL_TRACES");
    const std::string path = given && *given ? given : source_folder() + "/../shared/traces";
    return std::filesystem::is_directory(path) ? path : "";
}

} // namespace engine_outcome

#endif
