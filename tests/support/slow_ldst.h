// SPDX-License-Identifier: Apache-2.0
// Slow reference of the load/store unit: literal shift registers, maps and lists, every cycle
// stepped, every lane's every byte looked at. Knows nothing of models/ldst/ but its interface.
#ifndef SMRF_TESTS_SLOW_LDST_H
#define SMRF_TESTS_SLOW_LDST_H

#include "models/ldst/ldst.h"
#include "platform/config/smrf_config.h"

#include <algorithm>
#include <bitset>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slow
{

using sector_list = std::vector<std::pair<uint64_t, uint32_t>>; // address, bytes

inline std::map<int, uint64_t> lane_addresses(const smrf_inst &in)
{
    std::map<int, uint64_t> out;
    uint64_t k = 0;
    for (int lane = 0; lane < 32; lane++) {
        if (in.mask >> lane & 1) {
            out[lane] = in.addr_kind == SMRF_ADDR_STRIDE ? in.base + k * uint64_t(in.stride)
                                                         : smrf_inst_address(&in, unsigned(lane));
            k++;
        }
    }
    return out;
}

// Sectors from single bytes. atomic: as often as the most wanted byte.
inline sector_list sectors_of(const std::map<uint64_t, int> &wanted, bool atomic)
{
    std::map<uint64_t, std::pair<uint32_t, int>> found;
    for (auto [byte, times] : wanted) {
        auto &s = found[byte / 32 * 32];
        s.first |= 1u << (byte % 32);
        s.second = std::max(s.second, times);
    }
    sector_list out;
    for (const auto &[address, s] : found) {
        for (int i = 0; i < (atomic ? s.second : 1); i++) {
            out.emplace_back(address, s.first);
        }
    }
    return out;
}

inline sector_list global_sectors(const smrf_inst &in, uint32_t bytes, bool atomic)
{
    std::map<uint64_t, int> wanted;
    for (auto [lane, a] : lane_addresses(in)) {
        for (uint32_t b = 0; b < bytes; b++) {
            wanted[a + b]++;
        }
    }
    return sectors_of(wanted, atomic);
}

inline sector_list local_sectors(const smrf_inst &in, uint32_t bytes, uint64_t window,
                                 uint64_t thread, uint64_t threads)
{
    std::map<uint64_t, int> wanted;
    for (auto [lane, a] : lane_addresses(in)) {
        uint64_t o = window != 0 && a >= window && a < window + (16u << 20) ? a - window : a;
        for (uint32_t b = 0; b < bytes; b++) {
            wanted[(uint64_t(1) << 48) + ((o + b) / 4 * threads + thread + uint64_t(lane)) * 4 +
                   (o + b) % 4]++;
        }
    }
    return sectors_of(wanted, false);
}

inline uint32_t shared_passes(const smrf_inst &in, uint32_t bytes, uint32_t banks)
{
    std::map<uint64_t, std::set<uint64_t>> bank;
    size_t most = 1;
    for (auto [lane, a] : lane_addresses(in)) {
        for (uint32_t b = 0; b < bytes; b++) {
            auto &words = bank[(a + b) / 4 % banks];
            words.insert((a + b) / 4);
            most = std::max(most, words.size());
        }
    }
    return uint32_t(most);
}

// Lanes that access the most wanted bank.
inline uint32_t shared_atomic_passes(const smrf_inst &in, uint32_t banks)
{
    std::map<uint64_t, uint32_t> lanes;
    uint32_t most = 1;
    for (auto [lane, a] : lane_addresses(in)) {
        most = std::max(most, ++lanes[a / 4 % banks]);
    }
    return most;
}

struct load {
    uint32_t slot, warp;
    bool dst, waits, missed = false;
    size_t pending;
    bool atomic = false; // its warp stands still until it is answered
};
using load_ref = std::shared_ptr<load>;

struct access {
    uint64_t address;
    uint32_t bytes;
    load_ref who; // null: store
    uint32_t warp;
    bool local, spill;
};

struct request {
    uint64_t address;
    uint32_t bytes, warp;
    int kind;        // enum smrf_mem_kind
    load_ref direct; // past L1D
};

// Where the unit's outputs go; the same shape as the interface's callbacks.
struct outside {
    virtual ~outside() = default;
    virtual void complete(uint32_t slot) = 0;
    virtual bool write_back(uint32_t slot, bool last) = 0;
    virtual void answered(uint32_t slot) = 0;
    virtual void stores(uint32_t warp, int delta) = 0;
    virtual bool send(const request &r, uint64_t *arrival) = 0; // arrival: of the answer
};

struct unit {
    const smrf_config &c;
    outside &out;
    uint32_t sm, ways;
    smrf_ldst_stats stats{};
    uint64_t now = 0, tags_free = 0; // l1d.line_interval
    bool worked = false;             // the last cycle did more than shift and wait

    std::optional<std::pair<load_ref, int>> next_wb; // result, client
    load_ref next_global;
    int first_client = 0;
    std::vector<load_ref> shared_stage;
    std::deque<load_ref> hits;
    std::vector<std::vector<std::optional<access>>> bank_stage;
    std::deque<request> miss_queue;
    std::map<uint64_t, std::deque<load_ref>> mshr;               // awaited
    std::deque<std::pair<uint64_t, std::deque<load_ref>>> ready; // arrived
    std::multimap<uint64_t, request> answers;                    // by arrival, first sent first
    struct line {
        bool valid[4] = {}, pending[4] = {};
        uint32_t written[4] = {};
        uint64_t stamp = 0;
        size_t way = 0;
    };
    std::map<uint64_t, line> lines;
    uint64_t stamp = 0;

    struct {
        bool busy = false, store = false, atomic = false, local = false, spill = false;
        bool atomic_lanes = false; // an atomic, of whatever memory, with active lanes
        enum { done, shared, l1d, port } route = done;
        uint32_t slot = 0, warp = 0, delay = 0;
        load_ref who;
        sector_list left;
        uint64_t sectors = 0, lanes = 0; // at first
    } d;

    unit(const smrf_config &cfg, outside &o, uint32_t sm_number, uint32_t l1_ways)
        : c(cfg), out(o), sm(sm_number), ways(l1_ways), shared_stage(cfg.ldst.shared_latency),
          bank_stage(cfg.l1d.banks * cfg.l1d.ports,
                     std::vector<std::optional<access>>(cfg.l1d.latency))
    {
    }

    bool free() const
    {
        return !d.busy;
    }

    bool idle() const
    {
        bool empty = !d.busy && !next_wb && !next_global && hits.empty() && miss_queue.empty() &&
                     mshr.empty() && ready.empty() && answers.empty();
        for (const auto &s : shared_stage) {
            empty = empty && !s;
        }
        for (const auto &b : bank_stage) {
            for (const auto &s : b) {
                empty = empty && !s;
            }
        }
        return empty;
    }

    void accept(const smrf_ldst_inst &in)
    {
        const smrf_inst &i = *in.inst;
        const smrf_static_inst &op = *i.op;
        uint32_t bytes = op.access_bytes;
        int space = op.space;
        auto within = [&](uint64_t w) {
            uint64_t a = lane_addresses(i).begin()->second;
            return w != 0 && a >= w && a < w + (16u << 20);
        };

        d = {};
        d.busy = true;
        d.store = op.op_class == SMRF_CLASS_STORE;
        d.slot = in.slot;
        d.warp = in.warp;
        d.atomic_lanes = op.op_class == SMRF_CLASS_ATOMIC && i.mask;
        d.lanes = std::bitset<32>(i.mask).count();
        if (i.mask == 0 || bytes == 0 || i.addr_kind == SMRF_ADDR_NONE) {
            space = SMRF_SPACE_NONE;
        } else if (op.flags & SMRF_INST_SHARED_AND_GLOBAL) {
            space = SMRF_SPACE_GLOBAL;
        } else if (space == SMRF_SPACE_GENERIC) {
            space = within(in.shared_window)  ? SMRF_SPACE_SHARED
                    : within(in.local_window) ? SMRF_SPACE_LOCAL
                                              : SMRF_SPACE_GLOBAL;
        }
        if (space == SMRF_SPACE_SHARED) {
            d.route = d.shared;
            d.delay = shared_passes(i, bytes, c.ldst.shared_banks);
            if (c.ldst.shared_atomic && op.op_class == SMRF_CLASS_ATOMIC) {
                d.delay = c.ldst.shared_atomic *
                          (op.flags & SMRF_INST_COUNTS_LANES
                               ? shared_passes(i, op.access_bytes, c.ldst.shared_banks)
                               : shared_atomic_passes(i, c.ldst.shared_banks));
            }
            stats.shared_conflict_cycles += d.delay - 1;
            (d.store ? stats.shared_stores : stats.shared_loads)++;
        } else if (space == SMRF_SPACE_LOCAL) {
            uint64_t threads = c.sm.warps * 32;
            d.route = d.l1d;
            d.local = true;
            d.spill = op.flags & SMRF_INST_SPILL;
            d.left = local_sectors(i, bytes, c.ldst.generic_local ? 0 : in.local_window,
                                   sm * threads + in.warp * 32, threads * c.gpu.sms);
            (d.store ? stats.local_stores : stats.local_loads)++;
            stats.local_sectors += d.left.size();
            if (op.flags & SMRF_INST_SPILL) {
                stats.spills++;
                stats.spill_sectors += d.left.size();
            }
        } else if (space == SMRF_SPACE_GLOBAL) {
            d.atomic = op.op_class == SMRF_CLASS_ATOMIC;
            bool past =
                c.l1d.bypass || d.atomic ||
                (op.flags & (c.l1d.bypass_by == SMRF_BYPASS_BY_ACCELSIM ? SMRF_INST_BYPASS_ACCELSIM
                                                                        : SMRF_INST_BYPASS_L1));
            d.route = past ? d.port : d.l1d;
            d.left = global_sectors(i, bytes, d.atomic);
            (d.atomic ? stats.atomics : d.store ? stats.global_stores : stats.global_loads)++;
            stats.global_sectors += d.left.size();
            stats.bypass_sectors += past && !d.atomic ? d.left.size() : 0;
        } else {
            stats.others++;
            if (op.space != SMRF_SPACE_SHARED || i.mask != 0 || d.store) {
                return;
            }
            d.route = d.shared; // without a lane it takes the pipe all the same
            d.delay = 1;
        }
        d.sectors = d.left.size();
        if (!d.store) {
            bool dst = op.num_dst > 0 || (c.rf.rz_is_register && op.num_dst_base > 0);
            // Without a destination, too, it ends when it is answered: a prefetch, a reduction.
            d.who = std::make_shared<load>(load{in.slot, in.warp, dst, dst || d.route != d.shared,
                                                false, d.left.size(),
                                                op.op_class == SMRF_CLASS_ATOMIC && i.mask});
        }
    }

    void cycle(uint64_t cycle)
    {
        now = cycle;
        worked = next_wb.has_value() || !miss_queue.empty();
        write_back();
        worked = worked || next_wb.has_value();
        for (size_t s = 0; s + 1 < shared_stage.size(); s++) {
            if (!shared_stage[s]) {
                std::swap(shared_stage[s], shared_stage[s + 1]);
            }
        }
        response();
        if (!miss_queue.empty() && send(miss_queue.front())) {
            miss_queue.pop_front();
        }
        for (auto &bank : bank_stage) {
            if (bank[0] && tags(*bank[0])) {
                bank[0].reset();
                worked = true;
            }
            for (size_t s = 0; s + 1 < bank.size(); s++) {
                if (!bank[s]) {
                    std::swap(bank[s], bank[s + 1]);
                }
            }
        }
        dispatch();
    }

  private:
    bool send(const request &r)
    {
        uint64_t arrival;
        if (!out.send(r, &arrival)) {
            stats.port_refusals++;
            return false;
        }
        (r.kind == SMRF_MEM_READ    ? stats.reads_sent
         : r.kind == SMRF_MEM_WRITE ? stats.writes_sent
                                    : stats.atomics_sent)++;
        answers.emplace(arrival, r);
        return true;
    }

    void write_back()
    {
        if (next_wb) {
            load &w = *next_wb->first;
            bool sector = next_wb->second == 1 || next_wb->second == 2;
            bool last = !sector || w.pending == 1, taken = true;
            if (w.dst && (last || c.rf.write_per_sector)) {
                taken = out.write_back(w.slot, last);
                (taken ? stats.write_backs : stats.write_back_retries)++;
            } else if (last && w.waits) {
                out.complete(w.slot);
            }
            if (taken) {
                w.pending -= sector ? 1 : 0;
                next_wb.reset();
            }
        }
        for (int k = 0; !next_wb && k < 4; k++) {
            int client = (first_client + k) % 4;
            load_ref r;
            if (client == 0) {
                std::swap(r, shared_stage[0]);
            } else if (client == 1) {
                std::swap(r, next_global);
            } else if (client == 2 && !ready.empty()) {
                r = ready.front().second.front();
                ready.front().second.pop_front();
                if (ready.front().second.empty()) {
                    ready.pop_front();
                }
            } else if (client == 3 && !hits.empty()) {
                r = hits.front();
                hits.pop_front();
            }
            if (r) {
                next_wb = {r, client};
                if (r->atomic && (client == 0 || r->pending == 1)) {
                    out.answered(r->slot);
                }
                first_client = (client + 1) % 4;
                break;
            }
        }
    }

    void response()
    {
        if (answers.empty() || answers.begin()->first > now) {
            return;
        }
        request r = answers.begin()->second;
        if (r.kind == SMRF_MEM_WRITE) {
            out.stores(r.warp, -1);
        } else if (r.direct) {
            if (next_global) {
                return;
            }
            next_global = r.direct;
        } else {
            line &l = lines.at(r.address / 128);
            l.pending[r.address / 32 % 4] = false;
            l.valid[r.address / 32 % 4] = true;
            ready.emplace_back(r.address, mshr.at(r.address));
            mshr.erase(r.address);
            stats.l1d_fills++;
        }
        stats.answers++;
        answers.erase(answers.begin());
        worked = true;
    }

    bool pending(const line &l) const
    {
        return l.pending[0] || l.pending[1] || l.pending[2] || l.pending[3];
    }

    static bool written(const line &l, bool here = false) // here: and not awaited
    {
        bool any = false;
        for (int k = 0; k < 4; k++) {
            any = any || (l.written[k] && !(here && l.pending[k] && !l.valid[k]));
        }
        return any;
    }

    // Line to replace in the set of a new line; false: none. UINT64_MAX: a way is unused.
    bool victim(uint64_t number, uint64_t *v) const
    {
        size_t all = 0, used = 0, awaited = 0, way = 0, written_way = 0;
        uint64_t oldest = UINT64_MAX, oldest_written = UINT64_MAX, w = 0;
        for (const auto &entry : lines) {
            all += written(entry.second, true);
        }
        bool keep = all * 100 < size_t(c.l1d.write_ratio) * c.l1d.sets * ways;
        for (const auto &[n, l] : lines) {
            if (n % c.l1d.sets != number % c.l1d.sets) {
                continue;
            }
            used++;
            awaited += pending(l);
            if (pending(l)) {
                continue;
            }
            if (keep && written(l)) {
                if (l.stamp < oldest_written ||
                    (l.stamp == oldest_written && l.way > written_way)) {
                    oldest_written = l.stamp;
                    written_way = l.way;
                    w = n;
                }
            } else if (l.stamp < oldest || (l.stamp == oldest && l.way > way)) {
                oldest = l.stamp;
                way = l.way;
                *v = n;
            }
        }
        if (used == ways && oldest == UINT64_MAX && awaited == 0 && oldest_written != UINT64_MAX) {
            *v = w;
            return true;
        }
        if (used < ways) {
            *v = UINT64_MAX;
        }
        return used < ways || oldest != UINT64_MAX;
    }

    line &touch(uint64_t number)
    {
        uint64_t v = UINT64_MAX;
        size_t way = 0;
        if (!lines.count(number)) {
            for (const auto &entry : lines) {
                way += entry.first % c.l1d.sets == number % c.l1d.sets;
            }
            if (victim(number, &v) && v != UINT64_MAX) {
                way = lines[v].way;
                lines.erase(v);
                stats.l1d_evictions++;
            }
            lines[number].way = way;
        }
        line &l = lines[number];
        l.stamp = c.l1d.age_by_cycle ? now : ++stamp;
        return l;
    }

    void hit(const load_ref &w)
    {
        if (--w->pending > 0) {
            return;
        }
        if (w->dst && (c.rf.l1_hit_writes || (!c.rf.write_per_sector && w->missed))) {
            hits.push_back(w);
        } else if (w->waits) {
            stats.hits_completed++;
            out.complete(w->slot);
        }
    }

    void count(const access &a, int what) // 0 hit, 1 on a pending sector, 2 miss
    {
        auto add = [&](uint64_t &all, uint64_t &h, uint64_t &p, uint64_t &m) {
            all++;
            (what == 0 ? h : what == 1 ? p : m)++;
        };
        smrf_ldst_stats &s = stats;
        s.l1d_spill_accesses += a.spill;
        if (a.local && a.who) {
            add(s.l1d_local_load_accesses, s.l1d_local_load_hits, s.l1d_local_load_pending_hits,
                s.l1d_local_load_misses);
        } else if (a.local) {
            add(s.l1d_local_store_accesses, s.l1d_local_store_hits, s.l1d_local_store_pending_hits,
                s.l1d_local_store_misses);
        } else if (a.who) {
            add(s.l1d_global_load_accesses, s.l1d_global_load_hits, s.l1d_global_load_pending_hits,
                s.l1d_global_load_misses);
        } else {
            add(s.l1d_global_store_accesses, s.l1d_global_store_hits,
                s.l1d_global_store_pending_hits, s.l1d_global_store_misses);
        }
    }

    bool tags(const access &a)
    {
        uint64_t number = a.address / 128, unused;
        uint32_t s = a.address / 32 % 4;
        auto it = lines.find(number);
        size_t capacity = c.l1d.miss_queue;
        bool present = it != lines.end();
        bool load_room = miss_queue.size() + 1 < capacity || miss_queue.empty();

        if ((a.local && c.l1d.always_hit_local) || (a.spill && c.l1d.always_hit_spills)) {
            count(a, 0);
            if (a.who) {
                hit(a.who);
            }
            return true;
        }
        if (!present && !victim(number, &unused) && c.l1d.joins_filled && mshr.empty() &&
            ready.empty()) { // nothing comes any more
            for (auto &[n, l] : lines) {
                for (int k = 0; k < 4; k++) {
                    l.pending[k] = l.pending[k] && n % c.l1d.sets != number % c.l1d.sets;
                }
            }
        }
        if (!present && !victim(number, &unused)) {
            stats.way_stalls++;
            return false;
        }
        if (!a.who) {
            bool found = present && (it->second.valid[s] || it->second.written[s] != 0);
            if (miss_queue.size() >= capacity) {
                stats.miss_queue_stalls++;
                return false;
            }
            count(a, found ? 0 : present && it->second.pending[s] ? 1 : 2);
            line &l = touch(number);
            l.written[s] |= a.bytes;
            l.valid[s] = l.valid[s] || l.written[s] == 0xffffffff;
            miss_queue.push_back({a.address, a.bytes, a.warp, SMRF_MEM_WRITE, nullptr});
            return true;
        }
        if (present && it->second.valid[s]) {
            count(a, 0);
            touch(number);
            hit(a.who);
            return true;
        }
        if (!load_room) {
            stats.miss_queue_stalls++;
            return false;
        }
        auto m = mshr.find(a.address);
        if (m == mshr.end() && c.l1d.joins_filled) {
            for (auto &filled : ready) {
                if (filled.first == a.address) {
                    return join(a, filled.second);
                }
            }
        }
        if (m == mshr.end() && mshr.size() + ready.size() >= c.l1d.mshrs) {
            stats.mshr_stalls++;
            return false;
        }
        if (m != mshr.end() && m->second.size() >= c.l1d.mshr_merge) {
            stats.merge_stalls++;
            return false;
        }
        count(a, present && it->second.pending[s] ? 1 : 2);
        touch(number).pending[s] = true;
        if (m == mshr.end()) {
            miss_queue.push_back({a.address, 0xffffffff, a.warp, SMRF_MEM_READ, nullptr});
        }
        mshr[a.address].push_back(a.who);
        a.who->missed = true;
        return true;
    }

    // The sector came, its line left, and some of its loads have no answer yet.
    bool join(const access &a, std::deque<load_ref> &waiting)
    {
        uint64_t number = a.address / 128;
        if (waiting.size() >= c.l1d.mshr_merge) {
            stats.merge_stalls++;
            return false;
        }
        bool known = lines.count(number) && lines[number].pending[a.address / 32 % 4];
        count(a, known ? 1 : 2);
        touch(number).pending[a.address / 32 % 4] = true;
        waiting.push_back(a.who);
        a.who->missed = true;
        return true;
    }

    void leave()
    {
        d.busy = false;
        if (!d.who || !d.who->waits) {
            if (d.atomic_lanes) {
                out.answered(d.slot);
            }
            out.complete(d.slot);
        }
    }

    void dispatch()
    {
        if (!d.busy) {
            return;
        }
        size_t left = d.left.size();
        access_unit();
        worked = worked || !d.busy || d.left.size() != left || d.route == d.port;
    }

    void access_unit()
    {
        if (d.route == d.done) {
            leave();
        } else if (d.route == d.shared) {
            if (d.delay > 0) {
                d.delay--;
            }
            if (d.delay > 0) {
                return;
            }
            if (d.store || !d.who->waits) {
                leave();
            } else if (!shared_stage.back()) {
                shared_stage.back() = d.who;
                leave();
            } else {
                stats.shared_full_stalls++;
            }
        } else if (d.route == d.l1d) {
            if (now < tags_free) {
                return;
            }
            std::set<uint64_t> entered; // lines
            uint64_t sectors = 0;
            const auto occupy = [&] {
                uint64_t cycles = entered.size() * c.l1d.line_interval;
                const uint64_t lanes = sectors * d.lanes * c.l1d.lane_interval;
                if (lanes > 0) {
                    cycles = std::min(cycles, (lanes + d.sectors - 1) / d.sectors);
                }
                tags_free = now + cycles;
            };
            for (size_t k = 0; k < bank_stage.size() && !d.left.empty(); k++) {
                auto [address, bytes] = d.left.back();
                size_t first = address / 32 % c.l1d.banks * c.l1d.ports, p = first;
                while (p < first + c.l1d.ports && bank_stage[p].back()) {
                    p++;
                }
                if (p == first + c.l1d.ports) {
                    occupy();
                    stats.bank_conflict_stalls += tags_free <= now + 1;
                    return;
                }
                bank_stage[p].back() = access{address, bytes, d.who, d.warp, d.local, d.spill};
                d.left.pop_back();
                entered.insert(address / 128);
                sectors++;
                if (d.store && !(d.local && c.l1d.always_hit_local) &&
                    !(d.spill && c.l1d.always_hit_spills)) {
                    out.stores(d.warp, 1);
                }
            }
            occupy();
            if (d.left.empty()) {
                leave();
            }
        } else {
            auto [address, bytes] = d.left.back();
            int kind = d.atomic ? SMRF_MEM_ATOMIC : d.store ? SMRF_MEM_WRITE : SMRF_MEM_READ;
            if (!send({address, kind == SMRF_MEM_READ ? 0xffffffff : bytes, d.warp, kind, d.who})) {
                stats.port_stalls++;
                return;
            }
            if (d.store) {
                out.stores(d.warp, 1);
            }
            d.left.pop_back();
            if (d.left.empty()) {
                leave();
            }
        }
    }
};

} // namespace slow

#endif
