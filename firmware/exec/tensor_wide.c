/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions since sm_80: BMMA of 16 rows, DMMA. Fragment layouts: PTX ISA, mma.m16n8k128,
 * m16n8k256 and m8n8k4 of doubles.
 *
 * In BMMA a row of A is 4 or 8 words: register r of a lane has word 4 (r / 2) + m of row
 * g + 8 (r % 2), of B word 4 r + m of column g, of C and D elements 2m and 2m + 1 of row g or
 * g + 8, with g the lane's number over 4 and m what is left. */
#include "firmware/exec/tensor.h"

#include <math.h>

#define ROWS 16
#define COLUMNS 8
#define MOST_WORDS 8

struct words {
    uint32_t a[ROWS][MOST_WORDS], b[COLUMNS][MOST_WORDS];
};

/* op->sub: words of a row, then a flag. */
enum { WIDE_WORDS = 0xff, WIDE_AND = 1 << 8 };
#define WORDS(op) ((op)->sub & WIDE_WORDS)

static const uint32_t *row_of_(const struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                               unsigned k)
{
    return w->r[src->reg >= SMRF_EXEC_RZ ? src->reg : src->reg + k];
}

static void gather_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                    struct words *words)
{
    const unsigned count = WORDS(op), pieces = (count + 3) / 4;
    for (unsigned r = 0; r < 2 * pieces; r++) {
        const uint32_t *row = row_of_(w, &op->src[0], r);
        SMRF_EXEC_EACH_LANE(i)
            words->a[SMRF_EXEC_GROUP(i) + 8 * (r % 2)][4 * (r / 2) + SMRF_EXEC_MEMBER(i)] = row[i];
    }
    for (unsigned r = 0; r < pieces; r++) {
        const uint32_t *row = row_of_(w, &op->src[1], r);
        SMRF_EXEC_EACH_LANE(i)
            words->b[SMRF_EXEC_GROUP(i)][4 * r + SMRF_EXEC_MEMBER(i)] = row[i];
    }
}

static void write_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                   unsigned count, uint32_t out[][SMRF_EXEC_LANES])
{
    unsigned r = op->dst;
    for (unsigned k = 0; k < count; k++, r = smrf_exec_next_row(r)) {
        smrf_exec_write(w, r, mask, out[k]);
    }
}

/* ---- BMMA ---------------------------------------------------------------------------------- */

SMRF_EXEC_INLINE int32_t bit_product_(const struct smrf_exec_op *op, const uint32_t *a,
                                      const uint32_t *b)
{
    int32_t sum = 0;
    for (unsigned n = 0; n < WORDS(op); n++) {
        sum += __builtin_popcount((op->sub & WIDE_AND) != 0 ? a[n] & b[n] : a[n] ^ b[n]);
    }
    return sum;
}

SMRF_EXEC_HANDLER(bmma_wide)
{
    struct words words = {.a = {{0}}};
    uint32_t out[4][SMRF_EXEC_LANES];
    gather_(w, op, &words);
    SMRF_EXEC_EACH_LANE(i)
        for (unsigned k = 0; k < 4; k++) {
            const uint32_t *row = words.a[SMRF_EXEC_GROUP(i) + 8 * (k / 2)];
            const uint32_t *column = words.b[2 * SMRF_EXEC_MEMBER(i) + k % 2];
            const uint32_t sum = (uint32_t)bit_product_(op, row, column);
            out[k][i] = row_of_(w, &op->src[2], k)[i] + sum;
        }
    write_(w, op, mask, 4, out);
    return smrf_exec_done(w);
}

void smrf_exec_bind_bmma_wide(struct smrf_exec_binding *b)
{
    const bool both = smrf_exec_bind_has(b, "AND");
    const unsigned words = smrf_exec_bind_has(b, "168256")   ? 8
                           : smrf_exec_bind_has(b, "168128") ? 4
                                                             : 0;
    if (words == 0 || !smrf_exec_bind_has(b, "POPC") || (!both && !smrf_exec_bind_has(b, "XOR"))) {
        smrf_exec_bind_fail(b, "%s is not supported in this form", b->inst->mnemonic);
    }
    b->op->sub = words | (both ? (unsigned)WIDE_AND : 0U);
    smrf_exec_bind_dst(b);
    smrf_exec_bind_matrix(b, SMRF_SASS_ROW);
    smrf_exec_bind_matrix(b, SMRF_SASS_COL);
    smrf_exec_bind_matrix(b, SMRF_SASS_WHOLE);
    b->op->fn = SMRF_EXEC_PICK(bmma_wide);
}

/* ---- DMMA: 8 x 4 by 4 x 8 ------------------------------------------------------------------ */

static double pair_(const struct smrf_exec_warp *w, const struct smrf_exec_src *src, unsigned k,
                    unsigned lane)
{
    const uint64_t low = row_of_(w, src, k)[lane], high = row_of_(w, src, k + 1)[lane];
    const uint64_t bits = low | high << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Row g of A lies in lanes 4g to 4g + 3, column g of B likewise, elements 2m and 2m + 1 of row g of
 * C in its lane m. Every product is added with one rounding, in order of k. */
static int dmma_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint32_t out[4][SMRF_EXEC_LANES];
    SMRF_EXEC_EACH_LANE(i)
        for (unsigned e = 0; e < 2; e++) {
            const unsigned row = 4 * SMRF_EXEC_GROUP(i), column = 4 * (2 * SMRF_EXEC_MEMBER(i) + e);
            double sum = pair_(w, &op->src[2], 2 * e, i);
            for (unsigned k = 0; k < 4; k++) {
                sum = fma(pair_(w, &op->src[0], 0, row + k), pair_(w, &op->src[1], 0, column + k),
                          sum);
            }
            uint64_t bits = UINT64_C(0xfff8000000000000); /* the NaN that DFMA gives */
            if (!isnan(sum)) {
                memcpy(&bits, &sum, sizeof bits);
            }
            out[2 * e][i] = (uint32_t)bits;
            out[2 * e + 1][i] = (uint32_t)(bits >> 32);
        }
    write_(w, op, mask, 4, out);
    return smrf_exec_done(w);
}

void smrf_exec_bind_dmma(struct smrf_exec_binding *b)
{
    if (!smrf_exec_bind_has(b, "884") && !smrf_exec_bind_has(b, "8x8x4")) {
        smrf_exec_bind_fail(b, "%s: only the shape .884 is supported", b->inst->mnemonic);
    }
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 3; k++) {
        smrf_exec_bind_matrix(b, SMRF_SASS_WHOLE);
    }
    b->op->fn = dmma_;
}
