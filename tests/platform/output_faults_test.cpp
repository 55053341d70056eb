// SPDX-License-Identifier: Apache-2.0
// Every command that writes, killed at every step and with a disk that is full at every step: under
// the output's name is the old, whole, or the new, whole.
#include "tests/support/platform_files.h"

#include <algorithm>
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

// How long a run took is not compared: in JSON what follows `sim`, in CSV the columns from
// sim.engine on, whatever they hold.
std::string settled(const std::string &text)
{
    const std::string whole = text.substr(0, text.find("\"sim\""));
    const size_t timed = whole.find(",sim.engine,sim.wall_s,sim.warp_instructions_per_s");
    if (timed != whole.find(",sim.engine")) {
        ADD_FAILURE() << "other columns of the run itself than are left out";
    }
    if (timed == std::string::npos) {
        return std::regex_replace(whole, std::regex("[0-9]+[.][0-9e+-]+"), "#");
    }
    const auto columns =
        std::count(whole.begin() + long(timed), whole.begin() + long(whole.find('\n', timed)), ',');
    return std::regex_replace(whole, std::regex("(,[^,\n]*){" + std::to_string(columns) + "}\n"),
                              "\n");
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
        source =
            std::string(std::getenv("SMRF_SOURCE_DIR")) + "/firmware/kernels/rodinia/nn.sass.xz";
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
            write_file(folder / "out/kernelslist.g", "kernel-1.traceg\nkernel-9.traceg\n");
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

// A folder with files of the user's beside the trace: they stay, and so does what only looks like a
// trace's. The trace itself is replaced file by file.
class among_others : public ::testing::Test
{
  protected:
    int generate(const std::string &environment = "")
    {
        const std::string line = environment + " " + built("smrf-gen") +
                                 " pattern --inst 'MOV R1 R2' --length 4 --force -o " + dir() +
                                 " >" + (folder / "said") + " 2>&1 </dev/null";
        const int status = std::system(line.c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    std::string dir() const
    {
        return folder / "out";
    }
    void start_anew()
    {
        fs::remove_all(dir());
        fs::create_directory(dir());
        for (const auto &f : users) {
            write_file(dir() + "/" + f.first, f.second);
        }
        for (const char *old :
             {"kernel-1.traceg.xz", "kernel-1.operands", "kernel-2-ctx_0x5.traceg"}) {
            write_file(dir() + "/" + old, "old");
        }
        write_file(dir() + "/kernelslist.g",
                   "MemcpyHtoD,0x0,4\nkernel-1.traceg\r\nkernel-2-ctx_0x5.traceg\n");
    }
    // The user's files, if they are as they were.
    void expect_users(unsigned long step)
    {
        const tree now = files(dir());
        for (const auto &f : users) {
            ASSERT_EQ(1u, now.count(f.first)) << f.first << ", step " << step;
            EXPECT_EQ(f.second, now.at(f.first)) << "step " << step;
        }
    }

    const tree users = {{"notes.txt", "mine"},
                        {"kernel-1.trace", "as recorded"},
                        {"kernel-notes.traceg", "mine"},
                        {"kernelslist", "mine"}};
    temporary_folder folder;
};

TEST_F(among_others, ATraceIsReplacedAndNothingElse)
{
    start_anew();
    ASSERT_EQ(0, generate()) << read_file(folder / "said");
    tree now = files(dir());
    expect_users(0);
    EXPECT_EQ(users.size() + 2, now.size());
    EXPECT_EQ("kernel-1.traceg\n", now["kernelslist.g"]);
    write_file(dir() + "/kernel-5.traceg", "mine");
    now = files(dir());
    EXPECT_EQ(3, generate());
    EXPECT_NE(std::string::npos, read_file(folder / "said").find("kernel-5.traceg"));
    EXPECT_TRUE(now == files(dir()));
    fs::remove(dir() + "/kernelslist.g");
    EXPECT_EQ(3, generate()) << "what no list names is nobody's to remove";
    EXPECT_EQ("mine", read_file(dir() + "/kernel-5.traceg"));
}

TEST_F(among_others, KilledOrWithoutRoomAtAnyStepTheNextOneSucceeds)
{
    start_anew();
    ASSERT_EQ(0, generate()) << read_file(folder / "said");
    const tree after = files(dir());
    for (const char *what : {"SMRF_TEST_KILL_AT=", "SMRF_TEST_FAIL_AT="}) {
        const std::string library =
            (fs::read_symlink("/proc/self/exe").parent_path() / "libsmrf_test_faults.so").string();
        unsigned failures = 0, quiet = 0;
        for (unsigned long at = 1; at < 200 && quiet < 8; at++) {
            start_anew();
            const int status =
                generate("LD_PRELOAD='" + library + "' ASAN_OPTIONS=verify_asan_link_order=0 " +
                         what + std::to_string(at));
            expect_users(at);
            EXPECT_TRUE(status == 0 || status == 3 || status == 137) << status;
            EXPECT_TRUE(status != 0 || files(dir()) == after) << "step " << at;
            failures += status != 0;
            quiet = status == 0 ? quiet + 1 : 0;
            EXPECT_EQ(0, generate()) << what << at << ": " << read_file(folder / "said");
            EXPECT_TRUE(files(dir()) == after) << what << at;
            EXPECT_EQ(2, std::distance(fs::directory_iterator(folder.path()), {})) << what << at;
        }
        EXPECT_GT(failures, 10u);
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
                      std::make_pair("dump", "trace SASS --launch YAML --allow-outside --force "
                                             "--no-trace -q"),
                      std::make_pair("trace", "trace nn -q --force -o OUT")),
    [](const auto &test) { return std::string(test.param.first); });

} // namespace
