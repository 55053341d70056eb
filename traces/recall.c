/* SPDX-License-Identifier: Apache-2.0 */
#include "recall.h"

#include "line_parser.h"
#include "text_scan.h"

#include "models/common/smrf_bits.h"

#define ALL_LANES UINT64_C(0x6666666666666666) /* "ffffffff" */

void smrf_recall_reset(struct smrf_recall *r)
{
    *r = (struct smrf_recall){.mask_text = ALL_LANES, .mask = UINT32_MAX, .lanes = SMRF_LANES};
}

void smrf_recall_follow(struct smrf_recall *r, struct smrf_code *c)
{
    if (r->last != NULL && r->last->follower != c) {
        r->last->other = r->last->follower;
        r->last->follower = c;
    }
    r->last = c;
}

/* ---- addresses ------------------------------------------------------------------------------- */

void smrf_recall_note(struct smrf_line_parser *k, struct smrf_code *c, struct smrf_exec *e)
{
    const char *lead = c->text + c->static_bytes;
    const char *end = c->text + c->full_bytes;
    if (e->addr_kind == SMRF_ADDR_NONE || lead[0] != ' ' || (lead[1] != '1' && lead[1] != '2') ||
        lead[2] != ' ') {
        return;
    }
    const char *digits = lead + (lead[3] == '0' && lead[4] == 'x' ? 5 : 3);
    uint64_t named;
    const char *rest = smrf_scan_hex(lead + 2, &named);
    /* Values are of each execution, and a list that does not fit its registers is warned of each
     * time. */
    if (rest == NULL || rest - digits > 16 || smrf_line_has_values(rest, end)) {
        return;
    }
    const bool list = e->addr_kind == SMRF_ADDR_LIST;
    struct smrf_code_addresses *a =
        smrf_code_table_line(k->code, sizeof *a + (list ? sizeof e->lane : 0));
    if (a == NULL) {
        return; /* costs time, nothing else */
    }
    *a = (struct smrf_code_addresses){.digits = digits,
                                      .rest = rest,
                                      .rest_bytes = (uint32_t)(end - rest),
                                      .lead_bytes = (uint8_t)(digits - lead),
                                      .num_digits = (uint8_t)(rest - digits),
                                      .addr_kind = e->addr_kind,
                                      .named = named,
                                      .base = list ? e->lane[__builtin_ctz(e->mask)] : e->base,
                                      .stride = list ? 0 : e->stride,
                                      .least = INT32_MIN,
                                      .most = INT32_MAX};
    for (uint32_t lane = 0; list && lane < SMRF_LANES; lane++) {
        a->lane[lane] = e->mask >> lane & 1 ? e->lane[lane] - a->base : 0;
    }
    if (c->is_checked) {
        smrf_check_shared_reach(&k->check, e, &a->least, &a->most);
    }
    c->addresses = a;
    e->moved = true;
    e->distance = 0;
}

/* The first execution's addresses, too far away for a distance that is packed. */
static void move_far_(struct smrf_exec *e, const struct smrf_code_addresses *a, uint64_t distance)
{
    e->moved = false;
    e->base = a->base + distance;
    e->stride = a->stride;
    for (uint32_t m = e->mask; a->addr_kind == SMRF_ADDR_LIST && m != 0; m &= m - 1) {
        e->lane[__builtin_ctz(m)] = e->base + a->lane[__builtin_ctz(m)];
    }
}

/* An address of as many digits as the first execution's, the upper ones the same. */
static inline bool near_address_(const struct smrf_code_addresses *a, const char *digits,
                                 uint64_t *address)
{
    const unsigned n = a->num_digits;
    uint32_t low;
    if (n < 8) {
        const uint64_t word = smrf_text_word(digits) << (64 - 8 * n);
        if (!smrf_hex_word(word | SMRF_HEX_ZEROS >> 8 * n, &low)) {
            return false;
        }
        *address = low;
        return true;
    }
    if (n > 8 &&
        (n == 16
             ? smrf_text_word(digits) != smrf_text_word(a->digits)
             : (smrf_text_word(digits) ^ smrf_text_word(a->digits)) << (64 - 8 * (n - 8)) != 0)) {
        return false;
    }
    if (!smrf_hex_word(smrf_text_word(digits + n - 8), &low)) {
        return false;
    }
    *address = (a->named & ~(uint64_t)UINT32_MAX) | low;
    return true;
}

