// SPDX-License-Identifier: Apache-2.0
// Under every mechanism the engine over SystemC and the plain engine give the same cycles,
// counters, counters of the mechanism, and rows of its intervals; whatever the quantum.
#include "platform/config/registry.h"
#include "tests/support/engine_outcome.h"
#include "tests/support/near_annotator.h"

#include <algorithm>

using namespace engine_outcome;
using smrf_test::near_annotator;

namespace
{

std::vector<std::string> traces()
{
    std::vector<std::string> all = {source_folder() + "/traces/bundled/matmul",
                                    source_folder() + "/traces/bundled/divergent"};
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

// Rows of the mechanism's intervals.
size_t expect_identity(const smrf_mechanism &m, const char *machine, const std::string &trace,
                       uint32_t quantum, uint32_t other_quantum)
{
    std::vector<const char *> pairs;
    for (size_t i = 0; m.defaults[i]; i++) {
        pairs.push_back(m.defaults[i]);
    }
    pairs.push_back("malekeh.sthld_interval=500");
    smrf_config cfg = preset(machine, pairs);
    near_annotator bits(near_annotator::MIXED);
    run_options options;
    options.mechanism = &m;
    options.annotator = &bits.seam;
    cfg.sim.quantum = quantum;
    const outcome plain = run(smrf_engine_direct, trace, cfg, options);
    expect_complete(plain);
    cfg.sim.quantum = other_quantum;
    for (bool monitors : {false, true}) {
        cfg.sim.monitor = monitors;
        const outcome systemc = run_in_child(smrf_engine_systemc, trace, cfg, options);
        expect_complete(systemc);
        EXPECT_EQ("", difference(plain, systemc)) << machine << " " << trace;
    }
    EXPECT_GT(plain.sum().mechanism[0], 0u);
    return plain.series.size();
}

class under : public testing::TestWithParam<const char *>
{
};

TEST_P(under, BothEnginesAreTheSame)
{
    const smrf_mechanism &m = *smrf_mechanism_find(GetParam());
    const char *const machines[] = {"rtx2060-paper", "rtx2060-accelsim"};
    const uint32_t quanta[] = {195, 1, 64, 7};
    size_t turn = 0, rows = 0;
    for (const std::string &trace : traces()) {
        const bool bundled = turn < 2;
        rows +=
            expect_identity(m, machines[turn % 2], trace, quanta[turn % 4], quanta[3 - turn % 4]);
        if (bundled) {
            rows += expect_identity(m, machines[1 - turn % 2], trace, quanta[3], quanta[0]);
        }
        turn++;
    }
    const bool waits = std::string(GetParam()).rfind("malekeh-", 0) == 0 &&
                       std::string(GetParam()) != "malekeh-private";
    EXPECT_EQ(waits, rows > 0) << "an STHLD, and so intervals, only where warps wait";
}

std::string name_of_test(const testing::TestParamInfo<const char *> &info)
{
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Malekeh, under,
                         testing::Values("malekeh-long", "malekeh-short", "malekeh-private",
                                         "gto-lru", "rfc", "rfc-software", "ltrf"),
                         name_of_test);

} // namespace
