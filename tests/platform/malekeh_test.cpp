// SPDX-License-Identifier: Apache-2.0
// What a user meets of a mechanism: its section in JSON and CSV, its statistics through the C API,
// a table of its own, and refusals.
#include "platform/config/registry.h"
#include "platform/platform.h"
#include "tests/support/platform_files.h"

#include "models/seam/mechanism.h"

#include <cstring>
#include <string>

using namespace smrf_test;

namespace
{

const char machine[] = "start 1\n1 * 1 +3\n";

class malekeh : public ::testing::Test
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
    void add_matmul()
    {
        const std::string trace =
            std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/matmul";
        ASSERT_EQ(SMRF_OK, smrf_platform_add_trace(p, trace.c_str())) << error();
    }
    std::string error() const
    {
        return smrf_platform_error(p);
    }
    temporary_folder folder;
    smrf_platform *p = nullptr;
};

TEST_F(malekeh, EveryMechanismReplaysAndItsLawsAreChecked)
{
    for (const char *name : {"malekeh-long", "malekeh-short", "malekeh-private", "gto-lru"}) {
        smrf_platform *q = nullptr;
        ASSERT_EQ(SMRF_OK, smrf_platform_create(&q));
        smrf_platform_engine(q, "direct");
        ASSERT_EQ(SMRF_OK, smrf_platform_mechanism(q, name)) << smrf_platform_error(q);
        const std::string trace = write_trace(folder, std::string("t") + name, small_launch(), 3);
        smrf_platform_add_trace(q, trace.c_str());
        ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(q, SMRF_NO_LIMIT)) << smrf_platform_error(q);
        uint64_t reads = 0, hits = 0, misses = 0, launch_sum = 0;
        EXPECT_EQ(SMRF_OK, smrf_platform_count(q, "rf.operand_reads", &reads));
        EXPECT_EQ(SMRF_OK, smrf_platform_count(q, "mechanism.hits", &hits));
        EXPECT_EQ(SMRF_OK, smrf_platform_count(q, "mechanism.misses", &misses));
        EXPECT_EQ(reads, hits + misses);
        double ratio = 0;
        EXPECT_EQ(SMRF_OK, smrf_platform_stat(q, "mechanism.hit_ratio", &ratio));
        EXPECT_DOUBLE_EQ(double(hits) / double(reads), ratio);
        for (size_t i = 0; i < 3; i++) {
            double of_launch = 0;
            EXPECT_EQ(SMRF_OK, smrf_platform_launch_stat(q, i, "mechanism.hits", &of_launch));
            launch_sum += uint64_t(of_launch);
        }
        EXPECT_EQ(hits, launch_sum) << "launches add up";
        const std::string json = folder / "out.json";
        ASSERT_EQ(SMRF_OK, smrf_platform_write_json(q, json.c_str()));
        document d(read_file(json));
        EXPECT_EQ(27u + smrf_mechanism_find(name)->num_laws, unsigned(d.count("checks.laws")));
        smrf_platform_destroy(q);
    }
}

