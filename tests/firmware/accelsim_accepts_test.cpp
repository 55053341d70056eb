// SPDX-License-Identifier: Apache-2.0
// Accel-Sim takes and finishes what smrf trace writes: an independent strict reader that knows
// every assertion on a trace's way through it looks at the whole suite and at code that it would
// stop at, and each of its rules is seen to bite.
#include "tests/support/accelsim_reader.h"
#include "tests/support/capture_run.h"
#include "tests/support/suite_program.h"

#include "traces/opcode.h"
#include "traces/opcode_table.def"
#include "traces/stand_in.h"

#include <functional>
#include <zstd.h>

using namespace smrf_test;

namespace
{

std::string joined(const std::vector<std::string> &lines)
{
    std::string out;
    for (const std::string &l : lines) {
        out += l + "\n";
    }
    return out;
}

std::string list_of(const std::string &dir)
{
    return dir + "/kernelslist.g";
}

// ---- the suite --------------------------------------------------------------------------------

// Trace a program of the suite, small, as a whole.
void trace_program(const char *name, const std::string &dir, enum smrf_trace_format format,
                   enum smrf_trace_compression compression = SMRF_COMPRESS_NONE)
{
    smrf_capture *capture = nullptr;
    smrf_capture_options options{};
    options.dir = dir.c_str();
    options.format = format;
    options.compression = compression;
    ASSERT_EQ(smrf_capture_open(&capture, &options), 0) << smrf_capture_error(capture);
    suite_outcome o = run_suite_program(name, SMRF_SMALL, nullptr, smrf_capture_listener(capture));
    EXPECT_EQ(o.rc, 0) << name << ": " << o.error << smrf_capture_error(capture);
    EXPECT_EQ(smrf_capture_finish(capture), 0) << smrf_capture_error(capture);
    smrf_capture_close(capture);
}

void expect_suite_accepted(enum smrf_trace_format format, accelsim_release release)
{
    unsigned programs = 0;
    for (; smrf_suite_at(programs) != nullptr; programs++) {
        const char *name = smrf_suite_at(programs)->name;
        temporary_folder folder;
        trace_program(name, folder / "t", format);
        accelsim_reader r(list_of(folder / "t"), release);
        EXPECT_EQ(joined(r.refusals), "") << name;
        EXPECT_GT(r.insts, 100u) << name;
    }
    EXPECT_GT(programs, 100u);
}

TEST(accelsim, TakesEveryProgramOfTheSuiteInVersion5)
{
    expect_suite_accepted(SMRF_TRACE_V5, accelsim_release::v1);
}

// Version 6 without values: the lines that a .tracez holds.
TEST(accelsim, TakesTheLinesOfATracezOfEveryProgramOfTheSuite)
{
    expect_suite_accepted(SMRF_TRACE_V6, accelsim_release::v2);
}

std::string piped(const std::string &command)
{
    std::string out;
    FILE *pipe = popen(command.c_str(), "r");
    char buffer[4096];
    for (size_t n; pipe != nullptr && (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
        out.append(buffer, n);
    }
    EXPECT_EQ(pipe != nullptr ? pclose(pipe) : -1, 0) << command;
    return out;
}

// Accel-Sim opens NAME.xz as the output of "xz -dc NAME.xz", and every other ending but .traceg
// ends it. So its users say --compress xz.
TEST(accelsim, ReadsXzThroughTheXzProgram)
{
    if (std::system("xz --version > /dev/null 2>&1") != 0) {
        GTEST_SKIP() << "there is no program xz";
    }
    temporary_folder folder;
    trace_program("backprop", folder / "plain", SMRF_TRACE_V5);
    trace_program("backprop", folder / "xz", SMRF_TRACE_V5, SMRF_COMPRESS_XZ);
    EXPECT_NE(file_text(list_of(folder / "xz")).find("\nkernel-1.traceg.xz\n"), std::string::npos);
    EXPECT_EQ(piped("xz -dc " + (folder / "xz/kernel-1.traceg.xz")),
              file_text(folder / "plain/kernel-1.traceg"));
}

// ---- .tracez, as warp_trace_stream.h of Accel-Sim 2.0 reads it ----------------------------------

class binary_reader
{
  public:
    explicit binary_reader(std::string bytes) : bytes_(std::move(bytes)) {}
    template <class number> number take(size_t &at) const
    {
        number v{};
        EXPECT_LE(at + sizeof v, bytes_.size());
        std::memcpy(&v, bytes_.data() + at, sizeof v);
        at += sizeof v;
        return v;
    }
    // A frame must tell the size of its content.
    std::string frame(size_t at, size_t bytes) const
    {
        unsigned long long size = ZSTD_getFrameContentSize(bytes_.data() + at, bytes);
        EXPECT_LT(size, ZSTD_CONTENTSIZE_ERROR);
        std::string text(size, '\0');
        EXPECT_EQ(ZSTD_decompress(text.data(), size, bytes_.data() + at, bytes), size);
        return text;
    }
    size_t size() const
    {
        return bytes_.size();
    }
    std::string header() const
    {
        return bytes_.c_str();
    }

  private:
    std::string bytes_;
};

// One warp by its entry in the index; what the file says there must agree.
std::string tracez_warp(const binary_reader &in, size_t &index)
{
    const uint32_t insts = in.take<uint32_t>(index), chunks = in.take<uint32_t>(index);
    size_t at = in.take<uint64_t>(index);
    EXPECT_EQ(in.take<uint32_t>(at), insts);
    EXPECT_EQ(in.take<uint32_t>(at), chunks);
    std::string text;
    uint64_t sum = 0;
    for (uint32_t c = 0; c < chunks; c++) {
        const uint32_t bytes = in.take<uint32_t>(at), lines = in.take<uint32_t>(index);
        const std::string chunk = in.frame(at, bytes);
        EXPECT_EQ(std::count(chunk.begin(), chunk.end(), '\n') + 1, lines);
        text += chunk + "\n";
        sum += lines;
        at += bytes;
    }
    EXPECT_EQ(sum, insts);
    return text;
}

TEST(accelsim, FindsEveryWarpOfATracezThroughItsIndex)
{
    temporary_folder folder;
    trace_program("hotspot", folder / "binary", SMRF_TRACE_TRACEZ);
    trace_program("hotspot", folder / "text", SMRF_TRACE_V6);
    const binary_reader in(file_text(folder / "binary/kernel-1.tracez"));
    const std::string text = file_text(folder / "text/kernel-1.traceg");
    const std::string header = in.header();
    EXPECT_EQ(text.rfind(header, 0), 0u) << header;
    size_t at = header.size() + 1;
    EXPECT_EQ(in.take<uint32_t>(at), 0u) << "a dictionary";
    size_t end = in.size() - 8;
    size_t index = in.take<uint64_t>(end);
    std::string rebuilt = header;
    const uint32_t blocks = in.take<uint32_t>(index);
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t id[10];
        for (uint32_t &i : id) {
            i = in.take<uint32_t>(index);
        }
        rebuilt += "\n#BEGIN_TB\n\nthread block = " + std::to_string(id[0]) + "," +
                   std::to_string(id[1]) + "," + std::to_string(id[2]) + "\n";
        const uint32_t warps = in.take<uint32_t>(index);
        for (uint32_t w = 0; w < warps; w++) {
            const std::string lines = tracez_warp(in, index);
            rebuilt += "\nwarp = " + std::to_string(w) +
                       "\ninsts = " + std::to_string(std::count(lines.begin(), lines.end(), '\n')) +
                       "\n" + lines;
        }
        rebuilt += "\n#END_TB\n";
    }
    EXPECT_EQ(index, in.size() - 8);
    EXPECT_EQ(rebuilt, text);
}

// ---- code that Accel-Sim stops at ---------------------------------------------------------------

const std::vector<std::string> awkward = {
    "MOV R1, c[0x0][0x28]",
    "S2R R0, SR_TID.X",
    "IADD3 R1, R1, -0x8, RZ",
    "DEPBAR.LE SB0, 0x1",
    "UMOV UR4, 0xfffffffb",
    "UIABS UR5, UR4",
    "CS2UR UR6, SRZ",
    "STL.U8 [R1+0x3], R0",
    "STL.U8 [R1+0x1], R0",
    "LDL.S8 R2, [R1+0x1]",
    "LDL.S16 R2, [R1+0x2]",
    "ISETP.LT.AND P0, PT, R0, 0x5, PT",
    "ISETP.GE.AND P1, PT, R0, 0x3, PT",
    "@P0 EXIT P1", // lanes 3 and 4
    "ISETP.LT.AND P0, PT, R0, 0x2, PT",
    "@P0 KILL", // lanes 0 and 1
    "EXIT",
};

struct traced {
    temporary_folder folder;
    std::string dir = folder / "t";
    int rc = 0;
    std::string error;
};

// One block of 40 threads.
void trace_lines(traced &t, const std::vector<std::string> &lines, bool exact,
                 const std::function<void(smrf_capture_options &)> &change = nullptr)
{
    const std::string text = sass_function("k", lines);
    smrf_capture *capture = nullptr;
    smrf_device *device = nullptr;
    smrf_device_module *module = nullptr;
    struct smrf_device_function *function = nullptr;
    smrf_capture_options options{};
    options.dir = t.dir.c_str();
    options.exact = exact;
    if (change) {
        change(options);
    }
    ASSERT_EQ(smrf_capture_open(&capture, &options), 0);
    ASSERT_EQ(smrf_device_create(&device), 0);
    smrf_device_listen(device, smrf_capture_listener(capture));
    t.rc = smrf_device_load_text(device, &module, "k.sass", text.data(), text.size());
    if (t.rc == 0) {
        t.rc = smrf_device_get_function(module, &function, "k");
    }
    if (t.rc == 0) {
        t.rc = smrf_device_launch_raw(function, {2, 1, 1}, {40, 1, 1}, 0, nullptr, 0);
    }
    t.error = smrf_device_error(device);
    if (t.rc == 0) {
        t.rc = smrf_capture_finish(capture);
    }
    smrf_capture_close(capture);
    smrf_device_destroy(device);
}

std::string refusals_of(const traced &t)
{
    return joined(accelsim_reader(list_of(t.dir), accelsim_release::v1).refusals);
}

TEST(accelsim, TakesCodeThatItWouldStopAt)
{
    traced t;
    trace_lines(t, awkward, false);
    ASSERT_EQ(t.rc, 0) << t.error;
    EXPECT_EQ(refusals_of(t), "");
}

TEST(accelsim, StopsAtThatCodeAsTheTracerListsIt)
{
    traced t;
    trace_lines(t, awkward, true);
    ASSERT_EQ(t.rc, 0) << t.error;
    const std::string all = refusals_of(t);
    for (const char *what : {"DEPBAR waits for group 1", "'UIABS' is not in", "'CS2UR' is not in",
                             "'LDL.S8': not within words", "'LDL.S16': not within words",
                             "a lane exits that is not there any more"}) {
        EXPECT_NE(all.find(what), std::string::npos) << what << "\n" << all;
    }
}

TEST(accelsim, TheSidecarKeepsTheRealOpcodes)
{
    traced t;
    trace_lines(t, awkward, false);
    ASSERT_EQ(t.rc, 0) << t.error;
    auto opcodes = [&] {
        std::set<std::string> out;
        read_trace r = read_back(t.dir);
        EXPECT_EQ(r.rc, 0) << r.error;
        for (const auto &warp : r.seen) {
            for (const seen_inst &i : warp.second) {
                out.insert(i.opcode);
            }
        }
        return out;
    };
    const std::set<std::string> with = opcodes();
    for (const char *real : {"UIABS", "CS2UR", "LDL.S8", "LDL.S16", "KILL"}) {
        EXPECT_EQ(with.count(real), 1u) << real;
    }
    EXPECT_EQ(with.count("UIADD3"), 0u);
    std::filesystem::remove(t.dir + "/kernel-1.operands");
    const std::set<std::string> without = opcodes();
    for (const char *instead : {"UIADD3", "S2UR", "LDL.U8", "LDL.U16"}) {
        EXPECT_EQ(without.count(instead), 1u) << instead;
    }
    EXPECT_EQ(without.count("UIABS"), 0u);
}

TEST(accelsim, AnExitWithASecondConditionListsTheLanesThatEnd)
{
    for (bool exact : {false, true}) {
        traced t;
        trace_lines(t, awkward, exact);
        ASSERT_EQ(t.rc, 0) << t.error;
        const std::string text = file_text(t.dir + "/kernel-1.traceg");
        EXPECT_NE(text.find(exact ? "00d0 0000001f 0 EXIT" : "00d0 00000018 0 EXIT"),
                  std::string::npos);
        EXPECT_NE(text.find(exact ? "00f0 00000003 0 KILL" : "00f0 00000003 0 EXIT"),
                  std::string::npos);
        EXPECT_NE(text.find("0100 ffffffe4 0 EXIT"), std::string::npos);
    }
}

// What the executor can run is what a trace can list. Of what only code for sm_80 and later has,
// Turing's table knows nothing, and need not.
TEST(accelsim, KnowsOrHasAStandInForEveryOpcodeThatIsExecuted)
{
    static const char *const roots[] = {
#define ROOT(root, opcode_class, space, flow, shape, flags) #root,
        SMRF_OPCODES(ROOT)
#undef ROOT
            "ATOML", // executed, though no machine's table has it
    };
    static const std::set<std::string> later = {
        "ARRIVES", "DMMA",  "ENDCOLLECTIVE", "CGAERRBAR", "F2FP",
        "HMNMX2",  "I2FP",  "LDGDEPBAR",     "LDGSTS",    "REDG",
        "REDUX",   "SYNCS", "VIADD",         "VIADDMNMX", "VIMNMX",
    };
    unsigned known = 0, replaced = 0;
    for (const char *root : roots) {
        sass_module m(sass_function("k", {root, "EXIT"}));
        smrf_exec_code code{};
        char error[SMRF_SASS_ERROR_BYTES] = "";
        if (m.get() != nullptr && smrf_exec_decode(&code, m.get(), &m.function("k"), error) == 0) {
            smrf_exec_code_free(&code);
        }
        if (m.get() == nullptr ||
            std::string(error).find("opcode " + std::string(root) + " is not supported") !=
                std::string::npos) {
            continue;
        }
        char opcode[40];
        (void)snprintf(opcode, sizeof opcode, "%s.A", root);
        replaced += smrf_stand_in(opcode, sizeof opcode);
        *std::strchr(opcode, '.') = '\0';
        EXPECT_EQ(accelsim_turing_opcodes().count(opcode), later.count(root) ? 0u : 1u) << root;
        known++;
    }
    EXPECT_GT(known, 90u);
    EXPECT_EQ(replaced, 4u);
}

TEST(accelsim, AStandInKeepsModifiersAndChangesNothingElse)
{
    const std::pair<const char *, const char *> cases[] = {{"UIABS", "UIADD3"},
                                                           {"KILL.X", "EXIT.X"},
                                                           {"ATOML.ADD.S32", "ATOM.ADD.S32"},
                                                           {"LDL.S8", "LDL.U8"},
                                                           {"LD.E.S16.SYS", "LD.E.U16.SYS"},
                                                           {"LDG.E.S8", "LDG.E.S8"},
                                                           {"LDL.S80", "LDL.S80"},
                                                           {"LDS.S8", "LDS.S8"},
                                                           {"UIABSX", "UIABSX"},
                                                           {"LD.E.U8", "LD.E.U8"},
                                                           {"LDL", "LDL"}};
    for (const auto &[from, to] : cases) {
        char opcode[32];
        (void)snprintf(opcode, sizeof opcode, "%s", from);
        EXPECT_EQ(smrf_stand_in(opcode, sizeof opcode), std::strcmp(from, to) != 0) << from;
        EXPECT_STREQ(opcode, to);
    }
    char tight[6] = "UIABS";
    EXPECT_FALSE(smrf_stand_in(tight, sizeof tight));
    EXPECT_STREQ(tight, "UIABS");
}

// A part of a launch replays here, but Accel-Sim runs every block and warp of the grid.
TEST(accelsim, RefusesAPartOfALaunch)
{
    const std::pair<const char *, std::function<void(smrf_capture_options &)>> parts[] = {
        {"1 of 2 thread blocks",
         [](smrf_capture_options &o) {
             char error[SMRF_SASS_ERROR_BYTES];
             ASSERT_EQ(smrf_capture_ranges_parse(&o.blocks, "1", error), 0);
         }},
        {"warp 1 has no instruction",
         [](smrf_capture_options &o) {
             char error[SMRF_SASS_ERROR_BYTES];
             ASSERT_EQ(smrf_capture_ranges_parse(&o.warps, "0", error), 0);
         }},
        {"1 of 2 thread blocks", [](smrf_capture_options &o) { o.max_insts = 1; }},
        {"Unsupported file type",
         [](smrf_capture_options &o) { o.compression = SMRF_COMPRESS_GZ; }},
        {"Unsupported file type",
         [](smrf_capture_options &o) { o.compression = SMRF_COMPRESS_ZSTD; }},
        {"tracer version 6", [](smrf_capture_options &o) { o.format = SMRF_TRACE_V6; }}};
    for (const auto &part : parts) {
        traced t;
        smrf_capture_options used{};
        trace_lines(t, awkward, false, [&](smrf_capture_options &o) {
            part.second(o);
            used = o;
        });
        ASSERT_EQ(t.rc, 0) << t.error;
        EXPECT_NE(refusals_of(t).find(part.first), std::string::npos) << refusals_of(t);
        smrf_capture_ranges_free(&used.blocks);
        smrf_capture_ranges_free(&used.warps);
    }
}

// ---- the reader's rules -------------------------------------------------------------------------

const char good_header[] = "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n"
                           "-block dim = (34,1,1)\n-shmem = 0\n-nregs = 16\n"
                           "-binary version = 75\n-cuda stream id = 0\n"
                           "-shmem base_addr = 0x7f0000000000\n"
                           "-local mem base_addr = 0x7f0100000000\n-nvbit version = 1\n"
                           "-accelsim tracer version = 5\n-enable lineinfo = 0\n\n#traces\n\n";
const char good_body[] = "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 3\n"
                         "0000 ffffffff 1 R0 LDG.E.SYS 1 R2 4 1 0x100 4 0 \n"
                         "0010 0000000f 0 EXIT 0 0 0 \n0020 fffffff0 0 EXIT 0 0 0 \n\n"
                         "warp = 1\ninsts = 2\n0000 00000003 0 STL.64 2 R1 R2 8 2 0x8 0 0 \n"
                         "0020 00000003 0 EXIT 0 0 -1 \n\n#END_TB\n";

std::string checked(const std::string &kernel, const std::string &list = "kernel-1.traceg\n",
                    accelsim_release release = accelsim_release::v1)
{
    temporary_folder folder;
    std::ofstream(folder / "kernelslist.g", std::ios::binary) << list;
    std::ofstream(folder / "kernel-1.traceg", std::ios::binary) << kernel;
    return joined(accelsim_reader(folder / "kernelslist.g", release).refusals);
}

// from, which is there, becomes to.
std::string mutated(const std::string &from, const std::string &to)
{
    std::string text = std::string(good_header) + good_body;
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(accelsim_reader, TakesALaunchWithoutFault)
{
    EXPECT_EQ(
        checked(std::string(good_header) + good_body, "MemcpyHtoD,0x100,64\nkernel-1.traceg\n"),
        "");
}

TEST(accelsim_reader, EveryRuleBites)
{
    const struct {
        const char *from, *to, *refusal;
    } cases[] = {
        {"-kernel id = 1\n", "", "has no 'kernel id'"},
        {"(1,1,1)", "(1,1)", "'grid dim' is not"},
        {"(1,1,1)", "(2,1,1)", "1 of 2 thread blocks"},
        {"-shmem = 0", "-shmem = 65537", "max_cta aborts"},
        {"-nregs = 16", "-nregs = 2000", "max_cta aborts"},
        {"(34,1,1)", "(1025,1,1)", "max_cta aborts"},
        {"version = 75", "version = 76", "binary version is neither 75 nor 86"},
        {"version = 5", "version = 6", "uniform registers are read as R"},
        {"0x7f0100000000", "0x0", "cannot be told apart"},
        {"-nvbit version = 1", "-nvbit version 1", "has no ' = '"},
        {"-nvbit version = 1", "-colour = red", "is unknown"},
        {"#BEGIN_TB\n", "#BEGIN_TB\n#BEGIN_TB\n", "a block begins inside one"},
        {"#BEGIN_TB\n", "x\n#BEGIN_TB\n", "stands between thread blocks"},
        {"#END_TB\n", "", "ends inside a block"},
        {"#END_TB\n", "#END_TB", "no newline"},
        {"warp = 1", "warp = 2", "outside the block"},
        {"warp = 1", "warp = 0", "comes twice"},
        {"warp = 0\n", "", "before any warp"},
        {"insts = 3", "insts = 2", "vector::at"},
        {"insts = 3", "insts = 4", "announces 4 instructions and has 3"},
        {"insts = 3", "insts = x", "is no number"},
        {"0000 ffffffff", "100000000 ffffffff", "the PC '100000000'"},
        {"ffffffff 1", "1ffffffff 1", "the mask '1ffffffff'"},
        {"1 R0 LDG", "2 R0 R1 LDG", "2 destinations"},
        {"1 R0 LDG", "1 UR0 LDG", "'UR0' is no register"},
        {"1 R0 LDG", "1 R256 LDG", "'R256' is no register"},
        {"1 R2 4 1", "5 R2 R2 R2 R2 R2 4 1", "5 sources"},
        {"LDG.E.SYS", "LDGX.E.SYS", "'LDGX.E.SYS' is not in Turing_OpcodeMap"},
        {"LDG.E.SYS", "LDG.E.4", "has no data size"},
        {"LDG.E.SYS 1 R2 4 1 0x100 4", "LDG.E.SYS 1 R2 0", "has no data size"},
        {"4 1 0x100 4", "4 3 0x100 4", "address mode 3"},
        {"4 1 0x100 4", "4 1 0x100 4294967296", "the stride (int)"},
        {"4 1 0x100 4", "4 2 0x100 4", "a delta ''"},
        {"4 1 0x100 4", "4 0 0x100 4", "an address ''"},
        {"1 0x100 4 0 ", "1 0x100 4 ", "the immediate ''"},
        {"1 0x100 4 0 ", "1 0x100 4 0 0 ", "more behind the immediate"},
        {"LDG.E.SYS", "ATOMG.E.ADD.64", "crosses its 32-byte sector"},
        {"LDG.E.SYS 1 R2 4 1 0x100 4", "LD.E.SYS 1 R2 4 1 0x7f0100000001 4",
         "LD.E.SYS': not within"},
        {"8 2 0x8", "8 2 0xa", "'STL.64': not within words"},
        {"0010 0000000f 0 EXIT 0 0 0", "0010 0000000f 0 DEPBAR.LE 0 0 1",
         "DEPBAR waits for group 1"},
        {"0010 0000000f", "0010 0000001f", "not there any more"},
        {"0010 0000000f", "0010 00000007", "lanes never reach EXIT"},
        {"0010 0000000f", "0010 ffffffff", "after the last lane's EXIT"},
        {"0000 00000003 0 STL.64 2 R1 R2 8 2 0x8 0 0 \n0020 00000003 0 EXIT 0 0 -1 \n", "",
         "warp 1 has no instruction"},
    };
    for (const auto &c : cases) {
        EXPECT_NE(checked(mutated(c.from, c.to)).find(c.refusal), std::string::npos)
            << c.from << " -> " << c.to << "\n"
            << checked(mutated(c.from, c.to));
    }
    EXPECT_EQ(checked(mutated("0x7f0100000000", "0x7f0200000000")), "");
    EXPECT_EQ(
        checked(mutated("LDG.E.SYS 1 R2 4 1 0x100 4", "LD.E.U8.SYS 1 R2 1 1 0x7f0100000001 4")),
        "");
}

TEST(accelsim_reader, RulesOfTheListBite)
{
    const std::string good = std::string(good_header) + good_body;
    const std::pair<const char *, const char *> cases[] = {
        {"", "names no kernel"},
        {"kernel-1.traceg.gz\n", "Unsupported file type"},
        {"kernel 1.traceg\n", "a shell splits"},
        {"kernel-2.traceg\n", "is absent"},
        {"MemcpyHtoD,0x0\nkernel-1.traceg\n", "has not 3 fields"},
        {"MemcpyHtoD,0x0,4294967296\nkernel-1.traceg\n", "never ends"},
        {"MemcpyHtoD,zero,4\nkernel-1.traceg\n", "is no number"},
        {"fence\nkernel-1.traceg\n", "is no command"}};
    for (const auto &[list, refusal] : cases) {
        EXPECT_NE(checked(good, list).find(refusal), std::string::npos) << checked(good, list);
    }
}

TEST(accelsim_reader, Release2TakesUniformRegistersAndGroupsOf1Or32Values)
{
    std::string text = mutated("version = 5", "version = 6");
    auto line = [&](const std::string &from, const std::string &to) {
        size_t at = text.find(from);
        return std::string(text).replace(at, from.size(), to);
    };
    const char load[] = "1 R0 LDG.E.SYS 1 R2 4 1 0x100 4 0 ";
    auto run = [&](const std::string &to) {
        std::string t = line(load, to);
        for (const char *end : {"EXIT 0 0 0 ", "EXIT 0 0 0 ", "R2 8 2 0x8 0 0 ", "EXIT 0 0 -1 "}) {
            size_t at = t.find(std::string(end) + "\n");
            t.insert(at + std::strlen(end), "0 NoVal ");
        }
        return checked(t, "kernel-1.traceg\n", accelsim_release::v2);
    };
    EXPECT_EQ(run("1 UR4 ULDC 0 0 0 0 NoVal "), "");
    EXPECT_EQ(run("1 R4 MOV 1 R2 0 0 0 Val 1 0x5 1 0x5 "), "");
    EXPECT_NE(run("1 R4 MOV 1 R2 0 0 0 Val 2 0x5 0x6 ").find("a group of 2 values"),
              std::string::npos);
    EXPECT_EQ(run("0 BAR.SYNC 0 0 15 64 NoVal "), "");
    EXPECT_NE(run("0 BAR.SYNC 0 0 16 64 NoVal ").find("barrier 16"), std::string::npos);
    EXPECT_NE(run("1 R4 MOV 1 R2 0 0 ").find("the immediate ''"), std::string::npos);
}

TEST(accelsim_reader, TakesATraceOfARealGpu)
{
    const char *set = std::getenv("SMRF_REAL_TRACES"), *source = std::getenv("SMRF_SOURCE_DIR");
    const std::string root = set != nullptr      ? set
                             : source != nullptr ? std::string(source) + "/../shared/traces"
                                                 : "";
    const std::string file = root + "/vecadd-sm75-v1.2/kernel-1.traceg.xz";
    if (!std::filesystem::exists(file) || std::system("xz --version > /dev/null 2>&1") != 0) {
        GTEST_SKIP() << "no real traces (set SMRF_REAL_TRACES) or no program xz";
    }
    EXPECT_EQ(checked(piped("xz -dc '" + file + "'")), "");
}

} // namespace