const char *smrf_recall_addresses(struct smrf_exec *e, const struct smrf_code *c, const char *p)
{
    const struct smrf_code_addresses *a = c->addresses;
    uint64_t named;
    if (a == NULL || e->mask != c->mask ||
        !smrf_text_equal(p, a->digits - a->lead_bytes, a->lead_bytes)) {
        return NULL;
    }
    p = smrf_scan_hex(p + a->lead_bytes, &named);
    if (p == NULL || !smrf_text_equal(p, a->rest, a->rest_bytes)) {
        return NULL;
    }
    const uint64_t distance = named - a->named;
    e->addr_kind = a->addr_kind;
    e->imm = c->imm;
    e->has_values = false;
    e->moved = true;
    e->distance = (int32_t)(uint32_t)distance;
    if ((uint64_t)(int64_t)e->distance != distance) {
        move_far_(e, a, distance);
    }
    return p + a->rest_bytes - 1;
}

/* The whole line is the first execution's, except for an address nearby. Returns the position after
 * it; NULL: it is not. */
static inline const char *moved_(struct smrf_line_parser *k, const struct smrf_code *c,
                                 const char *p, struct smrf_trace_error_text *error)
{
    const struct smrf_code_addresses *a = c->addresses;
    const size_t head = (size_t)(a->digits - c->whole);
    uint64_t named;
    if ((c->mask & k->check.dead) != 0 || !smrf_check_follows(&k->check, c, c->mask) ||
        !smrf_text_equal(p, c->whole, head) || p[head + a->num_digits] != ' ' ||
        !near_address_(a, p + head, &named)) {
        return NULL;
    }
    p += head + a->num_digits;
    const int64_t distance = (int64_t)(named - a->named);
    if (distance < a->least || distance > a->most || !smrf_text_equal(p, a->rest, a->rest_bytes) ||
        smrf_packer_put_moved(k->packer, c, c->mask, (int32_t)distance, error) != 0) {
        return NULL;
    }
    k->totals->unknown_opcodes += (c->inst.flags & SMRF_INST_UNKNOWN) != 0;
    k->totals->thread_insts += c->lanes;
    smrf_check_passed(&k->check, c, c->mask);
    return p + a->rest_bytes;
}

