/* SPDX-License-Identifier: Apache-2.0 */
/* Accel-Sim's descriptions of caches and DRAM to parameters. The forms are those of GPGPU-Sim's
 * gpu-cache.h, dram.cc and addrdec.cc. */
#include "gpgpusim.h"

#include "models/common/smrf_types.h"

#include <string.h>

/* --- caches ------------------------------------------------------------------------------ */

int smrf_gs_carveouts(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t kib[SMRF_GS_FIELDS];
    uint64_t set = 0;
    (void)option;
    int count = smrf_gs_to_numbers(r, ',', kib);
    for (int i = 0; i < count; i++) {
        if (kib[i] % 4 != 0 || kib[i] > SMRF_KBSET_MAX) {
            return smrf_gs_fail(r, "%u KiB is not a multiple of 4 from 0 to %u", kib[i],
                                SMRF_KBSET_MAX);
        }
        set |= UINT64_C(1) << kib[i] / 4;
    }
    r->cfg.l1d.carveouts = (uint32_t)set;
    r->cfg.l1d.large_carveouts = (uint32_t)(set >> 32);
    r->shares_item = r->item;
    return count < 0 ? count : SMRF_OK;
}

/* [S|N:]sets:line:ways,replacement:write:alloc:write alloc[:set index],mshr type:entries:merge,
 * miss queue[:..][,..] */
struct cache {
    uint32_t sets, line, ways, mshrs, merge, miss_queue;
    bool sectored;
    char policy[4]; /* replacement, write, allocation, write allocation */
    char index;     /* set index function; L = linear */
};

static int cache_geometry_(struct smrf_gs_reader *r, char *text, struct cache *c)
{
    char *f[5];
    size_t n = smrf_gs_split(text, ':', f, 5), first = n == 4;
    if (n != 3 && n != 4) {
        return smrf_gs_fail(r, "expected sector kind:sets:line:ways before the first comma");
    }
    c->sectored = first && strcmp(f[0], "S") == 0;
    int rc = smrf_gs_to_number(r, f[first], &c->sets);
    rc = rc < 0 ? rc : smrf_gs_to_number(r, f[first + 1], &c->line);
    return rc < 0 ? rc : smrf_gs_to_number(r, f[first + 2], &c->ways);
}

static int cache_policy_(struct smrf_gs_reader *r, char *text, struct cache *c)
{
    char *f[5];
    size_t n = smrf_gs_split(text, ':', f, 5);
    if (n != 4 && n != 5) {
        return smrf_gs_fail(r, "expected five letters between the first two commas");
    }
    for (size_t i = 0; i < n; i++) {
        if (strlen(f[i]) != 1) {
            return smrf_gs_fail(r, "'%.40s' is not a policy letter", f[i]);
        }
        if (i < 4) {
            c->policy[i] = f[i][0];
        }
    }
    c->index = n == 5 ? f[4][0] : 'L';
    return SMRF_OK;
}

static int cache_parse_(struct smrf_gs_reader *r, struct cache *c)
{
    char buf[SMRF_GS_TEXT], *groups[5], *f[3];
    int rc = smrf_gs_copy(r, buf, sizeof buf);
    size_t n = rc < 0 ? 0 : smrf_gs_split(buf, ',', groups, 5);
    if (rc == SMRF_OK && n != 4 && n != 5) {
        return smrf_gs_fail(r, "expected four groups: geometry,policies,mshrs,queue");
    }
    rc = rc < 0 ? rc : cache_geometry_(r, groups[0], c);
    rc = rc < 0 ? rc : cache_policy_(r, groups[1], c);
    if (rc < 0) {
        return rc;
    }
    if (smrf_gs_split(groups[2], ':', f, 3) != 3) {
        return smrf_gs_fail(r, "expected type:entries:merge for the MSHRs");
    }
    rc = smrf_gs_to_number(r, f[1], &c->mshrs);
    rc = rc < 0 ? rc : smrf_gs_to_number(r, f[2], &c->merge);
    char *colon = strchr(groups[3], ':');
    if (colon != NULL) {
        *colon = '\0';
    }
    return rc < 0 ? rc : smrf_gs_to_number(r, groups[3], &c->miss_queue);
}

struct cache_keys {
    enum smrf_param_index sets, ways, mshrs, merge;
};

