/* SPDX-License-Identifier: Apache-2.0 */
/* The banks' read ports: which cycles are reserved. An instruction reads up to
 * rf.read_ports registers of a bank in a cycle; two instructions never share a cycle of a bank. */
#include "read_stage_internal.h"

#include <string.h>

/* An instruction of variable latency reads so long after its issue that a result which it may rely
 * on is in its bank: it has no bypass. */
#define READS_FROM 5

static void count_(const struct smrf_flight *f, uint32_t sources, unsigned *reads)
{
    memset(reads, 0, SMRF_MAX_BANKS * sizeof *reads);
    for (uint32_t m = sources; m; m &= m - 1) {
        reads[f->src[__builtin_ctz(m)].bank]++;
    }
}

/* Cycles that this number of reads takes at one bank. */
static unsigned cycles_(const struct smrf_read_stage *r, unsigned reads)
{
    return (reads + r->cfg.rf.read_ports - 1) / r->cfg.rf.read_ports;
}

unsigned smrf_read_stage_length(const struct smrf_read_stage *r, const struct smrf_flight *f,
                                uint32_t sources)
{
    unsigned reads[SMRF_MAX_BANKS], length = r->cfg.rf.window;
    count_(f, sources, reads);
    for (unsigned b = 0; b < r->cfg.rf.banks; b++) {
        const unsigned cycles = cycles_(r, reads[b]);
        length = cycles > length ? cycles : length;
    }
    return length;
}

/* --- late ------------------------------------------------------------------------------------- */

static bool plan_late_(struct smrf_read_stage *r, struct smrf_read_entry *entry, uint32_t sources,
                       uint64_t last)
{
    const struct smrf_flight *f = &r->flights->record[entry->flight];
    unsigned reads[SMRF_MAX_BANKS];
    count_(f, sources, reads);
    for (unsigned b = 0; b < r->cfg.rf.banks; b++) {
        if (reads[b] && r->last_read[b] + cycles_(r, reads[b]) > last) {
            return false;
        }
    }
    for (unsigned b = 0; b < r->cfg.rf.banks; b++) {
        r->last_read[b] = reads[b] ? last : r->last_read[b];
    }
    for (uint32_t m = sources; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        entry->at[i] = last + 1 - cycles_(r, reads[f->src[i].bank]--);
    }
    return true;
}

/* --- early ------------------------------------------------------------------------------------ */

static void advance_(struct smrf_read_stage *r, uint64_t cycle)
{
    const uint64_t by = cycle - r->base;
    for (unsigned b = 0; b < r->cfg.rf.banks; b++) {
        r->busy[b] = by < 64 ? r->busy[b] >> by : 0;
    }
    r->base = cycle;
}

/* First free cycle of a bank from `from` on, which is reserved. */
static uint64_t take_(const struct smrf_read_stage *r, uint64_t *busy, uint64_t from)
{
    const unsigned skip = (unsigned)(from - r->base);
    const unsigned at = skip + (unsigned)__builtin_ctzll(~(*busy >> skip));
    *busy |= UINT64_C(1) << at;
    return r->base + at;
}

static bool plan_early_(struct smrf_read_stage *r, struct smrf_read_entry *entry, uint32_t sources,
                        uint64_t cycle, uint64_t last)
{
    const struct smrf_flight *f = &r->flights->record[entry->flight];
    uint64_t busy[SMRF_MAX_BANKS];
    advance_(r, cycle);
    memcpy(busy, r->busy, sizeof busy);
    for (uint32_t m = sources; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        entry->at[i] = take_(r, &busy[f->src[i].bank], cycle + 1);
        if (entry->at[i] > last) {
            return false;
        }
    }
    memcpy(r->busy, busy, sizeof busy);
    return true;
}

/* --- both ------------------------------------------------------------------------------------- */

bool smrf_read_stage_plan(struct smrf_read_stage *r, struct smrf_read_entry *entry,
                          uint32_t sources, uint64_t cycle, unsigned length)
{
    return r->cfg.rf.window_order == SMRF_WINDOW_LATE
               ? plan_late_(r, entry, sources, cycle + length)
               : plan_early_(r, entry, sources, cycle, cycle + length);
}

uint64_t smrf_read_stage_reserve(struct smrf_read_stage *r, struct smrf_read_entry *entry,
                                 uint64_t cycle)
{
    const struct smrf_flight *f = &r->flights->record[entry->flight];
    const unsigned behind = f->unit == SMRF_UNIT_MERGE ? 1 : READS_FROM; /* its parts are there */
    const uint64_t first = entry->issued + behind, from = first > cycle ? first : cycle + 1;
    unsigned reads[SMRF_MAX_BANKS] = {0};
    uint64_t last = from;
    advance_(r, cycle);
    for (uint32_t m = entry->missing; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m), b = f->src[i].bank;
        if (r->cfg.rf.window_order == SMRF_WINDOW_LATE) {
            const bool first_port = reads[b]++ % r->cfg.rf.read_ports == 0;
            entry->at[i] = r->last_read[b] < from ? from : r->last_read[b] + first_port;
            r->last_read[b] = entry->at[i];
        } else {
            entry->at[i] = take_(r, &r->busy[b], from);
        }
        last = entry->at[i] > last ? entry->at[i] : last;
    }
    return last;
}
