// SPDX-License-Identifier: Apache-2.0
// Every option does something: with another value of it a replay of a bundled trace counts
// something else, or is refused. The list of options is the program's own, so that a new one is
// tried, too.
#include "tests/support/platform_files.h"

#include <map>
#include <regex>
#include <set>

namespace
{

using namespace smrf_test;

struct option {
    std::string key, value, range;
};

struct context {
    const char *mechanism; // nullptr: baseline
    const char *settings;  // of other options, without which this one has nothing to do
};

const std::map<std::string, context> contexts = {
    {"dram.cdlr", {nullptr, "l2.sets=16 l2.ways=1"}},
    {"dram.wl", {nullptr, "l2.sets=16 l2.ways=1"}},
    {"dram.wr", {nullptr, "l2.sets=16 l2.ways=1"}},
    {"dram.summed_clocks", {nullptr, "dram.khz=3500000 gpu.core_khz=1000000"}},
    {"exec.buses_by_kind", {nullptr, "exec.result_buses=1"}},
    {"frontend.constant_latency", {nullptr, "frontend.constant_bytes=512"}},
    {"frontend.constant_switch", {nullptr, "frontend.constant_bytes=512"}},
    {"frontend.constant_ways", {nullptr, "frontend.constant_bytes=512"}},
    {"frontend.icache_ways", {nullptr, "frontend.icache_bytes=4096"}},
    {"frontend.l0_ahead", {nullptr, "frontend.l0_bytes=1024"}},
    {"frontend.l0_interval", {nullptr, "frontend.l0_bytes=1024"}},
    {"frontend.l0_latency", {nullptr, "frontend.l0_bytes=1024"}},
    {"frontend.l0_ways", {nullptr, "frontend.l0_bytes=1024"}},
    {"issue.active_warps", {nullptr, "issue.scheduler=two_level"}},
    {"issue.inner", {nullptr, "issue.scheduler=two_level issue.active_warps=4"}},
    {"issue.limit_warps", {nullptr, "issue.scheduler=swl"}},
    {"l1d.lane_interval", {nullptr, "l1d.line_interval=16"}},
    {"l1d.ways", {nullptr, "l1d.unified_bytes=0 l1d.sets=1"}},
    {"l2.set_hash", {nullptr, "l2.sets=16 l2.ways=1"}},
    {"reuse.mode", {"malekeh-long", ""}},
    {"reuse.profile_ppm", {"malekeh-long", ""}},
    {"reuse.rthld", {"malekeh-long", ""}},
    {"rf.oldest_first", {nullptr, "issue.latches=on rf.collectors=2"}},
    {"rf.write_queue", {nullptr, "rf.banks=1"}},
    {"sim.seed", {"malekeh-long", "rf.collector_pick=random rf.collectors=4"}},
    {"sm.registers_pooled", {nullptr, "sm.registers=4096"}},
    {"window_cache.entries", {"window-lru", ""}},
    {"window_cache.reads", {"window-lru", ""}},
    {"window_cache.replacement", {"window-lru", ""}},
    {"window_cache.results", {"window-lru", ""}},
    {"window_cache.tables", {"window-lru", ""}},
    {"window_cache.window", {"window-bow", ""}},
};

// Of the read stages and of issue by control bits: nothing looks at them elsewhere.
const std::set<std::string> of_read_stages = {"exec.address_delay",
                                              "exec.address_interval",
                                              "frontend.constant_bytes",
                                              "frontend.constant_latency",
                                              "frontend.constant_switch",
                                              "frontend.constant_ways",
                                              "issue.latencies",
                                              "rf.reuse_cache",
                                              "rf.unit_queue",
                                              "rf.window",
                                              "rf.read_ports",
                                              "rf.window_order",
                                              "window_cache.entries",
                                              "window_cache.reads",
                                              "window_cache.replacement",
                                              "window_cache.results",
                                              "window_cache.tables",
                                              "window_cache.window"};

// What these traces do not reach, and where it is tested instead. A key that shows an effect here
// must go from this list.
const std::map<std::string, const char *> elsewhere = {
    {"exec.dp_shared", "no double precision: tests/sm/random_sm_test.cpp"},
    {"exec.half_latency", "no instruction in half precision: tests/core/units_test.cpp"},
    {"gpu.architecture", "a note: tests/platform/results_test.cpp"},
    {"exec.hmul2_interval", "no instruction in half precision: tests/core/units_test.cpp"},
    {"frontend.icache_miss_latency", "loops that fit: tests/core/icache_test.cpp"},
    {"issue.barrier_slip", "no arithmetic behind a barrier: tests/sm/alone/modern_core_test.cpp"},
    {"issue.zero_stall", "no stall count of 0: tests/sm/alone/modern_core_test.cpp"},
    {"ldst.shared_atomic", "no atomics of shared memory: tests/core/ldst_random_test.cpp"},
    {"l2.atomic_cycles", "no atomics: tests/core/memory_random_test.cpp"},
    {"l1d.bypass_by", "no access past the L1D: tests/core/ldst_random_test.cpp"},
    {"l1d.joins_filled", "no line leaves so soon: tests/core/ldst_random_test.cpp"},
    {"l1d.age_by_cycle", "no lines as old as others: tests/core/ldst_random_test.cpp"},
    {"l1d.write_ratio", "too few written lines: tests/core/ldst_random_test.cpp"},
    {"rf.in_ports", "collectors are seldom short: tests/sm/random_sm_test.cpp"},
    {"rf.collector_pick", "collectors are alike to the baseline: tests/core/collector_test.cpp"},
    {"rf.swizzle", "warps of a sub-core are shifted alike: tests/core/bank_test.cpp"},
    {"scoreboard.copies", "no asynchronous copies: tests/core/copies_test.cpp"},
    {"sim.monitor", "checks, and changes nothing: tests/module/monitor_*_test.cpp"},
    {"sim.payloads", "changes no result: tests/platform/engine_identity_test.cpp"},
    {"sim.watchdog", "nothing hangs: tests/platform/api_test.cpp"},
    {"sim.quantum", "changes no result: tests/platform/engine_identity_test.cpp"},
};

bool is_elsewhere(const std::string &key)
{
    static const std::set<std::string> mechanisms = {"malekeh", "bow", "cars",         "larf",
                                                     "ltrf",    "rfc", "rfc_software", "swl"};
    const std::string section = key.substr(0, key.find('.'));
    // A memory of others: tests/module/memory_port_test.cpp,
    // tests/platform/foreign_memory_test.cpp.
    return section == "bus" || mechanisms.count(section) || elsewhere.count(key);
}

std::vector<option> all_options(const temporary_folder &folder)
{
    std::vector<option> list;
    const std::regex line("  ([a-z_0-9]+\\.[a-z_0-9]+) +(\\S+) +(\\S.*?)   +\\S.*");
    std::istringstream text(smrf(folder, "list options --all").out);
    std::smatch part;
    for (std::string row; std::getline(text, row);) {
        if (std::regex_match(row, part, line)) {
            list.push_back({part[1], part[2], part[3]});
        }
    }
    return list;
}

// Other values to try: the other words of a list, or numbers beside and far from the default.
std::vector<std::string> other_values(const option &o)
{
    std::vector<std::string> values;
    std::smatch part;
    if (std::regex_match(o.range, part, std::regex("(\\d+) to (\\d+)")) &&
        o.value.find_first_not_of("0123456789") == std::string::npos) {
        const uint64_t low = std::stoull(part[1]), high = std::stoull(part[2]),
                       value = std::stoull(o.value);
        for (const uint64_t v : {2 * value, value / 2, value + 1, uint64_t(1), low, high}) {
            if (v >= low && v <= high && v != value) {
                values.push_back(std::to_string(v));
            }
        }
        return values;
    }
    std::stringstream words(o.range);
    for (std::string word; std::getline(words, word, ',');) {
        word.erase(0, word.find_first_not_of(' '));
        if (word != o.value) {
            values.push_back(word);
        }
    }
    return values;
}

class option_effect : public testing::TestWithParam<unsigned>
{
  protected:
    static constexpr unsigned parts = 12;

