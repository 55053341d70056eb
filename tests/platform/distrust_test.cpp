// SPDX-License-Identifier: Apache-2.0
// Inputs that are not what they should be, and outputs that would damage them: refused or told,
// with a status that says so, and soon.
#include "tests/support/platform_files.h"

#include <chrono>
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace smrf_test;

namespace
{

class distrust : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        trace = write_trace(folder, "t", small_launch());
        sass = std::string(std::getenv("SMRF_SOURCE_DIR")) + "/firmware/kernels/rodinia/nn.sass.xz";
    }
    void expect(int status, const std::string &arguments, const std::string &says)
    {
        auto start = std::chrono::steady_clock::now();
        outcome o = smrf(folder, arguments);
        EXPECT_EQ(status, o.status) << arguments << "\n" << o.err;
        EXPECT_NE(std::string::npos, o.err.find(says)) << arguments << "\n" << o.err;
        EXPECT_GT(std::chrono::seconds(20), std::chrono::steady_clock::now() - start) << arguments;
    }
    std::string launch(const std::string &dump)
    {
        write_file(folder / "k.yaml",
                   "launches:\n  - {kernel: distances, grid: [1, 1, 1], block: [32, 1, 1], args: "
                   "[places, dist, {i32: 32}, {f32: 30}, {f32: 90}]}\n"
                   "buffers:\n  places: {type: f32, count: 64}\n  dist: {type: f32, count: 32}\n"
                   "dump: " +
                       dump + "\n");
        return "trace " + sass + " --no-trace --launch " + (folder / "k.yaml");
    }
    temporary_folder folder;
    std::string trace, sass;
};

// ---- outputs over one another
// ----------------------------------------------------------------------

TEST_F(distrust, OutputsThatWouldBeOneFileAreRefused)
{
    const std::string x = folder / "x", over = "would be written over";
    fs::create_symlink("x", folder / "link");
    for (const std::string &arguments :
         {"run --json " + x + " --csv " + x, "run --json " + x + " --csv " + (folder / "link"),
          std::string("run --json - --csv /dev/stdout"), "annotate -o " + x + " --csv " + x,
          "annotate --csv " + x + " --json=" + x}) {
        expect(2, arguments + " " + trace, over);
    }
    EXPECT_FALSE(fs::exists(x));
    EXPECT_EQ(0, smrf(folder, "run -q --json /dev/null --csv /dev/null " + trace).status);
}

// What a launch file names, the user has not: a dump replaces nothing that was there, and never an
// input.
TEST_F(distrust, DumpsReplaceNothingThatTheyDidNotMake)
{
    const std::string listing = folder / "k.sass.xz", own = folder / "own", fill = folder / "fill";
    fs::copy_file(sass, listing);
    write_file(own, "mine");
    write_file(fill, std::string(4 * 64, '\1'));
    const auto run = [&](const std::string &dump, const std::string &more) {
        launch(dump);
        std::string text = read_file(folder / "k.yaml");
        text.replace(text.find("count: 64}"), 10, "count: 64, init: {file: fill}}");
        write_file(folder / "k.yaml", text);
        return smrf(folder, "trace " + listing + " --no-trace --allow-outside --launch " +
                                (folder / "k.yaml") + more);
    };
    struct {
        const char *dump;
        std::string more, says;
        bool forced; // --force permits it
    } const cases[] = {{"{dist: own}", "", "k.yaml:6: dump '", true},
                       {"{dist: own}", "", "exists; --force replaces it", true},
                       {"{dist: k.sass.xz}", "", "that this command reads or writes", false},
                       {"{dist: k.yaml}", "", "that this command reads or writes", false},
                       {"{dist: fill}", "", "that this command reads or writes", false},
                       {"{dist: j}", " --json=" + (folder / "j"), "reads or writes", false}};
    for (const auto &c : cases) {
        const outcome o = run(c.dump, c.more);
        EXPECT_EQ(3, o.status) << c.dump;
        EXPECT_NE(std::string::npos, o.err.find(c.says)) << o.err;
        EXPECT_EQ("mine", read_file(own));
        EXPECT_EQ(read_file(sass), read_file(listing));
        EXPECT_EQ(std::string(4 * 64, '\1'), read_file(fill));
        EXPECT_EQ(c.forced ? 0 : 3, run(c.dump, c.more + " --force").status) << c.dump;
        EXPECT_EQ(read_file(sass), read_file(listing));
        write_file(own, "mine");
    }
    EXPECT_EQ(0, run("{dist: new}", "").status);
    EXPECT_EQ(128u, read_file(folder / "new").size());
}

