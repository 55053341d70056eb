/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that look across the lanes of a warp: VOTE, SHFL, MATCH, REDUX. The lanes that take
 * part are those that execute together. */
#include "firmware/exec/lanes.h"

enum { VOTE_ALL, VOTE_ANY, VOTE_EQ };

/* Ballot to the register, verdict to the predicate. */
static int vote_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint32_t ballot = smrf_exec_pred(w, &op->psrc[0]) & mask, out[SMRF_EXEC_LANES];
    bool truth = op->sub == VOTE_ALL   ? ballot == mask
                 : op->sub == VOTE_ANY ? ballot != 0
                                       : ballot == 0 || ballot == mask;
    SMRF_EXEC_EACH_LANE(i)
        out[i] = ballot;
    smrf_exec_write(w, op->dst, mask, out);
    smrf_exec_write_pred(w, op->pdst, mask, truth ? SMRF_EXEC_ALL : 0);
    return smrf_exec_done(w);
}

static void bind_vote_(struct smrf_exec_binding *b)
{
    static const char *const mode[] = {"ALL", "ANY", "EQ"};
    b->op->sub = smrf_exec_bind_one_of(b, mode, 3, 3);
    if (b->op->sub == 3) {
        smrf_exec_bind_fail(b, "%s names no vote", b->inst->mnemonic);
    }
    if (smrf_exec_bind_kind(b) == SMRF_SASS_REG) {
        smrf_exec_bind_dst(b);
    }
    smrf_exec_bind_pdst(b, &b->op->pdst);
    smrf_exec_bind_psrc(b);
    b->op->fn = vote_;
}

enum { SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY };

/* PTX ISA, shfl: the third operand has the segment mask in bits 8..12, the clamp in bits 0..4. A
 * source lane that does not take part gives what its register holds. */
static int shfl_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    SMRF_EXEC_ROW_U32(value, 0);
    SMRF_EXEC_ROW_U32(b, 1);
    SMRF_EXEC_ROW_U32(c, 2);
    uint32_t out[SMRF_EXEC_LANES], inside = 0;
    SMRF_EXEC_EACH_LANE(i) {
        uint32_t segment = c[i] >> 8 & 31, clamp = c[i] & 31, by = b[i] & 31;
        int32_t bound = (int32_t)((i & segment) | (clamp & ~segment & 31));
        int32_t from;
        switch (op->sub) {
        case SHFL_UP:
            from = (int32_t)i - (int32_t)by;
            break;
        case SHFL_DOWN:
            from = (int32_t)(i + by);
            break;
        case SHFL_BFLY:
            from = (int32_t)(i ^ by);
            break;
        default:
            from = (int32_t)((i & segment) | (by & ~segment & 31));
            break;
        }
        bool valid = op->sub == SHFL_UP ? from >= bound : from <= bound;
        inside |= valid ? smrf_exec_bit[i] : 0;
        out[i] = value[valid ? (uint32_t)from & 31 : i];
    }
    smrf_exec_write(w, op->dst, mask, out);
    smrf_exec_write_pred(w, op->pdst, mask, inside);
    return smrf_exec_done(w);
}

static void bind_shfl_(struct smrf_exec_binding *b)
{
    static const char *const mode[] = {"IDX", "UP", "DOWN", "BFLY"};
    b->op->sub = smrf_exec_bind_one_of(b, mode, 4, 4);
    if (b->op->sub == 4) {
        smrf_exec_bind_fail(b, "%s names no mode", b->inst->mnemonic);
    }
    smrf_exec_bind_pdst(b, &b->op->pdst);
    smrf_exec_bind_dst(b);
    for (unsigned k = 0; k < 3; k++) {
        smrf_exec_bind_src(b, SMRF_EXEC_U32);
    }
    b->op->fn = shfl_;
}

enum { MATCH_ANY, MATCH_ALL };

/* ANY: the lanes with the same value. ALL: all lanes if they have one value, else none, and which
 * of the two to the predicate. */
