/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of decoded instructions: binding them from the parsed text, reading source rows,
 * writing destination rows under a lane mask.
 *
 * A row is 32 lanes of 32 bits. Handlers read their sources as pointers (straight into the register
 * file where a register is named without modifiers), compute into rows of their own, and write
 * those back, so that a destination may be one of the sources and the lane loops stay vectorisable.
 */
#ifndef SMRF_EXEC_OPERANDS_H
#define SMRF_EXEC_OPERANDS_H

#include "firmware/exec/block.h"
#include "firmware/exec/exec.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a source's bits are read: what its modifiers mean and what its immediates are. */
enum smrf_exec_type {
    SMRF_EXEC_U32, /* -x two's complement, |x| likewise, ~x */
    SMRF_EXEC_F32, /* -x and |x| act on the sign bit */
    SMRF_EXEC_H2,  /* two halves; -x and |x| act on both signs; parts select halves */
    SMRF_EXEC_B2,  /* the same of bfloat16 */
    SMRF_EXEC_U64, /* register pair */
    SMRF_EXEC_F64, /* register pair */
    SMRF_EXEC_RAW  /* 32 bits as they are: handler deals with parts and modifiers */
};

/* ---- Binding ------------------------------------------------------------------------------- */

/* Walks an instruction's operands and modifiers from left to right. The first failure stays; every
 * operand and every modifier has to be consumed by the time of smrf_exec_bind_end. */
struct smrf_exec_binding {
    struct smrf_exec_op *op;
    const struct smrf_sass_inst *inst;
    char *error;    /* [SMRF_SASS_ERROR_BYTES] */
    unsigned next;  /* operand */
    uint32_t known; /* modifiers consumed, by index */
    unsigned num_psrc;
    int rc;
};

void smrf_exec_bind_begin(struct smrf_exec_binding *b, struct smrf_exec_op *op, char *error);
/* 1, or the first error. */
int smrf_exec_bind_end(struct smrf_exec_binding *b);
/* Record a failure; printf-like. */
void smrf_exec_bind_fail(struct smrf_exec_binding *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Consume modifier `name` if the instruction has it. */
bool smrf_exec_bind_has(struct smrf_exec_binding *b, const char *name);
/* Whether it has the modifier, which stays to be consumed. */
static inline bool smrf_exec_has(const struct smrf_sass_inst *inst, const char *name)
{
    for (unsigned i = 0; i < inst->num_modifiers; i++) {
        if (strcmp(inst->modifier[i], name) == 0) {
            return true;
        }
    }
    return false;
}
/* Consume the one modifier that is in names[0..count): its index, or otherwise if there is none. */
unsigned smrf_exec_bind_one_of(struct smrf_exec_binding *b, const char *const *names,
                               unsigned count, unsigned otherwise);
/* The same, by the place of the modifiers: the first in the mnemonic that has one of the names. */
unsigned smrf_exec_bind_next_of(struct smrf_exec_binding *b, const char *const *names,
                                unsigned count, unsigned otherwise);
/* Kind of the next operand, SMRF_SASS_NONE at the end. */
unsigned smrf_exec_bind_kind(const struct smrf_exec_binding *b);
/* Destinations: op->dst, op->udst; a predicate into *number. */
void smrf_exec_bind_dst(struct smrf_exec_binding *b);
void smrf_exec_bind_udst(struct smrf_exec_binding *b);
void smrf_exec_bind_pdst(struct smrf_exec_binding *b, uint8_t *number);
void smrf_exec_bind_updst(struct smrf_exec_binding *b, uint8_t *number);
/* Sources: the next of op->src, the next of op->psrc (vector or uniform predicate). */
void smrf_exec_bind_src(struct smrf_exec_binding *b, enum smrf_exec_type type);
void smrf_exec_bind_psrc(struct smrf_exec_binding *b);
/* The same without an operand: zero, or an always true predicate. */
void smrf_exec_bind_zero(struct smrf_exec_binding *b);
void smrf_exec_bind_true(struct smrf_exec_binding *b);
/* One operand by itself. */
int smrf_exec_bind_operand(struct smrf_exec_src *src, const struct smrf_sass_operand *operand,
                           enum smrf_exec_type type, char error[SMRF_SASS_ERROR_BYTES]);

/* Replace a source in a constant bank that does not change while the module is loaded by its value
 * (8 bytes from src->imm on, zeros past the end). */
void smrf_exec_fold_const(struct smrf_exec_src *src, const uint8_t *data, uint32_t bytes);

/* ---- Reading ------------------------------------------------------------------------------- */

/* A constant that lies outside its bank sets warp->error and reads as zero; handlers end with
 * smrf_exec_done, which reports it. */
static inline int smrf_exec_done(const struct smrf_exec_warp *w)
{
    return w->error == NULL ? 0 : (int)SMRF_ERR_LIMIT;
}

/* Second register of a pair: RZ and the row behind it pair with themselves. */
static inline unsigned smrf_exec_next_row(unsigned row)
{
    return row >= SMRF_EXEC_RZ ? row : row + 1;
}

/* A source that is the same in every lane (uniform register, immediate, constant); modifiers
 * applied: integers', or those of floating-point numbers. */
uint32_t smrf_exec_scalar(struct smrf_exec_warp *w, const struct smrf_exec_src *src);
uint64_t smrf_exec_scalar64(struct smrf_exec_warp *w, const struct smrf_exec_src *src);
uint32_t smrf_exec_scalar_f32(struct smrf_exec_warp *w, const struct smrf_exec_src *src);
uint64_t smrf_exec_scalar_f64(struct smrf_exec_warp *w, const struct smrf_exec_src *src);

static inline void smrf_exec_broadcast(uint32_t out[SMRF_EXEC_LANES], uint32_t x)
{
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        out[i] = x;
    }
}

