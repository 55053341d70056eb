// SPDX-License-Identifier: Apache-2.0
// A caching collector unit, slow and in plain words: a list of entries, searched from the front.
// Follows the step lists of the papers (long version III-C1, IV-A), not the code under test.
#ifndef SMRF_TESTS_CCU_REFERENCE_H
#define SMRF_TESTS_CCU_REFERENCE_H

#include "models/malekeh/ccu.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ccu_reference
{

using row = std::array<uint32_t, SMRF_LANES>;

struct entry {
    bool valid = false, locked = false, near = false, arrived = false, outdated = false;
    int reg = -1;
    uint32_t version = 0;
    row data{};
    uint64_t last_use = 0;
};

struct slot {
    int reg;
    std::optional<size_t> entry; // none: gathered outside the cache table
    bool ready;
};

class unit
{
  public:
    unit(const smrf_ccu_config &c, uint64_t seed, uint64_t stream) : cfg(c), table(c.entries)
    {
        smrf_rng_seed(&rng, seed, stream);
    }

    struct allocated {
        std::vector<int> hits, misses, uncached; // operand numbers
        unsigned near_flushed = 0, near_replaced = 0;
        bool flushed = false;
    };

    allocated allocate(int new_warp, const std::vector<uint8_t> &src, uint32_t near_src)
    {
        allocated a;
        if (warp != new_warp) {
            for (entry &e : table) {
                a.flushed |= e.valid;
                a.near_flushed += e.valid && e.near;
                e = entry{};
            }
        }
        warp = new_warp;
        slots.assign(src.size(), slot{-1, {}, false});
        size_t in_table = 0;
        for (size_t i = 0; i < src.size(); i++) { // tag check of all, hits locked
            slots[i].reg = src[i];
            auto at = find(src[i]);
            if (cfg.cache && at) {
                in_table++;
                a.hits.push_back(int(i));
                use(*at, near_src >> i & 1);
                table[*at].locked = true;
                slots[i].entry = at;
                slots[i].ready = true;
            }
        }
        for (size_t i = 0; i < src.size(); i++) { // then victims for the misses
            if (slots[i].ready) {
                continue;
            }
            a.misses.push_back(int(i));
            std::optional<size_t> v;
            if (cfg.cache && in_table < cfg.slots && !find(src[i])) {
                v = victim();
            }
            if (!v) {
                a.uncached.push_back(int(i));
                continue;
            }
            in_table++;
            a.near_replaced += table[*v].valid && table[*v].near;
            table[*v] = entry{};
            table[*v].valid = true;
            table[*v].reg = src[i];
            table[*v].locked = true;
            use(*v, cfg.read_marks && (near_src >> i & 1));
            slots[i].entry = v;
        }
        return a;
    }

    void arrive(size_t i, const row &data, uint32_t version)
    {
        slots[i].ready = true;
        if (slots[i].entry) {
            entry &e = table[*slots[i].entry];
            e.data = data;
            e.version = version;
            e.arrived = true;
        }
    }

    uint32_t write(int reg, bool near, bool partial, const row &data, uint32_t version,
                   uint64_t cycle)
    {
        if (!cfg.cache) {
            return SMRF_CCU_FILTERED;
        }
        auto at = find(reg);
        uint32_t what = at ? SMRF_CCU_PRESENT : 0;
        if (at && table[*at].locked) {
            // Its reader has it already: the copy is of no use to later readers.
            bool gathered = false;
            for (const slot &s : slots) {
                gathered |= s.entry == at && s.ready;
            }
            table[*at].outdated |= gathered;
            return what | SMRF_CCU_LOCKED;
        }
        bool want =
            cfg.write == SMRF_CCU_WRITE_ALL || (near && (cfg.write == SMRF_CCU_WRITE_NEAR || at)) ||
            (cfg.write == SMRF_CCU_WRITE_NEAR && at && cfg.far_write == SMRF_CCU_FAR_UPDATE);
        if (partial && !at && !cfg.partial_allocates) {
            want = false;
        }
        bool port = false;
        if (want) {
            if (cycle != port_cycle) {
                port_cycle = cycle;
                taken = 0;
            }
            port = cfg.ports == 0 || taken < cfg.ports;
            taken++;
        }
        if (!want || !port) {
            if (at) {
                table[*at] = entry{};
                what |= SMRF_CCU_INVALIDATED;
            }
            return what | (want ? SMRF_CCU_NO_PORT : SMRF_CCU_FILTERED);
        }
        if (!at) {
            at = victim();
            if (!at) {
                return SMRF_CCU_NO_ROOM;
            }
            what |= table[*at].valid && table[*at].near ? SMRF_CCU_NEAR_REPLACED : 0;
            table[*at] = entry{};
            table[*at].valid = true;
            table[*at].reg = reg;
        }
        use(*at, near);
        table[*at].data = data;
        table[*at].version = version;
        table[*at].arrived = true;
        return what | SMRF_CCU_KEPT;
    }

    void dispatch()
    {
        for (entry &e : table) {
            e.locked = false;
            if (e.outdated) {
                e = entry{};
            }
        }
        slots.clear();
    }

    unsigned flush()
    {
        unsigned near = 0;
        for (entry &e : table) {
            near += e.valid && e.near;
            e = entry{};
        }
        warp = -1;
        return near;
    }

    std::optional<size_t> find(int reg) const
    {
        for (size_t i = 0; i < table.size(); i++) {
            if (table[i].valid && table[i].reg == reg) {
                return i;
            }
        }
        return {};
    }

    bool any_near() const
    {
        return std::any_of(table.begin(), table.end(),
                           [](const entry &e) { return e.valid && e.near; });
    }

    smrf_ccu_config cfg;
    int warp = -1;
    std::vector<entry> table;
    std::vector<slot> slots;

  private:
    void use(size_t i, bool near)
    {
        table[i].near = near;
        table[i].last_use = ++time;
    }

    std::optional<size_t> victim()
    {
        std::vector<size_t> open, far;
        for (size_t i = 0; i < table.size(); i++) {
            if (!table[i].valid) {
                return i;
            }
        }
        for (size_t i = 0; i < table.size(); i++) {
            if (!table[i].locked) {
                open.push_back(i);
                if (!table[i].near) {
                    far.push_back(i);
                }
            }
        }
        if (open.empty()) {
            return {};
        }
        if (!far.empty() && cfg.replacement == SMRF_CCU_FAR_RANDOM) {
            return far[smrf_rng_below(&rng, uint32_t(far.size()))];
        }
        const auto &pool = !far.empty() && cfg.replacement == SMRF_CCU_FAR_LRU ? far : open;
        return *std::min_element(pool.begin(), pool.end(), [&](size_t a, size_t b) {
            return table[a].last_use < table[b].last_use;
        });
    }

    smrf_rng rng;
    uint64_t time = 0, port_cycle = UINT64_MAX;
    unsigned taken = 0;
};

} // namespace ccu_reference

#endif
