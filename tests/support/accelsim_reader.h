// SPDX-License-Identifier: Apache-2.0
// What Accel-Sim makes of a text trace of sm_75 code, as far as it decides whether Accel-Sim
// finishes: everything at which it asserts, throws, aborts, or reads what is not there. Facts from
// its sources (accel-sim-framework dev: gpu-simulator/trace-parser, trace-driven, ISA_Def;
// GPGPU-Sim dev: shader.cc, abstract_hardware_model.cc), each named in the refusal; written anew,
// sharing nothing with this project's reader and writer.
#ifndef SMRF_TEST_ACCELSIM_READER_H
#define SMRF_TEST_ACCELSIM_READER_H

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace smrf_test
{

// The opcodes that Turing_OpcodeMap (ISA_Def/turing_opcode.h) knows by their first token;
// Ampere_OpcodeMap, for version 86, has all of them. Any other
// ends the simulation: trace_driven.cc parse_from_trace_struct, "undefined instruction".
inline const std::set<std::string, std::less<>> &accelsim_turing_opcodes()
{
    static const std::set<std::string, std::less<>> names = [] {
        std::istringstream in(
            "FADD FADD32I FCHK FFMA32I FFMA FMNMX FMUL FMUL32I FSEL FSET FSETP FSWZADD MUFU HADD2 "
            "HADD2_32I HFMA2 HFMA2_32I HMUL2 HMUL2_32I HSET2 HSETP2 HMMA BMMA IMMA DADD DFMA DMUL "
            "DSETP BMSK BREV FLO IABS IADD IADD3 IADD32I IDP IDP4A IMAD IMNMX IMUL IMUL32I ISCADD "
            "ISCADD32I ISETP LEA LOP LOP3 LOP32I POPC SHF SHL SHR VABSDIFF VABSDIFF4 F2F F2I I2F "
            "I2I I2IP FRND MOV MOV32I MOVM PRMT SEL SGXT SHFL PLOP3 PSETP P2R R2P LD LDC LDG LDL "
            "LDS LDSM ST STG STL STS MATCH QSPC ATOM ATOMS ATOMG RED CCTL CCTLL ERRBAR MEMBAR "
            "CCTLT R2UR S2UR UBMSK UBREV UCLEA UFLO UIADD3 UIMAD UISETP ULDC ULEA ULOP ULOP3 "
            "ULOP32I UMOV UP2UR UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL USGXT USHF USHL USHR VOTEU "
            "TEX TLD TLD4 TMML TXD TXQ SUATOM SULD SURED SUST BMOV BPT BRA BREAK BRX BRXU BSSY "
            "BSYNC CALL EXIT JMP JMX JMXU KILL NANOSLEEP RET RPCMOV RTT WARPSYNC YIELD B2R BAR "
            "CS2R CSMTEST DEPBAR GETLMEMBASE LEPC NOP PMTRIG R2B S2R SETCTAID SETLMEMBASE VOTE "
            "VOTE_VTG");
        std::set<std::string, std::less<>> out;
        for (std::string s; in >> s;) {
            out.insert(s);
        }
        return out;
    }();
    return names;
}

// One SM of tested-cfgs/SM75_RTX2060/gpgpusim.config: shader.cc shader_core_config::max_cta aborts
// for a block that does not fit, gpu-sim.cc gpgpu_sim::launch for one of too many threads.
struct accelsim_sm {
    uint64_t threads = 1024, registers = 65536, shared = 65536;
};

enum class accelsim_release {
    v1, // 1.x: version 5 and before
    v2  // 2.0: also version 6
};

class accelsim_reader
{
  public:
    // Reads a kernelslist.g and every launch it names.
    accelsim_reader(const std::string &list, accelsim_release release,
                    const accelsim_sm &sm = accelsim_sm())
        : release_(release), sm_(sm)
    {
        read_list(list);
    }
    std::vector<std::string> refusals; // "file:line: what it does (where)"; the first 20
    uint64_t kernels = 0, blocks = 0, insts = 0;

  private:
    static constexpr uint64_t local_mem_size_max = 1 << 14; // abstract_hardware_model.h
    static constexpr unsigned max_dst = 1, max_src = 4;     // trace_parser.h

    struct header {
        uint64_t grid[3] = {}, block[3] = {}, shared = 0, registers = 0, binary = 0, version = 0;
        uint64_t shared_window = 0, local_window = 0, lineinfo = 0;
        std::set<std::string> seen;
        uint64_t threads() const
        {
            return block[0] * block[1] * block[2];
        }
    };

    void refuse(const std::string &what)
    {
        if (refusals.size() < 20) {
            refusals.push_back(file_ + ":" + std::to_string(line_) + ": " + what);
        }
    }

    // ---- words --------------------------------------------------------------------------------

    static std::string_view word(std::string_view &rest)
    {
        size_t from = rest.find_first_not_of(" \t");
        if (from == std::string_view::npos) {
            return rest = {};
        }
        size_t to = rest.find_first_of(" \t", from);
        std::string_view w = rest.substr(from, to - from);
        rest = to == std::string_view::npos ? std::string_view() : rest.substr(to);
        return w;
    }
    template <class number> static bool parse(std::string_view w, number &out, int base)
    {
        if (base == 16 && w.size() > 2 && w[0] == '0' && w[1] == 'x') {
            w.remove_prefix(2);
        }
        auto r = std::from_chars(w.data(), w.data() + w.size(), out, base);
        return r.ec == std::errc() && r.ptr == w.data() + w.size();
    }
    // A number that must be there: a stream that fails leaves every later field of the line unset.
    template <class number>
    bool take(std::string_view &rest, number &out, int base, const char *what)
    {
        std::string_view w = word(rest);
        if (parse(w, out, base)) {
            return true;
        }
        refuse(std::string(what) + " '" + std::string(w) +
               "' is no number of its type (trace_parser.cc: parse_from_string)");
        return false;
    }

    // ---- kernelslist.g ------------------------------------------------------------------------

    void read_list(const std::string &path)
    {
        std::ifstream in(path, std::ios::binary);
        std::vector<std::string> files;
        file_ = path;
        line_ = 0;
        if (!in) {
            return refuse("cannot be opened (trace_parser.cc: parse_commandlist_file)");
        }
        for (std::string l; std::getline(in, l);) {
            line_++;
            if (l.rfind("MemcpyHtoD", 0) == 0) {
                copy(l);
            } else if (l.rfind("kernel", 0) == 0) {
                kernel_name(l, files);
            } else if (!l.empty()) {
                refuse("'" + l + "' is no command (trace_parser.cc: parse_commandlist_file)");
            }
        }
        if (files.empty()) {
            refuse("names no kernel");
        }
        const std::filesystem::path dir = std::filesystem::path(path).parent_path();
        for (const std::string &f : files) {
            read_kernel((dir / f).string());
        }
    }

    void copy(const std::string &l)
    {
        size_t a = l.find(','), b = l.find(',', a + 1);
        uint64_t address = 0, bytes = 0;
        if (a == std::string::npos || b == std::string::npos ||
            l.find(',', b + 1) != std::string::npos) {
            return refuse("a copy has not 3 fields (trace_parser.cc: parse_memcpy_info)");
        }
        const std::string_view v = l;
        if (!parse(v.substr(a + 1, b - a - 1), address, 16) || !parse(v.substr(b + 1), bytes, 10)) {
            refuse("a copy's address or size is no number (trace_parser.cc: parse_memcpy_info)");
        }
        if (bytes > UINT32_MAX) {
            refuse("a copy of 4 GiB or more never ends (gpu-sim.cc: perf_memcpy_to_gpu)");
        }
    }

    void kernel_name(const std::string &l, std::vector<std::string> &files)
    {
        auto ends = [&](const std::string &e) {
            return l.size() >= e.size() && l.compare(l.size() - e.size(), e.size(), e) == 0;
        };
        // Opened by a shell: cat or xz -dc and the name.
        if (l.find_first_of(" \t\r'\"`$&|;<>()*?\\") != std::string::npos) {
            return refuse("a shell splits the name (trace_parser.cc: PipeReader::OpenFile)");
        }
        if (ends(".xz")) {
            return; // decompressed by xz: see the test of the default compression
        }
        if (!ends(".traceg")) {
            return refuse("'" + l +
                          "': throws 'Unsupported file type' (trace_parser.cc: "
                          "PipeReader::OpenFile)");
        }
        files.push_back(l);
    }

    // ---- one launch ---------------------------------------------------------------------------

    bool next_line(std::string_view &l)
    {
        while (at_ < text_.size()) {
            size_t end = text_.find('\n', at_);
            line_++;
            if (end == std::string::npos) {
                refuse("the last line has no newline (trace_parser.cc: PipeReader::readLine)");
                end = text_.size();
            }
            l = std::string_view(text_).substr(at_, end - at_);
            at_ = end + 1;
            if (!l.empty()) {
                return true;
            }
        }
        return false;
    }

    void read_kernel(const std::string &path)
    {
        std::ifstream in(path, std::ios::binary);
        std::ostringstream all;
        all << in.rdbuf();
        text_ = all.str();
        file_ = path;
        line_ = at_ = 0;
        kernels++;
        if (!in) {
            return refuse("is absent: nothing of the launch is known (PipeReader::OpenFile)");
        }
        h_ = header();
        std::string_view l;
        while (next_line(l) && l[0] != '#') {
            if (l[0] == '-') {
                header_line(std::string(l));
            } else {
                refuse("stands in the header and is skipped");
            }
        }
        if (!check_launch()) {
            return;
        }
        const uint64_t want = h_.grid[0] * h_.grid[1] * h_.grid[2];
        uint64_t got = 0;
        while (read_block()) {
            got++;
        }
        blocks += got;
        if (got < want) {
            refuse(std::to_string(got) + " of " + std::to_string(want) +
                   " thread blocks: the next one's warps have no instruction (trace_driven.cc: "
                   "get_start_trace_pc asserts)");
        }
        if (got > want) {
            refuse("more thread blocks than the grid: never run");
        }
    }

    void header_line(const std::string &l)
    {
        size_t eq = l.find(" = ");
        if (eq == std::string::npos) {
            return refuse("a header line has no ' = ' (trace_parser.cc: parse_kernel_info)");
        }
        const std::string key = l.substr(1, eq - 1), value = l.substr(eq + 3);
        auto three = [&](uint64_t *d) {
            int a = 0, b = 0, c = 0, n = 0;
            bool ok = sscanf(value.c_str(), "(%d,%d,%d)%n", &a, &b, &c, &n) == 3 && a > 0 &&
                      b > 0 && c > 0 && static_cast<size_t>(n) == value.size();
            if (!ok) {
                refuse("'" + key + "' is not (x,y,z): fields stay unset (parse_kernel_info)");
            }
            d[0] = static_cast<uint64_t>(a), d[1] = static_cast<uint64_t>(b);
            d[2] = static_cast<uint64_t>(c);
        };
        auto one = [&](uint64_t &d, int base) {
            if (!parse(std::string_view(value), d, base) || (base == 10 && d > INT32_MAX)) {
                refuse("'" + key + "' is no number (trace_parser.cc: parse_kernel_info)");
            }
        };
        uint64_t unused = 0;
        h_.seen.insert(key);
        if (key == "grid dim") {
            three(h_.grid);
        } else if (key == "block dim") {
            three(h_.block);
        } else if (key == "shmem") {
            one(h_.shared, 10);
        } else if (key == "nregs") {
            one(h_.registers, 10);
        } else if (key == "binary version") {
            one(h_.binary, 10);
        } else if (key == "accelsim tracer version") {
            h_.version = static_cast<uint64_t>(std::atoi(value.c_str())); // "1.2" is 1
        } else if (key == "enable lineinfo") {
            one(h_.lineinfo, 10);
        } else if (key == "shmem base_addr") {
            one(h_.shared_window, 16);
        } else if (key == "local mem base_addr") {
            one(h_.local_window, 16);
        } else if (key == "kernel id" || key == "cuda stream id") {
            one(unused, 10);
        } else if (key != "kernel name" && key != "nvbit version") {
            refuse("'" + key + "' is unknown (trace_parser.cc: parse_kernel_info)");
        }
    }

    bool check_launch()
    {
        for (const char *key :
             {"kernel name", "kernel id", "grid dim", "block dim", "shmem", "nregs",
              "binary version", "cuda stream id", "accelsim tracer version", "shmem base_addr",
              "local mem base_addr"}) {
            if (h_.seen.count(key) == 0) {
                refuse("the header has no '" + std::string(key) + "' (parse_kernel_info)");
            }
        }
        if (h_.binary != 75 && h_.binary != 86) {
            refuse("binary version is neither 75 nor 86: another table of opcodes, or exit(0) "
                   "(trace_driven.cc: trace_kernel_info_t)");
        }
        if (h_.version > (release_ == accelsim_release::v1 ? 5u : 6u)) {
            refuse("tracer version " + std::to_string(h_.version) +
                   ": uniform registers are read as R and stay unset (parse_from_string)");
        }
        if (h_.shared_window == 0 || h_.local_window <= h_.shared_window) {
            refuse("generic addresses cannot be told apart (parse_from_trace_struct)");
        }
        const uint64_t padded = (h_.threads() + 31) / 32 * 32;
        if (padded == 0 || h_.grid[0] == 0) {
            return false;
        }
        if (padded > sm_.threads || h_.shared > sm_.shared ||
            padded * ((h_.registers + 3) / 4 * 4) > sm_.registers) {
            refuse("a block takes more than the SM has (shader.cc: max_cta aborts)");
        }
        return true;
    }

    // ---- one block ----------------------------------------------------------------------------

    struct warp {
        uint64_t announced = 0, have = 0;
        uint32_t live = 0; // lanes that have not exited
        bool begun = false;
    };

    bool read_block()
    {
        std::string_view l;
        if (!next_line(l)) {
            return false;
        }
        if (l != "#BEGIN_TB") {
            refuse("stands between thread blocks (get_next_threadblock_traces asserts)");
            return next_line(l);
        }
        const uint64_t threads = h_.threads(), n = (threads + 31) / 32;
        std::vector<warp> warps(n);
        for (uint64_t w = 0; w < n; w++) {
            warps[w].live = threads - 32 * w >= 32 ? UINT32_MAX : (1u << (threads - 32 * w)) - 1;
        }
        warp *now = nullptr;
        while (next_line(l) && l != "#END_TB") {
            std::string_view rest = l, first = word(rest);
            if (first == "thread") {
                continue;
            }
            if (first == "#BEGIN_TB") {
                refuse("a block begins inside one (get_next_threadblock_traces asserts)");
            } else if (first == "warp" || first == "insts") {
                warp_line(first == "warp", rest, warps, now);
            } else if (now == nullptr) {
                refuse("an instruction before any warp (get_next_threadblock_traces)");
            } else {
                instruction(l, *now);
            }
        }
        if (l != "#END_TB") {
            refuse("the file ends inside a block");
        }
        for (uint64_t w = 0; w < n; w++) {
            end_of_warp(w, warps[w]);
        }
        return true;
    }

    void warp_line(bool warp_id, std::string_view rest, std::vector<warp> &warps, warp *&now)
    {
        uint64_t v = 0;
        if (word(rest) != "=" || !take(rest, v, 10, "a warp's number")) {
            return refuse("is no warp or insts line (get_next_threadblock_traces)");
        }
        if (!warp_id && now != nullptr) {
            now->announced = v;
            return;
        }
        if (!warp_id || v >= warps.size()) {
            return refuse("is outside the block (get_next_threadblock_traces: vector index)");
        }
        now = &warps[v];
        if (now->begun) {
            refuse("a warp comes twice: the second replaces the first");
        }
        now->begun = true;
    }

    void end_of_warp(uint64_t w, const warp &p)
    {
        const std::string name = "warp " + std::to_string(w);
        if (p.have == 0) {
            return refuse(name + " has no instruction (trace_driven.cc: get_start_trace_pc "
                                 "asserts)");
        }
        if (p.have != p.announced) {
            refuse(name + " announces " + std::to_string(p.announced) + " instructions and has " +
                   std::to_string(p.have) + " (get_next_threadblock_traces)");
        }
        if (p.live != 0) {
            refuse(name + ": lanes never reach EXIT, the warp is fetched for past its end "
                          "(trace_driven.cc: get_pc asserts)");
        }
    }

    // ---- one instruction ----------------------------------------------------------------------

    struct instruction_text {
        uint32_t mask = 0;
        std::string_view opcode, root;
        uint64_t mem_width = 0, imm = 0;
        uint64_t lane[32] = {};
        uint64_t width = 4; // bytes, from the opcode
    };

    // trace_parser.cc get_datawidth_from_opcode: the first token of digits, or U and digits.
    static uint64_t width_of(std::string_view opcode)
    {
        while (!opcode.empty()) {
            size_t dot = opcode.find('.');
            std::string_view t = opcode.substr(0, dot);
            opcode = dot == std::string_view::npos ? std::string_view() : opcode.substr(dot + 1);
            if (t.size() > 1 && t[0] == 'U') {
                t.remove_prefix(1);
            }
            uint64_t bits = 0;
            if (!t.empty() && t.find_first_not_of("0123456789") == std::string_view::npos &&
                parse(t, bits, 10)) {
                return bits / 8;
            }
        }
        return 4;
    }

    // A stream takes a minus sign for an unsigned number, too.
    bool immediate(std::string_view &rest, uint64_t &out)
    {
        std::string_view peek = rest, w = word(peek);
        if (w.empty() || w[0] != '-') {
            return take(rest, out, 10, "the immediate");
        }
        int64_t value = 0;
        const bool ok = take(rest, value, 10, "the immediate");
        out = static_cast<uint64_t>(value);
        return ok;
    }

    bool registers(std::string_view &rest, unsigned most, const char *side)
    {
        unsigned n = 0;
        if (!take(rest, n, 10, side)) {
            return false;
        }
        if (n > most) {
            refuse(std::to_string(n) + " " + side + " (parse_from_string asserts at most " +
                   std::to_string(most) + ")");
            return false;
        }
        for (unsigned i = 0; i < n; i++) {
            std::string_view w = word(rest);
            const bool uniform = release_ == accelsim_release::v2 && w.substr(0, 2) == "UR";
            unsigned r = 0;
            if (w.substr(uniform ? 1 : 0, 1) != "R" || !parse(w.substr(uniform ? 2 : 1), r, 10) ||
                r > 255) {
                refuse("'" + std::string(w) + "' is no register (parse_from_string)");
                return false;
            }
        }
        return true;
    }

    // Mode and addresses as parse_from_string takes them off the line.
    bool addresses(std::string_view &rest, instruction_text &i)
    {
        unsigned mode = 0, n = 0;
        uint64_t base = 0;
        if (!take(rest, mode, 10, "the address mode")) {
            return false;
        }
        if (mode > 2) {
            refuse("address mode " + std::to_string(mode) + " (parse_from_string asserts)");
            return false;
        }
        if (mode != 0 && !take(rest, base, 16, "an address")) {
            return false;
        }
        int stride = 0;
        if (mode == 1 && !take(rest, stride, 10, "the stride (int)")) {
            return false;
        }
        for (unsigned l = 0; l < 32; l++) {
            if ((i.mask >> l & 1) == 0) {
                continue;
            }
            long long delta = 0;
            if (mode == 0 && !take(rest, base, 16, "an address")) {
                return false;
            }
            if (mode == 2 && n > 0 && !take(rest, delta, 10, "a delta")) {
                return false;
            }
            if (mode == 1 && n > 0) {
                delta = stride;
            }
            base += static_cast<uint64_t>(delta);
            i.lane[l] = base;
            n++;
        }
        return true;
    }

    void instruction(std::string_view l, warp &w)
    {
        instruction_text i;
        uint32_t pc = 0, ids = 0;
        std::string_view rest = l;
        w.have++;
        insts++;
        if (w.have == w.announced + 1) {
            refuse("one instruction more than announced (get_next_threadblock_traces: vector::at "
                   "throws)");
        }
        for (unsigned k = 0; h_.version < 3 && k < 4; k++) {
            if (!take(rest, ids, 10, "a thread block or warp number")) {
                return;
            }
        }
        if (h_.lineinfo != 0 && !take(rest, ids, 10, "the source line")) {
            return;
        }
        if (!take(rest, pc, 16, "the PC") || !take(rest, i.mask, 16, "the mask") ||
            !registers(rest, max_dst, "destinations")) {
            return;
        }
        i.opcode = word(rest);
        i.root = i.opcode.substr(0, i.opcode.find('.'));
        if (accelsim_turing_opcodes().count(i.root) == 0) {
            return refuse("opcode '" + std::string(i.opcode) +
                          "' is not in Turing_OpcodeMap (parse_from_trace_struct: undefined "
                          "instruction)");
        }
        if (!registers(rest, max_src, "sources") || !take(rest, i.mem_width, 10, "the width")) {
            return;
        }
        if (i.mem_width > 0 && !addresses(rest, i)) {
            return;
        }
        i.width = i.mem_width > 0 ? width_of(i.opcode) : 0;
        if (h_.version >= 5 && !immediate(rest, i.imm)) {
            return;
        }
        if (h_.version == 6) {
            values(rest);
        } else if (!word(rest).empty()) {
            refuse("more behind the immediate than version 5 has");
        }
        what_it_does(i, w);
    }

    // 2.0: groups of one value for all lanes, or of one a lane.
    void values(std::string_view &rest)
    {
        uint64_t second = 0;
        if (!immediate(rest, second)) {
            return;
        }
        if (word(rest) != "Val") {
            return;
        }
        for (std::string_view n = word(rest); !n.empty(); n = word(rest)) {
            if (n != "1" && n != "32") {
                return refuse("a group of " + std::string(n) +
                              " values (parse_from_string asserts "
                              "1 or 32)");
            }
            for (unsigned k = n == "1" ? 1 : 32; k > 0; k--) {
                (void)word(rest);
            }
        }
    }

    void what_it_does(const instruction_text &i, warp &w)
    {
        auto is = [&](std::initializer_list<const char *> names) {
            for (const char *n : names) {
                if (i.root == n) {
                    return true;
                }
            }
            return false;
        };
        if (w.live == 0) {
            refuse("an instruction after the last lane's EXIT: the warp never leaves its barriers "
                   "(trace_driven.cc: func_exec_inst)");
        }
        if (i.root == "EXIT") {
            if ((i.mask & ~w.live) != 0) {
                refuse("a lane exits that is not there any more (shader.h: set_completed asserts)");
            }
            w.live &= ~i.mask;
        }
        if (release_ == accelsim_release::v2 && i.root == "BAR" && i.mask != 0 && i.imm > 15) {
            refuse("barrier " + std::to_string(i.imm) + " (parse_from_trace_struct asserts)");
        }
        // No LDGDEPBAR forms groups on Turing.
        if (i.root == "DEPBAR" && i.imm != 0) {
            refuse("DEPBAR waits for group " + std::to_string(i.imm) +
                   " of none (shader.cc: issue_warp reads past its groups)");
        }
        if (is({"LDG", "LDL", "STG", "STL", "ATOMG", "RED", "ATOM", "LDS", "STS", "ATOMS", "LDSM",
                "ST", "LD"}) &&
            i.width == 0) {
            refuse("'" + std::string(i.opcode) +
                   "' has no data size (parse_from_trace_struct asserts)");
        }
        if (is({"LDL", "STL"}) || (is({"LD", "ST"}) && generic_is_local(i))) {
            local_access(i);
        }
        if (is({"ATOM", "ATOMG", "RED"})) {
            atomic(i);
        }
    }

    // By the first active lane: parse_from_trace_struct, OP_LD and OP_ST.
    bool generic_is_local(const instruction_text &i) const
    {
        if (i.mask == 0) {
            return false;
        }
        const uint64_t a = i.lane[__builtin_ctz(i.mask)];
        return a >= h_.local_window && a < h_.local_window + local_mem_size_max;
    }

    void local_access(const instruction_text &i)
    {
        const uint64_t n = i.width;
        for (uint32_t m = i.mask; m != 0; m &= m - 1) {
            const uint64_t a = i.lane[__builtin_ctz(m)];
            const bool bad = n >= 4 ? n % 4 != 0 || n > 32 || a % 4 != 0 : n > 0 && a % 4 + n > 4;
            if (bad) {
                return refuse("'" + std::string(i.opcode) +
                              "': not within words of local memory (shader.cc: "
                              "translate_local_memaddr asserts)");
            }
        }
    }

    void atomic(const instruction_text &i)
    {
        for (uint32_t m = i.mask; m != 0; m &= m - 1) {
            const uint64_t a = i.lane[__builtin_ctz(m)];
            if (a / 32 != (a + i.width - 1) / 32) {
                return refuse("an atomic crosses its 32-byte sector (abstract_hardware_model.cc: "
                              "memory_coalescing_arch_atomic asserts)");
            }
        }
    }

    accelsim_release release_;
    accelsim_sm sm_;
    std::string file_, text_;
    size_t at_ = 0;
    uint64_t line_ = 0;
    header h_;
};

} // namespace smrf_test

#endif
