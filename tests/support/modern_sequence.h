// SPDX-License-Identifier: Apache-2.0
// For tests of a core with read stages: short sequences with control bits from their text, and the
// equations of issue and Allocate.
#ifndef SMRF_TESTS_MODERN_SEQUENCE_H
#define SMRF_TESTS_MODERN_SEQUENCE_H

#include "sm_dut.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace sm_test
{

// What the execution depends on beside registers and control bits, from the opcode's text.
inline void classify(smrf_static_inst *o, const std::string &opcode)
{
    const std::string name = opcode.substr(0, opcode.find('.'));
    static const std::map<std::string, smrf_class> classes = {
        {"FADD", SMRF_CLASS_SP},    {"FFMA", SMRF_CLASS_SP},    {"FMUL", SMRF_CLASS_SP},
        {"IADD3", SMRF_CLASS_INT},  {"HADD2", SMRF_CLASS_HALF}, {"HFMA2", SMRF_CLASS_HALF},
        {"DADD", SMRF_CLASS_DP},    {"DFMA", SMRF_CLASS_DP},    {"HMMA", SMRF_CLASS_TENSOR},
        {"BAR", SMRF_CLASS_BARRIER}};
    const auto found = classes.find(name);
    o->op_class = uint8_t(found == classes.end() ? SMRF_CLASS_ALU : found->second);
    o->accumulators = SMRF_ACCUMULATORS_F16; // of an HMMA
    if (name == "F2F") {
        o->pipe = opcode.find("F64") != std::string::npos ? SMRF_PIPE_WIDE : SMRF_PIPE_SLOW;
    }
    static const std::map<std::string, smrf_space> spaces = {
        {"LDS", SMRF_SPACE_SHARED}, {"STS", SMRF_SPACE_SHARED}, {"LDG", SMRF_SPACE_GLOBAL},
        {"STG", SMRF_SPACE_GLOBAL}, {"LDC", SMRF_SPACE_CONST},  {"LDGSTS", SMRF_SPACE_GLOBAL}};
    const auto space = spaces.find(name);
    if (space != spaces.end()) {
        o->op_class = name[0] == 'S' ? SMRF_CLASS_STORE : SMRF_CLASS_LOAD;
        o->space = uint8_t(space->second);
        o->access_bytes = uint8_t(opcode.find(".128") != std::string::npos  ? 16
                                  : opcode.find(".64") != std::string::npos ? 8
                                                                            : 4);
        o->flags = name == "LDGSTS" ? SMRF_INST_SHARED_AND_GLOBAL : 0;
    }
}

// A line: "S<stall> [Y] [W<counter>] [R<counter>] [B<counter>..] OPCODE [=R<n>]
// [R<n>[.r]|U<n>|-]..": Y yields, .r marks a reuse, U<n> is a uniform register, - an operand that
// is no register. Operands of several registers are listed register by register.
inline smrf_static_inst assemble(const std::string &line)
{
    std::istringstream words(line);
    std::string word, opcode;
    unsigned stall = 1, yields = 0, write = 7, read = 7, waits = 0, slot = 0;
    smrf_static_inst o{};
    o.pc = 0x5550;
    o.guard = 7;
    o.has_operands = o.has_control = 1;
    o.op_class = SMRF_CLASS_ALU;
    o.text = "TEST";
    auto number = [](const std::string &w, size_t from) {
        return unsigned(std::stoul(w.substr(from)));
    };
    while (words >> word) {
        const bool digits = word.size() > 1 && std::isdigit(word[1]);
        if (opcode.empty() && word[0] == 'S' && digits) {
            stall = number(word, 1);
        } else if (opcode.empty() && word == "Y") {
            yields = 1;
        } else if (opcode.empty() && word[0] == 'W' && digits) {
            write = number(word, 1);
        } else if (opcode.empty() && word[0] == 'R' && digits) {
            read = number(word, 1);
        } else if (opcode.empty() && word[0] == 'B' && digits) {
            waits |= 1u << number(word, 1);
        } else if (opcode.empty()) {
            opcode = word;
        } else if (opcode == "DEPBAR") {
            // SB<n>, and how high it may be
            o.depbar =
                uint8_t(word[0] == 'S' ? 1 + number(word, 2) : o.depbar + 8 * number(word, 0));
        } else if (word[0] == '=') {
            o.dst[o.num_dst++] = uint8_t(number(word, 2));
        } else if (word[0] == 'U') {
            o.usrc[o.num_usrc++] = uint8_t(number(word, 1));
            slot++;
        } else {
            if (word[0] == 'R') {
                o.src_slot[o.num_src] = uint8_t(slot);
                o.src_reuse |= uint32_t(word.find(".r") != std::string::npos) << o.num_src;
                o.src[o.num_src++] = uint8_t(number(word, 1));
            }
            slot++;
        }
    }
    classify(&o, opcode);
    o.control = stall | (yields ? 0u : 1u) << 4 | write << 5 | read << 8 | waits << 11;
    o.num_src_base = o.num_src_listed = o.num_src;
    o.num_dst_base = o.num_dst_listed = o.num_dst;
    std::copy_n(o.src, SMRF_MAX_BASE, o.src_listed);
    std::copy_n(o.dst, SMRF_MAX_BASE, o.dst_listed);
    return o;
}

inline program sequence(const std::vector<std::string> &lines)
{
    program p;
    for (const std::string &line : lines) {
        step s{assemble(line)};
        s.address = s.op.access_bytes ? 0x7f0a10000000 : 0;
        p.push_back(s);
    }
    p.push_back({assemble("S5 EXIT")});
    p.back().op.op_class = SMRF_CLASS_EXIT;
    return p;
}

// One warp's instructions of fixed latency: when each issues and leaves Allocate, from those before
// it, without a pipeline that is stepped.
class equations
{
  public:
    // table: registers of a cache in Allocate that all reads enter, the least recently used making
    // room; 0: the compiler's marked operands are kept instead.
    explicit equations(size_t table = 0) : table_(table) {}

    // Returns the cycle of its issue, the first one's being 0.
    uint64_t issue(const smrf_static_inst &op)
    {
        const unsigned unit = op.num_src + op.num_dst == 0   ? 0
                              : op.op_class == SMRF_CLASS_SP ? 1
                                                             : 2;
        const unsigned interval = unit ? 2 : 1;
        uint64_t t = count_ ? issued_ + 1 : 0;
        t = std::max(t, before_); // Control is free in the next cycle
        while (count_ && (now(t) < next_ || (unit && now(t) < free_[unit]))) {
            t++;
        }
        const unsigned stall = op.control & 15;
        next_ = now(t) + (op.control >> 4 & 1 ? stall : std::max(2u, stall));
        free_[unit] = now(t) + interval;
        const uint64_t enters = std::max(t + 2, count_ ? left_ + 1 : 0);
        uint64_t leaves = enters;
        while (leaves + 3 < unit_[unit] || !fits(op, unit, leaves)) {
            held_.push_back(leaves++);
        }
        read(op, unit, leaves);
        unit_[unit] = leaves + 3 + interval;
        before_ = count_ ? left_ : 0;
        left_ = leaves;
        issued_ = t;
        count_++;
        return t;
    }

  private:
    // Stall counts stand still while Allocate holds an instruction.
    uint64_t now(uint64_t t) const
    {
        return t - uint64_t(std::count_if(held_.begin(), held_.end(),
                                          [&](uint64_t c) { return c <= t; }));
    }
    // Registers of a bank that no position of the cache holds.
    unsigned reads(const smrf_static_inst &op, unsigned unit, unsigned bank) const
    {
        std::vector<unsigned> regs;
        for (unsigned i = 0; i < op.num_src; i++) {
            regs.push_back(op.src[i]);
        }
        std::sort(regs.begin(), regs.end());
        regs.erase(std::unique(regs.begin(), regs.end()), regs.end());
        unsigned n = 0;
        for (unsigned reg : regs) {
            bool held = false;
            for (unsigned i = 0; i < op.num_src; i++) {
                const auto kept = kept_.find({reg % 2, op.src_slot[i]});
                held |= unit && op.src[i] == reg && kept != kept_.end() && kept->second == reg;
            }
            held |= unit && std::count(recent_.begin(), recent_.end(), reg);
            n += reg % 2 == bank && !held;
        }
        return n;
    }
    bool fits(const smrf_static_inst &op, unsigned unit, uint64_t at) const
    {
        const unsigned even = reads(op, unit, 0), odd = reads(op, unit, 1);
        return (!even || last_[0] + even <= at + 3) && (!odd || last_[1] + odd <= at + 3);
    }
    void read(const smrf_static_inst &op, unsigned unit, uint64_t at)
    {
        for (unsigned bank = 0; bank < 2; bank++) {
            last_[bank] = reads(op, unit, bank) ? at + 3 : last_[bank];
        }
        if (table_) {
            enter(op, unit);
            return;
        }
        for (unsigned i = 0; unit && i < op.num_src; i++) {
            kept_.erase({op.src[i] % 2u, op.src_slot[i]});
        }
        for (unsigned i = 0; unit && i < op.num_src; i++) {
            if (op.src_reuse >> i & 1) {
                kept_[{op.src[i] % 2u, op.src_slot[i]}] = op.src[i];
            }
        }
    }
    // Hits move behind all others first, then misses enter: in the order of the operands.
    void enter(const smrf_static_inst &op, unsigned unit)
    {
        const std::vector<unsigned> before = recent_;
        for (bool hits : {true, false}) {
            for (unsigned i = 0; unit && i < op.num_src; i++) {
                const unsigned reg = op.src[i];
                const bool held = std::count(before.begin(), before.end(), reg);
                if (held == hits && std::find(op.src, op.src + i, reg) == op.src + i) {
                    recent_.erase(std::remove(recent_.begin(), recent_.end(), reg), recent_.end());
                    recent_.push_back(reg);
                }
            }
        }
        if (recent_.size() > table_) {
            recent_.erase(recent_.begin(), recent_.end() - std::ptrdiff_t(table_));
        }
    }

    size_t table_;
    std::vector<unsigned> recent_; // the least recently used first
    unsigned count_ = 0;
    uint64_t issued_ = 0, left_ = 0, before_ = 0, next_ = 0;
    uint64_t free_[3] = {}, unit_[3] = {}, last_[2] = {};
    std::vector<uint64_t> held_;                             // cycles
    std::map<std::pair<unsigned, unsigned>, unsigned> kept_; // register by bank and position
};

// 120 random instructions on registers R0 to R(registers - 1), source i at operand position i, then
// EXIT.
inline program random_sequence(smrf_rng *rng, uint32_t registers)
{
    static const smrf_class classes[] = {SMRF_CLASS_SP,  SMRF_CLASS_INT, SMRF_CLASS_HALF,
                                         SMRF_CLASS_SFU, SMRF_CLASS_DP,  SMRF_CLASS_INT};
    program p;
    for (unsigned n = 0; n < 120; n++) {
        auto reg = [&] { return uint8_t(smrf_rng_below(rng, registers)); };
        const unsigned kind = smrf_rng_below(rng, 9);
        step s = kind < 6
                     ? alu(classes[kind], {reg()}, {reg(), reg(), reg()})
                     : memory(kind == 8 ? SMRF_CLASS_STORE : SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL,
                              kind == 8 ? std::vector<uint8_t>{} : std::vector<uint8_t>{reg()},
                              {reg(), reg()}, 0x4000 + 64 * n);
        for (unsigned i = 0; i < s.op.num_src; i++) {
            s.op.src_slot[i] = uint8_t(i);
        }
        p.push_back(s);
    }
    p.push_back(exit_step());
    return p;
}

// Blocks of warps, each with a program that `make` draws.
template <class Make>
std::vector<block> random_blocks(uint32_t seed, unsigned count, unsigned warps, Make make)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, 3);
    std::vector<block> blocks(count);
    for (block &b : blocks) {
        for (unsigned w = 0; w < warps; w++) {
            b.push_back(make(&rng));
        }
    }
    return blocks;
}

// Six lines that fill the instruction buffer, then 40 random ones of fixed latency that read
// registers R2 to R(1 + registers); a third of the operands is marked for the cache if `marks`.
inline std::vector<std::string> random_lines(smrf_rng *rng, uint32_t registers, bool marks)
{
    std::vector<std::string> lines(6, "S12 Y NOP");
    for (unsigned n = 0; n < 40; n++) {
        const char *opcodes[] = {"NOP", "IADD3 =R40", "FFMA =R41"};
        std::string line = "S" + std::to_string(1 + smrf_rng_below(rng, 3)) +
                           (smrf_rng_below(rng, 6) ? " " : " Y ");
        const unsigned kind = smrf_rng_below(rng, 5) % 3;
        line += opcodes[kind];
        for (unsigned i = 0; kind && i < 3; i++) {
            line += " R" + std::to_string(2 + smrf_rng_below(rng, registers));
            line += marks && smrf_rng_below(rng, 3) == 0 ? ".r" : "";
        }
        lines.push_back(line);
    }
    return lines;
}

} // namespace sm_test

#endif
