// SPDX-License-Identifier: Apache-2.0
// A DRAM channel of the memory reference, clock by clock.
#ifndef SMRF_TESTS_DRAM_REFERENCE_H
#define SMRF_TESTS_DRAM_REFERENCE_H

#include "platform/config/smrf_config.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <list>
#include <utility>
#include <vector>

namespace reference
{

// A sector to read, or a line's dirty sectors to write.
struct dram_job {
    uint32_t slice;
    uint64_t line;
    uint32_t sector, sectors;
    bool write;
    uint64_t begins; // core cycle, behind whose begin it may be taken, then go on
    uint32_t bank = 0;
    uint64_t row = 0;
    uint32_t commands = 0;
};

// Counters count down once a DRAM cycle; a command is legal when its counters are zero.
class dram_channel
{
  public:
    explicit dram_channel(const smrf_config &config)
        : queue(config.l2.slices / config.dram.channels), c(config), bank(config.dram.banks),
          group(config.dram.bank_groups)
    {
        beats = (c.dram.burst + c.dram.data_rate - 1) / c.dram.data_rate;
        gap = std::max(c.dram.ccd, beats);
    }

    std::vector<std::deque<dram_job>> queue; // of each slice
    uint64_t reads = 0, writes = 0, row_hits = 0, row_misses = 0, activations = 0, precharges = 0,
             turnarounds = 0, full = 0;

    bool empty() const
    {
        return under_way == 0 &&
               std::all_of(queue.begin(), queue.end(), [](auto &q) { return q.empty(); });
    }

    uint32_t commands(uint32_t sectors) const
    {
        uint32_t bytes = c.dram.burst * c.dram.bus_bytes;

        return bytes < 32 ? sectors * ((32 + bytes - 1) / bytes)
                          : (sectors * 32 + bytes - bytes % 32 - 1) / (bytes - bytes % 32);
    }

    // One DRAM cycle. core: the core cycle that begins with it or next behind it; behind: the last
    // one that has begun before it. Returns true and the job if one has had its last command.
    bool cycle(int64_t core, int64_t behind, dram_job *served)
    {
        bool end = false, row = false;

        return_credits();
        choose();
        if (c.dram.dual_bus) {
            end = both_buses(served);
            count_down();
            take(core, behind);
            return end;
        }
        for (uint32_t k = 0; k < bank.size(); k++) {
            uint32_t i = (turn + k) % uint32_t(bank.size());
            bank_state &b = bank[i];

            if (!b.busy) {
                continue;
            }
            if (b.open && b.row == b.job.row) {
                if (may_transfer(i)) {
                    end = transfer(i, served);
                    break;
                }
            } else if (!row && may_change_row(i)) {
                change_row(i);
                row = true;
            }
        }
        count_down();
        take(core, behind);
        return end;
    }

  private:
    struct bank_state {
        bool open = false, busy = false, hit = false;
        uint64_t row = 0;
        dram_job job{};
        std::list<dram_job> waiting;
        uint64_t to_activate = 0, to_read = 0, to_write = 0, to_precharge = 0;
    };
    struct group_state {
        uint64_t to_column = 0, to_precharge = 0;
    };

    smrf_config c;
    std::vector<bank_state> bank;
    std::vector<group_state> group;
    std::deque<dram_job> latency;
    uint32_t beats, gap;
    uint32_t in_window = 0, under_way = 0, turn = 0, last = uint32_t(queue.size()) - 1;
    bool writing = false;
    uint64_t to_column = 0, to_activate = 0, to_read = 0, to_write = 0;
    // Credits: cycles until those of requests that have had their last command come back, each its
    // slice's; a slice has one of its own, which is used first and comes back first.
    std::deque<std::pair<uint64_t, uint32_t>> coming;
    std::vector<bool> own_out = std::vector<bool>(queue.size());
    uint32_t shared_out = 0;

    bool credit(size_t s) const
    {
        return !own_out[s] || shared_out < c.dram.queue + 192 - (queue.size() - 1);
    }

    void return_credits()
    {
        for (auto &back : coming) {
            back.first--;
        }
        while (!coming.empty() && coming.front().first == 0) {
            const uint32_t s = coming.front().second;

            coming.pop_front();
            shared_out -= own_out[s] ? 0 : 1;
            own_out[s] = false;
        }
    }

    // The first idle bank in turn for which something waits.
    void choose()
    {
        for (uint32_t k = 0; k < bank.size(); k++) {
            bank_state &b = bank[(turn + k) % uint32_t(bank.size())];

            if (b.busy || b.waiting.empty()) {
                continue;
            }
            auto it = std::find_if(b.waiting.begin(), b.waiting.end(),
                                   [&](const dram_job &j) { return j.row == b.row; });
            if (it == b.waiting.end()) {
                it = b.waiting.begin();
            }
            b.job = *it;
            b.waiting.erase(it);
            b.busy = true;
            b.hit = b.open && b.job.row == b.row;
            in_window--;
            turn = (turn + 1) % uint32_t(bank.size());
            return;
        }
    }

