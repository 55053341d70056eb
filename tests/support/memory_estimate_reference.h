// SPDX-License-Identifier: Apache-2.0
// The memory of the view scoreboard, slowly and plainly: every SM is visited in every cycle, and
// what it sends is followed to its reply by the rules of memory_estimate.h and dram_estimate.h.
#ifndef SMRF_TESTS_MEMORY_ESTIMATE_REFERENCE_H
#define SMRF_TESTS_MEMORY_ESTIMATE_REFERENCE_H

#include "memory_reference.h"

#include "models/memory/l2.h"
#include "models/memory/map.h"
#include "models/memory/memory_estimate.h"
#include "tests/support/config_views.h"

#include <bitset>
#include <set>

namespace reference
{

class estimated_dram
{
  public:
    explicit estimated_dram(const smrf_config &config) : c(config) {}

    // A request of the slices' cycle `core`. Returns the cycle in which what it reads is there.
    uint64_t ask(const smrf_dram_place &at, uint32_t sectors, bool writes, uint64_t core)
    {
        channel &ch = channels[at.channel];
        std::list<row> &rows = ch.banks[at.bank]; // the newest first
        const uint32_t data = (c.dram.burst + c.dram.data_rate - 1) / c.dram.data_rate;
        const uint64_t spacing = std::max(c.dram.ccd, data);
        const uint64_t group_spacing = std::max<uint64_t>(c.dram.ccdl, spacing);
        const uint64_t commands = commands_of(sectors);
        const uint64_t taken = std::max(ch.taken, behind(core + 2));
        uint64_t n = taken + c.dram.latency * uint64_t(c.dram.khz) / c.gpu.core_khz + 1;
        ch.taken = taken + 1;
        if (ch.window.size() == std::min(c.dram.queue, SMRF_UNDER_WAY_MOST)) {
            n = std::max(n, *ch.window.begin());
            ch.window.erase(ch.window.begin());
        }
        const row *newest = rows.empty() ? nullptr : &rows.front();
        auto own_row = std::find_if(rows.begin(), rows.end(), [&](const row &r) {
            return r.number == at.row && (&r == newest || r.pending >= n);
        });
        (own_row == rows.end() ? misses : hits) += sectors;
        if (own_row == rows.end()) {
            const uint64_t turn = std::max(ch.activate, n), early = c.dram.wl + 1;
            row r{at.row, turn, 0, 0, 0, 0, 0};
            if (newest) {
                r.opened = std::max({newest->opened + c.dram.rc,
                                     std::max(n, closes_of(*newest)) + c.dram.rp, turn});
                closes++;
            }
            r.column = r.opened + (!writes              ? c.dram.rcd
                                   : c.dram.rcd > early ? c.dram.rcd - early
                                                        : 1);
            opens++;
            ch.column += SMRF_DRAM_BUBBLE;
            ch.activate = turn + c.dram.rrd;
            rows.push_front(r);
            own_row = rows.begin();
            rows.resize(std::min<size_t>(rows.size(), SMRF_DRAM_ROWS));
        }
        (writes ? ch.writes : ch.reads)++;
        if (std::min(ch.reads, ch.writes) >= SMRF_DRAM_BATCH * c.dram.banks) {
            const int32_t back = int32_t(c.dram.cl + data + 2) - int32_t(c.dram.wl);
            ch.reads = ch.writes = 0;
            ch.column += uint64_t(std::max(back, 1)) + c.dram.wl + data + c.dram.cdlr;
        }
        uint64_t &group = ch.groups[at.bank % c.dram.bank_groups];
        const uint64_t bus = std::max(ch.column, n), own = std::max(group, n);
        const uint64_t behind = (commands - 1) * group_spacing;
        const uint64_t in_row =
            std::max(n, own_row->column + own_row->commands * group_spacing) + behind;
        const uint64_t last = std::max({bus + behind, own + behind, in_row});
        ch.column = bus + commands * spacing;
        group = own + commands * group_spacing;
        ch.window.insert(last + 1);
        own_row->commands += commands;
        own_row->last = std::max(own_row->last, in_row);
        own_row->pending = std::max(own_row->pending, last);
        own_row->tail = std::max<uint64_t>(own_row->tail, writes ? c.dram.wl + data + c.dram.wr
                                                                 : std::max(data, c.dram.rtpl));
        while (own_row != rows.begin()) { // rows that are opened later wait for it
            const uint64_t from = closes_of(*own_row) + c.dram.rp;
            --own_row;
            if (from <= own_row->opened) {
                break;
            }
            own_row->column += from - own_row->opened;
            own_row->opened = from;
            own_row->last =
                std::max(own_row->last, own_row->column + (own_row->commands - 1) * group_spacing);
        }
        return seen(last + (writes ? c.dram.wl : c.dram.cl + 1));
    }

