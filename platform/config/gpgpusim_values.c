/* SPDX-License-Identifier: Apache-2.0 */
/* Accel-Sim's option values to parameters: one handler a form of value. What each form means is
 * from GPGPU-Sim's gpu-sim.cc, gpu-cache.h, addrdec.cc and Accel-Sim's trace_driven.cc. */
#include "gpgpusim.h"

#include "models/common/smrf_types.h"

#include <string.h>

#define MAX_FIELDS 16
#define MAX_TEXT 256 /* bytes of a structured value */

/* Split text in place at a separator. Returns the number of fields, at most max. */
static size_t split(char *text, char separator, char **fields, size_t max)
{
    size_t n = 0;
    while (text != NULL && n < max) {
        fields[n++] = text;
        text = strchr(text, separator);
        if (text != NULL) {
            *text++ = '\0';
        }
    }
    return text == NULL ? n : max + 1;
}

static int copy_value(struct smrf_gs_reader *r, char *buf, size_t size)
{
    size_t length = strlen(r->item->value);
    if (length >= size) {
        return smrf_gs_fail(r, "value is too long");
    }
    memcpy(buf, r->item->value, length + 1);
    return SMRF_OK;
}

static int to_number(struct smrf_gs_reader *r, const char *text, uint32_t *value)
{
    if (smrf_number_parse(text, value) < 0) {
        return smrf_gs_fail(r, "'%.40s' is not a number", text);
    }
    return SMRF_OK;
}

/* Numbers between separators. Returns how many, or an error. */
static int to_numbers(struct smrf_gs_reader *r, char separator, uint32_t *numbers)
{
    char buf[MAX_TEXT], *fields[MAX_FIELDS];
    int rc = copy_value(r, buf, sizeof buf);
    size_t n = rc < 0 ? 0 : split(buf, separator, fields, MAX_FIELDS);
    if (n > MAX_FIELDS) {
        return smrf_gs_fail(r, "too many numbers");
    }
    for (size_t i = 0; i < n && rc == SMRF_OK; i++) {
        rc = to_number(r, fields[i], &numbers[i]);
    }
    return rc < 0 ? rc : (int)n;
}

/* --- simple values ------------------------------------------------------------------------------
 */

int smrf_gs_number(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t value = 0;
    int rc = to_number(r, r->item->value, &value);
    return rc < 0 ? rc : smrf_gs_put(r, (enum smrf_param)option->arg, value);
}

int smrf_gs_defer(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t value = 0;
    int rc = to_number(r, r->item->value, &value);
    r->deferred[option->arg].value = value;
    r->deferred[option->arg].item = r->item;
    return rc;
}

int smrf_gs_pair(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t n[MAX_FIELDS];
    int count = to_numbers(r, ',', n);
    if (count < 0) {
        return count;
    }
    if (count != 2) {
        return smrf_gs_fail(r, "expected latency,initiation");
    }
    int rc = smrf_gs_put(r, (enum smrf_param)option->arg, n[0]);
    return rc < 0 ? rc : smrf_gs_put(r, (enum smrf_param)(option->arg + 1), n[1]);
}

/* Packed half instructions take half the initiation interval of single precision, at least 1
 * (Accel-Sim: trace_warp_inst_t::parse_from_trace_struct). */
int smrf_gs_single(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    int rc = smrf_gs_pair(r, option);
    if (rc == SMRF_OK) {
        r->cfg.exec_half_latency = r->cfg.exec_sp_latency;
        r->cfg.exec_half_interval = r->cfg.exec_sp_interval > 1 ? r->cfg.exec_sp_interval / 2 : 1;
    }
    return rc;
}

int smrf_gs_fixed(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t value = 0;
    int rc = to_number(r, r->item->value, &value);
    if (rc == SMRF_OK && value != option->arg) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    return rc;
}

int smrf_gs_at_least(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t value = 0;
    int rc = to_number(r, r->item->value, &value);
    if (rc == SMRF_OK && value < option->arg) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    return rc;
}

int smrf_gs_units(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t value = 0;
    int rc = to_number(r, r->item->value, &value);
    if (rc == SMRF_OK && value != r->cfg.sm_subcores) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    return rc;
}

int smrf_gs_no_effect(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    smrf_gs_note(r, SMRF_OPTION_NO_EFFECT, option->reason);
    return SMRF_OK;
}

int smrf_gs_not_modelled(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    return SMRF_OK;
}

/* --- the SM
 * --------------------------------------------------------------------------------------- */

