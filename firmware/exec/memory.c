/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores of all spaces and widths, constant loads, matrix loads, copies to shared memory.
 */
#include "firmware/exec/access.h"

#include <string.h>

enum width { W_U8, W_S8, W_U16, W_S16, W_32, W_64, W_128 };

static const uint8_t width_bytes[] = {1, 1, 2, 2, 4, 8, 16};

static uint32_t extend_(uint32_t value, unsigned width)
{
    switch (width) {
    case W_U8:
        return value & 0xff;
    case W_S8:
        return (uint32_t)(int32_t)(int8_t)value;
    case W_U16:
        return value & 0xffff;
    case W_S16:
        return (uint32_t)(int32_t)(int16_t)value;
    default:
        return value;
    }
}

static unsigned rows_of_(unsigned bytes)
{
    return bytes <= 4 ? 1 : bytes / 4;
}

static unsigned row_at_(unsigned first, unsigned k)
{
    return first >= SMRF_EXEC_RZ ? first : first + k;
}

/* ---- a lane at a time ---------------------------------------------------------------------- */

/* Lanes that lie in several ranges, or where something is wrong. */
static int load_lanes_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint8_t *at[SMRF_EXEC_LANES];
    int rc = smrf_exec_locate(w, op, mask, at);
    if (rc < 0) {
        return rc;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        uint32_t value = 0;
        memcpy(&value, at[i], op->bytes < 4 ? op->bytes : 4);
        w->r[op->dst][i] = extend_(value, op->sub);
        for (unsigned k = 1; k < rows_of_(op->bytes); k++) {
            memcpy(&w->r[row_at_(op->dst, k)][i], at[i] + 4 * (size_t)k, 4);
        }
    }
    return 0;
}

static int store_lanes_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint8_t *at[SMRF_EXEC_LANES];
    int rc = smrf_exec_locate(w, op, mask, at);
    if (rc < 0) {
        return rc;
    }
    unsigned first = op->src[1].reg, rows = rows_of_(op->bytes);
    size_t bytes = op->bytes < 4 ? op->bytes : 4;
    w->block->writes += (op->sub2 & SMRF_EXEC_ADDRESS_SPACE) != SMRF_EXEC_LOCAL;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        for (unsigned k = 0; k < rows; k++) {
            memcpy(at[i] + 4 * (size_t)k, &w->r[row_at_(first, k)][i], bytes);
        }
    }
    return 0;
}

/* ---- all lanes at once --------------------------------------------------------------------- */

/* Where a lane's bytes from `offset` on lie. */
SMRF_EXEC_INLINE uint8_t *lane_at_(const struct smrf_exec_warp *w, const struct smrf_exec_place *p,
                                   size_t stride, unsigned lane, unsigned offset)
{
    return (uint8_t *)(p->host + w->block->address[lane] + lane * stride + offset);
}

SMRF_EXEC_INLINE void gather_(struct smrf_exec_warp *w, const struct smrf_exec_place *p,
                              size_t stride, uint32_t mask, unsigned row, unsigned offset)
{
    uint32_t *d = w->r[row];
    if (mask == SMRF_EXEC_ALL) {
        SMRF_EXEC_EACH_LANE(i)
            memcpy(&d[i], lane_at_(w, p, stride, i, offset), 4);
        return;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        memcpy(&d[i], lane_at_(w, p, stride, i, offset), 4);
    }
}

/* Where lanes store to the same address the highest one's value stays. */
SMRF_EXEC_INLINE void scatter_(const struct smrf_exec_warp *w, const struct smrf_exec_place *p,
                               size_t stride, uint32_t mask, unsigned row, unsigned offset)
{
    const uint32_t *from = w->r[row];
    if (mask == SMRF_EXEC_ALL) {
        SMRF_EXEC_EACH_LANE(i)
            memcpy(lane_at_(w, p, stride, i, offset), &from[i], 4);
        return;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        memcpy(lane_at_(w, p, stride, i, offset), &from[i], 4);
    }
}

