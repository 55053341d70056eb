// SPDX-License-Identifier: Apache-2.0
// A slow reference of the address mapping table and of the decision to share, lane by lane and
// without arithmetic on bases: it stands before the mechanism's seams, decides by itself, and
// compares.
#ifndef SMRF_TESTS_SHARING_REFERENCE_H
#define SMRF_TESTS_SHARING_REFERENCE_H

#include "models/larf/larf.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <list>
#include <optional>
#include <vector>

namespace sharing_reference
{

using addresses = std::array<std::optional<uint64_t>, SMRF_LANES>;

struct entry {
    unsigned sub, phys;
    addresses at;
    int64_t stride;
    uint32_t flight; // SMRF_NO_FLIGHT: its load has ended
    uint64_t used;
};

// A store on its way: the bytes from its lowest to its highest.
struct underway {
    uint32_t version;
    uint64_t low, high;
};

struct table {
    std::list<underway> stores_underway;
    std::list<entry> all;
    uint64_t order = 0;
    size_t most = 0; // entries, 0: no limit
    uint64_t shares = 0, merges = 0, issues = 0, stores = 0, full = 0, overtaken = 0, hits = 0,
             waiting_merges = 0;

    static table *&present()
    {
        static table *t = nullptr;
        return t;
    }

    static addresses lanes_of(const smrf_inst *inst, unsigned word)
    {
        addresses a;
        unsigned before = 0;
        for (unsigned l = 0; l < SMRF_LANES; l++) {
            if (inst->mask >> l & 1) {
                a[l] = (inst->addr_kind == SMRF_ADDR_LIST
                            ? smrf_inst_address(inst, l)
                            : inst->base + uint64_t(before) * uint64_t(inst->stride)) +
                       4 * word;
                before++;
            }
        }
        return a;
    }
    // Distance of neighbours; nothing: lanes with gaps, or distances that differ.
    static std::optional<int64_t> stride_of(const addresses &a)
    {
        std::optional<int64_t> stride;
        bool begun = false, ended = false;
        for (unsigned l = 0; l < SMRF_LANES; l++) {
            if (a[l] && ended) {
                return {};
            }
            ended |= begun && !a[l];
            if (a[l] && begun) {
                const auto d = int64_t(*a[l] - *a[l - 1]);
                if (stride && *stride != d) {
                    return {};
                }
                stride = d;
            }
            begun |= bool(a[l]);
        }
        return stride ? stride : std::optional<int64_t>(0);
    }
    std::optional<int64_t> qualifies(const smrf_larf *l, const smrf_memory_request *r) const
    {
        const unsigned words = r->inst->op->access_bytes / 4;
        const auto stride = stride_of(lanes_of(r->inst, 0));
        const bool good = l->v.options.table && r->space == SMRF_SPACE_GLOBAL && words > 0 &&
                          !(r->inst->op->flags & SMRF_INST_BYPASS_L1) && words == r->f->num_dst &&
                          stride && std::llabs(*stride) <= 511;
        return good ? stride : std::nullopt;
    }
    // Does the entry hold it in the same lanes?
    static bool holds(const entry &e, unsigned sub, int64_t stride, const addresses &a)
    {
        bool all = e.sub == sub && e.stride == stride;
        for (unsigned l = 0; l < SMRF_LANES; l++) {
            all = all && (!a[l] || e.at[l] == a[l]);
        }
        return all;
    }
    // Lanes that the entry gives when it is shifted.
    static uint32_t given(const entry &e, int shift, const addresses &a)
    {
        uint32_t lanes = 0;
        for (int l = 0; l < SMRF_LANES; l++) {
            const bool there = a[l] && l + shift >= 0 && l + shift < SMRF_LANES;
            lanes |= uint32_t(there && e.at[l + shift] == a[l]) << l;
        }
        return lanes;
    }
    // pending: also by loads that have not ended, but not by this one.
    bool coverable(unsigned sub, int64_t stride, const addresses &a, bool pending,
                   uint32_t flight) const
    {
        std::vector<uint32_t> parts;
        uint32_t wanted = 0;
        for (int l = 0; l < SMRF_LANES; l++) {
            wanted |= uint32_t(bool(a[l])) << l;
        }
        for (const entry &e : all) {
            for (int shift = -31; shift < 32; shift++) {
                const bool there = pending ? e.flight != flight : e.flight == SMRF_NO_FLIGHT;
                const bool good = e.sub == sub && e.stride == stride && there;
                if (good && given(e, shift, a)) {
                    parts.push_back(given(e, shift, a));
                }
            }
        }
        for (uint32_t x : parts) {
            for (uint32_t y : parts) {
                if ((x | y) == wanted) {
                    return true;
                }
            }
        }
        return false;
    }
    entry *find(unsigned sub, unsigned phys)
    {
        for (entry &e : all) {
            if (e.sub == sub && e.phys == phys) {
                return &e;
            }
        }
        return nullptr;
    }
    void forget(unsigned sub, unsigned phys)
    {
        all.remove_if([&](const entry &e) { return e.sub == sub && e.phys == phys; });
    }
    // Registers that nobody names have no entries.
    void bury(smrf_larf *l)
    {
        all.remove_if(
            [&](const entry &e) { return smrf_vrf_at(&l->v, e.sub, e.phys)->names == 0; });
    }
    void compare(smrf_larf *l)
    {
        bury(l);
        ASSERT_EQ(all.size(), l->table.count);
        for (const entry &e : all) {
            const smrf_amt_entry *own = smrf_amt_of(&l->table, e.sub, e.phys);
            ASSERT_NE(nullptr, own);
            ASSERT_EQ(e.stride, own->bytes.stride);
            ASSERT_EQ(e.flight, own->flight);
            for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
                ASSERT_EQ(bool(e.at[lane]), bool(own->bytes.lanes >> lane & 1));
                if (e.at[lane]) {
                    ASSERT_EQ(*e.at[lane], own->bytes.base + lane * uint64_t(own->bytes.stride));
                }
            }
        }
    }
    void insert(const smrf_memory_request *r, smrf_larf *l, int64_t stride)
    {
        for (unsigned i = 0; i < r->f->num_dst; i++) {
            if (!smrf_vrf_holds(&l->v, r->f, i)) {
                continue;
            }
            if (most && all.size() == most) {
                auto oldest = all.end();
                for (auto e = all.begin(); e != all.end(); ++e) {
                    if (e->flight == SMRF_NO_FLIGHT &&
                        (oldest == all.end() || e->used < oldest->used)) {
                        oldest = e;
                    }
                }
                full++;
                if (oldest == all.end()) {
                    continue;
                }
                all.erase(oldest);
            }
            all.push_back({r->f->sub, smrf_vrf_number(&l->v, r->f->dst[i]), lanes_of(r->inst, i),
                           stride, r->flight, ++order});
        }
    }