static int match_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint64_t value[SMRF_EXEC_LANES];
    uint32_t out[SMRF_EXEC_LANES] = {0};
    if (op->sub2 != 0) {
        smrf_exec_u64(w, &op->src[0], value);
    } else {
        SMRF_EXEC_ROW_U32(word, 0);
        SMRF_EXEC_EACH_LANE(i)
            value[i] = word[i];
    }
    for (uint32_t left = mask; left != 0;) {
        uint64_t first = value[__builtin_ctz(left)];
        uint32_t same = 0;
        SMRF_EXEC_EACH_LANE(i)
            same |= value[i] == first ? smrf_exec_bit[i] : 0;
        same &= mask;
        SMRF_EXEC_EACH_LANE(i)
            out[i] |= (same & smrf_exec_bit[i]) != 0 ? same : 0;
        left &= ~same;
        if (op->sub == MATCH_ALL) {
            SMRF_EXEC_EACH_LANE(i)
                out[i] = left == 0 ? same : 0;
            smrf_exec_write_pred(w, op->pdst, mask, left == 0 ? SMRF_EXEC_ALL : 0);
            break;
        }
    }
    smrf_exec_write(w, op->dst, mask, out);
    return smrf_exec_done(w);
}

static void bind_match_(struct smrf_exec_binding *b)
{
    static const char *const mode[] = {"ANY", "ALL"};
    b->op->sub = smrf_exec_bind_one_of(b, mode, 2, 2);
    if (b->op->sub == 2) {
        smrf_exec_bind_fail(b, "%s names no mode", b->inst->mnemonic);
    }
    b->op->sub2 = smrf_exec_bind_has(b, "U64") ? 1 : 0;
    if (b->op->sub == MATCH_ALL && smrf_exec_bind_kind(b) == SMRF_SASS_PRED) {
        smrf_exec_bind_pdst(b, &b->op->pdst);
    }
    smrf_exec_bind_dst(b);
    smrf_exec_bind_src(b, b->op->sub2 != 0 ? SMRF_EXEC_U64 : SMRF_EXEC_U32);
    b->op->fn = match_;
}

enum { REDUX_OR, REDUX_XOR, REDUX_SUM, REDUX_MIN, REDUX_MAX, REDUX_AND };

static uint32_t reduce_(unsigned how, bool is_signed, uint32_t x, uint32_t y)
{
    const uint32_t bias = is_signed ? UINT32_C(0x80000000) : 0;
    const bool less = (x ^ bias) < (y ^ bias);
    switch (how) {
    case REDUX_OR:
        return x | y;
    case REDUX_XOR:
        return x ^ y;
    case REDUX_SUM:
        return x + y;
    case REDUX_MIN:
        return less ? x : y;
    case REDUX_MAX:
        return less ? y : x;
    default:
        return x & y;
    }
}

/* The lanes' values made one. op->sub2: signed. */
static int redux_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    SMRF_EXEC_ROW_U32(a, 0);
    uint32_t value = a[__builtin_ctz(mask)];
    for (uint32_t rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
        value = reduce_(op->sub, op->sub2 != 0, value, a[__builtin_ctz(rest)]);
    }
    smrf_exec_write_uniform(w, op->udst, value);
    return smrf_exec_done(w);
}

static void bind_redux_(struct smrf_exec_binding *b)
{
    static const char *const how[] = {"OR", "XOR", "SUM", "MIN", "MAX"};
    b->op->sub = smrf_exec_bind_one_of(b, how, 5, REDUX_AND);
    b->op->sub2 = smrf_exec_bind_has(b, "S32") ? 1 : 0;
    smrf_exec_bind_udst(b);
    smrf_exec_bind_src(b, SMRF_EXEC_U32);
    b->op->fn = redux_;
}

int smrf_exec_bind_warp(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    static const struct smrf_exec_opcode table[] = {
        {"VOTE", bind_vote_}, {"SHFL", bind_shfl_}, {"MATCH", bind_match_}, {"REDUX", bind_redux_}};
    return SMRF_EXEC_BIND_TABLE(op, error, table);
}