/* "1365" or "3500.5" MHz to kHz, without floating point. */
static int to_khz(struct smrf_gs_reader *r, char *text, uint32_t *khz)
{
    uint32_t mhz = 0, fraction = 0, scale = 100;
    char *point = strchr(text, '.');
    if (point != NULL) {
        *point++ = '\0';
        for (; *point >= '0' && *point <= '9'; point++) {
            fraction += (uint32_t)(*point - '0') * scale;
            scale /= 10;
        }
    }
    if (smrf_number_parse(text, &mhz) < 0 || mhz > 4000000 || (point != NULL && *point != '\0')) {
        return smrf_gs_fail(r, "expected four clocks in MHz, core:interconnect:L2:DRAM");
    }
    *khz = mhz * 1000 + fraction;
    return SMRF_OK;
}

int smrf_gs_clocks(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    char buf[MAX_TEXT], *fields[4];
    uint32_t khz[4] = {0};
    int rc = copy_value(r, buf, sizeof buf);
    if (rc == SMRF_OK && split(buf, ':', fields, 4) != 4) {
        return smrf_gs_fail(r, "expected four clocks in MHz, core:interconnect:L2:DRAM");
    }
    for (int i = 0; i < 4 && rc == SMRF_OK; i++) {
        rc = to_khz(r, fields[i], &khz[i]);
    }
    if (rc == SMRF_OK) {
        rc = smrf_gs_put(r, SMRF_P_gpu_core_khz, khz[0]);
    }
    if (rc == SMRF_OK) {
        rc = smrf_gs_put(r, SMRF_P_dram_khz, khz[3]);
    }
    if (rc == SMRF_OK && (khz[1] != khz[0] || khz[2] != khz[0])) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    return rc;
}

int smrf_gs_core_pipeline(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t n[MAX_FIELDS];
    (void)option;
    int count = to_numbers(r, ':', n);
    if (count < 0) {
        return count;
    }
    if (count != 2 || n[1] != SMRF_LANES || n[0] % SMRF_LANES != 0) {
        return smrf_gs_fail(r, "expected threads:32, threads a multiple of 32");
    }
    int rc = smrf_gs_put(r, SMRF_P_sm_threads, n[0]);
    return rc < 0 ? rc : smrf_gs_put(r, SMRF_P_sm_warps, n[0] / SMRF_LANES);
}

/* ID_OC of SP,DP,INT,SFU,MEM, OC_EX of the same, EX_WB, ID_OC and OC_EX of tensor; GPGPU-Sim 3
 * has only SP,SFU,MEM twice and EX_WB. Between the stages the model has one latch a unit type. */
int smrf_gs_widths(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t n[MAX_FIELDS];
    int count = to_numbers(r, ',', n);
    if (count < 0) {
        return count;
    }
    if (count != 13 && count != 7) {
        return smrf_gs_fail(r, "expected 13 widths (or the 7 of GPGPU-Sim 3)");
    }
    int write_back = count == 13 ? 10 : 6;
    for (int i = 0; i < count; i++) {
        if (i != write_back && n[i] != r->cfg.sm_subcores) {
            smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
        }
    }
    return smrf_gs_put(r, SMRF_P_exec_result_buses, n[write_back]);
}

/* The numbers behind "name:", e.g. 6, 0 and 1 in two_level_active:6:0:1. */
static int scheduler_numbers(struct smrf_gs_reader *r, int count, uint32_t *n)
{
    char buf[MAX_TEXT], *fields[4];
    int rc = copy_value(r, buf, sizeof buf);
    if (rc == SMRF_OK && split(buf, ':', fields, 4) != (size_t)count + 1) {
        rc = smrf_gs_fail(r, "expected %d numbers behind the name", count);
    }
    for (int i = 0; i < count && rc == SMRF_OK; i++) {
        rc = to_number(r, fields[i + 1], &n[i]);
    }
    return rc;
}

static int two_level(struct smrf_gs_reader *r)
{
    uint32_t n[3] = {0};
    int rc = scheduler_numbers(r, 3, n);
    if (rc < 0) {
        return rc;
    }
    /* enum scheduler_prioritization_type: 0 LRR, 1 SRR (strict, for the outer level), 2 GTO */
    if ((n[1] != 0 && n[1] != 2) || n[2] != 1) {
        return smrf_gs_fail(r, "the inner level may be 0 (LRR) or 2 (GTO), the outer level 1");
    }
    r->cfg.issue_scheduler = SMRF_SCHED_TWO_LEVEL;
    r->cfg.issue_inner = n[1] == 0 ? SMRF_INNER_LRR : SMRF_INNER_GTO;
    return smrf_gs_put(r, SMRF_P_issue_active_warps, n[0]);
}

