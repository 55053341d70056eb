// SPDX-License-Identifier: Apache-2.0
// An SM, slowly and plainly: pipeline registers, walked in every cycle, no masks, nothing skipped.
// Written from the description of Accel-Sim's stages and the papers' port rules; no memory
// instructions. To be compared with the core, instruction by instruction.
#ifndef SMRF_TESTS_REFERENCE_SM_H
#define SMRF_TESTS_REFERENCE_SM_H

#include "../support/slow_l0.h"
#include "../support/sm_dut.h"

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace reference
{

using sm_test::block;
using sm_test::issue;

enum unit { SP, SFU, MEM, DP, INT, BRANCH, TEX, TENSOR, UNIFORM, UNITS };

struct inst {
    uint64_t uid;
    unsigned warp;
    const smrf_static_inst *op;
    unsigned unit, latency, interval;
    std::vector<unsigned> src;   // distinct
    std::set<unsigned> dst_left; // positions of destinations not written yet
    uint64_t unit_cycle = 0;     // issue to its unit
};
using inst_ptr = std::shared_ptr<inst>;

struct collector {
    inst_ptr holds;
    std::set<unsigned> missing; // registers
};

struct request {
    uint64_t age;
    unsigned collector, reg;
};

// An execution unit: dispatch register, then stages towards 0.
struct function_unit {
    inst_ptr dispatch;
    unsigned delay = 0;
    std::map<unsigned, inst_ptr> stages;
    std::set<uint64_t> ends; // cycles in which a result leaves the last stage
};

struct subcore {
    std::optional<inst_ptr> latch[UNITS];      // ID_OC
    std::optional<inst_ptr> unit_latch[UNITS]; // OC_EX
    std::vector<collector> collectors;
    std::vector<std::deque<request>> fifo;                          // per bank
    std::vector<std::deque<std::pair<inst_ptr, unsigned>>> results; // per bank: waiting writes
    std::set<unsigned> written;                                     // banks of the coming step
    function_unit units[UNITS];
    int last = -1;
};

struct warp {
    const sm_test::program *code = nullptr;
    size_t fetched = 0, issued = 0;
    std::deque<size_t> buffer;
    std::deque<uint64_t> there; // of those in the buffer: cycles in which they come from a cache
    std::set<unsigned> pending; // scoreboard: awaited registers
    std::multiset<unsigned> readers; // registers with uncollected reads
    unsigned inflight = 0, block = 0;
    uint64_t age = 0, held_until = 0;
    bool started = false, over = false, exited = false, barrier = false;
};

class sm
{
  public:
    sm(const smrf_config &c, const std::vector<block> &blocks)
        : cfg(c), blocks_(blocks), subs_(c.sm.subcores), warps_(c.sm.warps)
    {
        for (subcore &s : subs_) {
            s.collectors.resize(cfg.rf.collectors);
            s.fifo.resize(cfg.rf.banks);
            s.results.resize(cfg.rf.banks);
        }
    }
    void run()
    {
        launch();
        for (cycle_ = 1; running(); cycle_++) {
            write_back();
            execute();
            for (unsigned s = 0; s < cfg.rf.steps; s++) {
                step();
            }
            issue_stage();
            fetch();
            launch();
        }
    }
    std::vector<issue> issues;
    std::vector<uint64_t> ends; // by block

  private:
    const smrf_config cfg;
    const std::vector<block> &blocks_;
    std::vector<subcore> subs_;
    std::vector<warp> warps_;
    std::vector<inst_ptr> ex_wb_;
    slow::l0 l0_{cfg.frontend, cfg.sm.subcores};
    uint64_t cycle_ = 0, uid_ = 0, age_ = 0, ages_ = 0;
    size_t launched_ = 0;
    unsigned first_ = 0, last_fetched_ = 0;
    int fetched_ = -1;

    bool running() const
    {
        bool all = launched_ == blocks_.size();
        for (auto &w : warps_) {
            all = all && (!w.started || w.exited);
        }
        return !all;
    }
    subcore &sub_of(unsigned w)
    {
        return subs_[w % subs_.size()];
    }
    unsigned bank_of(unsigned w, unsigned reg) const
    {
        return (reg + (cfg.rf.swizzle ? w : 0)) % cfg.rf.banks;
    }
    // One block at the end of a cycle; they all fit.
    void launch()
    {
        if (launched_ == blocks_.size()) {
            return;
        }
        const block &b = blocks_[launched_];
        for (size_t i = 0; i < b.size(); i++) {
            unsigned at = unsigned(launched_ * b.size() + i);
            warp &w = warps_[at];
            w.code = &b[i];
            w.block = unsigned(launched_);
            w.age = ages_++;
            w.started = true;
        }
        launched_++;
        ends.push_back(0);
    }

    // --- results ---
    void release(const inst_ptr &i, unsigned position)
    {
        warps_[i->warp].pending.erase(i->op->dst[position]);
        i->dst_left.erase(position);
        if (i->dst_left.empty()) {
            retire(i);
        }
    }
    void retire(const inst_ptr &i)
    {
        warp &w = warps_[i->warp];
        w.inflight--;
        if (w.inflight == 0 && w.issued == w.code->size()) {
            w.over = true;
            if (!cfg.frontend.exit_at_fetch) {
                exit(w);
            }
        }
    }
    void exit(warp &w)
    {
        w.exited = true;
        ends[w.block] = cycle_;
    }
    void write_back()
    {
        for (subcore &s : subs_) {
            for (unsigned b = 0; b < cfg.rf.banks; b++) {
                if (!s.results[b].empty()) {
                    auto waiting = s.results[b].front();
                    s.results[b].pop_front();
                    s.written.insert(b);
                    release(waiting.first, waiting.second);
                }
            }
        }
        std::sort(ex_wb_.begin(), ex_wb_.end(), [](const inst_ptr &a, const inst_ptr &b) {
            return std::make_pair(a->unit_cycle, a->unit) < std::make_pair(b->unit_cycle, b->unit);
        });
        for (const inst_ptr &i : ex_wb_) {
            if (i->op->num_dst == 0) {
                retire(i);
            }
            for (unsigned d = 0; d < i->op->num_dst; d++) {
                unsigned b = bank_of(i->warp, i->op->dst[d]);
                subcore &s = sub_of(i->warp);
                if (cfg.rf.drop_conflicting_writes ||
                    (s.results[b].empty() && !s.written.count(b))) {
                    s.written.insert(b);
                    release(i, d);
                } else {
                    s.results[b].push_back({i, d});
                }
            }
        }
        ex_wb_.clear();
    }

    // --- units ---
    void execute()
    {
        std::vector<unsigned> order(UNITS);
        std::iota(order.begin(), order.end(), 0u);
        if (!cfg.exec.buses_by_kind) {
            for (subcore &s : subs_) {
                for (unsigned u : order) {
                    step_unit(s, u);
                }
            }
            return;
        }
        const std::vector<unsigned> first = {SMRF_UNIT_SP, SMRF_UNIT_DP, SMRF_UNIT_INT,
                                             SMRF_UNIT_SFU};
        std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
            return std::find(first.begin(), first.end(), a) <
                   std::find(first.begin(), first.end(), b);
        });
        for (unsigned u : order) {
            for (subcore &s : subs_) {
                step_unit(s, u);
            }
        }
    }
    void step_unit(subcore &s, unsigned u)
    {
        function_unit &f = s.units[u];
        cycle_unit(f);
        if (!s.unit_latch[u] || f.dispatch || (u == DP && !has_the_dp(s))) {
            return;
        }
        inst_ptr i = *s.unit_latch[u];
        uint64_t end = cycle_ + i->latency;
        if (f.ends.count(end) || bus_[end] >= cfg.exec.result_buses || !room(s, i)) {
            return;
        }
        bus_[end]++;
        f.ends.insert(end);
        f.dispatch = i;
        f.delay = i->interval;
        i->unit_cycle = cycle_;
        dp_free_ = u == DP ? cycle_ + i->interval : dp_free_;
        s.unit_latch[u].reset();
    }
    // One unit for all: is it free, and is no older instruction before it?
    bool has_the_dp(const subcore &s) const
    {
        if (!cfg.exec.dp_shared) {
            return true;
        }
        for (const subcore &other : subs_) {
            const bool older =
                other.unit_latch[DP] && (*other.unit_latch[DP])->uid < (*s.unit_latch[DP])->uid;
            if (older) {
                return false;
            }
        }
        return cycle_ >= dp_free_;
    }
    uint64_t dp_free_ = 0;
    std::map<uint64_t, unsigned> bus_; // results by the cycle of their last stage
    bool room(subcore &s, const inst_ptr &i)
    {
        for (unsigned d = 0; d < i->op->num_dst; d++) {
            size_t waiting = s.results[bank_of(i->warp, i->op->dst[d])].size();
            if (waiting > 0 && waiting >= cfg.rf.write_queue) {
                return false;
            }
        }
        return true;
    }
    void cycle_unit(function_unit &f)
    {
        std::map<unsigned, inst_ptr> moved;
        for (auto &stage : f.stages) {
            if (stage.first == 0) {
                ex_wb_.push_back(stage.second);
            } else {
                moved[stage.first - 1] = stage.second;
            }
        }
        f.stages = moved;
        if (f.dispatch && --f.delay == 0) {
            f.stages[f.dispatch->latency - f.dispatch->interval] = f.dispatch;
            f.dispatch.reset();
        }
    }

    // --- one pass of the operand collectors ---
    void step()
    {
        for (subcore &s : subs_) {
            dispatch(s);
            read(s);
        }
        if (cfg.issue.latches) {
            for (unsigned port = 0; port < cfg.rf.in_ports; port++) {
                for (unsigned u = 0; u < UNITS; u++) {
                    allocate(u);
                }
            }
        }
        for (subcore &s : subs_) {
            s.written.clear();
        }
    }
    void dispatch(subcore &s)
    {
        std::vector<collector *> ready;
        for (collector &c : s.collectors) {
            if (c.holds && c.missing.empty()) {
                ready.push_back(&c);
            }
        }
        if (cfg.rf.dispatch_order == SMRF_ORDER_OLDEST) {
            std::sort(ready.begin(), ready.end(), [](const collector *a, const collector *b) {
                return a->holds->uid < b->holds->uid;
            });
        }
        unsigned sent = 0;
        for (collector *c : ready) {
            if (sent < cfg.rf.dispatch && !s.unit_latch[c->holds->unit]) {
                s.unit_latch[c->holds->unit] = c->holds;
                c->holds.reset();
                sent++;
            }
        }
    }
    void read(subcore &s)
    {
        std::vector<std::pair<uint64_t, unsigned>> heads; // age, bank
        for (unsigned b = 0; b < cfg.rf.banks; b++) {
            if (!s.fifo[b].empty() && !s.written.count(b)) {
                heads.push_back({s.fifo[b].front().age, b});
            }
        }
        std::sort(heads.begin(), heads.end());
        std::map<unsigned, unsigned> port;
        for (auto &h : heads) {
            request r = s.fifo[h.second].front();
            if (cfg.rf.collector_ports && port[r.collector] == cfg.rf.collector_ports) {
                continue;
            }
            port[r.collector]++;
            s.fifo[h.second].pop_front();
            collector &c = s.collectors[r.collector];
            c.missing.erase(r.reg);
            warp &w = warps_[c.holds->warp];
            w.readers.erase(w.readers.find(r.reg));
        }
    }
    bool collect(subcore &s, const inst_ptr &i)
    {
        for (unsigned c = 0; c < s.collectors.size(); c++) {
            if (!s.collectors[c].holds) {
                s.collectors[c].holds = i;
                for (unsigned reg : i->src) {
                    s.collectors[c].missing.insert(reg);
                    s.fifo[bank_of(i->warp, reg)].push_back({age_++, c, reg});
                }
                return true;
            }
        }
        return false;
    }
    void allocate(unsigned u)
    {
        std::vector<subcore *> full;
        for (subcore &s : subs_) {
            if (s.latch[u]) {
                full.push_back(&s);
            }
        }
        std::sort(full.begin(), full.end(), [u](const subcore *a, const subcore *b) {
            return (*a->latch[u])->uid < (*b->latch[u])->uid;
        });
        for (subcore *s : full) {
            if (collect(*s, *s->latch[u])) {
                s->latch[u].reset();
                return;
            }
            if (cfg.rf.oldest_first) {
                return;
            }
        }
    }

    // --- issue ---
    static unsigned unit_of(unsigned op_class)
    {
        switch (op_class) {
        case SMRF_CLASS_SP:
        case SMRF_CLASS_HALF:
            return SP;
        case SMRF_CLASS_DP:
            return DP;
        case SMRF_CLASS_SFU:
            return SFU;
        case SMRF_CLASS_TENSOR:
            return TENSOR;
        case SMRF_CLASS_BRANCH:
            return BRANCH;
        case SMRF_CLASS_UNIFORM:
            return UNIFORM;
        default:
            return INT;
        }
    }
    void set_timing(inst &i) const
    {
        switch (i.op->op_class) {
        case SMRF_CLASS_INT:
        case SMRF_CLASS_ALU:
            i.latency = cfg.exec.int_latency, i.interval = cfg.exec.int_interval;
            break;
        case SMRF_CLASS_SP:
            i.latency = cfg.exec.sp_latency, i.interval = cfg.exec.sp_interval;
            break;
        case SMRF_CLASS_HALF:
            i.latency = cfg.exec.half_latency, i.interval = cfg.exec.half_interval;
            if (i.op->flags & SMRF_INST_HMUL2 && cfg.exec.hmul2_interval != 0) {
                i.interval = cfg.exec.hmul2_interval;
            }
            break;
        case SMRF_CLASS_DP:
            i.latency = cfg.exec.dp_latency, i.interval = cfg.exec.dp_interval;
            break;
        case SMRF_CLASS_SFU:
            i.latency = cfg.exec.sfu_latency, i.interval = cfg.exec.sfu_interval;
            break;
        case SMRF_CLASS_TENSOR:
            i.latency = cfg.exec.tensor_latency, i.interval = cfg.exec.tensor_interval;
            break;
        case SMRF_CLASS_BRANCH:
            i.latency = cfg.exec.branch_latency, i.interval = cfg.exec.branch_interval;
            break;
        case SMRF_CLASS_UNIFORM:
            i.latency = cfg.exec.uniform_latency, i.interval = cfg.exec.uniform_interval;
            break;
        default: // barrier, exit
            i.latency = i.interval = 1;
        }
    }
    bool ready(unsigned at) const
    {
        const warp &w = warps_[at];
        if (w.buffer.empty() || w.barrier || cycle_ < w.held_until || cycle_ < w.there.front()) {
            return false;
        }
        const smrf_static_inst &op = (*w.code)[w.buffer.front()].op;
        for (unsigned i = 0; i < op.num_src; i++) {
            if (w.pending.count(op.src[i])) {
                return false;
            }
        }
        for (unsigned i = 0; i < op.num_dst; i++) {
            if (w.pending.count(op.dst[i]) || (cfg.scoreboard.war && w.readers.count(op.dst[i]))) {
                return false;
            }
        }
        return true;
    }
    bool way_out(const subcore &s, unsigned at) const
    {
        const warp &w = warps_[at];
        if (cfg.issue.latches) {
            return !s.latch[unit_of((*w.code)[w.buffer.front()].op.op_class)];
        }
        for (auto &c : s.collectors) {
            if (!c.holds) {
                return true;
            }
        }
        return false;
    }
    std::vector<unsigned> order(const subcore &s, unsigned index) const
    {
        std::vector<unsigned> list;
        unsigned n = unsigned(subs_.size()), per = (cfg.sm.warps + n - 1) / n;
        for (unsigned i = 0; i < per; i++) {
            unsigned k =
                cfg.issue.scheduler == SMRF_SCHED_LRR ? (unsigned(s.last + 1) + i) % per : i;
            if (k * n + index < warps_.size()) {
                list.push_back(k);
            }
        }
        if (cfg.issue.scheduler == SMRF_SCHED_GTO) {
            std::sort(list.begin(), list.end(), [&](unsigned a, unsigned b) {
                auto rank = [&](unsigned k) {
                    return int(k) == s.last ? 0 : 1 + warps_[k * n + index].age;
                };
                return rank(a) < rank(b);
            });
        }
        return list;
    }
    void issue_stage()
    {
        unsigned n = unsigned(subs_.size());
        for (unsigned j = 0; j < n; j++) {
            unsigned index = (first_ + j) % n;
            subcore &s = subs_[index];
            unsigned issued = 0;
            std::set<unsigned> done;
            for (bool again = true; again && issued < cfg.issue.width;) {
                again = false;
                for (unsigned k : order(s, index)) {
                    unsigned at = k * n + index;
                    if (warps_[at].started && !done.count(k) && ready(at) && way_out(s, at)) {
                        issue_one(s, at);
                        s.last = int(k);
                        done.insert(k);
                        issued++;
                        again = true;
                        break;
                    }
                }
            }
        }
        first_ = (first_ + 1) % n;
    }
    void issue_one(subcore &s, unsigned at)
    {
        warp &w = warps_[at];
        size_t index = w.buffer.front();
        auto i = std::make_shared<inst>();
        i->uid = uid_++;
        i->warp = at;
        i->op = &(*w.code)[index].op;
        i->unit = unit_of(i->op->op_class);
        set_timing(*i);
        for (unsigned n = 0; n < i->op->num_src; n++) {
            if (std::find(i->src.begin(), i->src.end(), i->op->src[n]) == i->src.end()) {
                i->src.push_back(i->op->src[n]);
                w.readers.insert(i->op->src[n]);
            }
        }
        for (unsigned n = 0; n < i->op->num_dst; n++) {
            i->dst_left.insert(n);
            w.pending.insert(i->op->dst[n]);
        }
        w.buffer.pop_front();
        w.there.pop_front();
        w.issued++;
        w.inflight++;
        issues.push_back({cycle_, at, index});
        if (cfg.issue.latches) {
            s.latch[i->unit] = i;
        } else {
            collect(s, i);
        }
        if (i->op->op_class == SMRF_CLASS_BARRIER) {
            w.barrier = true;
        }
        pass_barrier(w.block);
    }
    // Passed when all warps that have not issued their last instruction wait.
    void pass_barrier(unsigned which)
    {
        bool all = true;
        for (auto &w : warps_) {
            if (w.started && w.block == which) {
                all = all && (w.barrier || w.issued == w.code->size());
            }
        }
        for (auto &w : warps_) {
            if (all && w.barrier && w.block == which) {
                w.barrier = false;
                w.held_until = cycle_ + cfg.issue.barrier_latency;
            }
        }
    }

    // --- fetch ---
    void decode()
    {
        if (fetched_ < 0) {
            return;
        }
        warp &w = warps_[unsigned(fetched_)];
        while (w.buffer.size() < cfg.frontend.ibuffer && w.fetched < w.code->size()) {
            uint64_t at = 0;
            if (cfg.frontend.l0_bytes) {
                at = l0_.fetch(unsigned(fetched_) % unsigned(subs_.size()),
                               (*w.code)[w.fetched].op.pc, cycle_);
                at = w.there.empty() ? at : std::max(at, w.there.back());
            }
            w.there.push_back(at);
            w.buffer.push_back(w.fetched++);
        }
        fetched_ = -1;
    }
    void fetch()
    {
        for (unsigned n = 0; n < cfg.frontend.fetch_warps; n++) {
            decode();
            unsigned all = cfg.sm.warps;
            for (unsigned i = 0; i < all; i++) {
                unsigned at = (last_fetched_ + 1 + i) % all;
                warp &w = warps_[at];
                if (w.over && !w.exited) {
                    exit(w);
                }
                if (w.started && w.buffer.empty() && w.fetched < w.code->size()) {
                    fetched_ = int(at);
                    last_fetched_ = at;
                    break;
                }
            }
        }
    }
};

} // namespace reference

#endif
