// SPDX-License-Identifier: Apache-2.0
// Runs on a cluster of two nodes, which this test starts: what comes of them is what comes of runs
// here; a killed runner's jobs are waited for; a job that is cancelled is a failure.
#include "tests/support/experiment_folder.h"

#include <iterator>

using namespace smrf_test;

namespace
{

struct slurm : testing::Test {
    temporary_folder folder;
    std::string out = folder / "out", cluster = folder / "cluster", skipped;
    std::string script() const
    {
        const char *root = std::getenv("SMRF_SOURCE_DIR");
        return std::string(root ? root : ".") + "/tests/support/slurm_cluster.sh";
    }
    slurm()
    {
        fs::create_directory(cluster);
        const std::string said = folder / "said";
        const int status =
            std::system((script() + " start " + cluster + " >" + said + " 2>&1").c_str());
        if (status != 0) {
            skipped = read_file(said);
        }
        setenv("SLURM_CONF", (cluster + "/slurm.conf").c_str(), 1);
    }
    ~slurm() override
    {
        std::system((script() + " stop " + cluster + " >/dev/null 2>&1").c_str());
    }
    std::string words()
    {
        return "--axis rf.banks=2,4,8 --axis rf.collectors=2,4 -m baseline -m malekeh-long " +
               tiny_trace(folder, "a") + " " + tiny_trace(folder, "b", 9) + " ";
    }
};

TEST_F(slurm, GivesWhatRunsHereGive)
{
    if (!skipped.empty()) {
        GTEST_SKIP() << skipped;
    }
    const std::string w = words();
    outcome o = smrf(folder, "sweep --launches --runner slurm -o " + out + " " + w);
    ASSERT_EQ(0, o.status) << o.err;
    EXPECT_EQ(24, told_runs(o.err).made());
    ASSERT_EQ(0, smrf(folder, "sweep --launches -o " + (folder / "here") + " " + w).status);
    EXPECT_EQ(read_file(folder / "here/results.csv"), read_file(out + "/results.csv"));
    EXPECT_EQ(1, std::distance(fs::directory_iterator(out + "/runs"), fs::directory_iterator()));
    size_t scripts = 0;
    for (const auto &array : fs::directory_iterator(out + "/slurm")) {
        for (const auto &file : fs::directory_iterator(array)) {
            scripts += file.path().filename() != "job.sh" && file.path().extension() == ".sh";
        }
    }
    EXPECT_LT(8u + 3, scripts) << "pilots, and both nodes have work";
    EXPECT_EQ(0, told_runs(smrf(folder, "sweep -o " + out + " " + w).err).made())
        << "the same store";
    const std::string log = read_file(cluster + "/ctld.log");
    EXPECT_TRUE(has(log, "n1") && has(log, "n2"));

    const std::string broken = folder / "b/kernel-2.traceg";
    write_file(broken, read_file(broken) + "\n#BEGIN_TB\nthis is no block\n");
    write_file(folder / "machine.yaml",
               "rf: {banks: 8}\n"); // beside the file, not where tasks start
    write_file(folder / "mine.yaml", "traces: [a]\nconfig: machine.yaml\nvariants: {baseline: }\n");
    o = smrf(folder, "study " + (folder / "mine.yaml") + " --runner slurm -o " + out);
    EXPECT_EQ(0, o.status) << o.err;

    o = smrf(folder, "sweep --runner slurm -o " + out + " " + w.substr(0, w.find(folder.path())) +
                         (folder / "a") + " " + (folder / "b"));
    EXPECT_EQ(1, o.status);
    EXPECT_TRUE(has(o.err, "12 of 24 runs failed")) << o.err;
    EXPECT_TRUE(has(o.err, "kernel-2.traceg")) << "as a run here says it: " << o.err;
}

// --slurm-options are words: nothing in them is run. (Another sbatch, which writes them down.)
TEST(SlurmOptions, AreWordsAndNoScript)
{
    temporary_folder folder;
    fs::create_directory(folder / "bin");
    write_file(folder / "bin/sbatch", "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\n"
                                      "for w in \"$@\"; do echo \"$w\"; done >" +
                                          (folder / "words") + "\nexit 1\n");
    fs::permissions(folder / "bin/sbatch", fs::perms::owner_all);
    const std::string path = "PATH=" + (folder / "bin") + ":$PATH ";
    const std::string sweep = program() + " sweep --runner slurm --axis rf.banks=2 -o " +
                              (folder / "out") + " " + tiny_trace(folder, "a");
    const auto run = [&](const std::string &options) {
        const std::string shell = "cd " + folder.path() + " && " + path + sweep +
                                  " --slurm-options '" + options + "' >/dev/null 2>err";
        return WEXITSTATUS(std::system(shell.c_str()));
    };
    for (const char *script : {"a;touch X", "$(touch X)", "`touch X`", "a|touch X", "a&touch X",
                               "a>X", "--comment=$(touch X)", "\"unclosed"}) {
        EXPECT_EQ(2, run(script)) << script << read_file(folder / "err");
        EXPECT_TRUE(has(read_file(folder / "err"), "words for sbatch"))
            << read_file(folder / "err");
        EXPECT_FALSE(fs::exists(folder / "X")) << script;
        EXPECT_FALSE(fs::exists(folder / "words")) << script;
    }
    EXPECT_NE(0, run("--partition=cpu \"--comment=two words; touch X\"")) << "this one takes none";
    EXPECT_TRUE(
        has(read_file(folder / "words"), "\n--partition=cpu\n--comment=two words; touch X\n"))
        << read_file(folder / "words");
    EXPECT_FALSE(fs::exists(folder / "X"));
}

TEST_F(slurm, AKilledRunnersJobsAreWaitedFor)
{
    if (!skipped.empty()) {
        GTEST_SKIP() << skipped;
    }
    const std::string w = words();
    const std::string shell = program() + " sweep --runner slurm -o " + out + " " + w +
                              " >/dev/null 2>&1 & sleep 2; kill -KILL $!; wait $!";
    std::system(shell.c_str());
    EXPECT_LT(0, number(out, "SELECT count(*) FROM runs WHERE owner LIKE 'slurm-%'") +
                     number(out, "SELECT count(*) FROM runs WHERE status = 'whole'"))
        << "jobs have been handed over";
    outcome o = smrf(folder, "sweep --launches --runner slurm -o " + out + " " + w);
    ASSERT_EQ(0, o.status) << o.err;
    EXPECT_EQ(24, number(out, "SELECT count(*) FROM runs WHERE status = 'whole'"));
    ASSERT_EQ(0, smrf(folder, "sweep --launches -o " + (folder / "here") + " " + w).status);
    EXPECT_EQ(read_file(folder / "here/results.csv"), read_file(out + "/results.csv"));
}

TEST_F(slurm, ACancelledJobIsAFailure)
{
    if (!skipped.empty()) {
        GTEST_SKIP() << skipped;
    }
    const std::string trace = tiny_trace(folder, "a", 2000, 8);
    const std::string shell = program() + " sweep --runner slurm --axis rf.banks=2,4 -o " + out +
                              " " + trace + " >/dev/null 2>" + (folder / "err") +
                              " & for i in $(seq 100); do sleep 0.1; j=$(squeue -h -r -o %A | head "
                              "-n 1); [ -n \"$j\" ] && scancel $j && break; done; wait $!";
    const int status = WEXITSTATUS(std::system(shell.c_str()));
    const std::string err = read_file(folder / "err");
    if (status == 0) {
        GTEST_SKIP() << "it ended before it could be cancelled";
    }
    EXPECT_EQ(1, status) << err;
    EXPECT_TRUE(has(err, "left the queue without a word")) << err;
    EXPECT_EQ(
        0, smrf(folder, "sweep --runner slurm --axis rf.banks=2,4 -o " + out + " " + trace).status);
}

TEST(Slurm, WithoutItTheReasonIsTold)
{
    temporary_folder folder;
    setenv("PATH", "/nowhere", 1);
    const std::string command = program() + " sweep --runner slurm --axis rf.banks=2 -o " +
                                (folder / "out") + " " + tiny_trace(folder, "a") + " 2>" +
                                (folder / "err") + " >/dev/null";
    EXPECT_NE(0, std::system(command.c_str()));
    EXPECT_TRUE(has(read_file(folder / "err"), "there is no sbatch here"));
}

} // namespace
