// SPDX-License-Identifier: Apache-2.0
// What lies outside the SMs, slowly and plainly: every queue, counter and wire is visited in every
// cycle, with one clock for the core and one for the DRAM. Written from the headers' rules only, to
// be compared with the event-driven core.
#ifndef SMRF_TESTS_MEMORY_REFERENCE_H
#define SMRF_TESTS_MEMORY_REFERENCE_H

#include "dram_reference.h"

#include "models/memory/memory.h"
#include "platform/config/smrf_config.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <utility>
#include <vector>

namespace reference
{

// An SM's wish to send a request from `cycle` on, in the order of its list.
using traffic = std::vector<std::deque<smrf_mem_request>>;

struct packet {
    smrf_mem_request request;
    uint64_t arrived; // where it is now
    uint64_t waited_from = UINT64_MAX;
    bool nobody = false; // stands for a sector fetched beside another one, or a cycle of a reply
};

struct place {
    uint32_t slice;
    uint64_t line; // number within the slice
    uint32_t sector;
};

// Remainder of the polynomial `bits` modulo x^16 + x^12 + x^3 + x + 1, by long division.
inline uint64_t polynomial_remainder(uint64_t bits)
{
    for (int degree = 63; degree >= 16; degree--) {
        if (bits >> degree & 1) {
            bits ^= UINT64_C(0x1100b) << (degree - 16);
        }
    }
    return bits;
}

inline place locate(const smrf_config &c, uint64_t address)
{
    uint64_t sector = address / 32 % 4;
    uint64_t per_channel = c.l2.slices / c.dram.channels;

    if (c.l2.hash == SMRF_HASH_IPOLY) {
        const uint64_t piece = address / c.l2.slice_bytes, round = piece / c.l2.slices;
        const uint64_t slice = (piece + polynomial_remainder(round << 16)) % c.l2.slices;
        const uint64_t lines =
            c.l2.slice_bytes / 128; // (piece mod n + r) mod n = (piece + r) mod n
        return {uint32_t(slice), round * lines + address / 128 % lines, uint32_t(sector)};
    }
    uint64_t chunk = address / 256;
    uint64_t channel = chunk % c.dram.channels;
    uint64_t inside = chunk / c.dram.channels * 256 + address % 256;
    uint64_t piece = inside / c.l2.slice_bytes, in_piece = inside % c.l2.slice_bytes;
    return {uint32_t(channel * per_channel + piece % per_channel),
            piece / per_channel * (c.l2.slice_bytes / 128) + in_piece / 128, uint32_t(sector)};
}

class crossbar
{
  public:
    crossbar(uint32_t inputs, uint32_t outputs, bool one)
        : one_a_cycle(one), queue(inputs), sent(inputs, UINT64_MAX), busy_until(outputs, 0),
          turn(outputs, 0)
    {
    }

    bool one_a_cycle;
    std::vector<std::deque<packet>> queue;
    uint64_t flits = 0, waits = 0;

    // One cycle; target(packet) and length(packet) say where to and how many flits.
    template <class T, class L> std::vector<packet> cycle(uint64_t now, T target, L length)
    {
        std::vector<packet> out;
        std::vector<char> ready(queue.size(), 0);

        auto look = [&](size_t i) {
            if (queue[i].empty()) {
                return;
            }
            packet &p = queue[i].front();
            uint64_t begin = p.arrived;
            if (sent[i] != UINT64_MAX) {
                begin = std::max(begin, sent[i] + one_a_cycle);
            }
            ready[i] = begin + length(p) - 1 <= now;
            if (ready[i] && p.waited_from == UINT64_MAX) {
                p.waited_from = begin + length(p) - 1;
            }
        };
        for (size_t i = 0; i < queue.size(); i++) {
            look(i);
        }
        for (size_t o = 0; o < busy_until.size(); o++) {
            if (busy_until[o] > now) {
                continue;
            }
            for (size_t k = 0; k < queue.size(); k++) {
                size_t i = (turn[o] + k) % queue.size();
                if (!ready[i] || target(queue[i].front()) != o) {
                    continue;
                }
                packet p = queue[i].front();
                queue[i].pop_front();
                ready[i] = 0;
                sent[i] = now;
                busy_until[o] = now + length(p);
                turn[o] = (i + 1) % queue.size();
                flits += length(p);
                waits += now - p.waited_from;
                out.push_back(p);
                if (!one_a_cycle) {
                    look(i);
                }
                break;
            }
        }
        return out;
    }

    bool empty() const
    {
        return std::all_of(queue.begin(), queue.end(), [](auto &q) { return q.empty(); });
    }