/* Loads of 4, 8 and 16 bytes. */
SMRF_EXEC_HANDLER(load)
{
    struct smrf_exec_place p;
    if (!smrf_exec_place(w, op, mask, &p)) {
        return load_lanes_(w, op, mask);
    }
    if (op->bytes == 4 && p.low == p.high && p.stride == 0) { /* one word for all */
        uint32_t value[SMRF_EXEC_LANES];
        memcpy(&value[0], (const void *)(p.host + p.low), 4);
        SMRF_EXEC_EACH_LANE(i)
            value[i] = value[0];
        smrf_exec_write(w, op->dst, mask, value);
        return 0;
    }
    if (op->bytes == 4 && smrf_exec_is_row(w, mask, &p)) {
        memcpy(w->r[op->dst], (const void *)(p.host + p.low), sizeof w->r[0]);
        return 0;
    }
    for (unsigned k = 0; k < rows_of_(op->bytes); k++) {
        if (p.stride == 0) {
            gather_(w, &p, 0, mask, row_at_(op->dst, k), 4 * k);
        } else {
            gather_(w, &p, p.stride, mask, row_at_(op->dst, k), 4 * k);
        }
    }
    return 0;
}

/* Loads of a byte or two. */
SMRF_EXEC_INLINE void load_part_rows_(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                                      uint32_t mask, const struct smrf_exec_place *p)
{
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        const uint8_t *at = lane_at_(w, p, p->stride, i, 0);
        uint32_t value = at[0];
        if (op->bytes == 2) {
            value |= (uint32_t)at[1] << 8;
        }
        w->r[op->dst][i] = extend_(value, op->sub);
    }
}

SMRF_EXEC_HANDLER(load_part)
{
    struct smrf_exec_place p;
    if (!smrf_exec_place(w, op, mask, &p)) {
        return load_lanes_(w, op, mask);
    }
    load_part_rows_(w, op, mask, &p);
    return 0;
}

/* With a predicate behind the address: lanes in which it does not hold get zeros. */
static int load_or_zero_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    static const uint32_t zero[SMRF_EXEC_LANES];
    const uint32_t loaded = mask & smrf_exec_pred(w, &op->psrc[0]);
    int rc = load_lanes_(w, op, loaded);
    for (unsigned k = 0; rc == 0 && k < rows_of_(op->bytes); k++) {
        smrf_exec_write(w, row_at_(op->dst, k), mask & ~loaded, zero);
    }
    return rc;
}

/* Stores of 4, 8 and 16 bytes. */
SMRF_EXEC_HANDLER(store)
{
    struct smrf_exec_place p;
    if (!smrf_exec_place(w, op, mask, &p)) {
        return store_lanes_(w, op, mask);
    }
    const unsigned first = op->src[1].reg;
    w->block->writes += p.stride == 0; /* not to local memory */
    if (op->bytes == 4 && smrf_exec_is_row(w, mask, &p)) {
        memcpy((void *)(p.host + p.low), w->r[first], sizeof w->r[0]);
        return 0;
    }
    for (unsigned k = 0; k < rows_of_(op->bytes); k++) {
        if (p.stride == 0) {
            scatter_(w, &p, 0, mask, row_at_(first, k), 4 * k);
        } else {
            scatter_(w, &p, p.stride, mask, row_at_(first, k), 4 * k);
        }
    }
    return 0;
}

/* What is wrong with a lane's read of a constant bank. */
static int constant_fails_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, unsigned lane,
                           const uint8_t *data, uint32_t bytes)
{
    const unsigned bank = op->src[0].bank;
    const unsigned long long offset = w->block->address[lane];
    if (offset % op->bytes != 0) {
        return smrf_exec_fail(w, (int)lane, SMRF_ERR_CHECK,
                              "misaligned read of %u bytes at c[0x%x][0x%llx]", (unsigned)op->bytes,
                              bank, offset);
    }
    if (data == NULL && bank != 0) {
        return smrf_exec_fail(w, (int)lane, SMRF_ERR_CHECK,
                              "read at c[0x%x][0x%llx]: " SMRF_EXEC_NO_CONSTANTS, bank, offset);
    }
    return smrf_exec_fail(w, (int)lane, SMRF_ERR_CHECK,
                          "out-of-range read at c[0x%x][0x%llx]: the bank has %u bytes", bank,
                          offset, data == NULL ? 0 : bytes);
}