/* A vector register with modifiers; of halves any source. */
const uint32_t *smrf_exec_fill_u32(struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                                   uint32_t scratch[SMRF_EXEC_LANES]);
const uint32_t *smrf_exec_fill_f32(struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                                   uint32_t scratch[SMRF_EXEC_LANES]);
const uint32_t *smrf_exec_fill_h2(struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                                  uint32_t scratch[SMRF_EXEC_LANES]);

/* 32 lanes of a source as integers, single-precision bits, packed halves. */
static inline const uint32_t *smrf_exec_u32(struct smrf_exec_warp *w,
                                            const struct smrf_exec_src *src,
                                            uint32_t scratch[SMRF_EXEC_LANES])
{
    if (src->kind != SMRF_SASS_REG) {
        smrf_exec_broadcast(scratch, smrf_exec_scalar(w, src));
        return scratch;
    }
    return src->plain ? w->r[src->reg] : smrf_exec_fill_u32(w, src, scratch);
}

static inline const uint32_t *smrf_exec_f32(struct smrf_exec_warp *w,
                                            const struct smrf_exec_src *src,
                                            uint32_t scratch[SMRF_EXEC_LANES])
{
    if (src->kind != SMRF_SASS_REG) {
        smrf_exec_broadcast(scratch, smrf_exec_scalar_f32(w, src));
        return scratch;
    }
    return src->plain ? w->r[src->reg] : smrf_exec_fill_f32(w, src, scratch);
}

static inline const uint32_t *smrf_exec_h2(struct smrf_exec_warp *w,
                                           const struct smrf_exec_src *src,
                                           uint32_t scratch[SMRF_EXEC_LANES])
{
    return src->plain ? w->r[src->reg] : smrf_exec_fill_h2(w, src, scratch);
}

static inline void smrf_exec_spread64(uint64_t value, uint64_t out[SMRF_EXEC_LANES])
{
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        out[i] = value;
    }
}

/* 32 lanes of 64 bits, modifiers applied as for integers or as for doubles. */
void smrf_exec_modify_u64(const struct smrf_exec_src *src, uint64_t out[SMRF_EXEC_LANES]);

static inline void smrf_exec_u64(struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                                 uint64_t out[SMRF_EXEC_LANES])
{
    if (src->kind != SMRF_SASS_REG) {
        smrf_exec_spread64(smrf_exec_scalar64(w, src), out);
        return;
    }
    const uint32_t *lo = w->r[src->reg], *hi = w->r[smrf_exec_next_row(src->reg)];
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        out[i] = (uint64_t)hi[i] << 32 | lo[i];
    }
    if (!src->plain) {
        smrf_exec_modify_u64(src, out);
    }
}

