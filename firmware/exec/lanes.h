/* SPDX-License-Identifier: Apache-2.0 */
/* What the handlers of arithmetic instructions share: lane loops compiled for two instruction sets
 * of the host, tables of opcodes, comparisons. */
#ifndef SMRF_EXEC_LANES_H
#define SMRF_EXEC_LANES_H

#include "firmware/exec/operands.h"

/* A handler is written once and compiled twice: for any host, and for hosts with 256-bit vectors
 * and fused multiply-add, chosen when an instruction is bound. */
#define SMRF_EXEC_INLINE static inline __attribute__((always_inline))
#if defined(__x86_64__) && defined(__GNUC__)
#define SMRF_EXEC_WIDE __attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")))
static inline bool smrf_exec_wide(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}
/* With 512-bit vectors, too: for what multiplies most. */
#define SMRF_EXEC_WIDEST __attribute__((target("avx512f,avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")))
static inline bool smrf_exec_widest(void)
{
    return smrf_exec_wide() && __builtin_cpu_supports("avx512f");
}
#else
#define SMRF_EXEC_WIDE
#define SMRF_EXEC_WIDEST
static inline bool smrf_exec_widest(void)
{
    return false;
}
static inline bool smrf_exec_wide(void)
{
    return false;
}
#endif

#define SMRF_EXEC_HANDLER(name)                                                                    \
    SMRF_EXEC_INLINE int name##_lanes(struct smrf_exec_warp *w, const struct smrf_exec_op *op,     \
                                      uint32_t mask);                                              \
    SMRF_EXEC_WIDE static int name##_wide(struct smrf_exec_warp *w, const struct smrf_exec_op *op, \
                                          uint32_t mask)                                           \
    {                                                                                              \
        return name##_lanes(w, op, mask);                                                          \
    }                                                                                              \
    static int name##_base(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask) \
    {                                                                                              \
        return name##_lanes(w, op, mask);                                                          \
    }                                                                                              \
    SMRF_EXEC_INLINE int name##_lanes(struct smrf_exec_warp *w, const struct smrf_exec_op *op,     \
                                      uint32_t mask)

/* Within a binding `b`. */
#define SMRF_EXEC_PICK(name)                                                                       \
    (smrf_exec_wide() && b->op->width < SMRF_EXEC_NO_WIDTH ? name##_wide : name##_base)

#define SMRF_EXEC_EACH_LANE(i) for (unsigned i = 0; i < SMRF_EXEC_LANES; i++)

/* Source number n as a row called `name`. */
#define SMRF_EXEC_ROW_U32(name, n)                                                                 \
    uint32_t name##_scratch[SMRF_EXEC_LANES];                                                      \
    const uint32_t *name = smrf_exec_u32(w, &op->src[n], name##_scratch)
#define SMRF_EXEC_ROW_F32(name, n)                                                                 \
    uint32_t name##_scratch[SMRF_EXEC_LANES];                                                      \
    const uint32_t *name = smrf_exec_f32(w, &op->src[n], name##_scratch)
#define SMRF_EXEC_ROW_H2(name, n)                                                                  \
    uint32_t name##_scratch[SMRF_EXEC_LANES];                                                      \
    const uint32_t *name = smrf_exec_h2(w, &op->src[n], name##_scratch)
#define SMRF_EXEC_ROW_U64(name, n)                                                                 \
    uint64_t name[SMRF_EXEC_LANES];                                                                \
    smrf_exec_u64(w, &op->src[n], name)
#define SMRF_EXEC_ROW_F64(name, n)                                                                 \
    uint64_t name[SMRF_EXEC_LANES];                                                                \
    smrf_exec_f64(w, &op->src[n], name)

/* One opcode of a family. */
struct smrf_exec_opcode {
    const char *name;
    void (*bind)(struct smrf_exec_binding *b);
};

/* Bind with the entry of `table` that has the instruction's opcode: 0 if there is none. */
int smrf_exec_bind_table(struct smrf_exec_op *op, char *error, const struct smrf_exec_opcode *table,
                         unsigned count);
/* The same for one of several source files of a family. */
#define SMRF_EXEC_BIND_TABLE(op, error, table)                                                     \
    smrf_exec_bind_table(op, error, table, (unsigned)(sizeof(table) / sizeof(table)[0]))

/* Outcomes of a comparison, and comparisons as sets of the outcomes in which they hold. */
enum smrf_exec_relation {
    SMRF_EXEC_LT = 1,
    SMRF_EXEC_EQ = 2,
    SMRF_EXEC_GT = 4,
    SMRF_EXEC_UN = 8 /* a NaN is in it */
};

/* How a comparison is combined with the predicate operand. */
enum smrf_exec_combine { SMRF_EXEC_AND, SMRF_EXEC_OR, SMRF_EXEC_XOR };

/* Consume the comparison (a set of relations) and the combination, which every SET has. */
uint32_t smrf_exec_bind_compare(struct smrf_exec_binding *b, bool integer);
uint32_t smrf_exec_bind_combine(struct smrf_exec_binding *b);

static inline uint32_t smrf_exec_relate(uint32_t compare, uint32_t lt, uint32_t eq, uint32_t un)
{
    uint32_t gt = ~(lt | eq | un);
    return ((compare & SMRF_EXEC_LT) != 0 ? lt : 0) | ((compare & SMRF_EXEC_EQ) != 0 ? eq : 0) |
           ((compare & SMRF_EXEC_GT) != 0 ? gt : 0) | ((compare & SMRF_EXEC_UN) != 0 ? un : 0);
}

static inline uint32_t smrf_exec_combine(uint32_t combine, uint32_t x, uint32_t y)
{
    return combine == SMRF_EXEC_AND ? x & y : combine == SMRF_EXEC_OR ? x | y : x ^ y;
}

/* Rounding of floating-point results. */
enum smrf_exec_rounding {
    SMRF_EXEC_NEAREST,
    SMRF_EXEC_DOWN, /* towards minus infinity */
    SMRF_EXEC_UP,   /* towards plus infinity */
    SMRF_EXEC_CHOP
};

/* Consume .RN, .RM, .RP or .RZ. */
uint32_t smrf_exec_bind_rounding(struct smrf_exec_binding *b);

/* Tables of the integer family. */
int smrf_exec_bind_int_arith(struct smrf_exec_op *op, char *error);
int smrf_exec_bind_int_logic(struct smrf_exec_op *op, char *error);
int smrf_exec_bind_int_select(struct smrf_exec_op *op, char *error);

#endif
