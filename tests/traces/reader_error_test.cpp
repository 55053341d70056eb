// SPDX-License-Identifier: Apache-2.0
// Every way a trace can be wrong gives an error that names the file, the place and the reason.
#include "trace_files.h"

using namespace trace_files;

namespace
{

void expect_error(const std::string &text, int code, const std::string &place,
                  const std::string &reason, const smrf_trace_options *options = nullptr)
{
    temp_dir dir;
    write_file(dir / "k.traceg", text);
    outcome o = read_all(dir / "k.traceg", options);
    EXPECT_EQ(o.rc, code) << o.error;
    EXPECT_NE(o.error.find("k.traceg" + place), std::string::npos) << o.error;
    EXPECT_NE(o.error.find(reason), std::string::npos) << o.error;
}

const char start[] =
    "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-accelsim tracer version = 5\n#\n";
const char first_line[] =
    "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"; // from line 5 on

// The line stands at line 9 of the file.
void expect_line_error(const std::string &line, const std::string &reason)
{
    SCOPED_TRACE(line);
    expect_error(start + (first_line + line) + "\n#END_TB\n", SMRF_ERR_FORMAT, ":9:", reason);
}

TEST(ReaderError, MissingFilesAreNamed)
{
    outcome o = read_all("/nowhere/kernel.traceg");
    EXPECT_EQ(o.rc, SMRF_ERR_IO);
    EXPECT_NE(o.error.find("/nowhere/kernel.traceg"), std::string::npos);
    temp_dir dir;
    o = read_all(dir.path());
    EXPECT_EQ(o.rc, SMRF_ERR_IO);
    EXPECT_NE(o.error.find("kernelslist.g"), std::string::npos);
    write_file(dir / "kernelslist.g", "MemcpyHtoD,0x1,2\nkernel-7.traceg\n");
    o = read_all(dir.path());
    EXPECT_EQ(o.rc, SMRF_ERR_IO);
    EXPECT_NE(o.error.find("kernelslist.g:2:"), std::string::npos) << o.error;
    EXPECT_NE(o.error.find("kernel-7.traceg"), std::string::npos) << o.error;
}

TEST(ReaderError, FileThatIsNoTraceIsRefused)
{
    temp_dir dir;
    write_file(dir / "notes.txt", "hello\nworld\n");
    outcome o = read_all(dir / "notes.txt");
    EXPECT_EQ(o.rc, SMRF_ERR_FORMAT);
    EXPECT_NE(o.error.find("kernelslist.g"), std::string::npos) << o.error;
}

TEST(ReaderError, RawTracesAreRefusedWithAdvice)
{
    temp_dir dir;
    write_file(dir / "kernel-1.trace", "-kernel name = k\n");
    outcome o = read_all(dir / "kernel-1.trace");
    EXPECT_EQ(o.rc, SMRF_ERR_FORMAT);
    EXPECT_NE(o.error.find("post-traces-processing"), std::string::npos) << o.error;
}

TEST(ReaderError, HeaderLinesAreChecked)
{
    expect_error("-grid dim = (1,1)\n", SMRF_ERR_FORMAT, ":1:", "grid dim");
    expect_error("-grid dim = (0,1,1)\n", SMRF_ERR_FORMAT, ":1:", "grid dim");
    expect_error("\n-block dim = x\n", SMRF_ERR_FORMAT, ":2:", "block dim");
    expect_error("-block dim = (1024,2,2)\n", SMRF_ERR_LIMIT, ":1:", "2048");
    expect_error("-block dim = (2147483647,2147483647,2147483647)\n", SMRF_ERR_LIMIT,
                 ":1:", "2048");
    expect_error("-nregs = many\n", SMRF_ERR_FORMAT, ":1:", "number");
    expect_error("-nregs = 1000\n", SMRF_ERR_FORMAT,
                 ":1:", "'nregs' must be a number from 0 to 256, not '1000'");
    expect_error("-accelsim tracer version = 7\n", SMRF_ERR_FORMAT, ":1:", "version");
    expect_error("-accelsim tracer version = x\n", SMRF_ERR_FORMAT, ":1:", "version");
    expect_error("-no equals sign\n", SMRF_ERR_FORMAT, ":1:", "key = value");
    expect_error("-block dim = (32,1,1)\n-accelsim tracer version = 5\n#\n", SMRF_ERR_FORMAT,
                 ":3:", "grid dim");
    expect_error("-grid dim = (1,1,1)\n-accelsim tracer version = 5\n#\n", SMRF_ERR_FORMAT,
                 ":3:", "block dim");
    expect_error("-accelsim tracer version = -1\n", SMRF_ERR_FORMAT, ":1:", "version");
    expect_error("-shmem base_addr = here\n", SMRF_ERR_FORMAT,
                 ":1:", "'shmem base_addr' must be a hexadecimal address, not 'here'");
    expect_error("-grid dim = (1,1,1)\n", SMRF_ERR_FORMAT, ":2:", "block dim");
}

TEST(ReaderError, BlockStructureIsChecked)
{
    std::string s = start;
    expect_error(s + "0000 ffffffff 0 EXIT 0 0 0\n", SMRF_ERR_FORMAT, ":5:", "BEGIN_TB");
    expect_error(s + "#BEGIN_TB\n#END_TB\n", SMRF_ERR_FORMAT, ":6:", "thread block");
    expect_error(s + "#BEGIN_TB\nthread block = 0;0;0\n", SMRF_ERR_FORMAT, ":6:", "x,y,z");
    expect_error(s + "#BEGIN_TB\nthread block = 1,0,0\n", SMRF_ERR_FORMAT,
                 ":6:", "outside the grid");
    expect_error(s + "#BEGIN_TB\nthread block = 0,0,0\nwarp = x\n", SMRF_ERR_FORMAT,
                 ":7:", "warp =");
    expect_error(s + "#BEGIN_TB\nthread block = 0,0,0\nwarp = 1\n", SMRF_ERR_FORMAT,
                 ":7:", "beyond");
    expect_error(s + "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\nwarp = 0\n", SMRF_ERR_FORMAT,
                 ":8:", "insts");
    expect_error(s + "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 0\nwarp = 0\ninsts = 0\n",
                 SMRF_ERR_FORMAT, ":9:", "already");
    expect_error(s + "#BEGIN_TB\nthread block = 0,0,0\n#BEGIN_TB\n", SMRF_ERR_FORMAT,
                 ":7:", "#END_TB");
}

TEST(ReaderError, MissingAndSurplusInstructionsAreFound)
{
    std::string exit = "0000 ffffffff 0 EXIT 0 0 0\n";
    std::string two = std::string(start) + "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n";
    expect_error(two + exit + "#END_TB\n", SMRF_ERR_CORRUPT, ":10:", "1 instructions fewer");
    expect_error(two + exit + exit + exit + "#END_TB\n", SMRF_ERR_FORMAT, ":11:", "more");
}

TEST(ReaderError, TruncatedTextIsFoundWhereverItEnds)
{
    std::string whole =
        start + std::string("#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n"
                            "0000 ffffffff 1 R1 MOV 0 0 0 \n0010 ffffffff 0 EXIT 0 0 "
                            "0 \n#END_TB\n");
    size_t body = std::string(start).size() + 1;
    for (size_t keep = body; keep < whole.size() - 8; keep++) {
        temp_dir dir;
        write_file(dir / "k.traceg", whole.substr(0, keep));
        outcome o = read_all(dir / "k.traceg");
        if (keep - body < 8) { /* "#BEGIN_T" is just a comment */
            EXPECT_EQ(o.rc, 0) << keep;
        } else {
            EXPECT_LT(o.rc, 0) << keep;
        }
    }
}

TEST(ReaderError, InstructionFieldsAreChecked)
{
    expect_line_error("zz00 ffffffff 0 EXIT 0 0 0", "PC");
    expect_line_error("000000000 ffffffff 0 EXIT 0 0 0", "PC");
    expect_line_error("0000", "PC");
    expect_line_error("0000 fffffffff 0 EXIT 0 0 0", "mask");
    expect_line_error("0000 xyz 0 EXIT 0 0 0", "mask");
    expect_line_error("0000 ffffffff x EXIT 0 0 0", "dest_num");
    expect_line_error("0000 ffffffff 99 EXIT 0 0 0", "at most");
    expect_line_error("0000 ffffffff 1 R256 MOV 0 0 0", "R256");
    expect_line_error("0000 ffffffff 1 R MOV 0 0 0", "'R' is no register");
    expect_line_error("0000 ffffffff 1 UR MOV 0 0 0", "'UR' is no register");
    expect_line_error("0000 ffffffff 1 R1x MOV 0 0 0", "R1x");
    expect_line_error("0000 ffffffff 1 17 MOV 0 0 0", "register");
    expect_line_error("0000 ffffffff 0 17 0 0 0", "opcode");
    expect_line_error("0000 ffffffff 0 " + std::string(200, 'A') + " 0 0 0", "opcode");
    expect_line_error("0000 ffffffff 0 EXIT", "src_num");
    expect_line_error("0000 ffffffff 0 EXIT y 0 0", "src_num");
    expect_line_error("0000 ffffffff 0 EXIT 0 wide", "mem_width");
    expect_line_error("0000 ffffffff 0 EXIT 0", "mem_width");
    expect_line_error("0000 ffffffff 1 R1 LDG.E 1 R2 4", "address mode");
    expect_line_error("0000 ffffffff 1 R1 LDG.E 1 R2 4 3 0x0", "address mode");
    expect_line_error("0000 ffffffff 1 R1 LDG.E 1 R2 4 9 0x0", "address mode");
    expect_line_error("0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x0", "fewer addresses");
    expect_line_error("0000 ffffffff 1 R1 LDG.E 1 R2 4 1 zzz 4", "fewer addresses");
    expect_line_error("0000 0000000f 1 R1 LDG.E 1 R2 4 2 0x0 4 4", "fewer addresses");
    expect_line_error("0000 0000000f 1 R1 LDG.E 1 R2 4 0 0x0 0x4 0x8", "fewer addresses");
    expect_line_error("0000 00000003 1 R1 LDG.E 1 R2 4 0 0x0 0x11112222333344445",
                      "fewer addresses");
}

TEST(ReaderError, PrefixesOfOldAndAnnotatedTracesAreChecked)
{
    std::string body = first_line + std::string("0000 ffffffff 0 EXIT 0 0\n#END_TB\n");
    expect_error("-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-accelsim tracer version = 1.2\n#\n" +
                     body,
                 SMRF_ERR_FORMAT, ":9:", "four numbers");
    /* without a version it is the oldest form */
    expect_error("-grid dim = (1,1,1)\n-block dim = (32,1,1)\n#\n" + body, SMRF_ERR_FORMAT,
                 ":8:", "four numbers");
    std::string lines = first_line + std::string("x 0000 ffffffff 0 EXIT 0 0\n#END_TB\n");
    expect_error("-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-accelsim tracer version = 4\n"
                 "-enable lineinfo = 1\n#\n" +
                     lines,
                 SMRF_ERR_FORMAT, ":10:", "line number");
}

TEST(ReaderError, ValuesThatEndEarlyAreFound)
{
    std::string six =
        "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-accelsim tracer version = 6\n#\n";
    expect_error(six + first_line +
                     "0000 00000003 1 R1 MOV 1 R2 0 0 0 Val 2 0x1 0x2 2 0x3\n#END_TB\n",
                 SMRF_ERR_FORMAT, ":9:", "Val");
    expect_error(six + first_line + "0000 00000003 1 R1 MOV 1 R2 0 0 0 Val x\n#END_TB\n",
                 SMRF_ERR_FORMAT, ":9:", "Val");
}

TEST(ReaderError, StrictReadingRefusesUnknownOpcodes)
{
    smrf_trace_options strict = {};
    strict.strict = true;
    expect_error(start + std::string(first_line) + "0000 ffffffff 1 R1 FROB 0 0 0\n#END_TB\n",
                 SMRF_ERR_UNKNOWN, ":9:", "FROB", &strict);
}

TEST(ReaderError, EndlessLineIsRefused)
{
    expect_error(start + std::string(17u << 20, 'x'), SMRF_ERR_LIMIT, ":5:", "bytes");
}

TEST(ReaderError, EndlesslyNewInstructionsAreRefused)
{
    std::string text =
        std::string(start) + "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 200000\n";
    for (int i = 0; i < 200000; i++) {
        char line[64];
        std::snprintf(line, sizeof line, "%06x ffffffff 0 NOP 0 0 0\n", i);
        text += line;
    }
    expect_error(text + "#END_TB\n", SMRF_ERR_LIMIT, ":", "distinct instructions");
}

TEST(ReaderError, CallsOutOfOrderAreRefusedAndLeaveTheTraceUsable)
{
    temp_dir dir;
    write_file(dir / "k.traceg", start + std::string(first_line) +
                                     "0000 ffffffff 0 EXIT 0 0 0\n"
                                     "#END_TB\n");
    smrf_trace *t;
    smrf_trace_block *b;
    smrf_kernel_info info;
    smrf_inst inst;
    ASSERT_EQ(smrf_trace_open(&t, (dir / "k.traceg").c_str(), nullptr), 0);
    EXPECT_EQ(smrf_trace_next_block(t, &b), SMRF_ERR_STATE);
    ASSERT_EQ(smrf_trace_next_kernel(t, &info), 1);
    ASSERT_EQ(smrf_trace_next_block(t, &b), 1);
    EXPECT_EQ(smrf_trace_next_inst(b, 1, &inst), SMRF_ERR_INVAL);
    EXPECT_EQ(smrf_trace_next_kernel(t, &info), SMRF_ERR_STATE);
    EXPECT_EQ(smrf_trace_next_inst(b, 0, &inst), 1);
    EXPECT_EQ(smrf_trace_next_inst(b, 0, &inst), 0);
    smrf_trace_release_block(t, b);
    EXPECT_EQ(smrf_trace_next_kernel(t, &info), 0);
    smrf_trace_close(t);
}

TEST(ReaderError, FirstErrorStays)
{
    temp_dir dir;
    write_file(dir / "k.traceg", start + std::string("nonsense\n"));
    smrf_trace *t;
    smrf_trace_block *b;
    smrf_kernel_info info;
    ASSERT_EQ(smrf_trace_open(&t, (dir / "k.traceg").c_str(), nullptr), 0);
    ASSERT_EQ(smrf_trace_next_kernel(t, &info), 1);
    EXPECT_EQ(smrf_trace_next_block(t, &b), SMRF_ERR_FORMAT);
    std::string text = smrf_trace_error(t);
    EXPECT_EQ(smrf_trace_next_block(t, &b), SMRF_ERR_FORMAT);
    EXPECT_EQ(smrf_trace_next_kernel(t, &info), SMRF_ERR_FORMAT);
    EXPECT_EQ(text, smrf_trace_error(t));
    smrf_trace_close(t);
}

} // namespace