    uint64_t hits = 0, misses = 0, opens = 0, closes = 0;

  private:
    struct row {
        uint64_t number, opened, column, commands, last, pending, tail;
    };
    struct channel {
        uint64_t taken = 0, activate = 0, column = 0, reads = 0, writes = 0;
        std::map<uint32_t, uint64_t> groups;
        std::map<uint32_t, std::list<row>> banks;
        std::multiset<uint64_t> window;
    };

    uint64_t closes_of(const row &r) const
    {
        return std::max(r.opened + c.dram.ras, r.last + r.tail);
    }

    uint64_t commands_of(uint32_t sectors) const
    {
        const uint32_t bytes = c.dram.burst * c.dram.bus_bytes;
        return bytes < 32 ? uint64_t(sectors) * ((32 + bytes - 1) / bytes)
                          : (sectors * 32 + bytes - 1) / bytes;
    }

    uint64_t behind(uint64_t core) const
    {
        return core * c.dram.khz / c.gpu.core_khz + 1;
    }

    uint64_t seen(uint64_t n) const
    {
        const uint64_t core = (n * c.gpu.core_khz + c.dram.khz - 1) / c.dram.khz;
        return core ? core - 1 : 0;
    }

    smrf_config c;
    std::map<uint32_t, channel> channels;
};

class estimated_memory
{
  public:
    explicit estimated_memory(const smrf_config &config)
        : c(config), dram(config), sms(c.gpu.sms), slices(c.l2.slices)
    {
        const smrf_memory_config memory = smrf_config_memory(&c);
        smrf_map_init(&map, &memory);
    }

    std::vector<smrf_mem_response> run(traffic wishes)
    {
        std::vector<smrf_mem_response> responses;
        auto left = [&] {
            bool any = !ready.empty() || in_slices > 0;
            for (const slice &to : slices) {
                any = any || !to.taken.empty();
            }
            for (uint32_t i = 0; i < c.gpu.sms; i++) {
                any = any || !wishes[i].empty() || !sms[i].requests.empty();
            }
            return any;
        };
        for (uint64_t now = 0; left(); now++) {
            for (uint32_t i = 0; i < c.gpu.sms; i++) {
                send(i, &wishes[i], now);
            }
            for (uint32_t i = 0; i < c.l2.slices; i++) {
                go_on(slices[i], now);
                take(i, now);
            }
            for (auto it = ready.begin(); it != ready.end() && it->first == now;) {
                const smrf_place at = smrf_map_slice(&map, it->second.address);
                slice &from = slices[at.slice];
                from.replies.push_back(it->second);
                in_slices++;
                if (from.replies.size() == 1) {
                    leave(from, now, &responses);
                }
                it = ready.erase(it);
            }
            for (slice &s : slices) {
                leave(s, now, &responses);
            }
        }
        stats.dram_row_hits = dram.hits;
        stats.dram_row_misses = dram.misses;
        stats.dram_activations = dram.opens;
        stats.dram_precharges = dram.closes;
        stats.requests = stats.responses = responses.size();
        return responses;
    }

    smrf_memory_stats stats{};

  private:
    struct sector {
        bool readable = false;
        std::bitset<32> written;
        uint64_t there = 0; // comes from DRAM until then
    };
    struct line {
        uint64_t number;
        sector sectors[4];
    };
    struct fetched {
        uint64_t sector = UINT64_MAX, there = 0;
        uint32_t waiting = 0;
    };
    struct slice {
        uint64_t link = 0, access = 0, reply = 0;
        uint32_t turn = 0;                        // the SM that is looked at first
        std::deque<smrf_mem_request> taken;       // that wait for an access from their cycles on
        std::map<uint32_t, std::list<line>> sets; // of a set the newest line first
        std::map<uint64_t, std::pair<uint64_t, uint64_t>> adding;
        std::map<uint64_t, fetched> recent;
        std::multiset<uint64_t> under_way; // until when
        uint64_t leaves = 0;
        std::deque<smrf_mem_request> replies;
    };
    struct sm {
        uint64_t sends = 0, receives = 0;
        std::deque<smrf_mem_request> requests;
        std::multiset<uint64_t> credits; // when each comes back; UINT64_MAX: not known
    };