    // A column command, then a row command; each search begins at the turn.
    bool both_buses(dram_job *served)
    {
        const uint32_t from = turn;
        bool end = false;

        for (uint32_t k = 0; k < bank.size(); k++) {
            const uint32_t i = (from + k) % uint32_t(bank.size());
            const bank_state &b = bank[i];
            if (b.busy && b.open && b.row == b.job.row && may_transfer(i)) {
                end = transfer(i, served);
                break;
            }
        }
        for (uint32_t k = 0; k < bank.size(); k++) {
            const uint32_t i = (from + k) % uint32_t(bank.size());
            const bank_state &b = bank[i];
            if (b.busy && !(b.open && b.row == b.job.row) && may_change_row(i)) {
                change_row(i);
                break;
            }
        }
        return end;
    }

    bool may_transfer(uint32_t i) const
    {
        const bank_state &b = bank[i];

        return !to_column && !group[i % group.size()].to_column &&
               (b.job.write ? !b.to_write && !to_write : !b.to_read && !to_read);
    }

    bool may_change_row(uint32_t i) const
    {
        const bank_state &b = bank[i];

        return b.open ? !b.to_precharge && !group[i % group.size()].to_precharge
                      : !b.to_activate && !to_activate;
    }

    void change_row(uint32_t i)
    {
        bank_state &b = bank[i];

        turn = (i + 1) % uint32_t(bank.size());
        if (b.open) {
            b.open = false;
            b.to_activate = std::max<uint64_t>(b.to_activate, c.dram.rp);
            precharges++;
            return;
        }
        b.open = true;
        activations++;
        b.row = b.job.row;
        b.to_activate = c.dram.rc;
        b.to_read = c.dram.rcd;
        b.to_write = uint64_t(std::max(1, int(c.dram.rcd) - int(c.dram.wl) - 1));
        b.to_precharge = std::max<uint64_t>(b.to_precharge, c.dram.ras);
        to_activate = c.dram.rrd;
    }

    bool transfer(uint32_t i, dram_job *served)
    {
        bank_state &b = bank[i];
        group_state &g = group[i % group.size()];

        to_column = gap;
        g.to_column = std::max(c.dram.ccdl, gap);
        turnarounds += b.job.write != writing;
        writing = b.job.write;
        if (writing) {
            to_read = c.dram.wl + beats + c.dram.cdlr;
            b.to_precharge = std::max<uint64_t>(b.to_precharge, c.dram.wl + beats + c.dram.wr);
        } else {
            to_write = uint64_t(std::max(1, int(c.dram.cl) + int(beats) + 2 - int(c.dram.wl)));
            b.to_precharge = std::max<uint64_t>(b.to_precharge, beats);
            g.to_precharge = c.dram.rtpl;
        }
        if (--b.job.commands > 0) {
            return false;
        }
        (writing ? writes : reads) += b.job.sectors;
        (b.hit ? row_hits : row_misses) += b.job.sectors;
        *served = b.job;
        b.busy = false;
        coming.push_back({writing ? c.dram.wl : c.dram.cl + 1, b.job.slice % queue.size()});
        under_way--;
        return true;
    }

    // From the slices' queues on the way to the window, and from there into it.
    void take(int64_t core, int64_t behind)
    {
        bool room = in_window < c.dram.queue;

        if (room) {
            for (size_t k = 1; k <= queue.size(); k++) {
                size_t s = (last + k) % queue.size();
                if (!queue[s].empty() && int64_t(queue[s].front().begins) <= behind && credit(s)) {
                    shared_out += own_out[s] ? 1 : 0;
                    own_out[s] = true;
                    latency.push_back(queue[s].front());
                    queue[s].pop_front();
                    latency.back().begins = uint64_t(core + c.dram.latency);
                    under_way++;
                    last = uint32_t(s);
                    break;
                }
            }
        }
        if (!latency.empty() && int64_t(latency.front().begins) <= core) {
            full += !room;
            if (room) {
                bank[latency.front().bank].waiting.push_back(latency.front());
                latency.pop_front();
                in_window++;
            }
        }
    }

    void count_down()
    {
        auto down = [](uint64_t &x) { x -= x > 0; };

        for (bank_state &b : bank) {
            down(b.to_activate), down(b.to_read), down(b.to_write), down(b.to_precharge);
        }
        for (group_state &g : group) {
            down(g.to_column), down(g.to_precharge);
        }
        down(to_column), down(to_activate), down(to_read), down(to_write);
    }
};

} // namespace reference

#endif