TEST_F(distrust, OutputsOverAnInputAreRefused)
{
    const std::string kernel = trace + "/kernel-1.traceg", list = trace + "/kernelslist.g";
    const std::string before = read_file(kernel), config = folder / "c.yaml";
    write_file(config, "rf.banks: 4\n");
    write_file(trace + "/kernel-1.operands", "x");
    fs::create_hard_link(kernel, folder / "hard");
    for (const std::string &arguments :
         {"run --json " + kernel + " " + trace, "run --csv " + list + " " + trace,
          "run --json " + kernel + " " + kernel, "run --json " + kernel + " " + list,
          "run --json " + (folder / "hard") + " " + trace,
          "run --json " + trace + "/kernel-1.operands " + trace,
          "run --json " + config + " --config " + config + " " + trace,
          "annotate -o " + kernel + " " + trace, "annotate --json=" + list + " " + trace,
          "trace " + sass + " --no-trace --launch " + config + " --json=" + config}) {
        expect(2, arguments, "would be written over");
    }
    EXPECT_EQ(before, read_file(kernel));
}

// ---- traces that are not whole
// ---------------------------------------------------------------------

TEST_F(distrust, AListWithoutKernelsIsTold)
{
    const std::string list = folder / "empty.g";
    for (const char *text : {"", "\n\n", "MemcpyHtoD,0x00007f0a20000000,4096\n"}) {
        write_file(list, text);
        for (const char *command : {"run -q ", "info ", "annotate "}) {
            expect(0, command + list, "no kernel: the list");
        }
        expect(3, "run --strict " + list, "names no kernel");
        expect(3, "info --strict " + list, "names no kernel");
    }
}

TEST_F(distrust, MissingAndRepeatedBlocksAreCountedAndTold)
{
    launch_shape shape = small_launch();
    shape.blocks = 5;
    std::string text = kernel_text(shape, 1);
    const size_t second = text.find("\n#BEGIN_TB", text.find("#BEGIN_TB")),
                 third = text.find("\n#BEGIN_TB", second + 2);
    const std::string block = text.substr(second, third - second);
    std::string less = text, twice = text + block + block;
    less.erase(second, third - second);
    write_file(folder / "less.traceg", less);
    write_file(folder / "twice.traceg", twice);
    for (const char *command : {"run -q ", "info ", "annotate "}) {
        expect(0, command + (folder / "less.traceg"),
               "thread blocks missing: 1 of the grids of 1 ");
        expect(0, command + (folder / "twice.traceg"), "thread blocks repeated: 2 in 1 launches");
    }
    expect(3, "run --strict " + (folder / "less.traceg"),
           "1 of the grid's 5 thread blocks are not");
    expect(3, "run --strict " + (folder / "twice.traceg"), "thread block (1,0,0) is there twice");
    document info(smrf(folder, "info --json " + (folder / "twice.traceg")).out);
    EXPECT_EQ(2, info.count("repeated_blocks"));
    EXPECT_EQ(0, info.count("missing_blocks"));
    EXPECT_EQ("", smrf(folder, "info --strict " + trace).err) << "a whole one is not told of";
}

TEST_F(distrust, ALineOfAListStaysBelowItsFolder)
{
    const std::string list = folder / "t/list.g", far = write_trace(folder, "far", small_launch());
    for (const std::string &line : {far + "/kernel-1.traceg", std::string("../far/kernel-1.traceg"),
                                    std::string("kernel/../../far/kernel-1.traceg")}) {
        fs::create_directories(folder / "t/kernel");
        write_file(list, line + "\n");
        for (const char *command : {"run -q ", "info ", "annotate "}) {
            expect(3, command + list, "lies outside of the list's folder");
            EXPECT_EQ(0, smrf(folder, command + ("--allow-outside " + list)).status) << line;
        }
    }
    write_file(list, "./kernel-1.traceg\n");
    EXPECT_EQ(0, smrf(folder, "run -q " + list).status);
}