static int cache_put_(struct smrf_gs_reader *r, const struct cache *c, const struct cache_keys *k)
{
    int rc = smrf_gs_put(r, k->sets, c->sets);
    rc = rc < 0 ? rc : smrf_gs_put(r, k->ways, c->ways);
    rc = rc < 0 ? rc : smrf_gs_put(r, k->mshrs, c->mshrs);
    const uint32_t most = smrf_param_at(k->merge)->max;
    if (c->merge > most) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, "at most 256 requests merge into one miss");
    }
    return rc < 0 ? rc : smrf_gs_put(r, k->merge, c->merge > most ? most : c->merge);
}

int smrf_gs_cache_l1d(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    static const struct cache_keys keys = {SMRF_P_l1d_sets, SMRF_P_l1d_ways, SMRF_P_l1d_mshrs,
                                           SMRF_P_l1d_mshr_merge};
    struct cache c = {0};
    int rc = cache_parse_(r, &c);
    if (rc < 0) {
        return rc;
    }
    if (!c.sectored || c.line != SMRF_LINE_BYTES || memcmp(c.policy, "LTmL", 4) != 0 ||
        c.index != 'L') {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    rc = cache_put_(r, &c, &keys);
    return rc < 0 ? rc : smrf_gs_put(r, SMRF_P_l1d_miss_queue, c.miss_queue);
}

/* The model has no miss queue in L2: l2.mshrs bounds what is under way to DRAM. */
int smrf_gs_cache_l2(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    static const struct cache_keys keys = {SMRF_P_l2_sets, SMRF_P_l2_ways, SMRF_P_l2_mshrs,
                                           SMRF_P_l2_mshr_merge};
    struct cache c = {0};
    int rc = cache_parse_(r, &c);
    if (rc < 0) {
        return rc;
    }
    if (!c.sectored || c.line != SMRF_LINE_BYTES || memcmp(c.policy, "LBmL", 4) != 0 ||
        (c.index != 'L' && c.index != 'P')) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    r->cfg.l2.set_hash = c.index == 'P' ? SMRF_HASH_IPOLY : SMRF_HASH_LINEAR;
    return cache_put_(r, &c, &keys);
}

int smrf_gs_cache_inst(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    struct cache c = {0};
    (void)option;
    int rc = cache_parse_(r, &c);
    rc = rc < 0 ? rc : smrf_gs_put(r, SMRF_P_frontend_icache_ways, c.ways);
    if (rc < 0) {
        return rc;
    }
    bool perfect = r->deferred[SMRF_GS_PERFECT_ICACHE].item != NULL
                       ? r->deferred[SMRF_GS_PERFECT_ICACHE].value != 0
                       : r->cfg.frontend.icache_bytes == 0;
    if (c.sets > UINT16_MAX || c.line > UINT16_MAX) {
        return smrf_gs_fail(r, "a cache of this size is not possible");
    }
    uint64_t bytes = (uint64_t)c.sets * c.line * c.ways;
    return smrf_gs_put(r, SMRF_P_frontend_icache_bytes, perfect ? 0 : bytes);
}

/* --- memory ------------------------------------------------------------------------------ */

int smrf_gs_slice_hash(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t value = 0;
    int rc = smrf_gs_to_number(r, r->item->value, &value);
    if (rc < 0) {
        return rc;
    }
    if (value != 0 && value != 2) { /* addrdec.h: 0 consecutive, 2 IPOLY */
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    } else {
        r->cfg.l2.hash = value == 2 ? SMRF_HASH_IPOLY : SMRF_HASH_LINEAR;
        r->hash_item = value == 2 ? r->item : NULL;
    }
    return SMRF_OK;
}

int smrf_gs_dram_queue(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t value = 0;
    (void)option;
    int rc = smrf_gs_to_number(r, r->item->value, &value);
    /* 0 means without limit */
    return rc < 0 ? rc
                  : smrf_gs_put(r, SMRF_P_dram_queue,
                                value ? value : smrf_param_at(SMRF_P_dram_queue)->max);
}

/* In the order of the form without names, "8:2:8:12:25:..", of which the last three may miss. */
static const struct timing {
    const char *name;
    enum smrf_param_index param;
} timings[] = {
    {"nbk", SMRF_P_dram_banks}, {"CCD", SMRF_P_dram_ccd},   {"RRD", SMRF_P_dram_rrd},
    {"RCD", SMRF_P_dram_rcd},   {"RAS", SMRF_P_dram_ras},   {"RP", SMRF_P_dram_rp},
    {"RC", SMRF_P_dram_rc},     {"CL", SMRF_P_dram_cl},     {"WL", SMRF_P_dram_wl},
    {"CDLR", SMRF_P_dram_cdlr}, {"WR", SMRF_P_dram_wr},     {"nbkgrp", SMRF_P_dram_bank_groups},
    {"CCDL", SMRF_P_dram_ccdl}, {"RTPL", SMRF_P_dram_rtpl},
};
#define TIMINGS (sizeof timings / sizeof timings[0])

/* CCDL and RTPL of 0, the waits within a bank group: there are no groups. */
static int put_timing_(struct smrf_gs_reader *r, size_t which, const char *text)
{
    uint32_t value = 0;
    int rc = smrf_gs_to_number(r, text, &value);
    const enum smrf_param_index param = timings[which].param;
    const bool may_miss = param == SMRF_P_dram_ccdl || param == SMRF_P_dram_rtpl;
    return rc < 0 ? rc : smrf_gs_put(r, param, value == 0 && may_miss ? 1 : value);
}

int smrf_gs_dram_timing(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    char buf[SMRF_GS_TEXT], *fields[SMRF_GS_FIELDS];
    (void)option;
    int rc = smrf_gs_copy(r, buf, sizeof buf);
    const bool named = strchr(r->item->value, '=') != NULL;
    size_t n = rc < 0 ? 0 : smrf_gs_split(buf, ':', fields, SMRF_GS_FIELDS);
    if (n > TIMINGS || (n < TIMINGS - 3 && rc == SMRF_OK && !named)) {
        return smrf_gs_fail(r, "expected %zu timings, or names as in nbk=16:CCD=2", TIMINGS);
    }
    r->cfg.dram.bank_groups = 1;
    r->cfg.dram.ccdl = r->cfg.dram.rtpl = 1;
    for (size_t i = 0; i < n && rc == SMRF_OK; i++) {
        char *value = named ? strchr(fields[i], '=') : fields[i];
        size_t k = named ? 0 : i;
        if (named && value != NULL) {
            *value++ = '\0';
        }
        while (named && k < TIMINGS && strcmp(timings[k].name, fields[i]) != 0) {
            k++;
        }
        if (value == NULL || k == TIMINGS) {
            return smrf_gs_fail(r, "'%.40s' is not a timing of the form nbk=16", fields[i]);
        }
        rc = put_timing_(r, k, value);
    }
    if (r->cfg.dram.ccdl < r->cfg.dram.ccd) { /* both waits hold in a bank group */
        r->cfg.dram.ccdl = r->cfg.dram.ccd;
    }
    return rc;
}

/* dramid@8;00000000....RBBBCCCC.BCCSSSSS: 64 letters, most significant first, of the address
 * without the channel's bits. The model has this map and RBBBCCCB.CCCSSSSS (models/memory/map.h).
 */
int smrf_gs_address_map(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    char bits[64];
    size_t n = 0;
    const char *p = r->item->value;
    bool channel_at_8 = strncmp(p, "dramid@8;", 9) == 0;
    p = strchr(p, ';');
    for (p = p == NULL ? "" : p + 1; *p != '\0'; p++) {
        if (*p != '.' && (n == sizeof bits || strchr("0RBCSD", *p) == NULL)) {
            n = 0;
            break;
        }
        if (*p != '.') {
            bits[n++] = *p;
        }
    }
    if (n != sizeof bits) {
        return smrf_gs_fail(r, "expected dramid@8; and 64 letters out of 0, R, B, C, S, D");
    }
    bool same = channel_at_8, chunks = channel_at_8;
    uint32_t rows = 0; /* bits of the row */
    for (unsigned i = 0; i < 64; i++) {
        char bit = bits[63 - i];
        const bool row = bit == (i == 15 + rows ? 'R' : '0') || bit == '0';
        same &= i < 15 ? bit == "SSSSSCCBCCCCBBB"[i] : row;
        chunks &= i < 15 ? bit == "SSSSSCCCBCCCBBB"[i] : row;
        rows += i >= 15 && bit == 'R';
    }
    r->has_address_map = same || chunks;
    r->cfg.l2.slice_bytes = chunks ? 256 : 128;
    if (!same && !chunks) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    return rows ? smrf_gs_put(r, SMRF_P_dram_row_bits, rows) : SMRF_OK;
}
