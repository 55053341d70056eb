// SPDX-License-Identifier: Apache-2.0
// Every command that writes, killed at every step and with a disk that is full at every step: under
// the output's name is the old, whole, or the new, whole.
#include "tests/support/platform_files.h"

#include <cstring>
#include <map>
#include <regex>
#include <sys/resource.h>
#include <unistd.h>

using namespace smrf_test;

namespace
{

using tree = std::map<std::string, std::string>;

tree files(const std::string &path)
{
    tree all;
    for (const auto &e : fs::recursive_directory_iterator(path)) {
        if (!e.is_directory()) {
            all[fs::relative(e.path(), path).string()] = read_file(e.path().string());
        }
    }
    return all;
}

// How long a run took is not compared.
std::string settled(const std::string &text)
{
    size_t at = text.find("\"sim\"");
    return std::regex_replace(text.substr(0, at), std::regex("[0-9]+[.][0-9e+-]+"), "#");
}

class output_faults : public ::testing::TestWithParam<std::pair<const char *, const char *>>
{
  protected:
    void SetUp() override
    {
        trace = write_trace(inputs, "t", small_launch());
        write_file(inputs / "k.yaml",
                   "launches:\n  - {kernel: distances, grid: [1, 1, 1], block: [32, 1, 1], args: "
                   "[places, dist, {i32: 32}, {f32: 30}, {f32: 90}]}\n"
                   "buffers:\n  places: {type: f32, count: 64}\n  dist: {type: f32, count: 32}\n"
                   "dump: {dist: " +
                       (folder / "out") + "}\n");
        source = std::string(std::getenv("SMRF_SOURCE_DIR")) + "/firmware/kernels/rodinia/nn.sass";
    }
    std::string command() const
    {
        std::string text = GetParam().second;
        const std::pair<const char *, std::string> words[] = {{"TRACE", trace},
                                                              {"OUT", folder / "out"},
                                                              {"SASS", source},
                                                              {"YAML", inputs / "k.yaml"}};
        for (const auto &w : words) {
            for (size_t at; (at = text.find(w.first)) != std::string::npos;) {
                text.replace(at, std::strlen(w.first), w.second);
            }
        }
        return text;
    }
    int run(const std::string &environment = "")
    {
        std::string line = environment + " " + program() + " " + command() + " >" +
                           (inputs / "stdout") + " 2>" + (inputs / "stderr") + " </dev/null";
        int status = std::system(line.c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    std::string faulty(const char *what, unsigned long at) const
    {
        return "LD_PRELOAD='" + library() + "' ASAN_OPTIONS=verify_asan_link_order=0 " + what +
               "=" + std::to_string(at);
    }
    static std::string library()
    {
        return (fs::read_symlink("/proc/self/exe").parent_path() / "libsmrf_test_faults.so")
            .string();
    }
    // What stands under the output's name, a file's or a folder's.
    tree published() const
    {
        fs::path out = folder / "out";
        tree all;
        if (fs::is_directory(out)) {
            all = files(out.string());
        } else if (fs::exists(out)) {
            all["out"] = read_file(out.string());
        }
        for (auto &f : all) {
            f.second = settled(f.second);
        }
        return all;
    }
    void start_anew()
    {
        for (const auto &e : fs::directory_iterator(folder.path())) {
            fs::remove_all(e.path());
        }
        if (std::string(GetParam().first) == "trace") {
            fs::create_directory(folder / "out");
            write_file(folder / "out/kernel-1.traceg", "old");
            write_file(folder / "out/kernel-9.traceg", "old");
            write_file(folder / "out/kernelslist.g", "old");
        } else {
            write_file(folder / "out", "old");
        }
    }
    // Nothing beside the output.
    bool tidy() const
    {
        return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1;
    }

    temporary_folder folder, inputs;
    std::string trace, source;
};

TEST_P(output_faults, KilledAtAnyStepTheOldOrTheNewIsThere)
{
    start_anew();
    const tree before = published();
    ASSERT_EQ(0, run()) << read_file(inputs / "stderr");
    const tree after = published();
    ASSERT_FALSE(before == after);
    ASSERT_TRUE(tidy());
    unsigned long at = 1;
    int status = 137;
    for (; at < 400 && status != 0; at++) {
        start_anew();
        status = run(faulty("SMRF_TEST_KILL_AT", at));
        tree now = published();
        EXPECT_TRUE(now == before || now == after) << "step " << at;
        EXPECT_TRUE(status == 0 || status == 137) << status; // the shell's word for SIGKILL
        if (at % 5 == 0) {                                   // and the next one is not in its way
            EXPECT_EQ(0, run()) << "step " << at << read_file(inputs / "stderr");
            EXPECT_TRUE(published() == after) << "step " << at;
            EXPECT_TRUE(std::string(GetParam().first) != "trace" || tidy()) << "step " << at;
        }
    }
    EXPECT_EQ(0, status);
    EXPECT_GT(at, 5u) << "too few steps: are the calls caught?";
}

TEST_P(output_faults, AFullDiskAtAnyStepIsAFailureThatLeavesNothing)
{
    start_anew();
    const tree before = published();
    ASSERT_EQ(0, run()) << read_file(inputs / "stderr");
    const tree after = published();
    unsigned failures = 0, quiet = 0;
    for (unsigned long at = 1; at < 400 && quiet < 12; at++) {
        start_anew();
        int status = run(faulty("SMRF_TEST_FAIL_AT", at));
        tree now = published();
        EXPECT_TRUE(now == before || now == after) << "step " << at;
        EXPECT_TRUE(tidy()) << "step " << at;
        EXPECT_TRUE(status != 0 || now == after) << "step " << at;
        EXPECT_TRUE(status == 0 || status == 3) << status << read_file(inputs / "stderr");
        failures += status != 0;
        quiet = status == 0 ? quiet + 1 : 0; // some calls may fail: a lock that stays, ..
    }
    EXPECT_GT(failures, 2u);
}

TEST_P(output_faults, AFileThatMayNotGrowIsAFailureThatLeavesNothing)
{
    start_anew();
    const tree before = published();
    ASSERT_EQ(0, run()) << read_file(inputs / "stderr");
    const tree after = published();
    for (const char *blocks : {"0", "1"}) { // of 512 or of 1024 bytes
        start_anew();
        int status = run("ulimit -f " + std::string(blocks) + ";");
        tree now = published();
        EXPECT_TRUE(status == 3 || (status == 0 && now == after)) << status;
        EXPECT_TRUE(now == before || (blocks[0] != '0' && now == after)) << blocks;
        EXPECT_TRUE(tidy());
    }
}

INSTANTIATE_TEST_SUITE_P(
    Commands, output_faults,
    ::testing::Values(std::make_pair("json", "run --quiet --json OUT TRACE"),
                      std::make_pair("csv", "run --quiet --csv OUT TRACE"),
                      std::make_pair("side", "annotate -o OUT TRACE"),
                      std::make_pair("annotated", "annotate --json=OUT TRACE"),
                      std::make_pair("distances", "annotate --csv OUT TRACE"),
                      std::make_pair("summary", "trace nn --no-trace -q --json=OUT"),
                      std::make_pair("dump", "trace SASS --launch YAML --allow-outside --no-trace -q"),
                      std::make_pair("trace", "trace nn -q --force -o OUT")),
    [](const auto &test) { return std::string(test.param.first); });

} // namespace