// .. whatever links lie there: neither a kernel nor its sidecar is read from elsewhere.
TEST_F(distrust, ALinkInAListsFolderLeadsNowhereElse)
{
    const std::string list = folder / "t/list.g", far = write_trace(folder, "far", small_launch());
    write_file(folder / "secret", "a word\n");
    fs::create_directories(folder / "t/in");
    fs::remove(folder / "t/kernel-1.traceg");
    fs::create_symlink(far + "/kernel-1.traceg", folder / "t/kernel-1.traceg");
    fs::create_directory_symlink(far, folder / "t/kernels");
    for (const char *line : {"kernel-1.traceg\n", "kernels/kernel-1.traceg\n"}) {
        write_file(list, line);
        for (const char *command : {"run -q ", "info ", "annotate "}) {
            expect(3, command + list, "lies outside of the list's folder");
            EXPECT_EQ(0, smrf(folder, command + ("--allow-outside " + list)).status) << line;
        }
    }
    fs::copy_file(far + "/kernel-1.traceg", folder / "t/in/kernel-2.traceg");
    fs::create_symlink("in/kernel-2.traceg", folder / "t/kernel-2.traceg");
    write_file(list, "kernel-2.traceg\n");
    EXPECT_EQ(0, smrf(folder, "run -q " + list).status) << "a link that stays below";
    fs::create_symlink(folder / "secret", folder / "t/kernel-2.operands");
    expect(3, "run -q " + list, "kernel-2.operands' lies outside");
    EXPECT_EQ(std::string::npos, smrf(folder, "run -q " + list).err.find("a word"));
}

TEST_F(distrust, ANulByteIsNoText)
{
    const std::string nul(1, '\0'), list = trace + "/list.g", far = folder / "far.yaml";
    write_file(list, "kernel-1.traceg" + nul + "/../../x\n");
    expect(3, "run -q " + list, "list.g:1: the line holds a NUL byte");
    std::string text = read_file(trace + "/kernel-1.traceg");
    text.replace(text.find("-kernel name = ") + 15, 1, nul);
    write_file(folder / "k.traceg", text);
    expect(3, "run -q " + (folder / "k.traceg"), "k.traceg:1: the line holds a NUL byte");
    write_file(far, "rf.banks: 4\n" + nul + "rf.collectors: nonsense\n");
    expect(3, "run -q --config " + far + " " + trace, "holds a NUL byte");
}

// ---- names that are no UTF-8
// ----------------------------------------------------------------------

TEST_F(distrust, ANameThatIsNoUtf8IsTheSameEverywhere)
{
    std::string text = kernel_text(small_launch(), 1);
    const size_t at = text.find("-kernel name = ") + 15;
    text.replace(at, text.find('\n', at) - at, "caf\xe9\xc3\xa9");
    fs::create_directory(folder / "d\xe9");
    const std::string kernel = folder / "d\xe9/k.traceg", name = "caf\\xe9\xc3\xa9";
    write_file(kernel, text);
    const std::string json = folder / "j", csv = folder / "c", line = folder / "l.json";
    const outcome o =
        smrf(folder, "run --json " + json + " --csv " + csv + " --timeline " + line + " " + kernel);
    EXPECT_EQ(0, o.status) << o.err;
    const std::string told = smrf(folder, "info " + kernel).out;
    EXPECT_NE(std::string::npos, told.find(name)) << told;
    json_error_t error;
    for (const std::string &file : {json, line}) {
        json_t *root = json_load_file(file.c_str(), 0, &error);
        EXPECT_NE(nullptr, root) << file << ": " << error.text;
        json_decref(root);
    }
    document result(read_file(json));
    const json_t *launch = json_array_get(result.at("kernels"), 0);
    EXPECT_EQ(name, json_string_value(json_object_get(launch, "name")));
    EXPECT_NE(nullptr, json_string_value(json_array_get(result.at("sim.traces"), 0)));
    EXPECT_NE(std::string::npos, read_file(csv).find("," + name + ","));
    document info(smrf(folder, "info --json " + kernel).out);
    EXPECT_EQ(name,
              json_string_value(json_object_get(json_array_get(info.at("kernels"), 0), "name")));
    for (const std::string &file : {read_file(json), read_file(csv), read_file(line)}) {
        EXPECT_EQ(std::string::npos, file.find("caf\xe9"));
    }
}

TEST_F(distrust, AWriterThatFailsSaysWhy)
{
    const std::string full = "/dev/full";
    for (const std::string &command :
         {"annotate -o " + full + " " + trace, "annotate --mode dynamic -o " + full + " " + trace,
          "run -q --timeline " + full + " " + trace, "run -q --csv " + full + " " + trace}) {
        expect(3, command, full + ": cannot write");
    }
}

// ---- launch files
// ----------------------------------------------------------------------------------

