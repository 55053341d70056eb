// SPDX-License-Identifier: Apache-2.0
// How the command line treats people: letters that mean one thing, help where one asks for it,
// errors that say what to do.
#include "../support/platform_files.h"

#include <algorithm>
#include <map>
#include <regex>

namespace
{

using namespace smrf_test;

struct manners : testing::Test {
    temporary_folder folder;
    std::string trace = std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/divergent";
    static bool has(const std::string &text, const std::string &words)
    {
        return text.find(words) != std::string::npos;
    }
};

const char *const commands[] = {"run",     "info", "trace", "annotate", "compare", "sweep",
                                "profile", "at",   "study", "list",     "cars"};

TEST_F(manners, ALetterMeansTheSameInEveryCommand)
{
    const std::regex option("\n *-([a-zA-Z]), --([a-z-]+)");
    std::map<std::string, std::string> meaning;
    for (const char *command : commands) {
        const std::string help = smrf(folder, std::string(command) + " --help").out;
        for (std::sregex_iterator i(help.begin(), help.end(), option), end; i != end; ++i) {
            const auto known = meaning.emplace((*i)[1], (*i)[2]).first;
            EXPECT_EQ(known->second, (*i)[2]) << "-" << known->first << " of " << command;
        }
    }
    EXPECT_GT(meaning.size(), 8u);
    EXPECT_EQ("jobs", meaning["j"]);
    EXPECT_EQ(2, smrf(folder, "run -j 4 " + trace).status) << "once it wrote a file named 4";
}

TEST_F(manners, HelpOfACommandIsThatCommands)
{
    for (const char *command : commands) {
        const outcome asked = smrf(folder, std::string("help ") + command);
        EXPECT_EQ(0, asked.status) << command;
        EXPECT_EQ(smrf(folder, std::string(command) + " --help").out, asked.out) << command;
        EXPECT_TRUE(has(asked.out, command));
    }
    const outcome wrong = smrf(folder, "help prfile");
    EXPECT_EQ(2, wrong.status);
    EXPECT_TRUE(has(wrong.err, "did you mean profile")) << wrong.err;
}

// The C library's argp reads a byte behind its text where an option's last line ends in column 79,
// and breaks that line by what it finds there. Memory is filled with blanks, then with letters.
TEST_F(manners, HelpDoesNotDependOnWhatMemoryHeld)
{
    for (const char *command : commands) {
        const std::string words = std::string(command) + " --help";
        const char *const fill = "MALLOC_PERTURB_";
        setenv(fill, std::to_string(0xff ^ ' ').c_str(), 1);
        const std::string blanks = smrf(folder, words).out;
        setenv(fill, std::to_string(0xff ^ 'a').c_str(), 1);
        const std::string letters = smrf(folder, words).out;
        unsetenv(fill);
        EXPECT_EQ(blanks, letters);
        EXPECT_FALSE(std::regex_search(letters, std::regex("\n +\n"))) << letters;
    }
}

TEST_F(manners, NamesOfAListAreTakenInAnyCase)
{
    for (const char *pair : {"issue.scheduler=GTO", "issue.scheduler=Gto", "sim.check=OFF"}) {
        EXPECT_EQ(0, smrf(folder, std::string("run -q --set ") + pair + " " + trace).status)
            << pair;
    }
    EXPECT_EQ(2, smrf(folder, "run -q --set issue.scheduler=GTOO " + trace).status);
    for (const char *words : {"run -q --engine Direct ", "run -q --check ON ", "profile --by PC ",
                              "run -q --series - --by SM ", "run -q --series - --by SubCore "}) {
        const outcome o = smrf(folder, words + trace);
        EXPECT_EQ(0, o.status) << words << o.err;
    }
    const std::string out = folder / "t";
    EXPECT_EQ(0,
              smrf(folder, "trace nn -q --format V5 --size Small --values OFF -o " + out).status);
    EXPECT_EQ(2, smrf(folder, "trace nn -q --format v7 -o " + out + "2").status);
    write_file(folder / "e.yaml",
               "traces: [" + trace +
                   "]\nvariants: {baseline: }\nfigures:\n"
                   "  f: {columns: [baseline], value: ipc, plot: Dots, mean: Geometric}\n");
    EXPECT_EQ(0,
              smrf(folder, "study " + (folder / "e.yaml") + " --runner LOCAL -o " + (folder / "o"))
                  .status);
}

TEST_F(manners, NamesNearToThoseOfAListAreSuggested)
{
    const std::pair<const char *, const char *> cases[] = {
        {"run -m malekeh-lon ", "did you mean malekeh-long?"},
        {"run -m malekehh ", "did you mean malekeh-long, malekeh-short or malekeh-private?"},
        {"compare -m malekeh-lon ", "did you mean malekeh-long?"},
        {"run -p rtx2060-accelsm ", "did you mean rtx2060-accelsim?"},
        {"sweep --axis preset=rtx2060-papr ", "did you mean rtx2060-paper?"},
        {"run -s rf.bank=2 ", "did you mean rf.banks?"},
        {"prfile ", "did you mean profile?"}};
    for (const auto &[words, says] : cases) {
        const outcome o = smrf(folder, words + trace);
        EXPECT_EQ(2, o.status) << words;
        EXPECT_TRUE(has(o.err, says)) << words << o.err;
    }
}

TEST_F(manners, OutputsAreCheckedBeforeTheFirstRun)
{
    const std::string axis = "sweep --axis rf.banks=2 -o " + (folder / "s") + " ";
    const std::tuple<std::string, int, const char *> cases[] = {
        {"run --json - --csv - ", 2, "-: would be written over the output -"},
        {"run --json x --series x ", 2, "x: would be written over the output x"},
        {"profile --json - --csv - ", 2, "-: would be written over the output -"},
        {"compare --json - --csv - ", 2, "-: would be written over the output -"},
        {"compare --json /nowhere/x ", 3, "/nowhere/x: cannot write the file"},
        {axis + "--csv " + trace + "/kernelslist.g ", 2, "would be written over the trace"},
        {axis + "--csv /nowhere/x ", 3, "/nowhere/x: cannot write the file"}};
    for (const auto &[words, status, says] : cases) {
        const outcome o = smrf(folder, words + trace);
        EXPECT_EQ(status, o.status) << words;
        EXPECT_TRUE(has(o.err, says)) << words << o.err;
        EXPECT_FALSE(has(o.err, "replaying")) << words;
    }
    const std::string result = folder / "a.json";
    ASSERT_EQ(0, smrf(folder, "run -q --json " + result + " " + trace).status);
    const outcome o = smrf(folder, "compare --csv " + result + " " + result + " " + result);
    EXPECT_EQ(2, o.status);
    EXPECT_TRUE(has(o.err, "would be written over the input")) << o.err;
}

TEST_F(manners, AnOptionThatNobodyLooksAtIsTold)
{
    outcome o = smrf(folder, "run -q --set malekeh.sthld=3 --set rf.banks=4 " + trace);
    EXPECT_EQ(0, o.status);
    EXPECT_TRUE(has(o.err, "malekeh.sthld: the mechanism baseline does not look at it")) << o.err;
    EXPECT_FALSE(has(o.err, "rf.banks"));
    o = smrf(folder, "run -q -m malekeh-long --set malekeh.sthld=3 " + trace);
    EXPECT_EQ("", o.err);
    const std::string note = "note: malekeh.sthld: no mechanism here looks at it";
    const std::string sweep = "sweep --axis malekeh.sthld=0,3 -o " + (folder / "s") + " ";
    for (const std::string &words :
         {sweep, std::string("compare -s malekeh.sthld=3 -m bow-long ")}) {
        EXPECT_TRUE(has(smrf(folder, words + trace).err, note)) << words;
        EXPECT_FALSE(has(smrf(folder, words + "-m malekeh-long " + trace).err, note))
            << words << ": of several one looks";
    }
}

TEST_F(manners, ValuesAreBlamedByTheNamesThatPeopleTyped)
{
    outcome o = smrf(folder, "run --seed x " + trace);
    EXPECT_EQ(2, o.status);
    EXPECT_TRUE(has(o.err, "smrf: --seed: 'x' is not a number")) << o.err;
    o = smrf(folder, "run --check maybe " + trace);
    EXPECT_EQ(2, o.status);
    EXPECT_TRUE(has(o.err, "smrf: --check: 'maybe' is neither on nor off")) << o.err;
    EXPECT_TRUE(has(smrf(folder, "run nosuch").err, "nosuch"));
}

TEST_F(manners, WhatIsNoMachineCodeIsToldHowToBecomeIt)
{
    setenv("NVCC", "nvcc-that-is-absent", 1);
    const std::pair<const char *, const char *> kinds[] = {
        {"a.cu", "nvcc -arch=sm_75 -lineinfo"}, // compiled where there is an nvcc
        {"dir/a.ptx", "ptxas -arch=sm_75 -lineinfo"},
        {"a.cuasm", "nvdisasm -hex -g"}};
    for (const auto &[file, words] : kinds) {
        const outcome o = smrf(folder, std::string("trace ") + file + " -o " + (folder / "t"));
        EXPECT_EQ(2, o.status) << file;
        EXPECT_TRUE(has(o.err, words)) << o.err;
        EXPECT_TRUE(has(o.err, file)) << o.err;
    }
    EXPECT_TRUE(has(smrf(folder, "trace hotspt").err, "did you mean hotspot"));
}

TEST_F(manners, ABlockThatNoGridHasIsAnError)
{
    const std::string dir = folder / "t";
    const outcome o = smrf(folder, "trace nn --blocks 0,99999 -o " + dir);
    EXPECT_NE(0, o.status);
    EXPECT_TRUE(has(o.err, "there is no block 99999")) << o.err;
    EXPECT_FALSE(fs::exists(dir)) << "nothing is left behind";
    const outcome warp = smrf(folder, "trace nn --warps 0-8 -o " + dir);
    EXPECT_NE(0, warp.status);
    EXPECT_TRUE(has(warp.err, "--warps: there is no warp 8: the largest block has 8")) << warp.err;
    EXPECT_FALSE(fs::exists(dir));
    EXPECT_EQ(0, smrf(folder, "trace nn -q --blocks 0 --warps 7 -o " + dir).status);
}

TEST_F(manners, OptionsOfAccelSimWithoutEffectAreCounted)
{
    const std::string config = folder / "gpgpusim.config";
    write_file(config, "-gpgpu_n_clusters 4\n-gpgpu_ptx_sim_mode 0\n-gpgpu_stack_size_limit 1024\n"
                       "-gpgpu_max_concurrent_kernel 128\n");
    outcome o = smrf(folder, "run -q --gpgpusim " + config + " " + trace);
    EXPECT_EQ(0, o.status) << o.err;
    EXPECT_EQ(1, std::count(o.err.begin(), o.err.end(), '\n')) << o.err;
    EXPECT_TRUE(has(o.err, "2 options have no effect on timing here and 1 are not modelled"))
        << o.err;
    o = smrf(folder, "run -q --verbose --gpgpusim " + config + " " + trace);
    EXPECT_EQ(3, std::count(o.err.begin(), o.err.end(), '\n')) << o.err;
    EXPECT_TRUE(has(o.err, "gpgpu_stack_size_limit"));
}

} // namespace
