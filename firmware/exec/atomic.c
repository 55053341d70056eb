/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics and reductions: the lanes of an instruction take turns, lowest first. */
#include "firmware/exec/atomic.h"

#include "firmware/exec/address.h"
#include "firmware/exec/fp16.h"

#include <string.h>

enum type { U32, S32, U64, S64, F32, F32_FTZ, F64, F16X2 };

#define SHARED_TOO SMRF_EXEC_ADDRESS_FLAGS /* hardware does this on shared memory as well */
#define NO_DATA (SMRF_EXEC_ADDRESS_FLAGS << 1)

static uint32_t flush_(uint32_t bits)
{
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

static uint32_t add_f32_(uint32_t a, uint32_t b, bool ftz)
{
    float x, y;
    if (ftz) {
        a = flush_(a);
        b = flush_(b);
    }
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    x += y;
    if (x != x) {
        return 0x7fffffff; /* the canonical NaN */
    }
    memcpy(&a, &x, 4);
    return ftz ? flush_(a) : a;
}

static uint64_t add_f64_(uint64_t a, uint64_t b)
{
    double x, y;
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    x += y;
    if (x != x) {
        return UINT64_C(0xfff8000000000000);
    }
    memcpy(&a, &x, 8);
    return a;
}

static uint32_t add_half_(uint32_t a, uint32_t b)
{
    return smrf_exec_half_sum(smrf_exec_half_to_float(a), smrf_exec_half_to_float(b));
}

static uint64_t add_(unsigned type, uint64_t a, uint64_t b)
{
    switch (type) {
    case F32:
    case F32_FTZ:
        return add_f32_((uint32_t)a, (uint32_t)b, type == F32_FTZ);
    case F64:
        return add_f64_(a, b);
    case F16X2:
        return add_half_((uint32_t)a & 0xffff, (uint32_t)b & 0xffff) |
               add_half_((uint32_t)a >> 16, (uint32_t)b >> 16) << 16;
    default:
        return a + b;
    }
}

static bool less_(unsigned type, uint64_t a, uint64_t b)
{
    switch (type) {
    case S32:
        return (int32_t)a < (int32_t)b;
    case S64:
        return (int64_t)a < (int64_t)b;
    default:
        return a < b;
    }
}

/* What memory holds afterwards. */
static uint64_t combine_(unsigned action, unsigned type, uint64_t old, uint64_t a, uint64_t b)
{
    switch (action) {
    case SMRF_ATOMIC_ADD:
        return add_(type, old, a);
    case SMRF_ATOMIC_MIN:
        return less_(type, a, old) ? a : old;
    case SMRF_ATOMIC_MAX:
        return less_(type, old, a) ? a : old;
    case SMRF_ATOMIC_INC:
        return old >= a ? 0 : old + 1;
    case SMRF_ATOMIC_DEC:
        return old == 0 || old > a ? a : old - 1;
    case SMRF_ATOMIC_AND:
        return old & a;
    case SMRF_ATOMIC_OR:
        return old | a;
    case SMRF_ATOMIC_XOR:
        return old ^ a;
    case SMRF_ATOMIC_EXCH:
        return a;
    default:
        return old == a ? b : old;
    }
}

uint64_t smrf_exec_reduced(enum smrf_atomic_action action, bool is_signed, uint64_t old, uint64_t a)
{
    return combine_(action, is_signed ? S32 : U64, old, a, 0);
}

static uint64_t lane_value_(const struct smrf_exec_warp *w, unsigned reg, unsigned lane, bool wide)
{
    uint64_t value = w->r[reg][lane];
    return wide ? value | (uint64_t)w->r[smrf_exec_next_row(reg)][lane] << 32 : value;
}

/* A generic atomic that hardware cannot do in the space that the address lies in leaves memory
 * alone and reports it in its predicate; compiled code has a loop for that case. */
static uint32_t doable_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                        uint32_t mask)
{
    if ((op->sub2 & SMRF_EXEC_ADDRESS_SPACE) != SMRF_EXEC_GENERIC || op->pdst == 7) {
        return mask;
    }
    uint32_t lanes = 0;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        enum smrf_exec_space space = smrf_exec_space_of(w->block->address[i]);
        bool can = space == SMRF_EXEC_GLOBAL ||
                   (space == SMRF_EXEC_SHARED && (op->sub2 & SHARED_TOO) != 0);
        lanes |= can ? UINT32_C(1) << i : 0;
    }
    return lanes;
}