TEST_F(distrust, ADumpStaysBelowTheWorkingFolder)
{
    fs::create_directory(folder / "w");
    fs::create_directory_symlink(folder.path(), folder / "w/out");
    const auto here = fs::current_path();
    for (const std::string &file : {std::string("../y.bin"), folder / "y.bin",
                                    std::string("out/y.bin"), std::string("no/such/y.bin")}) {
        const std::string command = launch("{dist: '" + file + "'}");
        fs::rename(folder / "k.yaml", folder / "w/k.yaml");
        fs::current_path(folder / "w");
        outcome o = smrf(folder, command.substr(0, command.find("--launch")) + "--launch k.yaml");
        EXPECT_EQ(3, o.status) << file << o.err;
        EXPECT_NE(std::string::npos, o.err.find("not below the working folder")) << o.err;
        EXPECT_FALSE(fs::exists(folder / "y.bin"));
        fs::current_path(here);
    }
    EXPECT_EQ(0, smrf(folder, launch("{dist: y.bin}") + " --allow-outside").status);
    EXPECT_EQ(128u, fs::file_size(folder / "y.bin"));
}

TEST_F(distrust, TwoDumpsIntoOneFileAreRefused)
{
    expect(3, launch("{dist: y.bin, places: ./y.bin}") + " --allow-outside", "one file");
}

// ---- signals
// --------------------------------------------------------------------------------------

TEST_F(distrust, ASignalLeavesNothing)
{
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM,
                             SIGVTALRM, SIGPROF, SIGXCPU}) {
        fs::create_directory(folder / "s");
        const std::string command =
            "exec " + program() + " trace gemm_bench_i1 -q --size large -o " + (folder / "s/t");
        const pid_t child = fork();
        if (child == 0) {
            const struct rlimit none = {0, 0};
            setrlimit(RLIMIT_CORE, &none);
            std::signal(number, SIG_DFL);
            execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char *>(nullptr));
            _exit(127);
        }
        for (int i = 0; i < 500 && fs::is_empty(folder / "s"); i++) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        EXPECT_FALSE(fs::is_empty(folder / "s")) << "it is at it";
        kill(child, number);
        int status = 0;
        waitpid(child, &status, 0);
        EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << number;
        EXPECT_TRUE(fs::is_empty(folder / "s")) << number;
        fs::remove_all(folder / "s");
    }
}

// ---- what never ends, and what is too much
// ---------------------------------------------------------

TEST_F(distrust, APipeOrADeviceIsNoInput)
{
    const std::string sh = "trace " + sass + " --no-trace --launch ";
    for (const char *kind : {"pipe", "zero"}) {
        const std::string f = folder / kind, g = f + ".g", s = f + ".sass", t = f + ".traceg";
        for (const std::string &name : {f, g, s, t}) {
            if (kind[0] == 'p') {
                ASSERT_EQ(0, mkfifo(name.c_str(), 0600));
            } else {
                fs::create_symlink("/dev/zero", name);
            }
        }
        const std::string may = "which may never end";
        expect(3, "run --config " + f + " " + trace, may);
        expect(3, "run --gpgpusim " + f + " " + trace, may);
        expect(3, "run --energy " + f + " " + trace, may);
        expect(3, "run -m malekeh-long --mechanism-table " + f + " " + trace, may);
        expect(3, "run -m malekeh-long --reuse " + f + " " + trace, may);
        for (const std::string &name : {g, t}) {
            expect(3, "run " + name, may);
            expect(3, "info " + name, may);
            expect(3, "annotate " + name, may);
        }
        expect(3, sh + f, may);
        expect(3, "trace " + s + " --no-trace --launch " + (folder / "k.yaml"), may);
    }
    // What the user opened himself is his.
    EXPECT_EQ(
        0,
        smrf(folder, "run -q --config /dev/fd/5 " + trace + " 5<<E\nrf.banks: 4\nE\n true").status);
}

TEST_F(distrust, ASmallStackIsEnough)
{
    write_file(folder / "x.yaml", "traces: [" + trace + "]\nvariants: {baseline: }\n");
    for (const std::string &command :
         {"study " + (folder / "x.yaml") + " -o " + (folder / "out"),
          "study " + (folder / "x.yaml") + " -o " + (folder / "out") + " --report",
          "compare -m malekeh-long " + trace, "run -q " + trace, "info " + trace}) {
        const std::string shell =
            "ulimit -s 80; exec " + program() + " " + command + " >/dev/null 2>" + (folder / "err");
        EXPECT_EQ(0, std::system(shell.c_str())) << command << read_file(folder / "err");
    }
}