static int warp_limiting(struct smrf_gs_reader *r)
{
    uint32_t n[2] = {0};
    int rc = scheduler_numbers(r, 2, n);
    if (rc < 0) {
        return rc;
    }
    if (n[0] != 2) {
        return smrf_gs_fail(r, "only priority 2 (GTO) is known here");
    }
    r->cfg.issue_scheduler = SMRF_SCHED_SWL;
    return smrf_gs_put(r, SMRF_P_issue_limit_warps, n[1]);
}

int smrf_gs_scheduler(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    const char *value = r->item->value;
    (void)option;
    r->cfg.issue_active_warps = smrf_param_at(SMRF_P_issue_active_warps)->def;
    r->cfg.issue_inner = smrf_param_at(SMRF_P_issue_inner)->def;
    r->cfg.issue_limit_warps = smrf_param_at(SMRF_P_issue_limit_warps)->def;
    if (strcmp(value, "lrr") == 0 || strcmp(value, "gto") == 0) {
        r->cfg.issue_scheduler = value[0] == 'l' ? SMRF_SCHED_LRR : SMRF_SCHED_GTO;
        return SMRF_OK;
    }
    if (strncmp(value, "two_level_active:", 17) == 0) {
        return two_level(r);
    }
    if (strncmp(value, "warp_limiting:", 14) == 0) {
        return warp_limiting(r);
    }
    return smrf_gs_fail(r, "known are lrr, gto, two_level_active:N:inner:1 and warp_limiting:2:N");
}

int smrf_gs_special_unit(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    char buf[MAX_TEXT], *fields[6];
    uint32_t n[5] = {0};
    int rc = copy_value(r, buf, sizeof buf);
    if (rc == SMRF_OK && split(buf, ',', fields, 6) != 6) {
        return smrf_gs_fail(r, "expected enabled,units,latency,ID_OC,OC_EX,name");
    }
    for (int i = 0; i < 5 && rc == SMRF_OK; i++) {
        rc = to_number(r, fields[i], &n[i]);
    }
    if (rc == SMRF_OK && (n[0] != 1 || n[1] != r->cfg.sm_subcores)) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    return rc;
}

/* --- caches
 * --------------------------------------------------------------------------------------- */