/* LDC: lanes index a constant bank. A function's own bank comes before the launch's. */
SMRF_EXEC_HANDLER(load_constant)
{
    const struct smrf_exec_src *s = &op->src[0];
    struct smrf_exec_block *b = w->block;
    const struct smrf_sass_function *f = &b->launch->code->module->function[op->inst->function];
    const bool own = s->bank != 0 && f->const_data[s->bank] != NULL;
    const uint8_t *data = own ? f->const_data[s->bank] : b->const_data[s->bank];
    const uint32_t bytes = own ? f->const_bytes[s->bank] : b->const_bytes[s->bank];
    struct smrf_exec_place p = {.host = (uintptr_t)data};
    if ((smrf_exec_reach32(w, op, mask, &p) & (op->bytes - 1U)) != 0 || data == NULL ||
        p.high + op->bytes > bytes) {
        for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const unsigned i = (unsigned)__builtin_ctz(rest);
            if (b->address[i] % op->bytes != 0 || data == NULL ||
                b->address[i] + op->bytes > bytes) {
                return constant_fails_(w, op, i, data, bytes);
            }
        }
    }
    if (op->bytes < 4) {
        load_part_rows_(w, op, mask, &p);
        return 0;
    }
    for (unsigned k = 0; k < rows_of_(op->bytes); k++) {
        gather_(w, &p, 0, mask, row_at_(op->dst, k), 4 * k);
    }
    return 0;
}

/* QSPC: is the generic address in this window? op->sub: enum smrf_exec_space. */
static int query_space_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    const struct smrf_exec_src *s = &op->src[0];
    uint32_t inside = 0, row[SMRF_EXEC_LANES];
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        uint64_t address = w->r[s->reg][i] | (uint64_t)w->r[smrf_exec_next_row(s->reg)][i] << 32;
        address += s->imm;
        if (s->ureg < 63) {
            address += w->ur[s->ureg] | (uint64_t)w->ur[s->ureg + 1] << 32;
        }
        bool is = (uint32_t)smrf_exec_space_of(address) == op->sub;
        inside |= is ? UINT32_C(1) << i : 0;
        row[i] = is ? 1 : 0;
    }
    smrf_exec_write(w, op->dst, mask, row);
    smrf_exec_write_pred(w, op->pdst, mask, inside);
    return 0;
}

typedef uint16_t halves __attribute__((vector_size(16)));

/* The rows r and r + 4 interleaved become the rows 2r and 2r + 1. The highest bit of a row's number
 * is then the lowest of the columns', and so on: three times, and rows are columns. */
static inline void transpose_(halves matrix[8])
{
    for (unsigned step = 0; step < 3; step++) {
        halves next[8];
        for (unsigned r = 0; r < 4; r++) {
            next[2 * r] =
                __builtin_shufflevector(matrix[r], matrix[r + 4], 0, 8, 1, 9, 2, 10, 3, 11);
            next[2 * r + 1] =
                __builtin_shufflevector(matrix[r], matrix[r + 4], 4, 12, 5, 13, 6, 14, 7, 15);
        }
        memcpy(matrix, next, sizeof next);
    }
}

/* LDSM: 8 x 8 matrices of 16-bit elements. Lane 8m + r holds the address of row r of matrix m; lane
 * i gets elements 2(i % 4) and 2(i % 4) + 1 of row i / 4 (transposed: of column i / 4). */
SMRF_EXEC_HANDLER(load_matrix)
{
    struct smrf_exec_place p;
    const unsigned matrices = op->sub & 0xff;
    const bool transposed = op->sub >> 8 != 0;
    const uint32_t named = matrices == 4 ? SMRF_EXEC_ALL : (UINT32_C(1) << 8 * matrices) - 1;
    if (mask != SMRF_EXEC_ALL) {
        return smrf_exec_fail(w, -1, SMRF_ERR_CHECK,
                              "a matrix load needs all 32 lanes, 0x%08x are here", mask);
    }
    if (!smrf_exec_place(w, op, named, &p)) {
        uint8_t *at[SMRF_EXEC_LANES];
        return smrf_exec_locate(w, op, named, at); /* says what is wrong */
    }
    for (unsigned m = 0; m < matrices; m++) {
        uint32_t row[SMRF_EXEC_LANES];
        halves matrix[8];
        for (unsigned r = 0; r < 8; r++) {
            memcpy(&matrix[r], lane_at_(w, &p, 0, 8 * m + r, 0), sizeof matrix[r]);
        }
        if (transposed) {
            transpose_(matrix);
        }
        memcpy(row, matrix, sizeof row);
        smrf_exec_write(w, row_at_(op->dst, m), mask, row);
    }
    return 0;
}

/* LDGSTS: from src[0] in global memory to src[1] in shared memory. It is done at once; a program
 * may not look before it has waited. Lanes whose predicate does not hold copy zeros: compiled code
 * has it for a cp.async of 0 bytes. With .ZFILL the low bits of an address say how many bytes at
 * the end are zeros instead of what lies there. */