static int atomic_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint8_t *at[SMRF_EXEC_LANES];
    unsigned action = op->sub & 0xff, type = op->sub >> 8;
    bool wide = op->bytes == 8;
    uint32_t low[SMRF_EXEC_LANES] = {0}, high[SMRF_EXEC_LANES] = {0};
    int rc = smrf_exec_locate(w, op, mask, at);
    if (rc < 0) {
        return rc;
    }
    uint32_t done = doable_(w, op, mask);
    for (uint32_t rest = done; rest != 0; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        uint64_t old = 0, a = 1, b = 0;
        memcpy(&old, at[i], op->bytes);
        if ((op->sub2 & NO_DATA) == 0) {
            a = lane_value_(w, op->src[1].reg, i, wide);
        }
        if (op->num_src > 2) {
            b = lane_value_(w, op->src[2].reg, i, wide);
        }
        uint64_t value = combine_(action, type, old, a, b);
        memcpy(at[i], &value, op->bytes);
        w->block->writes += value != old;
        if (action == SMRF_ATOMIC_CAST) { /* tells whether it stored, not what was there */
            old = old == a ? 1 : 0;
        }
        low[i] = (uint32_t)old;
        high[i] = (uint32_t)(old >> 32);
    }
    smrf_exec_write(w, op->dst, mask, low);
    if (wide) {
        smrf_exec_write(w, smrf_exec_next_row(op->dst), mask, high);
    }
    smrf_exec_write_pred(w, op->pdst, mask, done);
    return 0;
}

/* ---- binding ------------------------------------------------------------------------------- */

static void bind_action_(struct smrf_exec_binding *b)
{
    static const char *const actions[] = {"ADD", "MIN", "MAX",  "INC", "DEC", "AND",
                                          "OR",  "XOR", "EXCH", "CAS", "CAST"};
    static const char *const types[] = {"U32", "S32",   "64",  "S64", "F32",
                                        "F64", "F16x2", "U64", "32"};
    static const uint8_t type_of[] = {U32, S32, U64, S64, F32, F64, F16X2, U64, U32};
    if (smrf_exec_bind_has(b, "POPC")) {
        b->op->sub2 |= NO_DATA; /* ATOMS.POPC.INC: one more for every lane */
    }
    unsigned action = smrf_exec_bind_one_of(b, actions, 11, 11);
    if (action == 11) {
        smrf_exec_bind_fail(b, "%s is not supported", b->inst->mnemonic);
    }
    if ((b->op->sub2 & NO_DATA) != 0) {
        action = SMRF_ATOMIC_ADD;
    }
    unsigned type = type_of[smrf_exec_bind_one_of(b, types, 9, 0)];
    (void)smrf_exec_bind_has(b, "RN");
    (void)smrf_exec_bind_has(b, "SPIN");
    bool ftz = smrf_exec_bind_has(b, "FTZ");
    if (type == F32 && ftz) {
        type = F32_FTZ;
    }
    if (type >= F32 && action != SMRF_ATOMIC_ADD && action != SMRF_ATOMIC_EXCH) {
        smrf_exec_bind_fail(b, "%s is not supported", b->inst->mnemonic);
    }
    b->op->bytes = type == U64 || type == S64 || type == F64 ? 8 : 4;
    b->op->sub = action | type << 8;
    bool swaps = action == SMRF_ATOMIC_CAS || action == SMRF_ATOMIC_EXCH;
    if (swaps || (b->op->bytes == 4 && type <= S32)) {
        b->op->sub2 |= SHARED_TOO;
    }
}

static void bind_data_(struct smrf_exec_binding *b)
{
    unsigned rows = b->op->bytes / 4U, action = b->op->sub & 0xff;
    if ((b->op->sub2 & NO_DATA) != 0) {
        return;
    }
    smrf_exec_bind_rows(b, rows);
    if (action == SMRF_ATOMIC_CAS || action == SMRF_ATOMIC_CAST) {
        smrf_exec_bind_rows(b, rows);
    }
}

int smrf_exec_bind_atomic(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    static const struct {
        const char *name;
        enum smrf_exec_space space;
        bool predicate, result;
    } table[] = {
        {"ATOM", SMRF_EXEC_GENERIC, true, true},  {"ATOMG", SMRF_EXEC_GLOBAL, true, true},
        {"ATOMS", SMRF_EXEC_SHARED, false, true}, {"ATOML", SMRF_EXEC_LOCAL, false, true},
        {"RED", SMRF_EXEC_GLOBAL, false, false},  {"REDG", SMRF_EXEC_GLOBAL, false, false},
    };
    struct smrf_exec_binding b;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(op->inst->opcode, table[i].name) != 0) {
            continue;
        }
        smrf_exec_bind_begin(&b, op, error);
        op->control = SMRF_EXEC_MEMORY;
        op->fn = atomic_;
        op->sub2 = SMRF_EXEC_ADDRESS_WRITE;
        bind_action_(&b);
        smrf_exec_bind_caching(&b);
        if (table[i].predicate) {
            smrf_exec_bind_pdst(&b, &op->pdst);
        }
        if (table[i].result) {
            smrf_exec_bind_dst_rows(&b, op->bytes / 4U);
        }
        smrf_exec_bind_address(&b, table[i].space);
        bind_data_(&b);
        return smrf_exec_bind_end(&b);
    }
    return 0;
}
