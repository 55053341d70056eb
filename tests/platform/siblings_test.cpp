// SPDX-License-Identifier: Apache-2.0
// Inputs of the kinds that users met: each kind has siblings, and each sibling a right answer, said
// by hardware's and the tools' documents. Counts are compared, or what is told.
#include "platform/platform.h"
#include "tests/support/platform_files.h"

#include <cctype>

using namespace smrf_test;

namespace
{

struct kernel {
    explicit kernel(std::vector<std::vector<std::string>> lines) : warps(std::move(lines)) {}
    template <typename T, typename V> kernel with(T kernel::*field, V value) const
    {
        kernel other = *this;
        other.*field = value;
        return other;
    }
    std::vector<std::vector<std::string>> warps; // lines of each
    std::string name = "k", grid = "(1,1,1)", block = "";
    unsigned shared = 0, registers = 168, version = 5, binary = 75;
    std::vector<std::string> blocks = {"0,0,0"};
};

std::string text_of(const kernel &k)
{
    std::ostringstream t;
    const std::string block =
        k.block.empty() ? "(" + std::to_string(32 * k.warps.size()) + ",1,1)" : k.block;
    t << "-kernel name = " << k.name << "\n-kernel id = 1\n-grid dim = " << k.grid
      << "\n-block dim = " << block << "\n-shmem = " << k.shared << "\n-nregs = " << k.registers
      << "\n-binary version = " << k.binary
      << "\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n"
         "-local mem base_addr = 0x00007f0002000000\n-nvbit version = 1.7\n"
         "-accelsim tracer version = "
      << k.version << "\n-enable lineinfo = 0\n\n";
    for (const std::string &b : k.blocks) {
        t << "#BEGIN_TB\n\nthread block = " << b << "\n";
        for (size_t w = 0; w < k.warps.size(); w++) {
            t << "\nwarp = " << w << "\ninsts = " << k.warps[w].size() << "\n";
            for (const std::string &line : k.warps[w]) {
                t << line << "\n";
            }
        }
        t << "\n#END_TB\n\n";
    }
    return t.str();
}

const std::string EXIT = "0030 ffffffff 0 EXIT 0 0 0";

class siblings : public ::testing::Test
{
  protected:
    outcome run(const kernel &k, const std::string &words = "run -q --strict")
    {
        write_file(folder / "k.traceg", text_of(k));
        return smrf(folder, words + " " + (folder / "k.traceg"));
    }
    outcome with_config(const std::string &config)
    {
        write_file(folder / "a.config", config);
        return smrf(folder, "run -q --max-cycles 10 -g " + (folder / "a.config") + " " +
                                std::getenv("SMRF_SOURCE_DIR") + "/traces/bundled/matmul");
    }
    temporary_folder folder;
};

// ---- matrix instructions: registers by shape and type
// ----------------------------------------------

struct multiply {
    const char *instruction; // and its sources
    unsigned reads, writes;  // registers a thread; 0: the shape is told to be unknown
};

// Registers of a thread by the fragments of PTX's mma and wgmma.
const multiply MULTIPLIES[] = {
    {"HMMA.16816.F32 3 R4 R8 R24", 10, 4},
    {"HMMA.16816.F16 3 R4 R8 R24", 8, 2},
    {"HMMA.1688.F32.TF32 3 R4 R8 R24", 10, 4},
    {"HMMA.1684.F32.TF32 3 R4 R8 R24", 7, 4},
    {"HMMA.1688.F16 3 R4 R8 R24", 5, 2},
    {"HMMA.SP.16832.F32 4 R4 R8 R24 R30", 13, 4},
    {"HMMA.SP.16832.F16 4 R4 R8 R24 R30", 11, 2},
    {"IMMA.8816.S8.S8 3 R4 R8 R24", 4, 2},
    {"IMMA.16816.S8.S8 3 R4 R8 R24", 7, 4},
    {"IMMA.16832.U8.S8.SAT 3 R4 R8 R24", 10, 4},
    {"IMMA.16864.S4.S4 3 R4 R8 R24", 10, 4},
    {"IMMA.SP.16864.S8.S8 4 R4 R8 R24 R30", 13, 4},
    {"BMMA.168256.AND.POPC 3 R4 R8 R24", 10, 4},
    {"BMMA.88128.XOR.POPC 3 R4 R8 R24", 4, 2},
    {"DMMA.884 3 R4 R8 R24", 8, 4},
    {"DMMA.8x8x4 3 R4 R8 R24", 8, 4},
    {"DMMA.16x8x4 3 R4 R8 R24", 14, 8},
    {"DMMA.16x8x8 3 R4 R12 R24", 20, 8},
    {"DMMA.16x8x16 3 R4 R32 R24", 32, 8},
    {"QMMA.16832.F32.E5M2.E4M3 3 R4 R8 R24", 10, 4},
    {"QMMA.16832.F16.E4M3.E4M3 3 R4 R8 R24", 8, 2},
    {"QMMA.16816.F32.E4M3.E4M3 3 R4 R8 R24", 7, 4},
    {"OMMA.16864.F32.E2M1.E2M1.UE8M0 4 R4 R8 R24 R30", 11, 4},
    {"HGMMA.64x8x16.F16 2 UR8 R24", 2, 2},
    {"HGMMA.64x96x8.F32.TF32 2 UR8 R24", 48, 48},
    {"HGMMA.64x128x16.F32 3 R4 UR8 R24", 68, 64},
    {"HGMMA.64x256x16.F32 2 UR8 R24", 128, 128},
    {"HGMMA.SP.64x64x32.F32 3 UR8 R24 R4", 33, 32},
    {"IGMMA.64x8x32.U8.U8 2 UR8 R24", 4, 4},
    {"QGMMA.64x64x32.F16.E5M2.E4M3 2 UR8 R24", 16, 16},
    {"BGMMA.64x64x256.AND.POPC 2 UR8 R24", 32, 32},
    {"HMMA.161616.F32 3 R4 R8 R24", 0, 0},
    {"IMMA.16864.S8.S8 3 R4 R8 R24", 0, 0},
    {"DMMA.888 3 R4 R8 R24", 0, 0},
    {"BMMA.888.POPC 3 R4 R8 R24", 0, 0},
    {"QMMA.1688.F32.E4M3.E4M3 3 R4 R8 R24", 0, 0},
    {"HGMMA.64x12x16.F32 2 UR8 R24", 0, 0},
    {"HGMMA.64x264x16.F32 2 UR8 R24", 0, 0},
    {"HGMMA.32x64x16.F32 2 UR8 R24", 0, 0},
    {"IGMMA.64x64x16.S8.S8 2 UR8 R24", 0, 0},
};

TEST_F(siblings, MatrixInstructionsCountTheirRegistersOrAreTold)
{
    for (const multiply &m : MULTIPLIES) {
        const std::string line = std::string("0000 ffffffff 1 R24 ") + m.instruction + " 0 0 0";
        write_file(folder / "k.traceg",
                   text_of(kernel({{line, EXIT}, {line, EXIT}, {line, EXIT}, {line, EXIT}})
                               .with(&kernel::binary, 90)));
        smrf_platform *p = nullptr;
        uint64_t reads = 0, writes = 0;
        ASSERT_EQ(SMRF_OK, smrf_platform_create(&p));
        ASSERT_EQ(SMRF_OK, smrf_platform_engine(p, "direct"));
        ASSERT_EQ(SMRF_OK, smrf_platform_set(p, "gpu.sms=1"));
        ASSERT_EQ(SMRF_OK, smrf_platform_strict(p, true));
        int rc = smrf_platform_add_trace(p, (folder / "k.traceg").c_str());
        rc = rc ? rc : smrf_platform_run(p, SMRF_NO_LIMIT);
        if (m.writes == 0) {
            EXPECT_LT(rc, 0) << m.instruction;
        } else {
            EXPECT_EQ(SMRF_RUN_DONE, rc) << m.instruction << ": " << smrf_platform_error(p);
            smrf_platform_count(p, "rf.operand_reads", &reads);
            smrf_platform_count(p, "rf.operand_writes", &writes);
            EXPECT_EQ(4u * m.reads, reads) << m.instruction;
            EXPECT_EQ(4u * m.writes, writes) << m.instruction;
        }
        smrf_platform_destroy(p);
    }
}

// ---- instructions whose effect is left out
// ---------------------------------------------------------

TEST_F(siblings, WhatIsLeftOutIsTold)
{
    struct {
        const char *instruction, *says;
    } const cases[] = {
        {"0 UTMALDG.3D.IM2COL 2 UR8 UR10 128 1 0x7f1000000000", "copy is left out"},
        {"0 UTMASTG.2D 2 UR8 UR10 128 1 0x7f1000000000", "copy is left out"},
        {"0 UTMAREDG.2D.ADD 2 UR8 UR10 128 1 0x7f1000000000", "copy is left out"},
        {"0 UBLKCP.S.G 2 UR8 UR10 128 1 0x7f1000000000", "copy is left out"},
        {"0 UBLKRED.G.S.ADD 2 UR8 UR10 128 1 0x7f1000000000", "copy is left out"},
        {"0 UBLKPF 2 UR8 UR10 0", "copy is left out"},
        {"0 UTMAPF.L2.2D 2 UR8 UR10 0", "copy is left out"},
        {"1 R24 LDTM.x32 2 UR4 R3 0", "copy is left out"},
        {"0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 UR8 R4 0", "waits for nothing"},
        {"0 SYNCS.ARRIVE.TRANS64.A1T0 2 UR8 R4 0", "waits for nothing"},
        {"0 SYNCS.EXCH.64 1 UR8 0", "waits for nothing"},
        {"0 ACQBULK 0 0", "waits for nothing"},
        {"0 USETMAXREG.TRY_ALLOC.CTAPOOL 0 0 232 0", "keeps the registers of its launch"},
        {"0 USETMAXREG.DEALLOC.CTAPOOL 0 0 40 0", "keeps the registers of its launch"},
        {"1 R24 IMNMX7 3 R4 R6 R8 0", "an unknown opcode"},
    };
    for (const auto &c : cases) {
        const kernel whole =
            kernel({{std::string("0000 00000001 ") + c.instruction + " 0 0 ",
                     "0030 00000001 0 EXIT 0 0 0 ", "0030 fffffffe 0 EXIT 0 0 0 "}})
                .with(&kernel::version, 6)
                .with(&kernel::binary, 90);
        const outcome told = run(whole, "run -q"), strict = run(whole);
        EXPECT_EQ(0, told.status) << c.instruction << told.err;
        EXPECT_NE(std::string::npos, told.err.find(c.says)) << c.instruction << told.err;
        EXPECT_EQ(3, strict.status) << c.instruction << strict.err;
    }
}

// ---- traces that lie, and headers
// ------------------------------------------------------------------

TEST_F(siblings, TracesThatContradictThemselvesAreToldWithTheirPlace)
{
    const std::string mov = "0000 ffffffff 1 R2 MOV 0 0 0",
                      add = "0010 ffffffff 1 R3 IADD3 2 R2 R2 0 0",
                      half = "0020 0000ffff 0 EXIT 0 0 0", rest = "0030 ffff0000 0 EXIT 0 0 0",
                      store = "0040 ffffffff 0 STS 2 R2 R4 4 1 0x7f0000000", at = "k.traceg:";
    const std::vector<std::string> good = {mov, add, EXIT}, twice = {"0,0,0", "0,0,0"},
                                   other = {"0,0,0", "1,0,0"};
    struct {
        kernel k;
        int strict; // status
        std::string says;
    } const cases[] = {
        {kernel({good, good}), 0, ""},
        {kernel({{mov, half, rest}, good}), 0, ""},
        {kernel({{mov, half, add, rest}, good}), 3, at + "23: IADD3 at PC 0010: lanes 0000ffff"},
        {kernel({{mov, EXIT, EXIT}, good}), 3, at + "23: EXIT at PC 0030"},
        {kernel({{mov, half}, good}), 3, "lanes ffff0000 had no EXIT"},
        {kernel({good, {}}), 3, "warp 1 of block (0,0,0)"},
        {kernel({good}).with(&kernel::block, "(8,8,2)"), 3, "1 of 4 warps"},
        {kernel({good, good}).with(&kernel::block, "(48,1,1)"), 3, "lanes 0000ffff"},
        {kernel({good}).with(&kernel::grid, "(2,1,1)"), 3, "1 of the grid's 2 thread blocks"},
        {kernel({good}).with(&kernel::grid, "(2,1,1)").with(&kernel::blocks, twice), 3, "twice"},
        {kernel({good}).with(&kernel::blocks, other), 3, "outside the grid"},
        {kernel({{mov, "0010 ffffffff 1 R5 IADD3 2 R2 R2 0 0", EXIT}, good}), 3,
         "a PC with two instructions"},
        {kernel({{"0000 ffffffff 1 R31 LDG.E.64 1 R2 8 1 0x7f1000000000 8 0", EXIT}})
             .with(&kernel::registers, 32),
         3, "names R32: the header says 32"},
        {kernel({{"0000 ffffffff 1 R2 DADD 2 R31 R4 0 0", EXIT}}).with(&kernel::registers, 32), 3,
         "names R32: the header says 32"},
        {kernel({good}).with(&kernel::registers, 0), 3, "names R2: the header says 0"},
        {kernel({{EXIT}}).with(&kernel::registers, 0), 0, ""},
        {kernel({{store + "000 4 0", EXIT}}).with(&kernel::shared, 1024), 0, ""},
        {kernel({{store + "3c0 4 0", EXIT}}).with(&kernel::shared, 1024), 3,
         "beyond the block's 1024"},
        {kernel({{store + "000 4 0", EXIT}}), 3, "beyond the block's 0 bytes"},
        {kernel({{"0000 ffffffff 1 R5 ATOMS.ADD 2 R2 R4 4 1 0x7f0000000400 4 0", EXIT}})
             .with(&kernel::shared, 1024),
         3, "beyond the block's 1024"},
    };
    for (const auto &c : cases) {
        const outcome o = run(c.k);
        EXPECT_EQ(c.strict, o.status) << text_of(c.k) << o.err;
        EXPECT_NE(std::string::npos, o.err.find(c.says)) << c.says << "\n" << o.err;
    }
}

TEST_F(siblings, AHeaderThatDoesNotSayItsRegistersContradictsNone)
{
    std::string text = text_of(kernel({{"0000 ffffffff 1 R200 MOV 0 0 0", EXIT}}));
    text.erase(text.find("-nregs"), text.find("-binary") - text.find("-nregs"));
    write_file(folder / "h.traceg", text);
    const outcome o = smrf(folder, "run -q --strict " + (folder / "h.traceg"));
    EXPECT_EQ(0, o.status) << o.err;
}

TEST_F(siblings, HeaderValuesAreRefusedWithKeyValueAndRange)
{
    struct {
        const char *key, *value, *range;
    } const cases[] = {
        {"nregs", "21955", "0 to 256"},      {"nregs", "-1", "0 to 256"},
        {"nregs", "", "0 to 256"},           {"shmem", "99999999999", "0 to 4294967295"},
        {"shmem", "1e3", "0 to 4294967295"}, {"binary version", "x", "0 to 1000"},
        {"kernel id", "-3", "0 to "},        {"grid dim", "(0,1,1)", "numbers from 1 on"},
        {"block dim", "(1,1)", "from 1 on"}, {"block dim", "(32,32,32)", "2048 threads"},
        {"enable lineinfo", "2", "0 to 1"},  {"accelsim tracer version", "x", "0 to 6"},
    };
    const std::string whole = text_of(kernel({{EXIT}}));
    for (const auto &c : cases) {
        const std::string key = std::string("-") + c.key + " = ";
        const size_t from = whole.find(key) + key.size(), to = whole.find('\n', from);
        write_file(folder / "h.traceg", whole.substr(0, from) + c.value + whole.substr(to));
        const outcome o = smrf(folder, "run -q " + (folder / "h.traceg"));
        const unsigned line =
            1 + unsigned(std::count(whole.begin(), whole.begin() + long(from), '\n'));
        EXPECT_EQ(3, o.status) << c.key << c.value;
        for (const std::string &part : {"h.traceg:" + std::to_string(line) + ": ",
                                        std::string(c.key), std::string(c.range)}) {
            EXPECT_NE(std::string::npos, o.err.find(part)) << c.key << c.value << "\n" << o.err;
        }
    }
}

// ---- configurations
// --------------------------------------------------------------------------------

TEST_F(siblings, ConfigurationsOfOtherCardsRunOrNameOptionAndReason)
{
    const std::string map = "-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000."
                            "0000RRRR.RRRRRRRR.RBBB";
    struct {
        std::string config;
        int status;
        std::string says;
    } const cases[] = {
        {"-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8", 0, ""},
        {"-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4,4\n-gpgpu_tensor_core_avail 1", 0, ""},
        {"-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8\n-gpgpu_tensor_core_avail 1", 3,
         "-gpgpu_pipeline_widths"},
        {"-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4", 3, "a.config:1: "},
        {"-gpgpu_shmem_option 0,8,16,32,64,100,132,164,228\n-gpgpu_unified_l1d_size 256\n"
         "-gpgpu_shmem_size 233472",
         0, ""},
        {"-gpgpu_shmem_option 0,8,16,32,64,100,132,164\n-gpgpu_unified_l1d_size 192\n"
         "-gpgpu_shmem_size 167936",
         0, ""},
        {"-gpgpu_shmem_option 0,30\n-gpgpu_unified_l1d_size 128", 3, "30"},
        {"-gpgpu_n_mem 40\n-gpgpu_n_sub_partition_per_mchannel 4", 0, ""},
        {"-gpgpu_n_mem 96\n-gpgpu_n_sub_partition_per_mchannel 2", 0, ""},
        {"-gpgpu_n_mem 1\n-gpgpu_n_sub_partition_per_mchannel 1", 0, ""},
        {"-gpgpu_n_mem 300", 3, "out of range 1 to 128"},
        {"-gpgpu_n_mem 128\n-gpgpu_n_sub_partition_per_mchannel 4", 3, "out of range 1 to 256"},
        {"-gpgpu_n_clusters 144", 0, ""},
        {map + "CCCB.CCCSSSSS\n-gpgpu_memory_partition_indexing 2\n-gpgpu_n_mem 40", 0,
         "1 are not modelled"},
        {map + "CCCC.BCCSSSSS\n-gpgpu_memory_partition_indexing 2\n-gpgpu_n_mem 16", 0, ""},
        {"-gpgpu_shmem_size 98304\n-gpgpu_adaptive_cache_config 1", 3,
         "-gpgpu_shmem_option 0,8,16,32,64,96"},
    };
    for (const auto &c : cases) {
        const outcome o = with_config(c.config + "\n");
        EXPECT_EQ(c.status, o.status) << c.config << "\n" << o.err;
        EXPECT_NE(std::string::npos, o.err.find(c.says)) << c.config << "\n" << o.err;
        if (c.status == 0 && c.says.empty()) {
            EXPECT_EQ(std::string::npos, o.err.find(" 1 are not modelled")) << o.err;
        }
    }
}

// ---- names
// -----------------------------------------------------------------------------------------

TEST_F(siblings, NamesOfAnyBytesAreTheSameInEveryOutput)
{
    struct {
        const char *name, *kept;
    } const cases[] = {{"k\xe9rnel", "k\\xe9rnel"},
                       {"a\xc3", "a\\xc3"},
                       {"\xed\xa0\x80s", "\\xed\\xa0\\x80s"}, // half of a surrogate pair
                       {"\xc0\xaf", "\\xc0\\xaf"},            // longer than it need be
                       {"\xc3\xa9", "\xc3\xa9"},
                       {"a\"b,c", "a\"b,c"},
                       {"%s%n", "%s%n"},
                       {"<b>", "<b>"}};
    for (const auto &c : cases) {
        const kernel k = kernel({{EXIT}}).with(&kernel::name, c.name);
        const std::string json = folder / "o.json", line = folder / "o.tl";
        const outcome o = run(k, "run -q --timeline " + line + " --json " + json);
        ASSERT_EQ(0, o.status) << o.err;
        json_t *read = json_load_file(json.c_str(), 0, nullptr);
        ASSERT_NE(nullptr, read) << c.name;
        EXPECT_STREQ(c.kept, json_string_value(json_object_get(
                                 json_array_get(json_object_get(read, "kernels"), 0), "name")));
        json_decref(read);
        json_t *timeline = json_load_file(line.c_str(), 0, nullptr);
        EXPECT_NE(nullptr, timeline) << c.name;
        json_decref(timeline);
        const outcome info = run(k, "info");
        EXPECT_NE(std::string::npos, info.out.find(std::string(" ") + c.kept)) << info.out;
    }
}

} // namespace