/* The entry is likely to be the next one, and entries are many. */
static inline void foresee_(const struct smrf_code *c)
{
    if (c != NULL) {
        __builtin_prefetch(&c->lead);
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static size_t bytes_of_(const struct smrf_code *c)
{
    return (size_t)c->head_bytes + c->full_bytes;
}

/* As many lines of the entry's run as stand at p, from the entry's own line on: most often as many
 * as last time. Returns the position after them; NULL: not even the first one fits. */
static const char *run_(struct smrf_line_parser *k, struct smrf_code *c, const char *p,
                        const char *end, uint64_t *left, struct smrf_trace_error_text *error)
{
    const uint32_t first = c->inst.index, most = c->run->last - first + 1;
    if ((c->mask & k->check.dead) != 0 || !smrf_check_follows(&k->check, c, c->mask)) {
        return NULL;
    }
    const size_t have = (size_t)(end - p);
    size_t bytes = c->reach_bytes;
    uint64_t lines = c->reach_lines;
    foresee_(smrf_code_at(k->code, first + (uint32_t)lines - 1));
    if (bytes > have || lines > *left || memcmp(p, c->whole, bytes) != 0) {
        bytes = 0;
        lines = 0;
    }
    while (lines < most && lines < *left) { /* and further ones */
        const struct smrf_code *next = smrf_code_at(k->code, first + (uint32_t)lines);
        const size_t more = bytes_of_(next);
        if (bytes + more > have || !smrf_text_equal(p + bytes, next->whole, more)) {
            break;
        }
        bytes += more;
        lines++;
    }
    if (lines == 0 || smrf_packer_put_run(k->packer, c, lines, error) != 0) {
        return NULL;
    }
    if (c->reach_lines != lines) { /* others read the entry beside */
        c->reach_bytes = (uint32_t)bytes;
        c->reach_lines = (uint32_t)lines;
    }
    struct smrf_code *last = smrf_code_at(k->code, first + (uint32_t)lines - 1);
    k->totals->thread_insts += lines * c->lanes;
    k->recall.last = last;
    smrf_check_passed(&k->check, last, last->mask);
    *left -= lines;
    return p + bytes;
}

/* Eight digits and a blank. */
static inline bool read_mask_(struct smrf_recall *r, const char *p)
{
    const uint64_t text = smrf_text_word(p);
    uint32_t mask;
    if (text != r->mask_text) {
        if (!smrf_hex_word(text, &mask)) {
            return false;
        }
        r->mask_text = text;
        r->mask = mask;
        r->lanes = smrf_count_bits(mask);
    }
    return p[8] == ' ';
}

/* One line of the entry's instruction. Returns the position after it; NULL: it is not, or must be
 * read. */
static inline const char *one_(struct smrf_line_parser *k, struct smrf_code *c, const char *p,
                               struct smrf_trace_error_text *error)
{
    struct smrf_recall *r = &k->recall;
    struct smrf_exec *e = &k->exec;
    if (c->pc_bytes == 0 || !smrf_text_equal(p, c->whole, c->pc_bytes) ||
        !read_mask_(r, p + c->pc_bytes) || (r->mask & k->check.dead) != 0 ||
        !smrf_check_follows(&k->check, c, r->mask)) {
        return NULL;
    }
    p += c->head_bytes;
    if (c->plain && smrf_text_equal(p, c->text, c->full_bytes)) {
        p += c->full_bytes;
        if (smrf_packer_put_plain(k->packer, c, r->mask, error) != 0) {
            return NULL;
        }
    } else {
        if (!smrf_text_equal(p, c->text, c->static_bytes) || !smrf_word_ends(p[c->static_bytes])) {
            return NULL;
        }
        e->mask = r->mask;
        e->line = c->line;
        p = smrf_parse_special(k, c, p + c->static_bytes);
        if (p == NULL || (c->is_checked && !smrf_check_passes(&k->check, e)) ||
            smrf_packer_put(k->packer, e, error) != 0 ||
            smrf_packer_put_steps(k->packer, c, r->mask, error) != 0) {
            return NULL;
        }
        p++;
    }
    k->totals->thread_insts += r->lanes;
    smrf_check_passed(&k->check, c, r->mask);
    return p;
}

/* Lines from p on that begin with the entry's. Returns the position after them; NULL: none. */
static inline const char *take_(struct smrf_line_parser *k, struct smrf_code *c, const char *p,
                                const char *end, uint64_t *left,
                                struct smrf_trace_error_text *error)
{
    const char *after = NULL;
    if (c == NULL) {
        return NULL;
    }
    const uint64_t differ = smrf_text_word(p) ^ c->lead;
    if (differ & c->pc_mask) {
        return NULL;
    }
    foresee_(c->follower);
    if (differ == 0 && c->run != NULL) {
        after = run_(k, c, p, end, left, error);
        if (after != NULL) {
            return after;
        }
    } else if (differ == 0 && c->addresses != NULL) {
        after = moved_(k, c, p, error);
    }
    if (after == NULL && error->code == 0) {
        after = one_(k, c, p, error);
    }
    if (after != NULL) {
        k->recall.last = c;
        --*left;
    }
    return after;
}

int64_t smrf_recall_lines(struct smrf_line_parser *k, const char *text, const char *end,
                          uint64_t most, uint64_t *lines, struct smrf_trace_error_text *error)
{
    uint64_t left = most;
    const char *p = text;
    while (left > 0 && p < end && k->recall.last != NULL) {
        const struct smrf_code *last = k->recall.last;
        struct smrf_code *c = last->follower;
        const char *after;
        for (;;) { /* a single call, so that compilers put it in line */
            after = take_(k, c, p, end, &left, error);
            if (after != NULL || error->code != 0 || c == last->other) {
                break;
            }
            c = last->other;
        }
        if (after == NULL) {
            break;
        }
        p = after;
    }
    *lines = most - left;
    return error->code != 0 ? error->code : p - text;
}