    // An output takes nothing before `cycle`.
    void block(size_t output, uint64_t cycle)
    {
        busy_until[output] = std::max(busy_until[output], cycle);
    }

  private:
    std::vector<uint64_t> sent, busy_until;
    std::vector<size_t> turn;
};

// A line of the L2: what each sector holds.
struct line_state {
    uint64_t number;
    bool readable[4] = {}, awaited[4] = {}, dirty[4] = {};
    uint32_t written[4] = {};

    bool any_awaited() const
    {
        return awaited[0] || awaited[1] || awaited[2] || awaited[3];
    }
};

struct slice_state {
    std::deque<packet> outside, within, input, replies;
    std::map<uint32_t, std::list<line_state>> sets; // newest first
    std::map<std::pair<uint64_t, uint32_t>, std::vector<packet>> waiting;
    std::multimap<uint64_t, std::pair<uint64_t, uint32_t>> fills; // by core cycle
    std::deque<std::pair<uint64_t, uint32_t>> there; // sectors whose requests are to be answered
    uint64_t free = 0;
    std::array<std::pair<uint64_t, uint64_t>, 16> adding{}; // a line, and until when
    std::deque<dram_job> misses;                            // on the way to the queue to DRAM

    bool empty() const
    {
        return outside.empty() && within.empty() && input.empty() && waiting.empty() &&
               misses.empty() && replies.empty();
    }
};

class memory
{
  public:
    explicit memory(const smrf_config &config)
        : c(config), request(c.gpu.sms, c.l2.slices, c.noc.one_a_cycle),
          reply(c.l2.slices, c.gpu.sms, c.noc.one_a_cycle), slices(c.l2.slices),
          channels(c.dram.channels, dram_channel(c)), credits(c.gpu.sms)
    {
    }

    smrf_memory_stats stats{};

    // Send all traffic, as early as its cycles, its order and the credits allow.
    std::vector<smrf_mem_response> run(traffic wishes)
    {
        std::vector<smrf_mem_response> responses;

        for (uint64_t now = 0;; now++) {
            bool done = request.empty() && reply.empty();

            dram(now);
            for (uint32_t s = 0; s < c.l2.slices; s++) {
                slice(s, now);
                done = done && slices[s].empty();
            }
            respond(now, &responses);
            for (uint32_t sm = 0; sm < c.gpu.sms; sm++) {
                send(sm, &wishes[sm], now);
                done = done && wishes[sm].empty() && request.queue[sm].empty();
            }
            for (uint32_t s = 0; s < c.l2.slices; s++) {
                if (slices[s].outside.size() >= 512) {
                    request.block(s, now + 1);
                }
            }
            for (packet &p : request.cycle(
                     now, [&](const packet &q) { return locate(c, q.request.address).slice; },
                     [&](const packet &q) { return length(q.request.kind != SMRF_MEM_READ); })) {
                p.arrived = now + 1;
                slices[locate(c, p.request.address).slice].outside.push_back(p);
                done = false;
            }
            for (dram_channel &ch : channels) {
                done = done && ch.empty();
            }
            if (done && reply.empty()) {
                collect();
                return responses;
            }
        }
    }

  private:
    smrf_config c;
    crossbar request, reply;
    std::vector<slice_state> slices;
    std::vector<dram_channel> channels;
    std::vector<std::multiset<uint64_t>> credits; // cycles at which they return; NEVER = unknown
    uint64_t dram_cycle_number = 0;
    std::vector<double> core_begin{0.0}, dram_begin{0.0};

    uint64_t length(bool carries_sector) const
    {
        return (8 + (carries_sector ? 32u : 0u) + c.noc.flit_bytes - 1) / c.noc.flit_bytes;
    }

    void send(uint32_t sm, std::deque<smrf_mem_request> *wishes, uint64_t now)
    {
        auto &held = credits[sm];

        while (!wishes->empty() && wishes->front().cycle <= now) {
            held.erase(held.begin(), held.upper_bound(now));
            const bool full = c.noc.input_queue != 0 &&
                              request.queue[sm].size() >= std::max(c.noc.input_queue - 1, 1u);
            if (held.size() == c.noc.credits || full) {
                stats.refused++;
                return;
            }
            held.insert(UINT64_MAX);
            stats.requests++;
            request.queue[sm].push_back({wishes->front(), now});
            wishes->pop_front();
        }
    }

