// SPDX-License-Identifier: Apache-2.0
// smrf annotate and the annotation of a replay: a side file and the bits found on the fly are the
// same bits, in every mode and engine; every error names what is wrong.
#include "tests/support/platform_files.h"

#include <algorithm>

using namespace smrf_test;

namespace
{

struct annotate : testing::Test {
    temporary_folder folder;
    std::string bundled(const char *name) const
    {
        const char *source = std::getenv("SMRF_SOURCE_DIR");
        return std::string(source ? source : ".") + "/traces/bundled/" + name;
    }
    // The replay's result without the parts that tell how it was run.
    std::string replay(const std::string &options, const std::string &trace)
    {
        std::string out = folder / "out.json";
        outcome o = smrf(folder, "run -q --mechanism malekeh-long --set gpu.sms=2 --json " + out +
                                     " " + options + " " + trace);
        EXPECT_EQ(0, o.status) << o.err;
        std::string text = read_file(out);
        EXPECT_NE("", text);
        return text.substr(0, text.find("\"provenance\""));
    }
};

TEST_F(annotate, SideFileAndOnTheFlyGiveTheSameReplay)
{
    for (const char *trace : {"divergent", "matmul"}) {
        std::string dynamic, profile;
        for (const char *mode : {"profile", "majority", "dynamic"}) {
            std::string file = folder / (std::string(mode) + ".reuse");
            outcome o = smrf(folder, std::string("annotate --mode ") + mode + " -o " + file + " " +
                                         bundled(trace));
            ASSERT_EQ(0, o.status) << o.err;
            std::string fly = replay(std::string("--set reuse.mode=") + mode, bundled(trace));
            EXPECT_EQ(fly, replay("--reuse " + file, bundled(trace))) << trace << " " << mode;
            EXPECT_EQ(fly, replay(std::string("--engine direct --set reuse.mode=") + mode,
                                  bundled(trace)));
            EXPECT_EQ(fly, replay("--engine direct --reuse " + file, bundled(trace)));
            (std::string(mode) == "dynamic" ? dynamic : profile) = fly;
        }
        EXPECT_NE(dynamic, profile) << "the modes make no difference: is anything annotated?";
    }
}

TEST_F(annotate, TheResultsNameTheSideFileAndTheBitsThatWereUsed)
{
    const std::string file = folder / "five.reuse", common = " -q --reuse " + file + " --json - ";
    ASSERT_EQ(
        0,
        smrf(folder, "annotate --mode dynamic -t 5 -o " + file + " " + bundled("matmul")).status);
    const struct {
        std::string options, side_file, mode;
        json_int_t rthld;
    } cases[] = {{"run -m malekeh-long --set reuse.rthld=9" + common, file, "dynamic", 5},
                 {"run -q -m malekeh-long --set reuse.rthld=9 --json - ", "", "profile", 9},
                 {"run -q -m bow-long --json - ", "", "profile", 12}}; /* asks for no bits */
    for (const auto &c : cases) {
        outcome o = smrf(folder, c.options + bundled("matmul"));
        ASSERT_EQ(0, o.status) << o.err;
        json_t *root = json_loads(o.out.c_str(), 0, nullptr);
        json_t *provenance = json_object_get(root, "provenance");
        json_t *config = json_object_get(provenance, "config");
        const char *named = json_string_value(json_object_get(provenance, "reuse_file"));
        EXPECT_EQ(c.side_file, named ? named : "") << c.options;
        EXPECT_EQ(c.mode, json_string_value(json_object_get(config, "reuse.mode")));
        EXPECT_EQ(c.rthld, json_integer_value(json_object_get(config, "reuse.rthld")));
        json_decref(root);
    }
    const std::string csv =
        smrf(folder, "run -m malekeh-long -q --csv - --reuse " + file + " " + bundled("matmul"))
            .out;
    EXPECT_NE(std::string::npos, csv.find(",provenance.reuse_file,"));
    EXPECT_NE(std::string::npos, csv.find(file));
}

TEST_F(annotate, NearOperandsGrowWithTheThreshold)
{
    json_int_t before = -1;
    for (const char *rthld : {"1", "4", "12", "40"}) {
        outcome o =
            smrf(folder, std::string("annotate --json -t ") + rthld + " " + bundled("matmul"));
        ASSERT_EQ(0, o.status) << o.err;
        json_t *root = json_loads(o.out.c_str(), 0, nullptr);
        ASSERT_NE(nullptr, root);
        json_int_t near = json_integer_value(json_object_get(root, "near_operands"));
        EXPECT_GT(near, before) << rthld;
        EXPECT_LE(near, json_integer_value(json_object_get(root, "operands")));
        EXPECT_LE(json_integer_value(json_object_get(root, "majority_wrong")),
                  json_integer_value(json_object_get(root, "profile_wrong")));
        before = near;
        json_decref(root);
    }
}

TEST_F(annotate, DistributionAddsUpToTheReuses)
{
    outcome o = smrf(folder, "annotate --json " + bundled("divergent"));
    ASSERT_EQ(0, o.status) << o.err;
    json_t *root = json_loads(o.out.c_str(), 0, nullptr);
    ASSERT_NE(nullptr, root);
    json_int_t sum = json_integer_value(json_object_get(root, "distances_above_4095"));
    size_t i;
    json_t *bin;
    json_array_foreach(json_object_get(root, "distances_from_1"), i, bin)
    {
        sum += json_integer_value(bin);
    }
    EXPECT_EQ(json_integer_value(json_object_get(root, "reuses")), sum);
    EXPECT_GT(sum, 0);
    json_decref(root);
    o = smrf(folder, "annotate --csv " + (folder / "d.csv") + " " + bundled("divergent"));
    ASSERT_EQ(0, o.status) << o.err;
    EXPECT_EQ(0u, read_file(folder / "d.csv").find("distance,reuses\n1,"));
}

TEST_F(annotate, ErrorsSayWhatIsWrong)
{
    std::string file = folder / "matmul.reuse";
    ASSERT_EQ(0, smrf(folder, "annotate -o " + file + " " + bundled("matmul")).status);
    std::string dynamic = folder / "matmul.dynamic";
    ASSERT_EQ(
        0, smrf(folder, "annotate --mode dynamic -o " + dynamic + " " + bundled("matmul")).status);
    const struct {
        std::string arguments, says;
        int status;
    } cases[] = {
        {"annotate", "no TRACE", 2},
        {"annotate --rthld 0 x", "--rthld takes", 2},
        {"annotate --rthld 256 x", "--rthld takes", 2},
        {"annotate --profile 1000001 x", "--profile takes", 2},
        {"annotate --mode best x", "--mode is", 2},
        {"annotate a b", "one TRACE", 2},
        {"annotate /nowhere/trace", "/nowhere/trace", 3},
        {"annotate -o /nowhere/file " + bundled("matmul"), "/nowhere/file: cannot write", 3},
        {"run -m malekeh-long --reuse /nowhere/file " + bundled("matmul"), "/nowhere/file", 3},
        {"run --reuse " + file + " " + bundled("matmul"), "baseline does not look at reuse", 2},
        {"run -m malekeh-long --reuse " + file + " " + bundled("divergent"), "another trace", 3},
        {"run -m malekeh-long --reuse " + dynamic + " " + bundled("divergent"), "another trace", 3},
    };
    for (const auto &c : cases) {
        outcome o = smrf(folder, c.arguments);
        EXPECT_EQ(c.status, o.status) << c.arguments << "\n" << o.err;
        EXPECT_NE(std::string::npos, o.err.find(c.says)) << o.err;
    }
}

TEST_F(annotate, FileThatIsCutOffIsFound)
{
    std::string whole = folder / "whole", part = folder / "part";
    ASSERT_EQ(
        0, smrf(folder, "annotate --mode dynamic -o " + whole + " " + bundled("divergent")).status);
    std::string bytes = read_file(whole);
    for (size_t size : {bytes.size() / 4, bytes.size() / 2, bytes.size() - 5}) {
        write_file(part, bytes.substr(0, size));
        outcome o =
            smrf(folder, "run -q -m malekeh-long --reuse " + part + " " + bundled("divergent"));
        if (size < bytes.size() - 5) {
            EXPECT_EQ(3, o.status) << size << o.err;
            EXPECT_NE(std::string::npos, o.err.find(part)) << o.err;
        } else {
            EXPECT_TRUE(o.status == 3 || o.status == 0) << o.err; // "end" alone is missing
        }
    }
}

} // namespace