static inline void smrf_exec_f64(struct smrf_exec_warp *w, const struct smrf_exec_src *src,
                                 uint64_t out[SMRF_EXEC_LANES])
{
    if (src->kind != SMRF_SASS_REG) {
        smrf_exec_spread64(smrf_exec_scalar_f64(w, src), out);
        return;
    }
    const uint32_t *lo = w->r[src->reg], *hi = w->r[smrf_exec_next_row(src->reg)];
    const uint32_t keep = src->absolute ? 0x7fffffff : UINT32_MAX;
    const uint32_t flip = src->negated ? 0x80000000 : 0;
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        out[i] = (uint64_t)((hi[i] & keep) ^ flip) << 32 | lo[i];
    }
}

/* Bytes of a constant bank from offset on, zero and warp->error where they do not exist. */
uint64_t smrf_exec_const(struct smrf_exec_warp *w, unsigned bank, uint64_t offset, unsigned bytes);

/* Lanes in which a predicate source holds. */
static inline uint32_t smrf_exec_pred(const struct smrf_exec_warp *w,
                                      const struct smrf_exec_src *src)
{
    uint32_t lanes =
        src->kind == SMRF_SASS_UPRED ? 0U - (uint32_t)(w->up[src->reg] != 0) : w->p[src->reg];
    return src->inverted ? ~lanes : lanes;
}

/* ---- Writing ------------------------------------------------------------------------------- */

/* 1 << lane, as a row: lets the compiler turn a lane mask into a vector mask. */
extern const uint32_t smrf_exec_bit[SMRF_EXEC_LANES];

static inline void smrf_exec_write(struct smrf_exec_warp *w, unsigned row, uint32_t mask,
                                   const uint32_t value[SMRF_EXEC_LANES])
{
    uint32_t *d = w->r[row];
    if (mask == SMRF_EXEC_ALL) {
        memcpy(d, value, sizeof w->r[0]);
        return;
    }
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        d[i] = (mask & smrf_exec_bit[i]) != 0 ? value[i] : d[i];
    }
}

/* Low halves to `row`, high halves to the next. */
static inline void smrf_exec_write64(struct smrf_exec_warp *w, unsigned row, uint32_t mask,
                                     const uint64_t value[SMRF_EXEC_LANES])
{
    uint32_t lo[SMRF_EXEC_LANES], hi[SMRF_EXEC_LANES];
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        lo[i] = (uint32_t)value[i];
        hi[i] = (uint32_t)(value[i] >> 32);
    }
    smrf_exec_write(w, row, mask, lo);
    smrf_exec_write(w, smrf_exec_next_row(row), mask, hi);
}

/* A predicate register; PT (7) takes no writes. */
static inline void smrf_exec_write_pred(struct smrf_exec_warp *w, unsigned number, uint32_t mask,
                                        uint32_t lanes)
{
    if (number < 7) {
        w->p[number] = (w->p[number] & ~mask) | (lanes & mask);
    }
}

static inline void smrf_exec_write_uniform(struct smrf_exec_warp *w, unsigned number,
                                           uint32_t value)
{
    if (number < 63) {
        w->ur[number] = value;
    }
}

static inline void smrf_exec_write_uniform64(struct smrf_exec_warp *w, unsigned number,
                                             uint64_t value)
{
    smrf_exec_write_uniform(w, number, (uint32_t)value);
    smrf_exec_write_uniform(w, number < 63 ? number + 1 : number, (uint32_t)(value >> 32));
}

static inline void smrf_exec_write_upred(struct smrf_exec_warp *w, unsigned number, bool value)
{
    if (number < 7) {
        w->up[number] = value ? 1 : 0;
    }
}

/* What is wrong where a constant bank has no data at all. */
#define SMRF_EXEC_NO_CONSTANTS                                                                     \
    "the text does not state the constants of this bank; give the output of nvdisasm instead of "  \
    "cuobjdump's"

/* Number of lanes in a mask; a host without such an instruction calls a function, seldom here. */
static inline uint32_t smrf_exec_lane_count(uint32_t mask)
{
    return mask == SMRF_EXEC_ALL ? SMRF_EXEC_LANES : (uint32_t)__builtin_popcount(mask);
}

/* Lanes whose element is not zero. */
static inline uint32_t smrf_exec_lanes(const uint32_t truth[SMRF_EXEC_LANES])
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        lanes |= truth[i] != 0 ? smrf_exec_bit[i] : 0;
    }
    return lanes;
}

#ifdef __cplusplus
}
#endif

#endif
