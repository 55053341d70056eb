/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "packed.h"

#include "models/common/smrf_apart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- store ---------------------------------------------------------------------------------- */

void smrf_store_init(struct smrf_store *s, size_t budget)
{
    *s = (struct smrf_store){.budget = budget, .fd = -1};
}

void smrf_store_destroy(struct smrf_store *s)
{
    if (s->fd >= 0) {
        (void)close(s->fd);
    }
    free(s->free_slot);
    smrf_store_init(s, 0);
}

/* /tmp is memory on some systems, so /var/tmp is preferred. */
static int open_spill_(struct smrf_trace_error_text *error)
{
    const char *folder[3] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    for (unsigned i = 0; i < 3; i++) {
        char path[512];
        if (folder[i] == NULL || strlen(folder[i]) > sizeof path - 32) {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s/smrf-spill-XXXXXX", folder[i]);
        int fd = mkstemp(path);
        if (fd >= 0) {
            (void)unlink(path);
            return fd;
        }
    }
    return smrf_trace_fail(error, SMRF_ERR_IO,
                           "cannot make a temporary file for waiting instructions: %s; set TMPDIR "
                           "to a folder that can be written",
                           strerror(errno));
}

static int spill_(struct smrf_store *s, const uint8_t *data, uint32_t bytes, uint32_t *slot,
                  struct smrf_trace_error_text *error)
{
    if (s->fd < 0) {
        int fd = open_spill_(error);
        if (fd < 0) {
            return fd;
        }
        s->fd = fd;
    }
    *slot = s->num_free > 0 ? s->free_slot[--s->num_free] : s->slots++;
    for (uint32_t done = 0; done < bytes;) {
        ssize_t n = pwrite(s->fd, data + done, bytes - done,
                           (off_t)((uint64_t)*slot * SMRF_CHUNK_BYTES + done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return smrf_trace_fail(error, SMRF_ERR_IO,
                                   "cannot write waiting instructions to the temporary file: %s; "
                                   "free space or set TMPDIR to a larger folder",
                                   strerror(errno));
        }
        done += (uint32_t)n;
    }
    s->spilled_bytes += bytes;
    return 0;
}

static void free_slot_(struct smrf_store *s, uint32_t slot)
{
    if (s->num_free == s->free_room) {
        uint32_t room = s->free_room == 0 ? 256 : 2 * s->free_room;
        uint32_t *p = realloc(s->free_slot, room * sizeof *p);
        if (p == NULL) {
            return; /* the place stays unused: costs disk, nothing else */
        }
        s->free_slot = p;
        s->free_room = room;
    }
    s->free_slot[s->num_free++] = slot;
}

/* ---- block ---------------------------------------------------------------------------------- */

int smrf_packed_block_init(struct smrf_packed_block *b, uint32_t num_warps)
{
    b->warp = aligned_alloc(_Alignof(struct smrf_packed_warp), num_warps * sizeof *b->warp);
    b->num_warps = b->warp != NULL ? num_warps : 0;
    for (uint32_t i = 0; i < b->num_warps; i++) {
        b->warp[i] = (struct smrf_packed_warp){0};
    }
    return b->warp != NULL ? 0 : SMRF_ERR_NOMEM;
}

void smrf_packed_block_free(struct smrf_packed_block *b, struct smrf_store *s)
{
    for (uint32_t i = 0; i < b->num_chunks; i++) {
        if (b->chunk[i].memory != NULL) {
            s->resident -= b->chunk[i].used;
        } else {
            free_slot_(s, b->chunk[i].slot);
        }
        free(b->chunk[i].memory);
    }
    for (uint32_t w = 0; w < b->num_warps; w++) {
        free(b->warp[w].window);
    }
    free(b->chunk);
    free(b->warp);
    free(b->values);
    *b = (struct smrf_packed_block){0};
}

/* ---- packer --------------------------------------------------------------------------------- */

void smrf_packer_begin_block(struct smrf_packer *k, struct smrf_packed_block *b)
{
    k->block = b;
    k->p = k->buffer;
    k->limit = k->buffer + SMRF_CHUNK_BYTES - SMRF_PACKED_MAX;
    k->run = NULL;
}

void smrf_packer_begin_warp(struct smrf_packer *k, uint32_t warp)
{
    struct smrf_packed_warp *w = k->warp = &k->block->warp[warp];
    w->chunk = k->block->num_chunks; /* the one being filled */
    w->offset = (uint16_t)(k->p - k->buffer);
    w->index = SMRF_BEFORE_FIRST;
    k->index = SMRF_BEFORE_FIRST;
    k->mask = 0;
    k->base = 0;
    k->run = NULL;
}

int smrf_packer_new_chunk(struct smrf_packer *k, struct smrf_trace_error_text *error)
{
    struct smrf_packed_block *b = k->block;
    struct smrf_store *s = k->store;
    uint32_t used = (uint32_t)(k->p - k->buffer);
    if (b->num_chunks == b->chunk_room) {
        uint32_t room = b->chunk_room == 0 ? 4 : 2 * b->chunk_room;
        struct smrf_chunk *p = realloc(b->chunk, room * sizeof *p);
        if (p == NULL) {
            return smrf_trace_fail(error, SMRF_ERR_NOMEM, "no memory for a thread block's index");
        }
        b->chunk = p;
        b->chunk_room = room;
    }
    struct smrf_chunk c = {.used = used};
    if (s->resident + used <= s->budget) {
        c.memory = malloc(used != 0 ? used : 1);
    }
    if (c.memory != NULL) {
        memcpy(c.memory, k->buffer, used);
        s->resident += used;
    } else {
        int rc = spill_(s, k->buffer, used, &c.slot, error);
        if (rc != 0) {
            return rc;
        }
    }
    b->chunk[b->num_chunks++] = c;
    k->p = k->buffer;
    k->run = NULL;
    return 0;
}

int smrf_packer_end_block(struct smrf_packer *k, struct smrf_trace_error_text *error)
{
    for (uint32_t w = 0; w < k->block->num_warps; w++) {
        k->block->warp[w].left = k->block->warp[w].insts;
    }
    return k->p != k->buffer ? smrf_packer_new_chunk(k, error) : 0;
}

static uint8_t *put_varint_(uint8_t *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) {
        *p++ = (uint8_t)(v | 0x80);
    }
    *p++ = (uint8_t)v;
    return p;
}

static uint64_t zigzag_(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static uint64_t unzigzag_(uint64_t z)
{
    return z >> 1 ^ (0 - (z & 1));
}

/* The addresses of the lanes of a mask, at least three: first, which lanes repeat the difference of
 * the lane before; then the other differences. */
static uint8_t *put_list_(uint8_t *p, const struct smrf_exec *e, uint64_t *base)
{
    uint64_t before = *base, difference = 0;
    uint8_t *const repeats = p;
    uint32_t same = 0;
    p += sizeof same;
    for (uint32_t m = e->mask; m != 0; m &= m - 1) {
        const uint64_t a = e->lane[__builtin_ctz(m)];
        if (a - before == difference) {
            same |= m & (0 - m);
        } else {
            difference = a - before;
            p = put_varint_(p, zigzag_(difference));
        }
        before = a;
    }
    memcpy(repeats, &same, sizeof same);
    *base = before;
    return p;
}

static uint8_t *put_values_(uint8_t *p, const struct smrf_exec *e)
{
    const struct smrf_values *v = &e->values;
    *p++ = v->num_dst;
    *p++ = v->num_src;
    for (unsigned r = 0; r < (unsigned)v->num_dst + v->num_src; r++) {
        const uint32_t *lanes = r < v->num_dst ? v->dst[r] : v->src[r - v->num_dst];
        for (uint32_t m = e->mask; m != 0; m &= m - 1) {
            memcpy(p, &lanes[__builtin_ctz(m)], 4);
            p += 4;
        }
    }
    return p;
}

int smrf_packer_put_run(struct smrf_packer *k, const struct smrf_code *code, uint64_t insts,
                        struct smrf_trace_error_text *error)
{
    int rc = smrf_packer_put_plain(k, code, code->mask, error);
    while (rc == 0 && --insts > 0) {
        uint64_t more = k->run != NULL ? SMRF_RUN_MAX - 1 - *k->run : 0;
        if (more == 0) {
            rc = smrf_packer_room(k, error);
            k->run = k->p;
            *k->p++ = 0;
            k->index++;
            continue;
        }
        more = more < insts ? more : insts;
        *k->run = (uint8_t)(*k->run + more);
        k->index += (uint32_t)more;
        insts -= more - 1;
    }
    return rc;
}

int smrf_packer_put(struct smrf_packer *k, const struct smrf_exec *e,
                    struct smrf_trace_error_text *error)
{
    bool imm = e->imm != e->code->imm;
    bool line = e->line != e->code->line;
    if (!imm && !line && !e->has_values) {
        if (e->addr_kind == SMRF_ADDR_NONE) {
            return smrf_packer_put_plain(k, e->code, e->mask, error);
        }
        if (e->moved) {
            return smrf_packer_put_moved(k, e->code, e->mask, e->distance, error);
        }
    }

    size_t need = SMRF_PACKED_MAX + (e->has_values ? SMRF_PACKED_VALUES_MAX : 0u);
    if (k->p + need > k->buffer + SMRF_CHUNK_BYTES && smrf_packer_new_chunk(k, error) != 0) {
        return error->code;
    }
    uint8_t *tag = smrf_packer_tag(k, e->code->inst.index, e->mask);
    uint8_t *p = k->p;
    unsigned bits = *tag;
    if (e->addr_kind != SMRF_ADDR_NONE && e->moved) {
        bits |= SMRF_TAG_MOVED;
        memcpy(p, &e->distance, sizeof e->distance);
        p += sizeof e->distance;
    } else if (e->addr_kind == SMRF_ADDR_STRIDE) {
        bits |= SMRF_TAG_STRIDE;
        p = put_varint_(p, zigzag_(e->base - k->base));
        p = put_varint_(p, zigzag_((uint64_t)e->stride));
        k->base = e->base;
    } else if (e->addr_kind == SMRF_ADDR_LIST) {
        bits |= SMRF_TAG_LIST;
        p = put_list_(p, e, &k->base);
    }
    if (imm) {
        bits |= SMRF_TAG_IMM;
        p = put_varint_(p, e->imm);
    }
    if (line) {
        bits |= SMRF_TAG_LINE;
        p = put_varint_(p, e->line);
    }
    if (e->has_values) {
        bits |= SMRF_TAG_VALUES;
        p = put_values_(p, e);
        k->block->has_values = true;
    }
    *tag = (uint8_t)bits;
    k->p = p;
    return 0;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Bytes fetched at once from the temporary file: several of the longest instructions. */
static size_t window_bytes_(const struct smrf_packed_block *b)
{
    return b->has_values ? 2 * (SMRF_PACKED_MAX + (size_t)SMRF_PACKED_VALUES_MAX)
                         : 3 * (size_t)SMRF_PACKED_MAX;
}

/* Make the bytes at (chunk, offset) readable up to the chunk's or the window's end. */
static int fetch_(const struct smrf_packed_block *b, struct smrf_packed_warp *w)
{
    const struct smrf_chunk *c = &b->chunk[w->chunk];
    if (w->offset == c->used) {
        w->chunk++;
        w->offset = 0;
        c++;
    }
    if (c->memory != NULL) {
        w->p = c->memory + w->offset;
        w->refill = c->memory + c->used;
        w->offset = (uint16_t)c->used;
        return 0;
    }
    size_t longest = SMRF_PACKED_MAX + (b->has_values ? (size_t)SMRF_PACKED_VALUES_MAX : 0);
    size_t bytes = window_bytes_(b);
    if (w->window == NULL && (w->window = malloc(bytes)) == NULL) {
        return smrf_trace_fail(b->error, SMRF_ERR_NOMEM, "no memory to read waiting instructions");
    }
    bytes = bytes < c->used - w->offset ? bytes : c->used - w->offset;
    for (size_t done = 0; done < bytes;) {
        ssize_t n = pread(b->store->fd, w->window + done, bytes - done,
                          (off_t)((uint64_t)c->slot * SMRF_CHUNK_BYTES + w->offset + done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return smrf_trace_fail(b->error, SMRF_ERR_IO,
                                   "cannot read waiting instructions from the temporary file: %s",
                                   n < 0 ? strerror(errno) : "it is shorter than written");
        }
        done += (size_t)n;
    }
    bool whole = w->offset + bytes == c->used;
    w->p = w->window;
    w->refill = w->window + (whole ? bytes : bytes - longest);
    w->offset = (uint16_t)(w->offset + bytes);
    return 0;
}

/* At or past refill: give back what the window holds beyond the read position, then fetch. */
static SMRF_APART int advance_(const struct smrf_packed_block *b, struct smrf_packed_warp *w)
{
    if (w->p != NULL && b->chunk[w->chunk].memory == NULL) {
        size_t longest = SMRF_PACKED_MAX + (b->has_values ? (size_t)SMRF_PACKED_VALUES_MAX : 0);
        bool whole = w->offset == b->chunk[w->chunk].used;
        const uint8_t *end = whole ? w->refill : w->refill + longest;
        w->offset = (uint16_t)(w->offset - (end - w->p));
    }
    return fetch_(b, w);
}

static inline uint64_t get_varint_(const uint8_t **p)
{
    uint64_t v = **p;
    if (v < 0x80) {
        ++*p;
        return v;
    }
    v &= 0x7F;
    ++*p;
    for (unsigned shift = 7;; shift += 7) {
        uint64_t byte = *(*p)++;
        v |= (byte & 0x7F) << shift;
        if (byte < 0x80) {
            return v;
        }
    }
}

/* The addresses of lanes i to end, all with the same difference. Entries past end may be
 * overwritten. Returns the last address. */
static inline uint64_t get_run_(uint64_t *lane, unsigned i, unsigned end, uint64_t before,
                                uint64_t difference)
{
    uint64_t address = before;
    const uint64_t last = before + (end - i) * difference;
    for (; i < end && i + 4 <= SMRF_LANES; i += 4) {
        lane[i] = address += difference;
        lane[i + 1] = address += difference;
        lane[i + 2] = address += difference;
        lane[i + 3] = address += difference;
    }
    for (; i < end; i++) {
        lane[i] = address += difference;
    }
    return last;
}

/* A list of all lanes: a difference and the lanes that repeat it at a time. */
static const uint8_t *get_full_list_(const uint8_t *p, uint32_t same, uint64_t *base,
                                     uint64_t *lane)
{
    uint64_t starts = ~(uint64_t)same & UINT32_MAX, address = *base;
    starts |= UINT64_C(1) << SMRF_LANES;
    unsigned i = (unsigned)__builtin_ctzll(starts);
    address = get_run_(lane, 0, i, address, 0);
    while (i < SMRF_LANES) {
        starts &= starts - 1;
        const unsigned end = (unsigned)__builtin_ctzll(starts);
        address = get_run_(lane, i, end, address, unzigzag_(get_varint_(&p)));
        i = end;
    }
    *base = address;
    return p;
}

static const uint8_t *get_list_(const uint8_t *p, uint32_t mask, uint64_t *base, uint64_t *lane)
{
    uint64_t address = *base, difference = 0;
    uint32_t same;
    memcpy(&same, p, sizeof same);
    p += sizeof same;
    if (mask == UINT32_MAX) {
        return get_full_list_(p, same, base, lane);
    }
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        if (!(same & m & (0 - m))) {
            difference = unzigzag_(get_varint_(&p));
        }
        address += difference;
        lane[__builtin_ctz(m)] = address;
    }
    *base = address;
    return p;
}

/* The first execution's addresses, moved. */
static inline const uint8_t *get_moved_(const uint8_t *p, const struct smrf_code_addresses *first,
                                        struct smrf_inst *inst)
{
    int32_t distance;
    memcpy(&distance, p, sizeof distance);
    inst->addr_kind = first->addr_kind;
    inst->base = first->base + (uint64_t)(int64_t)distance;
    if (first->addr_kind == SMRF_ADDR_LIST) {
        inst->list = first->lane;
    } else {
        inst->stride = first->stride;
    }
    return p + sizeof distance;
}

static const uint8_t *get_values_(const uint8_t *p, uint32_t mask, struct smrf_values *v)
{
    v->num_dst = *p++;
    v->num_src = *p++;
    for (unsigned r = 0; r < (unsigned)v->num_dst + v->num_src; r++) {
        uint32_t *lanes = r < v->num_dst ? v->dst[r] : v->src[r - v->num_dst];
        for (uint32_t m = mask; m != 0; m &= m - 1) {
            memcpy(&lanes[__builtin_ctz(m)], p, 4);
            p += 4;
        }
    }
    return p;
}

/* The fields from w->p on, of an instruction that is not plain. */
static inline void fields_(struct smrf_packed_warp *w, const struct smrf_code *c,
                           struct smrf_inst *inst, struct smrf_values *values)
{
    const unsigned bits = w->bits;
    const uint8_t *p = w->p;
    if ((bits & SMRF_TAG_MOVED) == SMRF_TAG_MOVED) {
        p = get_moved_(p, c->addresses, inst);
    } else if (bits & SMRF_TAG_STRIDE) {
        w->base += unzigzag_(get_varint_(&p));
        inst->addr_kind = SMRF_ADDR_STRIDE;
        inst->base = w->base;
        inst->stride = (int64_t)unzigzag_(get_varint_(&p));
    } else if (bits & SMRF_TAG_LIST) {
        inst->addr_kind = SMRF_ADDR_LIST;
        inst->list = NULL;
        p = get_list_(p, w->mask, &w->base, inst->lane);
    }
    if (bits & SMRF_TAG_IMM) {
        inst->imm = get_varint_(&p);
    }
    if (bits & SMRF_TAG_LINE) {
        inst->line = (uint32_t)get_varint_(&p);
    }
    if (bits & SMRF_TAG_VALUES) {
        p = get_values_(p, w->mask, values);
        inst->values = values;
    }
    w->p = p;
}

/* Which instruction comes next, and with which mask. Returns 0 or an error. */
static inline int step_(const struct smrf_packed_block *b, struct smrf_packed_warp *w)
{
    if (w->p >= w->refill) {
        int rc = advance_(b, w);
        if (rc != 0) {
            return rc;
        }
    }
    const uint8_t *p = w->p;
    const unsigned tag = *p++;
    uint32_t index = w->index + 1;
    if (tag & SMRF_TAG_SPECIAL) {
        if (tag & SMRF_TAG_JUMP) {
            index += (uint32_t)unzigzag_(get_varint_(&p));
        }
        if (tag & SMRF_TAG_MASK) {
            memcpy(&w->mask, p, sizeof w->mask);
            p += sizeof w->mask;
        }
        w->bits = tag & SMRF_TAG_FIELDS;
    } else {
        w->bits = 0;
        w->run = (uint8_t)tag;
    }
    w->index = index;
    w->p = p;
    return 0;
}

/* An execution as its instruction's first one was, but perhaps for the mask. */
static inline void usual_(struct smrf_inst *inst, const struct smrf_code *c, uint32_t mask)
{
    inst->op = &c->inst;
    inst->values = NULL;
    inst->facts = c->inst.facts;
    inst->imm = c->imm;
    inst->line = c->line;
    inst->mask = mask;
    inst->addr_kind = SMRF_ADDR_NONE;
    inst->near_src = c->inst.near_src;
    inst->near_dst = c->inst.near_dst;
}

/* Executions inside a run: as they stand ready, or with a mask of their own. */
static inline void next_plain_(const struct smrf_packed_block *b, struct smrf_packed_warp *w,
                               unsigned count, struct smrf_inst *room,
                               const struct smrf_inst **inst)
{
    const uint32_t mask = w->mask, first = w->index;
    struct smrf_inst *const *ready = b->code->ready + first;
    w->left -= count;
    w->run = (uint8_t)(w->run - count);
    w->index = first + count;
    for (unsigned n = 0; n < count; n++) {
        inst[n] = ready[n];
        if (ready[n] == NULL || ready[n]->mask != mask) {
            usual_(&room[n], smrf_code_at(b->code, first + n), mask);
            room[n].next_pc = smrf_code_at(b->code, first + n + 1)->inst.pc;
            room[n].next_mask = mask;
            inst[n] = &room[n];
        }
    }
}

/* The last of a run, or what belongs to none. */
static SMRF_APART int next_tagged_(const struct smrf_packed_block *b, struct smrf_packed_warp *w,
                                   struct smrf_inst *room, const struct smrf_inst **inst)
{
    int rc = 0;
    *inst = room;
    if (w->left == 0) {
        return 0;
    }
    if (w->index == SMRF_BEFORE_FIRST) {
        rc = step_(b, w);
        if (rc != 0) {
            return rc;
        }
        if (w->run != 0) {
            next_plain_(b, w, 1, room, inst);
            return 1;
        }
    }
    const uint32_t index = w->index, mask = w->mask;
    const struct smrf_inst *ready = b->code->ready[index];
    const bool plain = w->bits == 0;
    if (!plain) {
        const struct smrf_code *c = smrf_code_at(b->code, index);
        usual_(room, c, mask);
        fields_(w, c, room, b->values);
    }
    room->next_pc = 0;
    room->next_mask = 0;
    if (--w->left != 0) {
        rc = step_(b, w);
        if (plain && ready != NULL && w->index == index + 1 && w->mask == mask &&
            mask == ready->mask) {
            *inst = ready;
            return rc != 0 ? rc : 1;
        }
        room->next_pc = smrf_code_at(b->code, w->index)->inst.pc;
        room->next_mask = w->mask;
    }
    if (plain) {
        usual_(room, smrf_code_at(b->code, index), mask);
    }
    return rc != 0 ? rc : 1;
}

/* Executions inside a run, as far as they stand ready. */
static inline void take_run_(const struct smrf_packed_block *b, struct smrf_packed_warp *w,
                             struct smrf_inst_run *run)
{
    const uint32_t mask = w->mask;
    const struct smrf_inst *next = w->run != 0 ? b->code->ready[w->index] : NULL;
    unsigned count = 0;
    run->next = next;
    for (; count < w->run && next != NULL && next->mask == mask; count++) {
        next = next->after;
    }
    run->left = (uint16_t)count;
    run->mask = mask;
    w->left -= count;
    w->run = (uint8_t)(w->run - count);
    w->index += count;
}

/* The same whatever their mask, up to the next that is not plain, or not behind the one before. */
static inline int take_any_run_(const struct smrf_packed_block *b, struct smrf_packed_warp *w,
                                struct smrf_inst_run *run)
{
    struct smrf_inst *const *const ready = b->code->ready;
    const uint32_t mask = w->mask;
    uint32_t index = w->index;
    unsigned count = 0;
    run->next = w->left != 0 ? ready[index] : NULL;
    run->mask = mask;
    while (w->left != 0 && w->bits == 0 && w->index == index && w->mask == mask &&
           ready[index] != NULL && count < UINT8_MAX) {
        unsigned more = w->run + 1u, n = 1;
        while (n < more && ready[index + n] != NULL) {
            n++;
        }
        count += n;
        index += n;
        w->left -= n;
        w->run = (uint8_t)(more - n - (n == more ? 0 : 1));
        w->index = n == more ? index - 1 : index;
        if (n == more && w->left != 0) {
            const int rc = step_(b, w);
            if (rc != 0) {
                return rc;
            }
        }
    }
    run->left = (uint16_t)count;
    return 0;
}

static inline int read_(const struct smrf_packed_block *b, struct smrf_packed_warp *w,
                        unsigned most, struct smrf_inst *room, const struct smrf_inst **inst)
{
    for (unsigned n = 0;;) {
        const unsigned plain = w->run < most - n ? w->run : most - n;
        if (plain != 0) {
            next_plain_(b, w, plain, &room[n], &inst[n]);
            n += plain;
            if (n == most) {
                return (int)most;
            }
        }
        const int rc = next_tagged_(b, w, &room[n], &inst[n]);
        if (rc <= 0) {
            return rc < 0 ? rc : (int)n;
        }
        n++;
        if (n == most || inst[n - 1]->values != NULL) {
            return (int)n;
        }
    }
}

int smrf_packed_next(const struct smrf_packed_block *b, struct smrf_packed_warp *w, unsigned most,
                     struct smrf_inst *room, const struct smrf_inst **inst,
                     struct smrf_inst_run *run)
{
    const int got = read_(b, w, most, room, inst);
    if (run != NULL && got == (int)most) {
        if (b->any_mask) {
            const int rc = take_any_run_(b, w, run);
            return rc != 0 ? rc : got;
        }
        take_run_(b, w, run);
    }
    return got;
}
