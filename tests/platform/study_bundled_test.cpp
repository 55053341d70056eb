// SPDX-License-Identifier: Apache-2.0
// The studies that smrf brings: they load, quote no number of another run, and have what they say.
#include "firmware/kernels/suite.h"
#include "tests/support/study_folder.h"

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

using namespace smrf_test;

namespace
{

// What the studies that come with the program say of the papers.
TEST_F(study, BundledStudiesQuoteNoNumberOfAnotherRun)
{
    const char *root = std::getenv("SMRF_SOURCE_DIR");
    const std::regex quoted("[0-9] ?(%|points|KB|times)"), inside("\\{[^}]*\\}");
    for (const char *name : {"malekeh", "larf", "cars"}) {
        const std::string file =
            read_file(std::string(root ? root : ".") + "/platform/study/" + name + ".yaml");
        EXPECT_TRUE(has(file, "\nuntried:\n")) << name << " says what it leaves out";
        const std::string claims = file.substr(file.find("\nclaims:\n"));
        std::istringstream lines(claims.substr(0, claims.find("\nuntried:\n")));
        for (std::string line; std::getline(lines, line);) {
            const size_t at = line.find("note: ");
            if (at == std::string::npos || has(line, "the paper's own")) {
                continue;
            }
            const std::string text = std::regex_replace(line.substr(at), inside, "N");
            EXPECT_FALSE(std::regex_search(text, quoted)) << name << ": " << text;
        }
    }
}

// All of them, whole: names of programs, scales and variants are checked before anything runs.
TEST_F(study, BundledStudiesLoad)
{
    const char *root = std::getenv("SMRF_SOURCE_DIR");
    size_t studies = 0;
    for (const auto &file :
         fs::directory_iterator(std::string(root ? root : ".") + "/platform/study")) {
        const std::string name = file.path().stem().string();
        const outcome o = smrf(folder, "study " + name + " --report -o " + out + "-" + name);
        EXPECT_EQ(0, o.status) << name << ": " << o.err;
        studies++;
    }
    EXPECT_LE(7u, studies);
}

// Every point of the comparison has its measured time: 15 on each of seven cards, and 76 of sizes
// that were added later.
TEST_F(study, HeldOutHasTheTimesOfAllItsPoints)
{
    ASSERT_EQ(0, smrf(folder, "study held-out --report -o " + out).status); // nothing is run
    std::map<std::string, size_t> points;
    for (const char *figure : {"turing_us", "ampere_us"}) {
        std::istringstream rows(read_file(out + "/" + figure + ".csv"));
        for (std::string row; std::getline(rows, row);) {
            const size_t times = size_t(std::count_if(row.begin() + long(row.find(',')), row.end(),
                                                      [](char c) { return c == '.'; }));
            const bool first = std::regex_search(
                row,
                std::regex("^(convolve_line.*-19|convolve_image.*-9|matrix_vector.*-(9|1.)),"));
            points[first ? "first" : "more"] += row.rfind("trace,", 0) == 0 ? 0 : times;
        }
    }
    EXPECT_EQ(105u, points["first"]);
    EXPECT_EQ(76u, points["more"]);
}

// Means of CARS's study are over the 22 programs that are like the paper's, each of which there is
// as the paper builds it, by files and inlined.
TEST_F(study, CarsComparesTheSameProgramsInEveryBuild)
{
    ASSERT_EQ(0, smrf(folder, "study cars --report -o " + out).status); // nothing is run
    std::istringstream rows(read_file(out + "/fig8-performance.csv"));
    const std::string listed = smrf(folder, "trace --list calls").out;
    size_t programs = 0;
    for (std::string row; std::getline(rows, row);) {
        const std::string name = row.substr(0, row.find(','));
        if (name == "trace" || name.rfind("mean", 0) == 0) {
            continue;
        }
        programs++;
        EXPECT_TRUE(has(listed, name + "-inlined ")) << name;
        EXPECT_TRUE(has(listed, name + "-modules ")) << name;
    }
    EXPECT_EQ(22u, programs);
}

// The papers' study has all that it had, and claims that are not of our making.
TEST_F(study, MalekehHasItsFiguresAndClaims)
{
    const char *root = std::getenv("SMRF_SOURCE_DIR");
    const std::string bundled = std::string(root ? root : ".") + "/traces/bundled/";
    outcome o = smrf(folder, "study malekeh --seeds 1 -o " + out + " " + bundled + "divergent");
    ASSERT_EQ(0, o.status) << o.err;
    const document d = result();
    for (const char *id :
         {"fig1-reuse", "fig7a-ipc-sthld", "fig7b-hits-sthld", "fig12-ipc", "fig13-hit-ratio",
          "fig14-l1d", "fig15-energy-flat23", "fig15-energy-sliced23", "fig15-energy-aw",
          "fig16-cache-writes", "fig17-gto-lru", "annotation", "sthld-walk-500-divergent",
          "roofline", "sensitivity-rthld", "sensitivity-entries", "sensitivity-ports",
          "sensitivity-collectors", "overhead"}) {
        EXPECT_NE(nullptr, json_object_get(d.at("tables"), id)) << id;
        EXPECT_TRUE(fs::exists(out + "/" + id + ".csv")) << id;
        EXPECT_EQ(std::string("overhead") != id, draws(out, id)) << id;
    }
    EXPECT_LT(60u, json_array_size(d.at("claims")));
    const std::string one = bundled + "divergent ",
                      own = "--mechanism malekeh-long --set reuse.mode=dynamic ";
    const double ipc = replay(own + one) / replay(one);
    EXPECT_NEAR(ipc, cell(d, "fig12-ipc", "divergent", 0), 1e-7);
    EXPECT_NEAR(replay(own + one, "rf.hit_ratio"), cell(d, "fig13-hit-ratio", "divergent", 0),
                1e-7);
    EXPECT_NEAR(replay(own + one, "energy.sliced23.total") / replay(one, "energy.sliced23.total"),
                cell(d, "fig15-energy-sliced23", "divergent", 0), 1e-7);
    EXPECT_NEAR(100 * ipc - 100,
                json_number_value(json_object_get(claim(d, "IPC gain, mean"), "ours")), 1e-5);
    double shares = 0;
    for (size_t c = 0; c < 6; c++) {
        shares += cell(d, "fig1-reuse", "divergent", c);
    }
    EXPECT_NEAR(1, shares, 1e-6) << "parts of a whole";
    EXPECT_EQ(2048, cell(d, "overhead", "data: 2 entries more", 0));
}

} // namespace
