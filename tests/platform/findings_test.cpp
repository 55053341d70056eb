// SPDX-License-Identifier: Apache-2.0
// What the value oracle finds reaches the caller: error text, JSON and the lines of the summary.
#include "../examples/last_result.h"
#include "../support/platform_files.h"
#include "platform/cli/cli.h"
#include "platform/platform_internal.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace
{

using namespace smrf_test;

class findings : public testing::Test
{
  protected:
    void SetUp() override
    {
        ASSERT_EQ(SMRF_OK, smrf_platform_create(&p));
        ASSERT_EQ(SMRF_OK, smrf_platform_engine(p, "direct"));
    }
    void TearDown() override
    {
        smrf_platform_destroy(p);
    }
    // Two launches; each warp writes R5 twice and reads it, over and over.
    void load()
    {
        launch_shape shape;
        shape.blocks = 3;
        shape.warps = 2;
        shape.body = {"ffffffff 1 R5 FFMA 2 R4 R6 0 0", "ffffffff 1 R5 FADD 2 R4 R6 0 0",
                      "ffffffff 1 R7 IADD3 2 R5 R7 0 0"};
        shape.repeat = 20;
        std::string trace = write_trace(folder, "trace", shape, 2);
        ASSERT_EQ(SMRF_OK, smrf_platform_add_trace(p, trace.c_str())) << smrf_platform_error(p);
    }
    std::string json()
    {
        std::string path = folder / "r.json";
        EXPECT_EQ(SMRF_OK, smrf_platform_write_json(p, path.c_str()));
        return read_file(path);
    }
    std::string summary()
    {
        char *text = nullptr;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        smrf_cli_summary(p, false, out);
        std::fclose(out);
        std::string all(text, size);
        std::free(text);
        return all;
    }
    std::string line(size_t index)
    {
        char text[512] = "";
        return smrf_platform_finding(p, index, text, sizeof text) ? "" : text;
    }

    temporary_folder folder;
    smrf_platform *p = nullptr;
};

TEST_F(findings, OfARightRunAreNone)
{
    load();
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << smrf_platform_error(p);
    EXPECT_EQ("", line(0));
    document result(json());
    EXPECT_EQ(0u, json_array_size(result.at("checks.findings")));
    EXPECT_EQ(std::string::npos, summary().find("scoreboard.war")) << "nothing to explain";
}

TEST_F(findings, OfAStaleCopyNameEveryPlaceInTextSummaryAndJson)
{
    load();
    p->mechanism = &stale_result;
    ASSERT_EQ(SMRF_ERR_CHECK, smrf_platform_run(p, SMRF_NO_LIMIT));
    uint64_t violations = 0;
    smrf_platform_count(p, "oracle.violations", &violations);
    ASSERT_GT(violations, 10u);
    EXPECT_NE(std::string::npos,
              std::string(smrf_platform_error(p)).find(std::to_string(violations) + " operands"));

    document result(json());
    const json_t *list = result.at("checks.findings");
    ASSERT_EQ(10u, json_array_size(list));
    const std::string text = summary();
    long long before = 0;
    for (size_t i = 0; i < 10; i++) {
        const json_t *f = json_array_get(list, i);
        auto number = [f](const char *key) {
            EXPECT_TRUE(json_is_integer(json_object_get(f, key))) << key;
            return json_integer_value(json_object_get(f, key));
        };
        EXPECT_STREQ("operand", json_string_value(json_object_get(f, "kind")));
        EXPECT_STREQ("_Z4testPf", json_string_value(json_object_get(f, "kernel")));
        EXPECT_EQ(1, number("launch"));
        const json_t *block = json_object_get(f, "block");
        ASSERT_EQ(3u, json_array_size(block));
        EXPECT_LT(json_integer_value(json_array_get(block, 0)), 3);
        EXPECT_LT(number("warp"), 2);
        EXPECT_EQ(0, number("lane"));
        EXPECT_EQ(0x20, number("pc") % 0x30) << "the IADD3 reads";
        EXPECT_EQ(5, number("register"));
        EXPECT_GE(number("cycle"), before) << "in order of time";
        before = number("cycle");
        EXPECT_GE(number("row"), 0);
        EXPECT_LT(number("bank"), 16);
        EXPECT_TRUE(json_is_true(json_object_get(f, "from_mechanism")));
        const json_t *expected = json_object_get(f, "expected"),
                     *found = json_object_get(f, "found");
        EXPECT_GT(json_integer_value(json_object_get(expected, "version")),
                  json_integer_value(json_object_get(found, "version")));
        const char *value = json_string_value(json_object_get(found, "value"));
        ASSERT_NE(nullptr, value);

        const std::string told = line(i);
        char place[128];
        std::snprintf(place, sizeof place,
                      "cycle %lld, SM %lld, launch 1 _Z4testPf, block %lld,0,0, warp %lld, lane 0, "
                      "PC 0x%04llx, R%lld",
                      number("cycle"), number("sm"), json_integer_value(json_array_get(block, 0)),
                      number("warp"), number("pc"), number("register"));
        EXPECT_NE(std::string::npos, told.find(place)) << place << "\n" << told;
        EXPECT_NE(std::string::npos, told.find(value)) << told;
        EXPECT_NE(std::string::npos, text.find(told)) << "in the summary";
    }
    EXPECT_EQ("", line(10));
    EXPECT_NE(std::string::npos, std::string(smrf_platform_error(p)).find(line(0)));
}

TEST_F(findings, OfTwoLaunchesNameTheRightOne)
{
    load();
    p->mechanism = &stale_result;
    ASSERT_EQ(SMRF_ERR_CHECK, smrf_platform_run(p, SMRF_NO_LIMIT));
    smrf_finding late{};
    late.launch = 2;
    late.block = 2;
    char text[256];
    smrf_finding_text(&late, p->launches, p->num_launches, text, sizeof text);
    EXPECT_NE(std::string::npos, std::string(text).find("launch 2 _Z4testPf, block 2,0,0")) << text;
    late.launch = 3;
    smrf_finding_text(&late, p->launches, p->num_launches, text, sizeof text);
    EXPECT_NE(std::string::npos, std::string(text).find("launch 3 ?")) << "not begun: " << text;
}

TEST_F(findings, WhatIsNotZeroWhereItShouldBeIsExplained)
{
    launch_shape shape;
    shape.blocks = 1;
    shape.warps = 8;
    shape.repeat = 40;
    shape.body = {"ffffffff 1 R1 FADD 1 R9 0 0", "ffffffff 1 R2 DADD 1 R1 0 0",
                  "ffffffff 1 R1 IADD3 1 R9 0 0", "ffffffff 1 R3 FADD 1 R200 0 0"};
    std::string trace = write_trace(folder, "trace", shape, 1);
    ASSERT_EQ(SMRF_OK, smrf_platform_add_trace(p, trace.c_str()));
    ASSERT_EQ(SMRF_OK, smrf_platform_preset(p, "rtx2060-accelsim"));
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << smrf_platform_error(p);
    uint64_t overtaken = 0, unbacked = 0;
    smrf_platform_count(p, "oracle.overtaken", &overtaken);
    smrf_platform_count(p, "oracle.unbacked", &unbacked);
    const std::string text = summary();
    EXPECT_EQ(8u * 40u, unbacked);
    EXPECT_NE(std::string::npos, text.find("nregs")) << text;
    EXPECT_EQ(overtaken > 0, text.find("scoreboard.war=off") != std::string::npos) << text;
}

} // namespace