int smrf_gs_carveouts(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t kib[MAX_FIELDS], set = 0;
    (void)option;
    int count = to_numbers(r, ',', kib);
    for (int i = 0; i < count; i++) {
        if (kib[i] % 4 != 0 || kib[i] > 124) {
            return smrf_gs_fail(r, "%u KiB is not a multiple of 4 from 0 to 124", kib[i]);
        }
        set |= (uint32_t)1 << (kib[i] / 4);
    }
    r->cfg.l1d_carveouts = set;
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

static int cache_geometry(struct smrf_gs_reader *r, char *text, struct cache *c)
{
    char *f[5];
    size_t n = split(text, ':', f, 5), first = n == 4;
    if (n != 3 && n != 4) {
        return smrf_gs_fail(r, "expected sector kind:sets:line:ways before the first comma");
    }
    c->sectored = first && strcmp(f[0], "S") == 0;
    int rc = to_number(r, f[first], &c->sets);
    rc = rc < 0 ? rc : to_number(r, f[first + 1], &c->line);
    return rc < 0 ? rc : to_number(r, f[first + 2], &c->ways);
}

static int cache_policy(struct smrf_gs_reader *r, char *text, struct cache *c)
{
    char *f[5];
    size_t n = split(text, ':', f, 5);
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

static int cache_parse(struct smrf_gs_reader *r, struct cache *c)
{
    char buf[MAX_TEXT], *groups[5], *f[3];
    int rc = copy_value(r, buf, sizeof buf);
    size_t n = rc < 0 ? 0 : split(buf, ',', groups, 5);
    if (rc == SMRF_OK && n != 4 && n != 5) {
        return smrf_gs_fail(r, "expected four groups: geometry,policies,mshrs,queue");
    }
    rc = rc < 0 ? rc : cache_geometry(r, groups[0], c);
    rc = rc < 0 ? rc : cache_policy(r, groups[1], c);
    if (rc < 0) {
        return rc;
    }
    if (split(groups[2], ':', f, 3) != 3) {
        return smrf_gs_fail(r, "expected type:entries:merge for the MSHRs");
    }
    rc = to_number(r, f[1], &c->mshrs);
    rc = rc < 0 ? rc : to_number(r, f[2], &c->merge);
    char *colon = strchr(groups[3], ':');
    if (colon != NULL) {
        *colon = '\0';
    }
    return rc < 0 ? rc : to_number(r, groups[3], &c->miss_queue);
}

struct cache_keys {
    enum smrf_param sets, ways, mshrs, merge;
};

static int cache_put(struct smrf_gs_reader *r, const struct cache *c, const struct cache_keys *k)
{
    int rc = smrf_gs_put(r, k->sets, c->sets);
    rc = rc < 0 ? rc : smrf_gs_put(r, k->ways, c->ways);
    rc = rc < 0 ? rc : smrf_gs_put(r, k->mshrs, c->mshrs);
    return rc < 0 ? rc : smrf_gs_put(r, k->merge, c->merge);
}

int smrf_gs_cache_l1d(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    static const struct cache_keys keys = {SMRF_P_l1d_sets, SMRF_P_l1d_ways, SMRF_P_l1d_mshrs,
                                           SMRF_P_l1d_mshr_merge};
    struct cache c = {0};
    int rc = cache_parse(r, &c);
    if (rc < 0) {
        return rc;
    }
    if (!c.sectored || c.line != SMRF_LINE_BYTES || memcmp(c.policy, "LTmL", 4) != 0 ||
        c.index != 'L') {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    rc = cache_put(r, &c, &keys);
    return rc < 0 ? rc : smrf_gs_put(r, SMRF_P_l1d_miss_queue, c.miss_queue);
}

/* The model has no miss queue in L2: l2.mshrs bounds what is under way to DRAM. */
int smrf_gs_cache_l2(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    static const struct cache_keys keys = {SMRF_P_l2_sets, SMRF_P_l2_ways, SMRF_P_l2_mshrs,
                                           SMRF_P_l2_mshr_merge};
    struct cache c = {0};
    int rc = cache_parse(r, &c);
    if (rc < 0) {
        return rc;
    }
    if (!c.sectored || c.line != SMRF_LINE_BYTES || memcmp(c.policy, "LBmL", 4) != 0 ||
        (c.index != 'L' && c.index != 'P')) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    r->cfg.l2_set_hash = c.index == 'P' ? SMRF_HASH_IPOLY : SMRF_HASH_LINEAR;
    return cache_put(r, &c, &keys);
}

int smrf_gs_cache_inst(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    struct cache c = {0};
    (void)option;
    int rc = cache_parse(r, &c);
    rc = rc < 0 ? rc : smrf_gs_put(r, SMRF_P_frontend_icache_ways, c.ways);
    if (rc < 0) {
        return rc;
    }
    bool perfect = r->deferred[SMRF_GS_PERFECT_ICACHE].item != NULL
                       ? r->deferred[SMRF_GS_PERFECT_ICACHE].value != 0
                       : r->cfg.frontend_icache_bytes == 0;
    if (c.sets > UINT16_MAX || c.line > UINT16_MAX) {
        return smrf_gs_fail(r, "a cache of this size is not possible");
    }
    uint64_t bytes = (uint64_t)c.sets * c.line * c.ways;
    return smrf_gs_put(r, SMRF_P_frontend_icache_bytes, perfect ? 0 : bytes);
}

/* --- memory
 * --------------------------------------------------------------------------------------- */

int smrf_gs_slice_hash(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t value = 0;
    int rc = to_number(r, r->item->value, &value);
    if (rc < 0) {
        return rc;
    }
    if (value != 0 && value != 2) { /* addrdec.h: 0 consecutive, 2 IPOLY */
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    } else {
        r->cfg.l2_hash = value == 2 ? SMRF_HASH_IPOLY : SMRF_HASH_LINEAR;
    }
    return SMRF_OK;
}

int smrf_gs_dram_queue(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t value = 0;
    (void)option;
    int rc = to_number(r, r->item->value, &value);
    /* 0 means without limit */
    return rc < 0 ? rc
                  : smrf_gs_put(r, SMRF_P_dram_queue,
                                value ? value : smrf_param_at(SMRF_P_dram_queue)->max);
}

int smrf_gs_dram_timing(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    static const struct {
        const char *name;
        enum smrf_param param;
    } names[] = {
        {"nbk", SMRF_P_dram_banks}, {"nbkgrp", SMRF_P_dram_bank_groups},
        {"CCD", SMRF_P_dram_ccd},   {"CCDL", SMRF_P_dram_ccdl},
        {"RRD", SMRF_P_dram_rrd},   {"RCD", SMRF_P_dram_rcd},
        {"RAS", SMRF_P_dram_ras},   {"RP", SMRF_P_dram_rp},
        {"RC", SMRF_P_dram_rc},     {"CL", SMRF_P_dram_cl},
        {"WL", SMRF_P_dram_wl},     {"CDLR", SMRF_P_dram_cdlr},
        {"WR", SMRF_P_dram_wr},     {"RTPL", SMRF_P_dram_rtpl},
    };
    char buf[MAX_TEXT], *fields[MAX_FIELDS];
    (void)option;
    int rc = copy_value(r, buf, sizeof buf);
    size_t n = rc < 0 ? 0 : split(buf, ':', fields, MAX_FIELDS);
    if (n > MAX_FIELDS) {
        return smrf_gs_fail(r, "too many timings");
    }
    for (size_t i = 0; i < n && rc == SMRF_OK; i++) {
        char *equal = strchr(fields[i], '=');
        size_t k = 0;
        uint32_t value = 0;
        if (equal != NULL) {
            *equal++ = '\0';
        }
        while (k < sizeof names / sizeof names[0] && strcmp(names[k].name, fields[i]) != 0) {
            k++;
        }
        if (equal == NULL || k == sizeof names / sizeof names[0]) {
            return smrf_gs_fail(r, "'%.40s' is not a timing of the form nbk=16", fields[i]);
        }
        rc = to_number(r, equal, &value);
        rc = rc < 0 ? rc : smrf_gs_put(r, names[k].param, value);
    }
    return rc;
}

/* dramid@8;00000000....RBBBCCCC.BCCSSSSS: 64 letters, most significant first, of the address
 * without the channel's bits. The model has this one map (models/memory/map.h). */
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
    bool same = channel_at_8;
    for (unsigned i = 0; i < 64; i++) {
        char bit = bits[63 - i];
        same &= i < 16 ? bit == "SSSSSCCBCCCCBBBR"[i] : bit == 'R' || bit == '0';
    }
    if (!same) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    return SMRF_OK;
}

/* --- options that depend on each other
 * ------------------------------------------------------------ */

/* The value of a deferred option, or what the configuration implies if the file has none. */
static uint64_t deferred_or(const struct smrf_gs_reader *r, enum smrf_gs_deferred d, uint64_t other)
{
    return r->deferred[d].item != NULL ? r->deferred[d].value : other;
}

/* The present item for messages: the first of the given options that the file has. */
static bool any_given(struct smrf_gs_reader *r, enum smrf_gs_deferred first,
                      enum smrf_gs_deferred last)
{
    for (unsigned d = first; d <= (unsigned)last; d++) {
        if (r->deferred[d].item != NULL) {
            r->item = r->deferred[d].item;
            r->noted = false;
            return true;
        }
    }
    return false;
}

/* Totals of an SM to numbers of a sub-core. */
static int put_share(struct smrf_gs_reader *r, enum smrf_gs_deferred d, enum smrf_param param,
                     uint32_t old_subcores)
{
    uint64_t total = deferred_or(r, d, (uint64_t)smrf_config_get(&r->cfg, param) * old_subcores);
    if (r->deferred[d].item != NULL) {
        r->item = r->deferred[d].item;
    }
    if (total % r->cfg.sm_subcores != 0) {
        return smrf_gs_fail(r, "%u an SM do not divide among %u sub-cores", (unsigned)total,
                            r->cfg.sm_subcores);
    }
    return smrf_gs_put(r, param, total / r->cfg.sm_subcores);
}

/* Schedulers with their own register files become sub-cores; schedulers that share one become a
 * single, wider scheduler. A file that names schedulers but no model means sub-cores. */
static int resolve_schedulers(struct smrf_gs_reader *r)
{
    if (!any_given(r, SMRF_GS_SCHEDULERS, SMRF_GS_SUB_CORE_MODEL)) {
        return SMRF_OK;
    }
    uint32_t old = r->cfg.sm_subcores > 1 ? r->cfg.sm_subcores : r->cfg.issue_width;
    uint64_t schedulers = deferred_or(r, SMRF_GS_SCHEDULERS, old);
    bool sub_cores = deferred_or(r, SMRF_GS_SUB_CORE_MODEL, 1) != 0;
    int rc = smrf_gs_put(r, SMRF_P_sm_subcores, sub_cores ? schedulers : 1);
    rc = rc < 0 ? rc : smrf_gs_put(r, SMRF_P_issue_width, sub_cores ? 1 : schedulers);
    if (rc == SMRF_OK && !sub_cores && schedulers > 1) {
        r->item = r->deferred[SMRF_GS_SUB_CORE_MODEL].item;
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED,
                     "schedulers that share a register file: one scheduler of their total width");
    }
    return rc;
}

static int resolve_subcores(struct smrf_gs_reader *r)
{
    uint32_t old = r->cfg.sm_subcores;
    int rc = resolve_schedulers(r);
    if (rc == SMRF_OK && any_given(r, SMRF_GS_SCHEDULERS, SMRF_GS_COLLECTORS)) {
        rc = put_share(r, SMRF_GS_BANKS, SMRF_P_rf_banks, old);
        rc = rc < 0 ? rc : put_share(r, SMRF_GS_COLLECTORS, SMRF_P_rf_collectors, old);
    }
    return rc;
}

static int resolve_l1d(struct smrf_gs_reader *r)
{
    if (!any_given(r, SMRF_GS_ADAPTIVE, SMRF_GS_UNIFIED_KIB)) {
        return SMRF_OK;
    }
    uint64_t bytes = deferred_or(r, SMRF_GS_UNIFIED_KIB, r->cfg.l1d_unified_bytes / 1024) * 1024;
    if (deferred_or(r, SMRF_GS_ADAPTIVE, 1) == 0) {
        bytes = 0;
    } else if (bytes == 0) {
        return smrf_gs_fail(r, "needs -gpgpu_unified_l1d_size");
    }
    return smrf_gs_put(r, SMRF_P_l1d_unified_bytes, bytes);
}

static int resolve_memory(struct smrf_gs_reader *r)
{
    int rc = SMRF_OK;
    if (any_given(r, SMRF_GS_MEMORIES, SMRF_GS_SUB_PARTITIONS)) {
        uint64_t per_channel = r->cfg.l2_slices / r->cfg.dram_channels;
        uint64_t channels = deferred_or(r, SMRF_GS_MEMORIES, r->cfg.dram_channels);
        per_channel = deferred_or(r, SMRF_GS_SUB_PARTITIONS, per_channel);
        rc = smrf_gs_put(r, SMRF_P_dram_channels, channels);
        rc = rc < 0 ? rc : smrf_gs_put(r, SMRF_P_l2_slices, channels * per_channel);
    }
    if (rc == SMRF_OK && any_given(r, SMRF_GS_CHIPS, SMRF_GS_BUS_WIDTH)) {
        uint64_t width = deferred_or(r, SMRF_GS_BUS_WIDTH, r->cfg.dram_bus_bytes);
        rc = smrf_gs_put(r, SMRF_P_dram_bus_bytes, width * deferred_or(r, SMRF_GS_CHIPS, 1));
    }
    return rc;
}

static int resolve_icache(struct smrf_gs_reader *r)
{
    if (!any_given(r, SMRF_GS_PERFECT_ICACHE, SMRF_GS_PERFECT_ICACHE)) {
        return SMRF_OK;
    }
    if (r->deferred[SMRF_GS_PERFECT_ICACHE].value != 0) {
        r->cfg.frontend_icache_bytes = 0;
    } else if (!r->has_icache && r->cfg.frontend_icache_bytes == 0) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED,
                     "no -gpgpu_cache:il1 in this file: the instruction cache stays ideal");
    }
    return SMRF_OK;
}

int smrf_gs_resolve(struct smrf_gs_reader *r)
{
    int rc = SMRF_OK;
    if (any_given(r, SMRF_GS_CLUSTERS, SMRF_GS_CORES_PER_CLUSTER)) {
        uint64_t clusters = deferred_or(r, SMRF_GS_CLUSTERS, r->cfg.gpu_sms);
        rc =
            smrf_gs_put(r, SMRF_P_gpu_sms, clusters * deferred_or(r, SMRF_GS_CORES_PER_CLUSTER, 1));
    }
    rc = rc < 0 ? rc : resolve_subcores(r);
    rc = rc < 0 ? rc : resolve_l1d(r);
    rc = rc < 0 ? rc : resolve_memory(r);
    return rc < 0 ? rc : resolve_icache(r);
}