    void respond(uint64_t now, std::vector<smrf_mem_response> *responses)
    {
        auto out = reply.cycle(
            now, [&](const packet &q) { return q.request.sm; },
            [&](const packet &q) { return length(q.request.kind != SMRF_MEM_WRITE); });
        for (const packet &p : out) {
            uint64_t cycle = now + c.noc.latency + 1;
            auto &held = credits[p.request.sm];

            held.erase(std::prev(held.end()));
            held.insert(cycle);
            stats.responses++;
            responses->push_back({cycle, p.request.id, p.request.sm, p.request.kind});
        }
    }

    void dram(uint64_t now)
    {
        // DRAM cycle d begins at core time d x core_khz / dram_khz. The slices' cycle `now` sees
        // what begins no later than core cycle now + 1.
        for (; core_cycle(dram_cycle_number) <= now + 1; dram_cycle_number++) {
            const uint64_t d = dram_cycle_number;

            for (dram_channel &ch : channels) {
                dram_job j;

                if (ch.cycle(int64_t(core_cycle(d)), int64_t(core_cycle(d)) - 1, &j) && !j.write) {
                    uint64_t end = core_cycle(d + c.dram.cl + 1) - 1;
                    slices[j.slice].fills.insert({end, {j.line, j.sector}});
                }
            }
        }
    }

    // dram.summed_clocks: the sums themselves.
    uint64_t core_cycle(uint64_t d)
    {
        if (c.dram.summed_clocks) {
            while (dram_begin.size() <= d) {
                const double begin = dram_begin.back() + 1 / (c.dram.khz * 1000.0);
                while (core_begin.back() < begin) {
                    core_begin.push_back(core_begin.back() + 1 / (c.gpu.core_khz * 1000.0));
                }
                dram_begin.push_back(begin);
            }
            return uint64_t(std::lower_bound(core_begin.begin(), core_begin.end(), dram_begin[d]) -
                            core_begin.begin());
        }
        return (d * c.gpu.core_khz + c.dram.khz - 1) / c.dram.khz;
    }

    uint32_t set_of(uint64_t line) const
    {
        uint32_t bits = 0;

        while ((1u << bits) < c.l2.sets) {
            bits++;
        }
        if (c.l2.set_hash == SMRF_HASH_LINEAR) {
            return uint32_t(line % c.l2.sets);
        }
        // Remainder by long division, for the numbers of sets that the tests have.
        const std::map<uint32_t, std::pair<uint64_t, uint32_t>> polynomials = {
            {0, {1, 64}}, {1, {3, 64}}, {4, {0x13, 17}}, {6, {0x43, 25}}};
        const auto &[polynomial, looked_at] = polynomials.at(bits);

        line &= UINT64_MAX >> (64 - looked_at);
        for (uint32_t degree = 63; degree >= bits && line; degree--) {
            line ^= line >> degree & 1 ? polynomial << (degree - bits) : 0;
            if (degree == 0) {
                break;
            }
        }
        return uint32_t(line);
    }

    std::deque<dram_job> &queue_of(uint32_t s)
    {
        uint32_t per_channel = c.l2.slices / c.dram.channels;

        return channels[s / per_channel].queue[s % per_channel];
    }

    // A miss comes to the queue to DRAM, if that has room.
    void ask_dram(uint32_t s, uint64_t now)
    {
        std::deque<dram_job> &misses = slices[s].misses;

        if (!misses.empty() && queue_of(s).size() < 64) {
            misses.front().begins = now + 1;
            queue_of(s).push_back(misses.front());
            misses.pop_front();
        }
    }

    void to_dram(uint32_t s, uint64_t line, uint32_t sector, uint32_t sectors, bool write)
    {
        uint32_t per_channel = c.l2.slices / c.dram.channels;
        const uint64_t in_piece = c.l2.slice_bytes / 128; // lines: columns below the bank bit
        uint64_t in_channel = line / in_piece * per_channel + s % per_channel;
        dram_job j{s, line, sector, sectors, write, 0};
        const uint64_t columns = c.dram.open_bytes / 128 / in_piece;
        if (c.dram.banks > 1) {
            const uint64_t pair = in_channel / (2 * columns);
            j.bank = uint32_t(in_channel % 2 + pair % (c.dram.banks / 2) * 2);
            j.row = pair / (c.dram.banks / 2);
        } else {
            j.row = in_channel / columns;
        }
        j.bank ^= c.dram.bank_hash ? uint32_t(j.row % c.dram.banks) : 0;
        j.commands = channels[s / per_channel].commands(sectors);
        slices[s].misses.push_back(j);
    }