    uint32_t flits(bool full) const
    {
        return (8 + (full ? 32 : 0) + c.noc.flit_bytes - 1) / c.noc.flit_bytes;
    }

    void send(uint32_t i, std::deque<smrf_mem_request> *wishes, uint64_t now)
    {
        sm &s = sms[i];
        while (!wishes->empty() && wishes->front().cycle <= now) {
            s.credits.erase(s.credits.begin(), s.credits.upper_bound(now));
            if (s.credits.size() == c.noc.credits) {
                stats.refused++;
                return;
            }
            s.credits.insert(UINT64_MAX);
            s.requests.push_back(wishes->front());
            s.requests.back().cycle = now;
            wishes->pop_front();
        }
    }

    // Has the SM's first request entered the network for the slice?
    bool asks(const sm &s, uint32_t to, uint64_t now) const
    {
        if (s.requests.empty()) {
            return false;
        }
        const smrf_mem_request &r = s.requests.front();
        return smrf_map_slice(&map, r.address).slice == to &&
               std::max(r.cycle, s.sends) + flits(r.kind != SMRF_MEM_READ) - 1 <= now;
    }

    void take(uint32_t to, uint64_t now)
    {
        slice &s = slices[to];
        if (s.link > now || s.taken.size() == SMRF_MEMORY_WAITING) {
            return;
        }
        for (uint32_t k = 0; k < c.gpu.sms; k++) {
            const uint32_t i = (s.turn + k) % c.gpu.sms;
            if (asks(sms[i], to, now)) {
                smrf_mem_request r = sms[i].requests.front();
                const uint32_t n = flits(r.kind != SMRF_MEM_READ);
                sms[i].requests.pop_front();
                sms[i].sends = now + 1;
                s.turn = (i + 1) % c.gpu.sms;
                s.link = now + n;
                stats.noc_request_flits += n;
                r.cycle = now + c.noc.latency + c.l2.latency;
                s.taken.push_back(r);
                if (s.taken.size() == 1) {
                    use(s, r.cycle);
                }
                return;
            }
        }
    }

    // What the slice has taken first uses it in `now`, if it is free then.
    void use(slice &s, uint64_t now)
    {
        const smrf_mem_request r = s.taken.front();
        uint64_t free = std::max(s.access, r.cycle);
        if (free > now) {
            return;
        }
        if (s.under_way.size() == std::min<size_t>(c.l2.mshrs, SMRF_UNDER_WAY_MOST)) {
            free = std::max(free, *s.under_way.begin());
        }
        if (free > now) {
            s.access = free;
            return;
        }
        s.taken.pop_front();
        ready.emplace(
            access(smrf_map_slice(&map, r.address), r, now) + flits(r.kind != SMRF_MEM_WRITE), r);
    }

    void go_on(slice &s, uint64_t now)
    {
        if (!s.taken.empty()) {
            use(s, now + c.noc.latency + c.l2.latency);
        }
    }

    uint64_t access(const smrf_place &at, const smrf_mem_request &r, uint64_t now)
    {
        slice &s = slices[at.slice];
        const bool write = r.kind == SMRF_MEM_WRITE;
        auto &set = s.sets[smrf_map_set(&map, at.local)];
        const uint64_t number = at.local / 128;
        std::list<line> gone;
        auto it =
            std::find_if(set.begin(), set.end(), [&](const line &l) { return l.number == number; });
        if (it == set.end()) {
            if (set.size() == c.l2.ways) {
                gone.splice(gone.begin(), set, std::prev(set.end()));
            }
            set.push_front(line{number, {}});
        } else {
            set.splice(set.begin(), set, it);
        }
        sector &own = set.front().sectors[at.local / 32 % 4];
        uint64_t there = now;
        if (write) {
            const bool hit = own.readable || own.written.any();
            stats.l2_writes++;
            (hit ? stats.l2_write_hits : stats.l2_write_misses)++;
            there = in_turn(s, now);
        } else {
            there = read(at, r, set.front(), now);
        }
        const uint32_t dirty = gone.empty() ? 0 : evict(at.slice, gone.front(), now);
        s.access = std::max(s.access, now + (write && dirty ? dirty : 1));
        if (r.kind != SMRF_MEM_READ) {
            own.written |= r.byte_mask;
            own.readable |= own.written.all();
        }
        return there;
    }