// What does not fit together names the lines that say so; what is too large names itself.
TEST_F(distrust, FailuresOfTheWholeMachineNameTheirCause)
{
    const std::string a = folder / "a.yaml", b = folder / "b.yaml";
    write_file(a, "sm:\n  warps: 34\n  threads: 1088\n");
    write_file(b, "# a remark\nrf.banks: 4\n");
    const std::string files = " --config " + a + " --config " + b + " ";
    expect(2, "run -q" + files + trace, "a.yaml:2 sets sm.warps");
    expect(2, "run -q" + files + "--set sm.warps=33 " + trace, "a.yaml:3 sets sm.threads");
    const outcome o = smrf(folder, "run -q" + files + "--set sm.warps=33 " + trace);
    EXPECT_EQ(std::string::npos, o.err.find("a.yaml:2")) << "--set has the last word";
    const std::string large = "ulimit -v 2000000; exec " + program() +
                              " run -q --set l2.sets=65536 --set l2.ways=170 --set l2.slices=128 " +
                              trace + " 2>" + (folder / "err");
    EXPECT_EQ(1, WEXITSTATUS(std::system(large.c_str())));
    EXPECT_NE(std::string::npos,
              read_file(folder / "err").find("l2.slices x l2.sets x l2.ways = 128 x 65536 x 170"))
        << read_file(folder / "err");
}

TEST_F(distrust, DeepNestingIsRefusedAtOnce)
{
    const std::string deep = folder / "deep.yaml";
    for (const std::string &text :
         {"a: " + std::string(40000, '['), "it's: " + std::string(40000, '{'), [] {
              std::string dashes;
              for (int i = 0; i < 20000; i++) {
                  dashes += "- ";
              }
              return dashes;
          }()}) {
        write_file(deep, text + "\n");
        expect(3, "run --config " + deep + " " + trace, "nested deeper than 64 levels");
        expect(3, "run --energy " + deep + " " + trace, "nested deeper than 64 levels");
        expect(3, "trace " + sass + " --no-trace --launch " + deep, "nested deeper than 64 levels");
    }
}

TEST_F(distrust, TextsHaveALimit)
{
    const std::string large = folder / "large";
    write_file(large, std::string((1 << 20) + 1, '#'));
    for (const std::string &arguments :
         {"run --config " + large, "run --gpgpusim " + large, "run --energy " + large,
          "run -m malekeh-long --mechanism-table " + large}) {
        expect(3, arguments + " " + trace, "is larger than");
    }
    expect(3, "trace " + sass + " --no-trace --launch " + large, "is larger than");
    fs::resize_file(large, (256u << 20) + 1); // a hole
    fs::rename(large, large + ".sass");
    expect(3, "trace " + large + ".sass --no-trace --launch k.yaml", "is larger than");
}

// ---- terminals
// -------------------------------------------------------------------------------------

TEST_F(distrust, ControlCharactersAreEscaped)
{
    std::string text = kernel_text(small_launch(), 1);
    text.replace(text.find("_Z4testPf"), 9, "a\x1b[31mred\x07\xc2\x9b");
    std::string opcode = text;
    for (size_t at; (at = opcode.find("IADD3")) != std::string::npos;) {
        opcode.replace(at, 5, "\x1b[2JX");
    }
    write_file(folder / "o.traceg", opcode);
    write_file(folder / "k.traceg", text);
    write_file(folder / "two.g", "k\x1b[31m\nkernel-none\x1b[31m\n");
    for (const std::string &arguments :
         {"info " + (folder / "k.traceg"), "run " + (folder / "k.traceg"),
          "info " + (folder / "o.traceg"), "annotate " + (folder / "k.traceg"),
          "run " + (folder / "two.g"), "run '" + (folder / "no\x1b[31m'"),
          "run --set 'x\x1b[31m=1' " + trace, std::string("trace 'x\x1b[31m' --no-trace"),
          std::string("list 'x\x1b[31m'")}) {
        outcome o = smrf(folder, arguments);
        EXPECT_EQ(std::string::npos, (o.out + o.err).find_first_of("\x1b\x07\x9b")) << arguments;
    }
    EXPECT_NE(std::string::npos,
              smrf(folder, "info " + (folder / "k.traceg")).out.find("a\\x1b[31mred\\x07\\xc2"));
}

} // namespace