    line_state *find(uint32_t s, uint64_t number)
    {
        for (line_state &l : slices[s].sets[set_of(number)]) {
            if (l.number == number) {
                return &l;
            }
        }
        return nullptr;
    }

    void answer(uint32_t s, packet p, uint64_t now)
    {
        p.arrived = now + 1;
        p.waited_from = UINT64_MAX;
        slices[s].replies.push_back(p);
    }

    // The queue before the tags takes what has come up.
    void come_up(uint32_t s, uint64_t now)
    {
        slice_state &sl = slices[s];

        if (!sl.within.empty() && sl.within.front().arrived <= now && sl.input.size() < 64) {
            sl.input.push_back(sl.within.front());
            sl.within.pop_front();
        }
    }

    // A request enters that left the network earlier, if that queue has room for the four sectors
    // of a line.
    void enter(uint32_t s, uint64_t now)
    {
        slice_state &sl = slices[s];
        const uint64_t way = c.noc.latency + c.l2.latency - 1;

        if (sl.outside.empty()) {
            return;
        }
        if (sl.input.size() + 4 > 64) {
            stats.l2_door_cycles += sl.outside.size();
            return;
        }
        stats.l2_door_cycles += sl.outside.size() - 1;
        sl.within.push_back(sl.outside.front());
        sl.within.back().arrived = now + way;
        sl.outside.pop_front();
        if (way == 0) {
            come_up(s, now);
        }
    }

    // The first of its replies goes to the network.
    void to_network(uint32_t s, uint64_t now)
    {
        std::deque<packet> &replies = slices[s].replies;

        const uint32_t room = c.noc.input_queue;
        if (!replies.empty() && (room == 0 || reply.queue[s].size() < room)) {
            if (!replies.front().nobody) {
                replies.front().arrived = now;
                reply.queue[s].push_back(replies.front());
            }
            replies.pop_front();
        }
    }

    static void store(line_state *l, uint32_t sector, uint32_t bytes)
    {
        l->dirty[sector] = true;
        l->written[sector] |= bytes;
        l->readable[sector] |= l->written[sector] == UINT32_MAX;
    }

    void slice(uint32_t s, uint64_t now)
    {
        slice_state &sl = slices[s];

        to_network(s, now);
        come_up(s, now);
        enter(s, now);
        if (!sl.there.empty() && sl.replies.size() < 64) {
            auto &requests = sl.waiting[sl.there.front()];

            answer(s, requests.front(), now);
            requests.erase(requests.begin());
            if (requests.empty()) {
                sl.waiting.erase(sl.there.front());
                sl.there.pop_front();
            }
        }
        if (!sl.fills.empty() && sl.fills.begin()->first <= now) {
            auto where = sl.fills.begin()->second;
            line_state *l = find(s, where.first);

            sl.fills.erase(sl.fills.begin());
            l->readable[where.second] = true;
            l->awaited[where.second] = false;
            stats.l2_fills++;
            auto &waiting = sl.waiting[where];
            if (waiting.front().nobody) {
                waiting.erase(waiting.begin());
            }
            for (const packet &p : waiting) {
                if (p.request.kind == SMRF_MEM_ATOMIC) {
                    store(l, where.second, p.request.byte_mask);
                }
            }
            if (waiting.empty()) {
                sl.waiting.erase(where);
            } else {
                sl.there.push_back(where);
            }
        }
        ask_dram(s, now);
        if (!sl.input.empty() && sl.free <= now) {
            if (sl.replies.size() < 64) {
                access(s, now);
            } else {
                stats.l2_reply_full_cycles++;
            }
        }
    }