    // What a replay counts, without what it says of machine and time. Refused: how.
    std::string counts(const std::string &machine, const std::string &settings,
                       const std::string &trace)
    {
        std::string words = "run -q --engine direct --json - " + machine;
        std::istringstream each(settings);
        for (std::string s; each >> s;) {
            words += " --set " + s;
        }
        const char *root = std::getenv("SMRF_SOURCE_DIR");
        const outcome o =
            smrf(folder, words + " " + (root ? root : ".") + "/traces/bundled/" + trace);
        json_t *d = o.status == 0 ? json_loads(o.out.c_str(), 0, nullptr) : nullptr;
        if (!d) {
            return "refused: " + o.err;
        }
        for (const char *key : {"configuration", "provenance", "sim"}) {
            json_object_del(d, key);
        }
        char *text = json_dumps(d, JSON_SORT_KEYS);
        const std::string all = text;
        std::free(text);
        json_decref(d);
        return all;
    }
    bool differs(const std::string &machine, const std::string &settings, const std::string &trace,
                 const option &o)
    {
        std::string &before = base[machine + " " + settings + " " + trace];
        before = before.empty() ? counts(machine, settings, trace) : before;
        for (const std::string &value : other_values(o)) {
            if (counts(machine, settings + " " + o.key + "=" + value, trace) != before) {
                return true;
            }
        }
        return false;
    }
    bool has_effect(const option &o)
    {
        const auto context = contexts.find(o.key);
        std::string mechanism = "baseline", settings;
        if (context != contexts.end()) {
            mechanism = context->second.mechanism ? context->second.mechanism : mechanism;
            settings = context->second.settings;
        }
        std::vector<const char *> presets = {"rtx2060-paper", "rtx2060-accelsim"};
        if (of_read_stages.count(o.key)) {
            presets = {"turing-modern"};
        }
        for (const char *preset : presets) {
            for (const char *trace : {"matmul", "ray", "divergent", "hotspot"}) {
                if (differs(std::string("--preset ") + preset + " --mechanism " + mechanism,
                            settings, trace, o)) {
                    return true;
                }
            }
        }
        return false;
    }

    temporary_folder folder;
    std::map<std::string, std::string> base; // counts, by mechanism, settings and trace
};

TEST_P(option_effect, EveryOptionChangesACountOrIsRefused)
{
    const std::vector<option> options = all_options(folder);
    ASSERT_GT(options.size(), 150u);
    for (size_t i = GetParam(); i < options.size(); i += parts) {
        if (!is_elsewhere(options[i].key)) {
            EXPECT_TRUE(has_effect(options[i])) << options[i].key << ": " << options[i].range;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(part, option_effect, testing::Range(0u, 12u));

} // namespace
