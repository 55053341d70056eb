// SPDX-License-Identifier: Apache-2.0
// Instruction caches of the sub-cores with stream buffers, the SM's cache behind them, and constant
// caches, written again with lists.
#ifndef SMRF_TESTS_SLOW_L0_H
#define SMRF_TESTS_SLOW_L0_H

#include "models/frontend/frontend_params.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <utility>

namespace slow
{

// Lines by set, the most recently used first, with the cycle in which each is there.
struct lines {
    uint32_t sets, ways;
    std::map<uint32_t, std::list<std::pair<uint32_t, uint64_t>>> set;

    std::pair<uint32_t, uint64_t> *find(uint32_t line)
    {
        auto &all = set[line % sets];
        for (auto i = all.begin(); i != all.end(); ++i) {
            if (i->first == line) {
                all.splice(all.begin(), all, i);
                return &all.front();
            }
        }
        return nullptr;
    }
    void add(uint32_t line, uint64_t there)
    {
        auto &all = set[line % sets];
        all.emplace_front(line, there);
        if (all.size() > ways) {
            all.pop_back();
        }
    }
};

// Constants of a sub-core: a miss takes the same time each.
class constants
{
  public:
    explicit constants(const smrf_frontend_params &p)
        : latency_(p.constant_latency), lines_{p.constant_bytes / 64 / p.constant_ways,
                                               p.constant_ways,
                                               {}}
    {
    }
    uint64_t misses = 0;

    uint64_t read(uint32_t address, uint64_t cycle)
    {
        if (const auto *hit = lines_.find(address / 64)) {
            return std::max(cycle, hit->second);
        }
        misses++;
        lines_.add(address / 64, cycle + latency_);
        return cycle + latency_;
    }

  private:
    uint64_t latency_;
    lines lines_;
};

class l0
{
  public:
    l0(const smrf_frontend_params &params, unsigned subcores) : p_(params), subcores_(subcores)
    {
        l1_ = {p_.icache_bytes / 128 / p_.icache_ways, p_.icache_ways, {}};
    }
    uint64_t misses = 0, streamed = 0;

    uint64_t fetch(unsigned sub, uint32_t pc, uint64_t cycle)
    {
        const uint32_t line = pc / 128;
        lines &own =
            own_.emplace(sub, lines{p_.l0_bytes / 128 / p_.l0_ways, p_.l0_ways, {}}).first->second;
        std::deque<std::pair<uint32_t, uint64_t>> &stream = stream_[sub];
        if (const auto *hit = own.find(line)) {
            return std::max(cycle, hit->second);
        }
        uint64_t there = 0;
        const auto at = std::find_if(stream.begin(), stream.end(),
                                     [&](const auto &s) { return s.first == line; });
        if (at != stream.end()) {
            there = at->second;
            stream.erase(stream.begin(), at + 1);
            streamed++;
        } else {
            const uint64_t turn = std::max(cycle, port_);
            port_ = turn + p_.l0_interval;
            there = from_l1(line, turn);
            stream.clear();
            misses++;
        }
        uint32_t next = stream.empty() ? line + 1 : stream.back().first + 1;
        for (uint64_t turn = cycle; stream.size() < p_.l0_ahead; next++) {
            turn += uint64_t(p_.l0_interval) * subcores_;
            stream.emplace_back(next, from_l1(next, turn));
        }
        own.add(line, there);
        return std::max(cycle, there);
    }

  private:
    uint64_t from_l1(uint32_t line, uint64_t cycle)
    {
        if (p_.icache_bytes == 0) {
            return cycle + p_.l0_latency;
        }
        if (const auto *hit = l1_.find(line)) {
            return std::max(cycle, hit->second) + p_.l0_latency;
        }
        l1_.add(line, cycle + p_.icache_miss_latency);
        return cycle + p_.icache_miss_latency + p_.l0_latency;
    }

    smrf_frontend_params p_;
    unsigned subcores_;
    uint64_t port_ = 0;
    lines l1_;
    std::map<unsigned, lines> own_;
    std::map<unsigned, std::deque<std::pair<uint32_t, uint64_t>>> stream_;
};

} // namespace slow

#endif