TEST_F(malekeh, JsonHasTheSectionAndTheWalkAndCsvTheColumns)
{
    smrf_platform_mechanism(p, "malekeh-long");
    smrf_platform_set(p, "malekeh.sthld_interval=500");
    add_matmul();
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
    const std::string json = folder / "out.json", csv = folder / "out.csv";
    ASSERT_EQ(SMRF_OK, smrf_platform_write_json(p, json.c_str()));
    ASSERT_EQ(SMRF_OK, smrf_platform_write_csv(p, csv.c_str()));
    document d(read_file(json));
    EXPECT_EQ(d.count("rf.cache_hits"), d.count("mechanism.hits"));
    EXPECT_EQ(d.count("rf.bank_reads"), d.count("mechanism.misses"));
    EXPECT_EQ(d.count("rf.cache_writes"), d.count("mechanism.kept"));
    const smrf_mechanism *m = smrf_mechanism_find("malekeh-long");
    for (size_t i = 0; i < m->num_stats; i++) {
        EXPECT_NE(nullptr, d.at(std::string("mechanism.") + m->stats[i].name)) << m->stats[i].name;
    }
    json_t *columns = d.at("mechanism.sthld_walk.columns"),
           *rows = d.at("mechanism.sthld_walk.rows");
    ASSERT_EQ(m->gpu->num_columns, json_array_size(columns));
    ASSERT_EQ(size_t(d.count("cycles")) / 500, json_array_size(rows));
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        EXPECT_EQ(int(500 * (i + 1)), json_integer_value(json_array_get(row, 0)));
        EXPECT_NEAR(double(json_integer_value(json_array_get(row, 1))) / 500,
                    json_real_value(json_array_get(row, 2)), 1e-6);
    }
    EXPECT_NE(nullptr, document::at(json_array_get(d.at("kernels"), 0), "mechanism.hits"));
    const std::string text = read_file(csv);
    const std::string header = text.substr(0, text.find('\n'));
    for (size_t i = 0; i < m->num_stats; i++) {
        EXPECT_NE(std::string::npos, header.find(std::string(",mechanism.") + m->stats[i].name));
    }
    const auto fields = [](const std::string &line) {
        size_t commas = 0;
        bool quoted = false;
        for (char c : line) {
            quoted ^= c == '"';
            commas += c == ',' && !quoted;
        }
        return commas;
    };
    const std::string rest = text.substr(text.find('\n') + 1);
    EXPECT_EQ(fields(header), fields(rest.substr(0, rest.find('\n'))));
}

TEST_F(malekeh, TheBaselineHasNoSection)
{
    add_matmul();
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
    const std::string json = folder / "out.json";
    smrf_platform_write_json(p, json.c_str());
    document d(read_file(json));
    EXPECT_EQ(nullptr, d.at("mechanism"));
    EXPECT_TRUE(json_is_null(d.at("provenance.mechanism_table")));
    uint64_t count;
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_platform_count(p, "mechanism.hits", &count));
}

TEST_F(malekeh, ARatioIsNotACountAndAnUnknownNameIsAnError)
{
    smrf_platform_mechanism(p, "gto-lru");
    add_matmul();
    ASSERT_EQ(SMRF_OK, smrf_platform_build(p)) << error();
    uint64_t count;
    double value;
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_platform_count(p, "mechanism.hit_ratio", &count));
    EXPECT_NE(std::string::npos, error().find("ratio"));
    EXPECT_EQ(SMRF_ERR_UNKNOWN, smrf_platform_stat(p, "mechanism.hitz", &value));
}

TEST_F(malekeh, AConfigurationThatItCannotRunInIsRefusedWithWhatToDo)
{
    smrf_platform_mechanism(p, "malekeh-private");
    smrf_platform_set(p, "rf.collectors=3");
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_platform_build(p));
    EXPECT_NE(std::string::npos, error().find("set rf.collectors to")) << error();
}

// --- a table of the user's

TEST_F(malekeh, AUsersTableMovesSthldAndIsNamedInTheResults)
{
    const std::string path = folder / "machine.txt", json = folder / "out.json";
    write_file(path, machine);
    smrf_platform_mechanism(p, "malekeh-long");
    smrf_platform_set(p, "malekeh.sthld_interval=500");
    ASSERT_EQ(SMRF_OK, smrf_platform_mechanism_table(p, path.c_str())) << error();
    add_matmul();
    ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << error();
    smrf_platform_write_json(p, json.c_str());
    document d(read_file(json));
    json_t *rows = d.at("mechanism.sthld_walk.rows");
    ASSERT_GT(json_array_size(rows), 3u);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        EXPECT_EQ(int(3 * i), json_integer_value(json_array_get(json_array_get(rows, i), 3)));
    }
    EXPECT_EQ(0u, d.text("provenance.mechanism_table").find("0x"));
}