    void access(uint32_t s, uint64_t now)
    {
        slice_state &sl = slices[s];
        packet p = sl.input.front();
        place at = locate(c, p.request.address);
        auto &set = sl.sets[set_of(at.line)];
        auto it = std::find_if(set.begin(), set.end(),
                               [&](const line_state &l) { return l.number == at.line; });
        bool write = p.request.kind == SMRF_MEM_WRITE;
        bool present = it != set.end();
        bool hit = present && (it->readable[at.sector] || (write && it->dirty[at.sector]));
        bool awaited = present && it->awaited[at.sector];
        bool merge = !hit && awaited && !write;
        bool fetch = !hit && !awaited && !write;
        auto victim = set.end();

        if (queue_of(s).size() >= 64 || sl.misses.size() >= 31) {
            stats.l2_write_full_cycles++;
            return;
        }
        if (!present && set.size() == c.l2.ways) {
            for (auto v = set.begin(); v != set.end(); ++v) {
                victim = v->any_awaited() ? victim : v; // the last one is the oldest
            }
            if (victim == set.end()) {
                stats.l2_set_full_cycles++;
                return;
            }
        }
        if (fetch && sl.waiting.size() == c.l2.mshrs) {
            stats.l2_mshr_full_cycles++;
            return;
        }
        if (merge && sl.waiting[{at.line, at.sector}].size() == c.l2.mshr_merge) {
            stats.l2_merge_full_cycles++;
            return;
        }
        sl.input.pop_front();
        sl.free = now + 1;
        std::vector<uint32_t> beside;
        if (fetch) {
            to_dram(s, at.line, at.sector, 1, false);
            const uint32_t many = c.l2.fetch_bytes / 32, first = at.sector / many * many;
            for (uint32_t i = first; i < first + many; i++) {
                const bool known = present && (it->readable[i] || it->awaited[i]);
                const bool room = sl.waiting.size() + 1 + beside.size() < c.l2.mshrs &&
                                  queue_of(s).size() < 64 && sl.misses.size() < 31;
                if (i != at.sector && !known && room) {
                    to_dram(s, at.line, i, 1, false);
                    beside.push_back(i);
                }
            }
        }
        if (present) {
            set.splice(set.begin(), set, it);
        } else {
            if (victim != set.end()) {
                uint32_t sectors = evict(s, *victim);
                sl.free = write && sectors ? now + sectors : sl.free;
                set.erase(victim);
            }
            set.push_front(line_state{at.line});
        }
        count(p.request.kind, hit || (write && awaited), merge);
        if (write || (hit && p.request.kind == SMRF_MEM_ATOMIC)) {
            store(&set.front(), at.sector, p.request.byte_mask);
        }
        if (fetch) {
            set.front().awaited[at.sector] = true;
        }
        for (const uint32_t i : beside) {
            set.front().awaited[i] = true;
            sl.waiting[{at.line, i}].push_back(packet{{}, 0, UINT64_MAX, true});
        }
        if (fetch || merge) {
            sl.waiting[{at.line, at.sector}].push_back(p);
        } else {
            add(sl, at.line, p.request, now);
            answer(s, p, now);
        }
    }

    // Until the words of an atomic are added, nobody is answered.
    void add(slice_state &sl, uint64_t line, const smrf_mem_request &atomic, uint64_t now)
    {
        auto &[number, until] = sl.adding[line % sl.adding.size()];
        if (atomic.kind != SMRF_MEM_ATOMIC || c.l2.atomic_cycles == 0) {
            return;
        }
        if (number != line || until < now) {
            until = now;
        }
        number = line;
        until += __builtin_popcount(atomic.byte_mask) > 4 ? c.l2.atomic_cycles : 1;
        while (now + sl.replies.size() < until - 1) {
            sl.replies.push_back(packet{{}, 0, UINT64_MAX, true});
        }
    }

    uint32_t evict(uint32_t s, const line_state &l)
    {
        uint32_t sectors = uint32_t(std::count(l.dirty, l.dirty + 4, true));

        stats.l2_evictions++;
        stats.l2_write_backs += sectors;
        if (sectors) {
            to_dram(s, l.number, 0, sectors, true);
        }
        return sectors;
    }

    void count(uint8_t kind, bool hit, bool merge)
    {
        switch (kind) {
        case SMRF_MEM_READ:
            stats.l2_reads++;
            (hit ? stats.l2_read_hits : merge ? stats.l2_read_merges : stats.l2_read_misses)++;
            break;
        case SMRF_MEM_WRITE:
            stats.l2_writes++;
            (hit ? stats.l2_write_hits : stats.l2_write_misses)++;
            break;
        default:
            stats.l2_atomics++;
            (hit     ? stats.l2_atomic_hits
             : merge ? stats.l2_atomic_merges
                     : stats.l2_atomic_misses)++;
        }
    }

    void collect()
    {
        stats.noc_request_flits = request.flits;
        stats.noc_reply_flits = reply.flits;
        stats.noc_request_wait_cycles = request.waits;
        stats.noc_reply_wait_cycles = reply.waits;
        for (const dram_channel &ch : channels) {
            stats.dram_reads += ch.reads;
            stats.dram_writes += ch.writes;
            stats.dram_row_hits += ch.row_hits;
            stats.dram_row_misses += ch.row_misses;
            stats.dram_activations += ch.activations;
            stats.dram_precharges += ch.precharges;
            stats.dram_turnarounds += ch.turnarounds;
            stats.dram_queue_full_cycles += ch.full;
        }
    }
};

} // namespace reference

#endif