    uint64_t read(const smrf_place &at, const smrf_mem_request &r, line &l, uint64_t now)
    {
        slice &s = slices[at.slice];
        const bool atomic = r.kind == SMRF_MEM_ATOMIC;
        const uint32_t own = at.local / 32 % 4;
        (atomic ? stats.l2_atomics : stats.l2_reads)++;
        if (!l.sectors[own].readable) {
            const uint32_t many = c.l2.fetch_bytes / 32, first = own / many * many;
            (atomic ? stats.l2_atomic_misses : stats.l2_read_misses)++;
            const uint64_t there = fetch(at, l, own, now);
            for (uint32_t i = first; i < first + many; i++) {
                if (!l.sectors[i].readable) {
                    fetch(at, l, i, now);
                }
            }
            return there;
        }
        fetched &last = s.recent[at.local / 32 % SMRF_MEMORY_RECENT];
        if (last.sector == at.local / 32 && last.there > now) {
            if (last.waiting < c.l2.mshr_merge) {
                last.waiting++;
                (atomic ? stats.l2_atomic_merges : stats.l2_read_merges)++;
                return last.there;
            }
            now = last.there;
            s.access = now + 1;
        }
        (atomic ? stats.l2_atomic_hits : stats.l2_read_hits)++;
        return in_turn(s, atomic ? add(s, at.local / 128, r.byte_mask, now) : now);
    }

    // What a slice has, it answers one after the other.
    static uint64_t in_turn(slice &s, uint64_t now)
    {
        const uint64_t at = std::max(s.reply, now);
        s.reply = at + 1;
        return at;
    }

    uint64_t add(slice &s, uint64_t number, uint32_t bytes, uint64_t now)
    {
        auto &last = s.adding[number % SMRF_L2_ADDING];
        if (c.l2.atomic_cycles == 0) {
            return now;
        }
        if (last.first != number + 1) {
            last = {number + 1, now};
        }
        last.second =
            std::max(last.second, now) + (__builtin_popcount(bytes) > 4 ? c.l2.atomic_cycles : 1);
        return last.second - 1;
    }

    uint64_t fetch(const smrf_place &at, line &l, uint32_t i, uint64_t now)
    {
        const uint64_t local = at.local / 128 * 128 + i * 32;
        const uint64_t there = dram.ask(smrf_map_dram(&map, at.slice, local), 1, false, now) + 1;
        l.sectors[i].readable = true;
        slices[at.slice].recent[local / 32 % SMRF_MEMORY_RECENT] = {local / 32, there, 1};
        note(slices[at.slice], there);
        stats.l2_fills++;
        stats.dram_reads++;
        return there;
    }

    void note(slice &s, uint64_t until)
    {
        if (s.under_way.size() == std::min<size_t>(c.l2.mshrs, SMRF_UNDER_WAY_MOST)) {
            s.under_way.erase(s.under_way.begin());
        }
        s.under_way.insert(until);
    }

    uint32_t evict(uint32_t s, const line &l, uint64_t now)
    {
        uint32_t dirty = 0;
        for (const sector &e : l.sectors) {
            dirty += e.written.any();
        }
        stats.l2_evictions++;
        stats.l2_write_backs += dirty;
        stats.dram_writes += dirty;
        if (dirty) {
            note(slices[s], dram.ask(smrf_map_dram(&map, s, l.number * 128), dirty, true, now));
        }
        return dirty;
    }

    void leave(slice &from, uint64_t now, std::vector<smrf_mem_response> *responses)
    {
        if (from.replies.empty() || from.leaves > now) {
            return;
        }
        const smrf_mem_request r = from.replies.front();
        sm &to = sms[r.sm];
        const uint64_t taken = std::max(to.receives, now);
        const uint64_t arrives = taken + c.noc.latency + SMRF_NOC_EJECTION;
        const uint32_t n = flits(r.kind != SMRF_MEM_WRITE);
        from.replies.pop_front();
        in_slices--;
        from.leaves = taken + 1;
        to.receives = taken + n;
        to.credits.erase(to.credits.find(UINT64_MAX));
        to.credits.insert(arrives);
        stats.noc_reply_flits += n;
        responses->push_back({arrives, r.id, r.sm, r.kind});
    }

    smrf_config c;
    smrf_map map{};
    estimated_dram dram;
    std::vector<sm> sms;
    std::vector<slice> slices;
    std::multimap<uint64_t, smrf_mem_request> ready;
    uint32_t in_slices = 0; // replies
};

} // namespace reference

#endif