TEST_F(malekeh, ErrorsOfATableNameFileLineAndReason)
{
    const std::string path = folder / "machine.txt";
    EXPECT_EQ(SMRF_ERR_IO, smrf_platform_mechanism_table(p, path.c_str()));
    EXPECT_NE(std::string::npos, error().find(path));
    write_file(path, std::string(70000, '#'));
    EXPECT_EQ(SMRF_ERR_LIMIT, smrf_platform_mechanism_table(p, path.c_str()));
    EXPECT_EQ(SMRF_ERR_IO, smrf_platform_mechanism_table(p, std::string(folder / "").c_str()));

    write_file(path, "start 1\n1 * 1 x\n");
    ASSERT_EQ(SMRF_OK, smrf_platform_mechanism_table(p, path.c_str()));
    smrf_platform_mechanism(p, "malekeh-long");
    EXPECT_EQ(SMRF_ERR_FORMAT, smrf_platform_build(p));
    EXPECT_NE(std::string::npos, error().find(path + ":2: ")) << error();
}

TEST_F(malekeh, AMechanismWithoutATableTakesNone)
{
    const std::string path = folder / "machine.txt";
    write_file(path, machine);
    ASSERT_EQ(SMRF_OK, smrf_platform_mechanism_table(p, path.c_str()));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_platform_build(p));
    EXPECT_NE(std::string::npos, error().find("baseline")) << error();
}

TEST_F(malekeh, ATableThatNothingWouldLookAtIsRefused)
{
    const struct {
        const char *mechanism, *setting, *why;
    } cases[] = {{"malekeh-private", "sim.seed=1", "malekeh-private never waits"},
                 {"gto-lru", "sim.seed=1", "gto-lru never waits"},
                 {"malekeh-long", "malekeh.sthld_mode=fixed", "malekeh.sthld_mode=fixed"}};
    const std::string path = folder / "machine.txt";
    write_file(path, machine);
    for (const auto &c : cases) {
        smrf_platform *own = nullptr;
        ASSERT_EQ(SMRF_OK, smrf_platform_create(&own));
        smrf_platform_mechanism(own, c.mechanism);
        smrf_platform_set(own, c.setting);
        ASSERT_EQ(SMRF_OK, smrf_platform_mechanism_table(own, path.c_str()));
        EXPECT_EQ(SMRF_ERR_INVAL, smrf_platform_build(own)) << c.mechanism;
        EXPECT_NE(nullptr, std::strstr(smrf_platform_error(own), c.why))
            << smrf_platform_error(own);
        smrf_platform_destroy(own);
    }
}

TEST_F(malekeh, AnIncompleteTableAndOneAfterBuildingAreRefused)
{
    const std::string path = folder / "machine.txt";
    write_file(path, "start 1\n1 small 1 0\n");
    smrf_platform_mechanism(p, "malekeh-long");
    ASSERT_EQ(SMRF_OK, smrf_platform_mechanism_table(p, path.c_str()));
    EXPECT_EQ(SMRF_ERR_FORMAT, smrf_platform_build(p));
    EXPECT_NE(std::string::npos, error().find("lacks an edge")) << error();
    EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_mechanism_table(p, path.c_str()));
}

TEST_F(malekeh, TheCommandLineTakesMechanismAndTable)
{
    const std::string path = folder / "machine.txt";
    const std::string trace = write_trace(folder, "trace", small_launch());
    write_file(path, machine);
    outcome got =
        smrf(folder, "run -q -m malekeh-long --mechanism-table " + path + " --json - " + trace);
    EXPECT_EQ(0, got.status) << got.err;
    document d(got.out);
    EXPECT_EQ("malekeh-long", d.text("provenance.mechanism"));
    EXPECT_EQ(0u, d.text("provenance.mechanism_table").find("0x"));
    write_file(path, "start one\n");
    got = smrf(folder, "run -m malekeh-long --mechanism-table " + path + " " + trace);
    EXPECT_NE(0, got.status);
    EXPECT_NE(std::string::npos, got.err.find(path + ":1: ")) << got.err;
    got = smrf(folder, "list --all statistics mechanisms");
    EXPECT_NE(std::string::npos, got.out.find("mechanism.near_flushed")) << got.out;
    EXPECT_NE(std::string::npos, got.out.find("gto-lru"));
}

} // namespace
