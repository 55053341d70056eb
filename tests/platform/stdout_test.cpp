// SPDX-License-Identifier: Apache-2.0
// Every command that prints, where its standard output takes nothing.
#include "tests/support/platform_files.h"

using namespace smrf_test;

namespace
{

outcome to(const temporary_folder &folder, const std::string &arguments, const std::string &out)
{
    std::string err = folder / "stderr";
    std::string command = program() + " " + arguments + " 2>" + err + " </dev/null >" + out;
    int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), "", read_file(err)};
}

class standard_output : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        trace = write_trace(folder, "t", small_launch());
    }
    std::vector<std::string> commands() const
    {
        return {"--help",
                "--version",
                "--explain rf.banks",
                "run --help",
                "trace --help",
                "run --explain rf.banks",
                "list",
                "list presets",
                "info " + trace,
                "info --json " + trace,
                "annotate " + trace,
                "annotate --json " + trace,
                "annotate --csv - " + trace,
                "run " + trace,
                "run --quiet --json - " + trace,
                "run --quiet --csv /dev/stdout " + trace,
                "trace --list nn",
                "trace --list --json nn",
                "trace nn --no-trace",
                "trace nn --no-trace --quiet --json"};
    }
    temporary_folder folder;
    std::string trace;
};

TEST_F(standard_output, OfAFullDeviceIsAFailureThatSaysSo)
{
    for (const std::string &arguments : commands()) {
        outcome o = to(folder, arguments, "/dev/full");
        EXPECT_EQ(3, o.status) << arguments << "\n" << o.err;
        EXPECT_NE(std::string::npos, o.err.find("cannot write")) << arguments << "\n" << o.err;
    }
}

TEST_F(standard_output, ThatIsClosedIsAFailureThatSaysSo)
{
    for (const std::string &arguments : commands()) {
        outcome o = to(folder, arguments, "&-");
        EXPECT_EQ(3, o.status) << arguments << "\n" << o.err;
        EXPECT_NE(std::string::npos, o.err.find("cannot write")) << arguments << "\n" << o.err;
    }
}

// A file that is opened first would otherwise become standard output, and get the summary.
TEST_F(standard_output, ThatIsClosedDoesNotSpoilAFile)
{
    std::string json = folder / "r.json";
    EXPECT_EQ(3, to(folder, "run --json " + json + " " + trace, "&-").status);
    document whole(read_file(json));
    EXPECT_EQ(20, whole.count("instructions.warp"));
}

TEST_F(standard_output, IsNotMissedWhereNothingIsPrinted)
{
    for (const char *out : {"/dev/full", "&-"}) {
        std::string json = folder / "r.json";
        EXPECT_EQ(0, to(folder, "run --quiet --json " + json + " " + trace, out).status);
    }
}

} // namespace
