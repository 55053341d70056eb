/* SPDX-License-Identifier: Apache-2.0 */
/* IMMA: matrices of bytes and of nibbles, of 8 and of 16 rows. Fragment layouts: PTX ISA,
 * mma.m8n8k16, m8n8k32 and m16n8k16 to m16n8k64. Lane 4g + m has a word of row g of A and of column
 * g of B, from element m times a word's elements on, and elements 2m and 2m + 1 of row g of C. */
#include "firmware/exec/tensor.h"

#define MOST_K 32 /* of a register: four words of eight elements */
#define GROUPS 8

/* op->sub: pieces of k (a register of B each), then flags. */
enum {
    PIECES = 3,
    NIBBLES = 1 << 2,
    SIXTEEN = 1 << 3, /* rows */
    A_SIGNED = 1 << 4,
    B_SIGNED = 1 << 5,
    SATURATE = 1 << 6
};

/* A row of eight columns: the four even ones, then the four odd ones, as a lane's two registers
 * have them. */
typedef int32_t eight __attribute__((vector_size(32)));

static const uint32_t *row_of_(const struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                               unsigned k)
{
    return w->r[src->reg >= SMRF_EXEC_RZ ? src->reg : src->reg + k];
}

/* Elements of bits size, sign-extended by way of the value of their highest bit, or not. */
SMRF_EXEC_INLINE int32_t element_(uint32_t word, unsigned k, const unsigned bits, uint32_t sign)
{
    return (int32_t)(((word >> k * bits & ((1U << bits) - 1)) ^ sign) - sign);
}

SMRF_EXEC_INLINE void load_a_(const uint32_t row[SMRF_EXEC_LANES], const unsigned bits,
                              uint32_t sign, int32_t a[GROUPS * MOST_K])
{
    const unsigned depth = 32 / bits;
    if (bits == 8) { /* the same in a form that vectorises */
        uint8_t byte[4 * SMRF_EXEC_LANES];
        memcpy(byte, row, sizeof byte);
        for (unsigned n = 0; n < sizeof byte; n++) {
            a[n] = (int32_t)((byte[n] ^ sign) - sign);
        }
        return;
    }
    SMRF_EXEC_EACH_LANE(i)
        for (unsigned k = 0; k < depth; k++) {
            a[i * depth + k] = element_(row[i], k, bits, sign);
        }
}

SMRF_EXEC_INLINE void load_b_(const uint32_t row[SMRF_EXEC_LANES], const unsigned bits,
                              uint32_t sign, eight b[MOST_K])
{
    const unsigned depth = 32 / bits;
    for (unsigned m = 0; m < 4; m++) {
        uint32_t column[GROUPS]; /* word m of the even columns, then of the odd ones */
        for (unsigned j = 0; j < 4; j++) {
            column[j] = row[8 * j + m];
            column[4 + j] = row[8 * j + 4 + m];
        }
        for (unsigned k = 0; k < depth; k++) {
            int32_t element[GROUPS];
            for (unsigned x = 0; x < GROUPS; x++) {
                element[x] = element_(column[x], k, bits, sign);
            }
            memcpy(&b[m * depth + k], element, sizeof element);
        }
    }
}

/* Products of 8 rows: [even, odd columns][lane]. All of them fit 32 bits. */
SMRF_EXEC_INLINE void multiply_(const int32_t a[GROUPS * MOST_K], const eight b[MOST_K],
                                const unsigned bits, int32_t product[2][SMRF_EXEC_LANES])
{
    const unsigned terms = 4 * 32 / bits;
    for (unsigned g = 0; g < GROUPS; g++) {
        eight sum;
        memcpy(&sum, &product[0][4 * g], 16);
        memcpy((char *)&sum + 16, &product[1][4 * g], 16);
        for (unsigned k = 0; k < terms; k++) {
            sum += b[k] * a[g * terms + k];
        }
        memcpy(&product[0][4 * g], &sum, 16);
        memcpy(&product[1][4 * g], (char *)&sum + 16, 16);
    }
}