static int copy_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    const struct smrf_exec_src *to = &op->src[1];
    struct smrf_exec_block *b = w->block;
    const uint32_t copied = mask & smrf_exec_pred(w, &op->psrc[0]);
    const bool part = (op->sub2 & SMRF_EXEC_ADDRESS_PART) != 0;
    uint64_t address[SMRF_EXEC_LANES];
    uint8_t *at[SMRF_EXEC_LANES];
    if (part) {
        smrf_exec_addresses(w, op, address);
    }
    int rc = smrf_exec_locate(w, op, copied, at);
    if (rc < 0) {
        return rc;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctz(rest);
        const unsigned left = part ? (unsigned)address[i] & (op->bytes - 1U) : 0;
        const uint32_t offset = w->r[to->reg][i] + w->ur[to->ureg] + (uint32_t)to->imm;
        if (offset % op->bytes != 0 || (uint64_t)offset + op->bytes > b->shared_bytes) {
            w->fault = offset % op->bytes != 0 ? SMRF_FAULT_MISALIGNED : SMRF_FAULT_ADDRESS;
            return smrf_exec_fail(w, (int)i, SMRF_ERR_CHECK,
                                  "misaligned or out-of-range copy of %u bytes to offset 0x%x of "
                                  "%u bytes of shared memory",
                                  (unsigned)op->bytes, offset, b->shared_bytes);
        }
        memset(b->shared + offset, 0, op->bytes);
        if ((copied >> i & 1) != 0) {
            memcpy(b->shared + offset, at[i], op->bytes - left);
        }
    }
    return 0;
}

/* ---- binding ------------------------------------------------------------------------------- */

static void bind_width_(struct smrf_exec_binding *b, unsigned widest)
{
    static const char *const names[] = {"U8", "S8", "U16", "S16", "32", "64", "128"};
    b->op->sub = smrf_exec_bind_one_of(b, names, widest + 1, W_32);
    b->op->bytes = width_bytes[b->op->sub];
}

static void bind_load_(struct smrf_exec_binding *b, enum smrf_exec_space space)
{
    bind_width_(b, W_128);
    b->op->fn = b->op->bytes < 4 ? SMRF_EXEC_PICK(load_part) : SMRF_EXEC_PICK(load);
    smrf_exec_bind_caching(b);
    smrf_exec_bind_dst_rows(b, rows_of_(b->op->bytes));
    smrf_exec_bind_address(b, space);
    if (smrf_exec_bind_kind(b) == SMRF_SASS_PRED) {
        b->op->fn = load_or_zero_;
        smrf_exec_bind_psrc(b);
    }
}

static void bind_store_(struct smrf_exec_binding *b, enum smrf_exec_space space)
{
    bind_width_(b, W_128);
    b->op->fn = b->op->bytes < 4 ? store_lanes_ : SMRF_EXEC_PICK(store);
    b->op->sub2 = SMRF_EXEC_ADDRESS_WRITE;
    smrf_exec_bind_caching(b);
    smrf_exec_bind_address(b, space);
    smrf_exec_bind_rows(b, rows_of_(b->op->bytes));
}

static void bind_constant_(struct smrf_exec_binding *b)
{
    bind_width_(b, W_64);
    b->op->fn = SMRF_EXEC_PICK(load_constant);
    smrf_exec_bind_dst_rows(b, rows_of_(b->op->bytes));
    const struct smrf_sass_operand *o =
        b->next < b->inst->num_operands ? &b->inst->operand[b->next++] : NULL;
    if (o == NULL || o->kind != SMRF_SASS_CONST || o->bank >= SMRF_SASS_CONST_BANKS) {
        smrf_exec_bind_fail(b, "%s needs a constant c[0x0 .. 0x7][..]", b->inst->mnemonic);
        return;
    }
    /* Not through num_src: the decoder must not fold an indexed constant. */
    b->op->src[0] = (struct smrf_exec_src){.kind = SMRF_SASS_CONST,
                                           .reg = o->reg,
                                           .ureg = o->ureg,
                                           .bank = o->bank,
                                           .part = 1, /* the offset's scale */
                                           .imm = (uint64_t)o->imm};
}

