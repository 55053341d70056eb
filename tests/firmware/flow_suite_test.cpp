// SPDX-License-Identifier: Apache-2.0
// What the analysis says of every kernel of the suite, held against its execution, lane by lane: no
// register is read that was called dead, every call goes where the graph says, what a function
// saves it restores before it returns, what it preserves has its value again, and every operand is
// where its place says, in the instant of its read.
#include "firmware/capture/code.h"
#include "firmware/flow/flow.h"
#include "tests/support/suite_program.h"
#include "tests/support/suite_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace
{

constexpr unsigned lanes = 32, registers = 255;

// The analysis of one kernel, made from the code that is about to run.
struct program {
    explicit program(const smrf_exec_launch *launch)
    {
        char text[SMRF_SASS_ERROR_BYTES] = "";
        smrf_trace_error_text why{};
        smrf_operand_table table{};
        const char *reason = "";
        EXPECT_EQ(smrf_capture_code_make(&code, launch->code, launch->entry, 6, true, text), 0)
            << text;
        if (!code) {
            return;
        }
        EXPECT_EQ(smrf_capture_code_table(code, &table, &why), 0) << why.text;
        smrf_flow_options options{};
        options.operand_entries = 3;
        options.last_result = true;
        options.read_operands = true;
        EXPECT_EQ(smrf_flow_build(&flow, &table, &options, &reason), 0) << reason;
        smrf_operand_table_close(&table);
        index.assign(launch->code->module->num_insts, SMRF_FLOW_NOWHERE);
        for (uint32_t i = 0; flow && i < index.size(); i++) {
            if (code->op[i]) {
                index[i] = smrf_flow_at(
                    flow, smrf_capture_pc(code, launch->code->module->inst[i].address));
            }
        }
        save_at.resize(flow ? flow->num_insts : 0);
        for (uint32_t s = 0; flow && s < flow->num_saves; s++) {
            save_at[flow->save[s].inst].push_back(&flow->save[s]);
        }
    }
    ~program()
    {
        smrf_flow_free(flow);
        smrf_capture_code_free(code);
    }
    program(const program &) = delete;
    program &operator=(const program &) = delete;
    smrf_capture_code *code = nullptr;
    smrf_flow_program *flow = nullptr;
    std::vector<uint32_t> index; // of the module's instruction in the program
    std::vector<std::vector<const smrf_flow_save *>> save_at;
};

struct frame {
    uint32_t function = 0;
    std::set<unsigned> saved; // and not restored
    std::array<uint32_t, registers> entry{};
};

struct kept {
    unsigned reg = registers; // none
    uint32_t value = 0;       // its number
};

struct lane_state {
    std::vector<frame> frames;
    std::array<kept, 16> place{};
    std::array<uint32_t, registers> value{}, bank{}; // numbers: the newest, that of the bank
    uint32_t strand = SMRF_FLOW_NOWHERE;
    uint32_t calling = SMRF_FLOW_NOWHERE; // instruction that called, until the lane has arrived
};

struct warp_state {
    std::array<uint32_t, 256> dead{};     // lanes for which the register is dead
    std::array<uint32_t, 256> released{}; // the same, by what is needed by the whole warp
    std::array<lane_state, lanes> lane{};
};

struct counts {
    uint64_t insts = 0, calls = 0, returns = 0, saves = 0, final_reads = 0, releases = 0;
    uint64_t placed_reads = 0, spared_writes = 0, brought = 0;
};

// Hears a run; the first few findings are kept.
class checker
{
  public:
    checker()
    {
        listener.ctx = this;
        listener.launch_begin = [](void *ctx, const smrf_exec_launch *launch) {
            return static_cast<checker *>(ctx)->begin(launch);
        };
        listener.exec.ctx = this;
        listener.exec.block_begin = [](void *ctx, smrf_exec_dim id, uint32_t warps) {
            static_cast<checker *>(ctx)->resume(id).assign(warps, warp_state{});
            return 0;
        };
        listener.exec.block_resume = [](void *ctx, smrf_exec_dim id) {
            static_cast<checker *>(ctx)->resume(id);
        };
        listener.exec.before = [](void *ctx, const smrf_exec_warp *w, const smrf_exec_op *op,
                                  uint32_t active, uint32_t mask) {
            return static_cast<checker *>(ctx)->before(*w, op, active, mask);
        };
        listener.exec.after = [](void *ctx, const smrf_exec_warp *w, const smrf_exec_op *op,
                                 uint32_t active, uint32_t mask, const uint64_t *) {
            return static_cast<checker *>(ctx)->after(*w, op, active, mask);
        };
    }
    smrf_device_listener listener{};
    counts seen;
    std::vector<std::string> findings;
    const std::map<std::string, std::unique_ptr<program>> &programs() const
    {
        return programs_;
    }

  private:
    std::vector<warp_state> &resume(smrf_exec_dim id)
    {
        if (!launch_->together) {
            blocks_.clear(); // the one before has ended
        }
        warps_ = &blocks_[{id.x, id.y, id.z}];
        return *warps_;
    }
    int begin(const smrf_exec_launch *launch)
    {
        launch_ = launch;
        blocks_.clear();
        auto &p = programs_[launch->entry->name];
        if (!p) {
            p = std::make_unique<program>(launch);
        }
        now_ = p.get();
        return now_->flow ? 0 : SMRF_ERR_CHECK;
    }
    void find(const smrf_flow_inst &inst, const std::string &what)
    {
        if (findings.size() < 5) {
            char pc[16];
            std::snprintf(pc, sizeof pc, "%04x ", inst.op.pc);
            findings.push_back(std::string(launch_->entry->name) + " " + pc +
                               smrf_opcode_root(inst.op.opcode) + ": " + what);
        }
    }
    uint32_t index(const smrf_exec_op *op) const
    {
        return now_->index[op - launch_->code->op];
    }
    // A lane that called is at its first instruction behind the call.
    void arrive(const smrf_exec_warp &w, const smrf_flow_inst &inst, uint32_t i, unsigned l)
    {
        const smrf_flow_program &flow = *now_->flow;
        lane_state &lane = (*warps_)[w.index].lane[l];
        const smrf_flow_site *site = smrf_flow_site_at(&flow, lane.calling);
        const uint32_t function = flow.block[inst.block].function;
        bool known = false;
        for (uint32_t k = 0; k < site->num_callees; k++) {
            const smrf_flow_function &to = flow.function[site->callee[k]];
            known |= site->callee[k] == function && to.first == i;
            known |= to.kind == SMRF_CODE_EXTERNAL;
        }
        const smrf_flow_function &caller = flow.function[site->caller];
        const bool edge = std::find(caller.callee, caller.callee + caller.num_callees, function) !=
                          caller.callee + caller.num_callees;
        if (!known || (!edge && i == flow.function[function].first)) {
            find(flow.inst[lane.calling], "goes where the graph has no edge");
        }
        lane.calling = SMRF_FLOW_NOWHERE;
        frame f;
        f.function = function;
        for (unsigned r = 0; r < registers && r < launch_->entry->registers; r++) {
            f.entry[r] = w.r[r][l];
        }
        lane.frames.push_back(f);
    }
    int before(const smrf_exec_warp &w, const smrf_exec_op *op, uint32_t active, uint32_t mask)
    {
        const uint32_t i = index(op);
        if (i == SMRF_FLOW_NOWHERE) {
            return SMRF_ERR_CHECK;
        }
        const smrf_flow_inst &inst = now_->flow->inst[i];
        warp_state &warp = (*warps_)[w.index];
        seen.insts++;
        for (unsigned l = 0; l < lanes; l++) {
            if ((active >> l & 1) != 0 && warp.lane[l].calling != SMRF_FLOW_NOWHERE) {
                arrive(w, inst, i, l);
            }
        }
        for (unsigned k = 0; k < inst.op.num_src; k++) {
            const unsigned r = inst.op.src[k];
            if ((warp.dead[r] & mask) != 0) {
                find(inst, "reads R" + std::to_string(r) + ", which was dead for the lane");
            }
            if ((warp.released[r] & mask) != 0) {
                find(inst, "reads R" + std::to_string(r) + ", which was dead for the warp");
            }
            seen.final_reads += inst.final_src >> k & 1;
            seen.releases += inst.release_src >> k & 1;
        }
        read_places(inst, w.index, active, mask);
        leave(w, inst, i, mask);
        return 0;
    }
    void read_places(const smrf_flow_inst &inst, uint32_t w, uint32_t active, uint32_t mask)
    {
        for (unsigned l = 0; l < lanes; l++) {
            lane_state &lane = (*warps_)[w].lane[l];
            if ((active >> l & 1) != 0 && lane.strand != inst.strand) {
                lane.strand = inst.strand;
                lane.place.fill(kept{});
            }
            for (unsigned k = 0; (mask >> l & 1) != 0 && k < inst.op.num_src; k++) {
                const unsigned r = inst.op.src[k], at = inst.src_place[k];
                const bool bank = at == 0 || (at & SMRF_FLOW_FROM_BANK) != 0;
                const bool there =
                    bank ? lane.bank[r] == lane.value[r]
                         : lane.place[at].reg == r && lane.place[at].value == lane.value[r];
                if (!there) {
                    find(inst, "R" + std::to_string(r) + " is not at place " + std::to_string(at));
                }
                seen.placed_reads += !bank;
            }
            for (unsigned k = 0; (mask >> l & 1) != 0 && k < inst.op.num_src; k++) {
                const unsigned r = inst.op.src[k], at = inst.src_place[k];
                if ((at & SMRF_FLOW_FROM_BANK) != 0) {
                    lane.place[at & 15] = {r, lane.value[r]};
                    seen.brought++;
                }
            }
        }
    }
    void write_places(const smrf_flow_inst &inst, uint32_t w, uint32_t active, uint32_t mask)
    {
        for (unsigned l = 0; l < lanes; l++) {
            lane_state &lane = (*warps_)[w].lane[l];
            for (unsigned k = 0; (mask >> l & 1) != 0 && k < inst.op.num_dst; k++) {
                const unsigned r = inst.op.dst[k], at = inst.dst_place[k];
                lane.value[r]++;
                if ((at & 15) != 0) {
                    lane.place[at & 15] = {r, lane.value[r]};
                }
                if ((at & 15) == 0 || (at & SMRF_FLOW_ALSO_BANK) != 0) {
                    lane.bank[r] = lane.value[r];
                }
                seen.spared_writes += at != 0 && (at & SMRF_FLOW_ALSO_BANK) == 0;
            }
            if ((active >> l & 1) != 0 && inst.ends_strand) {
                lane.strand = SMRF_FLOW_NOWHERE;
            }
        }
    }
    // Calls and returns, while the registers have their values.
    void leave(const smrf_exec_warp &w, const smrf_flow_inst &inst, uint32_t i, uint32_t mask)
    {
        const bool calls = inst.role == SMRF_FLOW_CALLS || inst.role == SMRF_FLOW_TAIL;
        const bool returns = inst.role == SMRF_FLOW_RETURNS || inst.role == SMRF_FLOW_TAIL;
        seen.calls += calls && mask != 0;
        seen.returns += returns && mask != 0;
        for (unsigned l = 0; (calls || returns) && l < lanes; l++) {
            if ((mask >> l & 1) == 0) {
                continue;
            }
            lane_state &lane = (*warps_)[w.index].lane[l];
            if (returns && lane.frames.empty()) {
                find(inst, "returns from the kernel");
            } else if (returns) {
                check_frame(w, inst, lane.frames.back(), l);
                lane.frames.pop_back();
            }
            if (calls) {
                lane.calling = i;
            }
        }
    }
    void check_frame(const smrf_exec_warp &w, const smrf_flow_inst &inst, const frame &f,
                     unsigned l)
    {
        const smrf_flow_function &fn = now_->flow->function[f.function];
        for (unsigned r : f.saved) {
            find(inst, std::string(fn.name) + " returns without R" + std::to_string(r));
        }
        for (unsigned r = 0; r < registers && r < launch_->entry->registers; r++) {
            if (smrf_regset_has(&fn.preserved, r) && w.r[r][l] != f.entry[r]) {
                find(inst, std::string(fn.name) + " changes R" + std::to_string(r));
            }
        }
    }
    int after(const smrf_exec_warp &w, const smrf_exec_op *op, uint32_t active, uint32_t mask)
    {
        const uint32_t i = index(op);
        const smrf_flow_inst &inst = now_->flow->inst[i];
        const smrf_regset needed = smrf_flow_warp_live(now_->flow, i);
        warp_state &warp = (*warps_)[w.index];
        write_places(inst, w.index, active, mask);
        for (unsigned r = 0; r < registers; r++) {
            if (!smrf_regset_has(&inst.live_out, r)) {
                warp.dead[r] |= active;
            }
            if (!smrf_regset_has(&needed, r)) {
                warp.released[r] = UINT32_MAX;
            }
        }
        for (unsigned k = 0; k < inst.op.num_src; k++) {
            if ((inst.final_src >> k & 1) != 0) {
                warp.dead[inst.op.src[k]] |= active;
            }
            if ((inst.release_src >> k & 1) != 0) {
                warp.released[inst.op.src[k]] = UINT32_MAX;
            }
        }
        for (unsigned k = 0; k < inst.op.num_dst; k++) {
            const unsigned r = inst.op.dst[k];
            if (smrf_regset_has(&inst.live_out, r)) {
                warp.dead[r] &= ~mask;
            }
            if (smrf_regset_has(&needed, r)) {
                warp.released[r] &= ~mask;
            }
            if (!smrf_flow_others_need(now_->flow, i, k)) {
                warp.released[r] |= ~mask;
            }
        }
        for (const smrf_flow_save *s : now_->save_at[i]) {
            seen.saves++;
            for (unsigned l = 0; l < lanes; l++) {
                if ((mask >> l & 1) == 0 || warp.lane[l].frames.empty()) {
                    continue;
                }
                frame &f = warp.lane[l].frames.back();
                if (s->restore && f.saved.erase(s->reg) == 0) {
                    find(inst, "restores R" + std::to_string(s->reg) + ", which was not saved");
                } else if (!s->restore) {
                    f.saved.insert(s->reg);
                }
            }
        }
        return 0;
    }

    std::map<std::string, std::unique_ptr<program>> programs_;
    std::map<std::array<uint32_t, 3>, std::vector<warp_state>> blocks_; // those of a launch
    std::vector<warp_state> *warps_ = nullptr;                          // of the block that runs
    const smrf_exec_launch *launch_ = nullptr;
    program *now_ = nullptr;
};

std::vector<const char *> all_programs()
{
    std::vector<const char *> names;
    for (unsigned i = 0; smrf_suite_at(i) != nullptr; i++) {
        names.push_back(smrf_suite_at(i)->name);
    }
    return names;
}

std::string program_name(const testing::TestParamInfo<const char *> &info)
{
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

class FlowSuite : public testing::TestWithParam<const char *>
{
};

TEST_P(FlowSuite, ExecutesWhatTheAnalysisAllows)
{
    checker c;
    const smrf_test::suite_outcome run =
        smrf_test::run_suite_program(GetParam(), SMRF_SMALL, nullptr, &c.listener);
    EXPECT_EQ(run.rc, 0) << run.error;
    for (const std::string &f : c.findings) {
        ADD_FAILURE() << f;
    }
    EXPECT_GT(c.seen.insts, 100u);
    EXPECT_GT(c.seen.releases, 0u);
    EXPECT_GT(c.seen.placed_reads, 0u);
    EXPECT_GT(c.seen.spared_writes, 0u);
    EXPECT_TRUE(c.seen.brought > 0 || GetParam() != std::string("hotspot"));
    EXPECT_GE(c.seen.final_reads, c.seen.releases);
    for (const auto &p : c.programs()) {
        const smrf_flow_program &flow = *p.second->flow;
        for (uint32_t f = 0; f < flow.num_functions; f++) {
            const smrf_regset none{};
            EXPECT_TRUE(smrf_regset_same(&flow.function[f].unrestored, &none))
                << flow.function[f].name;
            EXPECT_FALSE(flow.function[f].unknown_jump) << flow.function[f].name;
        }
    }
    RecordProperty("final_reads_per_1000",
                   std::to_string(1000 * c.seen.final_reads / c.seen.insts));
    RecordProperty("releases_per_1000", std::to_string(1000 * c.seen.releases / c.seen.insts));
    RecordProperty("placed_reads_per_1000",
                   std::to_string(1000 * c.seen.placed_reads / lanes / c.seen.insts));
}

INSTANTIATE_TEST_SUITE_P(Programs, FlowSuite, testing::ValuesIn(all_programs()), program_name);

// The listings print the operands to keep in the reuse cache, and so do the control bits; the code
// of generated listings has no encodings.
TEST(Listings, ControlBitsMarkAsManyOperandsAsTheText)
{
    uint64_t with = 0, without = 0, marked = 0;
    for (const char *name : all_programs()) {
        const std::string text = smrf_test::suite_text(smrf_suite_find(name));
        smrf_sass_module *module = nullptr;
        char error[SMRF_SASS_ERROR_BYTES] = "";
        ASSERT_EQ(smrf_sass_parse(&module, name, text.data(), text.size(), error), 0) << error;
        for (uint32_t i = 0; i < module->num_insts; i++) {
            const smrf_sass_inst &inst = module->inst[i];
            if (inst.control == SMRF_SASS_NO_CONTROL) {
                without++;
                continue;
            }
            int reused = 0;
            for (unsigned k = 0; k < inst.num_operands; k++) {
                reused += inst.operand[k].reuse;
            }
            EXPECT_EQ(__builtin_popcount(inst.control >> 17), reused) << inst.text;
            with++;
            marked += reused != 0;
        }
        smrf_sass_free(module);
    }
    EXPECT_GT(with, 10 * without);
    EXPECT_GT(marked, 1000u);
}

} // namespace