SMRF_EXEC_INLINE void add_(const uint32_t c[SMRF_EXEC_LANES],
                           const int32_t product[SMRF_EXEC_LANES], bool saturate,
                           uint32_t out[SMRF_EXEC_LANES])
{
    SMRF_EXEC_EACH_LANE(i) {
        const uint32_t p = (uint32_t)product[i], sum = c[i] + p;
        const bool over = ((c[i] ^ sum) & (p ^ sum)) >> 31 != 0;
        out[i] = saturate && over ? (c[i] >> 31) + UINT32_C(0x7fffffff) : sum;
    }
}

SMRF_EXEC_INLINE void imma_of_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                               const unsigned bits, uint32_t out[4][SMRF_EXEC_LANES])
{
    const unsigned halves = (op->sub & SIXTEEN) != 0 ? 2 : 1;
    const uint32_t top = 1U << (bits - 1);
    int32_t product[2][2][SMRF_EXEC_LANES] = {{{0}}};
    for (unsigned piece = 0; piece < (op->sub & PIECES); piece++) {
        eight b[MOST_K];
        load_b_(row_of_(w, &op->src[1], piece), bits, (op->sub & B_SIGNED) != 0 ? top : 0, b);
        for (unsigned h = 0; h < halves; h++) {
            int32_t a[GROUPS * MOST_K];
            load_a_(row_of_(w, &op->src[0], halves * piece + h), bits,
                    (op->sub & A_SIGNED) != 0 ? top : 0, a);
            multiply_(a, b, bits, product[h]);
        }
    }
    for (unsigned k = 0; k < 2 * halves; k++) {
        add_(row_of_(w, &op->src[2], k), product[k / 2][k % 2], (op->sub & SATURATE) != 0, out[k]);
    }
}

SMRF_EXEC_HANDLER(imma)
{
    uint32_t out[4][SMRF_EXEC_LANES];
    if ((op->sub & NIBBLES) != 0) {
        imma_of_(w, op, 4, out);
    } else {
        imma_of_(w, op, 8, out);
    }
    unsigned r = op->dst;
    for (unsigned k = 0; k < ((op->sub & SIXTEEN) != 0 ? 4U : 2U); k++) {
        smrf_exec_write(w, r, mask, out[k]);
        r = smrf_exec_next_row(r);
    }
    return smrf_exec_done(w);
}

void smrf_exec_bind_imma(struct smrf_exec_binding *b)
{
    static const char *const types[] = {"S8", "U8", "S4", "U4"};
    static const struct {
        const char *name;
        unsigned k;
        bool sixteen;
    } shapes[] = {{"8816", 16, false},
                  {"8832", 32, false},
                  {"16816", 16, true},
                  {"16832", 32, true},
                  {"16864", 64, true}};
    unsigned shape = 0;
    while (shape < 5 && !smrf_exec_bind_has(b, shapes[shape].name)) {
        shape++;
    }
    const unsigned first = smrf_exec_bind_next_of(b, types, 4, 4);
    const unsigned second = smrf_exec_bind_next_of(b, types, 4, 4);
    const unsigned bits = first < 2 ? 8 : 4;
    const unsigned pieces = shape < 5 ? shapes[shape].k * bits / 128 : 0;
    const bool sixteen = shape < 5 && shapes[shape].sixteen;
    if (first == 4 || second == 4 || first / 2 != second / 2 || pieces == 0 ||
        pieces > (sixteen ? 2 : 1) || shapes[shape].k * bits % 128 != 0) {
        smrf_exec_bind_fail(b, "%s: this shape or these types are not supported",
                            b->inst->mnemonic);
    }
    b->op->sub = pieces | (bits == 4 ? (unsigned)NIBBLES : 0U) |
                 (sixteen ? (unsigned)SIXTEEN : 0U) | (first % 2 == 0 ? (unsigned)A_SIGNED : 0U) |
                 (second % 2 == 0 ? (unsigned)B_SIGNED : 0U) |
                 (smrf_exec_bind_has(b, "SAT") ? (unsigned)SATURATE : 0U);
    smrf_exec_bind_dst(b);
    smrf_exec_bind_matrix(b, SMRF_SASS_ROW);
    smrf_exec_bind_matrix(b, SMRF_SASS_COL);
    smrf_exec_bind_matrix(b, SMRF_SASS_WHOLE);
    b->op->fn = SMRF_EXEC_PICK(imma);
}
