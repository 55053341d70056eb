// SPDX-License-Identifier: Apache-2.0
// Whole traces under a mechanism: its configuration, a run with the sum of its counters over the
// SMs, and what became of its laws.
#ifndef SMRF_TEST_MECHANISM_RUN_H
#define SMRF_TEST_MECHANISM_RUN_H

#include "replay.h"

#include <algorithm>

namespace replay
{

// The two generated bundled traces, then the recorded ones that are at hand.
inline std::vector<std::string> all_traces()
{
    const std::string source = std::getenv("SMRF_SOURCE_DIR");
    std::vector<std::string> all = {source + "/traces/bundled/matmul",
                                    source + "/traces/bundled/divergent"};
    if (!real_traces().empty()) {
        for (const auto &entry : std::filesystem::directory_iterator(real_traces())) {
            if (std::filesystem::exists(entry.path() / "kernelslist.g")) {
                all.push_back(entry.path().string());
            }
        }
    }
    std::sort(all.begin() + 2, all.end());
    return all;
}

// A preset with the mechanism's own settings over it, then the pairs.
inline smrf_config mechanism_config(const smrf_mechanism &m, const char *preset,
                                    std::initializer_list<const char *> pairs = {})
{
    std::vector<const char *> all;
    for (size_t i = 0; m.defaults && m.defaults[i]; i++) {
        all.push_back(m.defaults[i]);
    }
    all.insert(all.end(), pairs);
    smrf_config cfg;
    smrf_config_error err;
    EXPECT_EQ(0, smrf_preset_apply(&cfg, preset, &err)) << err.text;
    EXPECT_EQ(0, smrf_config_set_pairs(&cfg, all.data(), all.size(), "test", &err)) << err.text;
    EXPECT_EQ(0, smrf_config_check(&cfg, &err)) << err.text;
    return cfg;
}

// counters: the mechanism's struct of uint64_t.
template <typename counters> struct mechanism_outcome {
    result run;
    counters own{};
    std::string broken; // names of laws, each with "; "
};

template <typename counters>
mechanism_outcome<counters> run_mechanism(const smrf_mechanism &m, const std::string &trace,
                                          const smrf_config &cfg, options opt = {})
{
    mechanism_outcome<counters> o;
    opt.mechanism = &m;
    opt.end = [&](const smrf_machine *machine) {
        for (uint32_t i = 0; i < cfg.gpu.sms && m.counters; i++) {
            auto to = reinterpret_cast<uint64_t *>(&o.own);
            const uint64_t *from = m.counters(machine->mechanism_state[i]);
            for (unsigned k = 0; k < m.num_counters; k++) {
                to[k] += from[k];
            }
        }
    };
    o.run = run(trace, cfg, opt);
    const auto own = reinterpret_cast<const uint64_t *>(&o.own);
    for (size_t i = 0; i < m.num_laws; i++) {
        if (m.laws[i].left(own, &o.run.stats) != m.laws[i].right(own, &o.run.stats)) {
            o.broken += m.laws[i].name + std::string("; ");
        }
    }
    return o;
}

} // namespace replay

#endif