    static underway extent(uint32_t version, const smrf_inst *inst)
    {
        underway u{version, UINT64_MAX, 0};
        for (const auto &at : lanes_of(inst, 0)) {
            u.low = at && *at < u.low ? *at : u.low;
            const uint64_t end = at ? *at + inst->op->access_bytes : 0;
            u.high = end > u.high ? end : u.high;
        }
        return u;
    }
    // Does an older store come later?
    bool overtakes(const smrf_memory_request *r) const
    {
        const underway own = extent(r->f->version, r->inst);
        bool any = false;
        for (const underway &s : stores_underway) {
            any |= s.version < own.version && s.low < own.high && own.low < s.high;
        }
        return any;
    }

    // --- before the seams
    // ---------------------------------------------------------------------------

    static smrf_memory_verdict address(void *m, const smrf_memory_request *r,
                                       smrf_memory_answer *answer)
    {
        auto *l = static_cast<smrf_larf *>(m);
        table *t = present();
        t->compare(l);
        const auto stride = t->qualifies(l, r);
        bool share = bool(stride);
        for (unsigned i = 0; i < r->f->num_dst && share; i++) {
            bool found = false;
            for (const entry &e : t->all) {
                found |= holds(e, r->f->sub, *stride, lanes_of(r->inst, i));
            }
            share = found && smrf_vrf_replaceable(&l->v, r->f, i);
        }
        const bool overtaking = share && t->overtakes(r);
        t->overtaken += overtaking;
        share = share && !overtaking;
        const smrf_memory_verdict verdict = smrf_larf_mechanism.memory->address(m, r, answer);
        EXPECT_EQ(share ? SMRF_MEMORY_SHARE : SMRF_MEMORY_ISSUE, verdict);
        for (unsigned i = 0; i < r->f->num_dst && verdict == SMRF_MEMORY_SHARE; i++) {
            entry *e = t->find(r->f->sub, smrf_vrf_number(&l->v, answer->at[i]));
            EXPECT_TRUE(e && holds(*e, r->f->sub, *stride, lanes_of(r->inst, i)));
            if (e) {
                e->used = ++t->order;
            }
        }
        t->shares += verdict == SMRF_MEMORY_SHARE;
        t->issues += verdict == SMRF_MEMORY_ISSUE;
        if (verdict == SMRF_MEMORY_ISSUE && stride) {
            t->insert(r, l, *stride);
        }
        t->compare(l);
        return verdict;
    }
    static smrf_memory_verdict l1(void *m, const smrf_memory_request *r, bool readable,
                                  smrf_memory_answer *answer)
    {
        auto *l = static_cast<smrf_larf *>(m);
        table *t = present();
        const auto stride = t->qualifies(l, r);
        const bool tried = l->v.options.partial && (!readable || l->v.options.partial_hits);
        bool merge = stride && tried && !t->overtakes(r);
        t->hits += merge && readable;
        bool ended[SMRF_MERGE_DST] = {}, waits = false;
        for (unsigned i = 0; i < r->f->num_dst && merge; i++) {
            const addresses a = lanes_of(r->inst, i);
            ended[i] = t->coverable(r->f->sub, *stride, a, false, r->flight);
            merge = ended[i] || (l->v.options.partial_pending &&
                                 t->coverable(r->f->sub, *stride, a, true, r->flight));
        }
        const smrf_memory_verdict verdict = smrf_larf_mechanism.memory->l1(m, r, readable, answer);
        EXPECT_EQ(merge ? SMRF_MEMORY_MERGE : SMRF_MEMORY_ISSUE, verdict);
        for (unsigned i = 0; i < r->f->num_dst && verdict == SMRF_MEMORY_MERGE; i++) {
            const addresses a = lanes_of(r->inst, i);
            EXPECT_EQ(r->inst->mask, answer->part[i][0].lanes | answer->part[i][1].lanes);
            for (const smrf_merge_part &part : answer->part[i]) {
                entry *e = t->find(r->f->sub, smrf_vrf_number(&l->v, part.from));
                EXPECT_NE(nullptr, e);
                for (unsigned lane = 0; lane < SMRF_LANES && e; lane++) {
                    if (part.lanes >> lane & 1) {
                        EXPECT_EQ(a[lane], e->at.at(lane + part.shift));
                    }
                }
                if (e) {
                    EXPECT_TRUE(!ended[i] || e->flight == SMRF_NO_FLIGHT);
                    waits |= e->flight != SMRF_NO_FLIGHT;
                    e->used = ++t->order;
                }
            }
        }
        if (verdict == SMRF_MEMORY_MERGE) {
            EXPECT_EQ(waits ? SMRF_MEMORY_WAIT : 0u, answer->delay);
            t->waiting_merges += waits;
        }
        t->merges += verdict == SMRF_MEMORY_MERGE;
        return verdict;
    }
    static void store(void *m, const smrf_memory_request *r)
    {
        table *t = present();
        smrf_larf_mechanism.memory->store(m, r);
        t->stores++;
        t->stores_underway.remove_if([&](const underway &s) { return s.version == r->f->version; });
        if (r->f->op->op_class == SMRF_CLASS_ATOMIC) {
            t->all.clear();
            return;
        }
        const addresses written = lanes_of(r->inst, 0);
        t->all.remove_if([&](const entry &e) {
            uint64_t low = UINT64_MAX, high = 0;
            for (const auto &at : e.at) {
                low = at && *at < low ? *at : low;
                high = at && *at > high ? *at : high;
            }
            bool hit = false;
            for (const auto &at : written) {
                for (unsigned byte = 0; at && byte < r->inst->op->access_bytes; byte++) {
                    hit |= *at + byte >= low && *at + byte < high + 4;
                }
            }
            return hit;
        });
    }
    static void loaded(void *m, const smrf_flight *f, uint32_t flight)
    {
        smrf_larf_mechanism.memory->loaded(m, f, flight);
        for (entry &e : present()->all) {
            e.flight = e.flight == flight ? SMRF_NO_FLIGHT : e.flight;
        }
    }
    static void fence(void *m, const smrf_flight *f)
    {
        smrf_larf_mechanism.memory->fence(m, f);
        present()->all.clear();
    }
    // A register that is written in place has no entry any more.
    static smrf_register_place destination(void *m, const smrf_flight *f, unsigned i,
                                           smrf_register_place *carry)
    {
        auto *l = static_cast<smrf_larf *>(m);
        const smrf_register_place at = smrf_vrf_destination(m, f, i, carry);
        if (at.row != SMRF_ROW_NONE) {
            present()->forget(f->sub, smrf_vrf_number(&l->v, at));
        }
        present()->bury(l);
        return at;
    }
    static void issued(void *m, const smrf_flight *f, const smrf_inst *inst)
    {
        smrf_larf_mechanism.rename->issued(m, f, inst);
        if (f->op->op_class == SMRF_CLASS_STORE || f->op->op_class == SMRF_CLASS_ATOMIC) {
            present()->stores_underway.push_back(extent(f->version, inst));
        }
        present()->bury(static_cast<smrf_larf *>(m));
    }
};

// larf behind the reference.
struct mechanism {
    mechanism()
    {
        rename.destination = table::destination;
        rename.issued = table::issued;
        memory.address = table::address;
        memory.l1 = table::l1;
        memory.store = table::store;
        memory.loaded = table::loaded;
        memory.fence = table::fence;
        self.rename = &rename;
        self.memory = &memory;
        table::present() = &reference;
    }
    table reference;
    smrf_rename_seam rename = *smrf_larf_mechanism.rename;
    smrf_memory_seam memory = *smrf_larf_mechanism.memory;
    smrf_mechanism self = smrf_larf_mechanism;
};

} // namespace sharing_reference

#endif
