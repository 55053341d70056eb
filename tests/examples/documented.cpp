// SPDX-License-Identifier: Apache-2.0
// The mechanism of docs/write-a-mechanism.md, whose files the build takes from the page: makes it
// known, as a line of families.def would, and compares the output that the page shows.
#include "tests/support/mechanism_run.h"

#include <fstream>
#include <sstream>

extern "C" const struct smrf_family smrf_recent_family;

namespace
{

const int added = smrf_family_add(&smrf_recent_family);

std::string grouped(uint64_t n)
{
    std::string text = std::to_string(n);
    for (size_t i = text.size(); i > 3; i -= 3) {
        text.insert(i - 3, ",");
    }
    return text;
}

TEST(WriteAMechanism, ShowsWhatTheRunPrints)
{
    ASSERT_EQ(SMRF_OK, added);
    const std::string source = std::getenv("SMRF_SOURCE_DIR");
    std::ifstream file(source + "/docs/write-a-mechanism.md");
    std::stringstream page;
    page << file.rdbuf();
    const smrf_mechanism *recent = smrf_mechanism_find("recent");
    ASSERT_NE(nullptr, recent);
    replay::options opt;
    opt.mechanism = recent;
    const replay::result r = replay::run(source + "/traces/bundled/hotspot",
                                         replay::mechanism_config(*recent, "rtx2060-paper"), opt);
    for (const std::string &line :
         {"cycles              " + grouped(r.cycles) + "\n",
          "register reads      " + grouped(r.stats.operand_reads) +
              " operands: " + grouped(r.stats.bank_reads) + " from banks, " +
              grouped(r.stats.cache_hits) + " from caches"}) {
        EXPECT_NE(std::string::npos, page.str().find(line)) << line;
    }
}

} // namespace