static void bind_query_(struct smrf_exec_binding *b)
{
    b->op->fn = query_space_;
    b->op->sub = smrf_exec_bind_has(b, "S")   ? SMRF_EXEC_SHARED
                 : smrf_exec_bind_has(b, "L") ? SMRF_EXEC_LOCAL
                                              : SMRF_EXEC_GLOBAL;
    (void)smrf_exec_bind_has(b, "G");
    smrf_exec_bind_pdst(b, &b->op->pdst);
    smrf_exec_bind_dst(b);
    smrf_exec_bind_address(b, SMRF_EXEC_GENERIC);
}

static void bind_matrix_(struct smrf_exec_binding *b)
{
    static const char *const counts[] = {"1", "2", "4"};
    b->op->fn = SMRF_EXEC_PICK(load_matrix);
    b->op->bytes = 16; /* one row */
    unsigned matrices = 1U << smrf_exec_bind_one_of(b, counts, 3, 0);
    bool straight = smrf_exec_bind_has(b, "M88"), transposed = smrf_exec_bind_has(b, "MT88");
    if (!smrf_exec_bind_has(b, "16") || straight == transposed) {
        smrf_exec_bind_fail(b, "%s is not supported", b->inst->mnemonic);
    }
    b->op->sub = matrices | (transposed ? 0x100U : 0);
    smrf_exec_bind_dst_rows(b, matrices);
    smrf_exec_bind_address(b, SMRF_EXEC_SHARED);
}

static void bind_copy_(struct smrf_exec_binding *b)
{
    const struct smrf_sass_operand *to =
        b->next < b->inst->num_operands ? &b->inst->operand[b->next++] : NULL;
    b->op->fn = copy_;
    bind_width_(b, W_128);
    (void)smrf_exec_bind_has(b, "BYPASS");
    b->op->sub2 = smrf_exec_bind_has(b, "ZFILL") ? SMRF_EXEC_ADDRESS_PART : 0;
    smrf_exec_bind_caching(b);
    smrf_exec_bind_address(b, SMRF_EXEC_GLOBAL);
    if (to == NULL || to->kind != SMRF_SASS_MEM || to->wide || to->scale > 1) {
        smrf_exec_bind_fail(b, "%s needs an address in shared memory", b->inst->mnemonic);
        return;
    }
    b->op->src[b->op->num_src++] = (struct smrf_exec_src){
        .kind = SMRF_SASS_MEM, .reg = to->reg, .ureg = to->ureg, .imm = (uint64_t)to->imm};
    if (smrf_exec_bind_kind(b) == SMRF_SASS_PRED || smrf_exec_bind_kind(b) == SMRF_SASS_UPRED) {
        smrf_exec_bind_psrc(b);
    } else {
        smrf_exec_bind_true(b);
    }
}

int smrf_exec_bind_memory(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    static const struct {
        const char *name;
        void (*bind)(struct smrf_exec_binding *b, enum smrf_exec_space space);
        enum smrf_exec_space space;
    } table[] = {
        {"LD", bind_load_, SMRF_EXEC_GENERIC},  {"LDG", bind_load_, SMRF_EXEC_GLOBAL},
        {"LDS", bind_load_, SMRF_EXEC_SHARED},  {"LDL", bind_load_, SMRF_EXEC_LOCAL},
        {"ST", bind_store_, SMRF_EXEC_GENERIC}, {"STG", bind_store_, SMRF_EXEC_GLOBAL},
        {"STS", bind_store_, SMRF_EXEC_SHARED}, {"STL", bind_store_, SMRF_EXEC_LOCAL},
    };
    struct smrf_exec_binding b;
    const char *name = op->inst->opcode;
    smrf_exec_bind_begin(&b, op, error);
    op->control = SMRF_EXEC_MEMORY;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(name, table[i].name) == 0) {
            table[i].bind(&b, table[i].space);
            return smrf_exec_bind_end(&b);
        }
    }
    if (strcmp(name, "LDC") == 0) {
        bind_constant_(&b);
    } else if (strcmp(name, "LDSM") == 0) {
        bind_matrix_(&b);
    } else if (strcmp(name, "LDGSTS") == 0) {
        bind_copy_(&b);
    } else if (strcmp(name, "QSPC") == 0) {
        bind_query_(&b);
        op->control = SMRF_EXEC_PLAIN;
    } else {
        op->control = SMRF_EXEC_PLAIN;
        return smrf_exec_bind_atomic(op, error);
    }
    return smrf_exec_bind_end(&b);
}
