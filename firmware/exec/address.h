/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of memory instructions: computing them, checking them, turning them into host
 * pointers. */
#ifndef SMRF_EXEC_ADDRESS_H
#define SMRF_EXEC_ADDRESS_H

#include "firmware/exec/flow.h"
#include "firmware/exec/operands.h"

#ifdef __cplusplus
extern "C" {
#endif

enum smrf_exec_space { SMRF_EXEC_GENERIC, SMRF_EXEC_GLOBAL, SMRF_EXEC_SHARED, SMRF_EXEC_LOCAL };

/* How src[0] of a memory instruction forms an address; kept in sub2. */
#define SMRF_EXEC_ADDRESS_SPACE 3U /* enum smrf_exec_space */
#define SMRF_EXEC_ADDRESS_64 4U    /* 64-bit addresses */
#define SMRF_EXEC_ADDRESS_PAIR 8U  /* the base is a register pair */
#define SMRF_EXEC_ADDRESS_U32 16U  /* the base is zero-extended */
#define SMRF_EXEC_ADDRESS_WRITE 32U
#define SMRF_EXEC_ADDRESS_PART 64U   /* the low bits belong to no address: they are left out */
#define SMRF_EXEC_ADDRESS_FLAGS 128U /* first bit that is free for the handler */

/* Take a memory operand as src[0]; the scale goes into its part. Consumes .E. */
void smrf_exec_bind_address(struct smrf_exec_binding *b, enum smrf_exec_space space);
/* Consume the modifiers that order or cache accesses: no effect on values here. */
void smrf_exec_bind_caching(struct smrf_exec_binding *b);
/* A register operand of `rows` rows, as the next of src; false if it runs past R254. */
void smrf_exec_bind_rows(struct smrf_exec_binding *b, unsigned rows);
void smrf_exec_bind_dst_rows(struct smrf_exec_binding *b, unsigned rows);

/* Every lane's address. */
static inline void smrf_exec_addresses(const struct smrf_exec_warp *w,
                                       const struct smrf_exec_op *op,
                                       uint64_t address[SMRF_EXEC_LANES])
{
    const struct smrf_exec_src *s = &op->src[0];
    const uint32_t *low = w->r[s->reg], *high = w->r[smrf_exec_next_row(s->reg)];
    uint64_t rest = s->imm;
    if ((op->sub2 & SMRF_EXEC_ADDRESS_64) == 0) {
        uint32_t offset = (uint32_t)rest + w->ur[s->ureg], scale = s->part;
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            address[i] = (uint32_t)(low[i] * scale + offset);
        }
        return;
    }
    if (s->ureg < 63) {
        rest += w->ur[s->ureg] | (uint64_t)w->ur[s->ureg + 1] << 32;
    }
    if ((op->sub2 & SMRF_EXEC_ADDRESS_PAIR) != 0) {
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            address[i] = (low[i] | (uint64_t)high[i] << 32) + rest;
        }
    } else if ((op->sub2 & SMRF_EXEC_ADDRESS_U32) != 0) {
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            address[i] = (uint64_t)low[i] * s->part + rest;
        }
    } else {
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            address[i] = (uint64_t)((int64_t)(int32_t)low[i] * s->part) + rest;
        }
    }
}

/* Local memory starts as zeros: offsets [low, high) of every lane are cleared when a block first
 * uses them. */
void smrf_exec_clear_local(struct smrf_exec_block *b, uint32_t low, uint32_t high);
static inline void smrf_exec_use_local(struct smrf_exec_block *b, uint32_t low, uint32_t high)
{
    if (low < b->local_low || high > b->local_high) {
        smrf_exec_clear_local(b, low, high);
    }
}

/* Host pointer of low, where all active lanes' accesses, from low to high, lie in one range of
 * global memory; else NULL. Their addresses are in b->address. */
static inline void *smrf_exec_reach(struct smrf_exec_block *b, const struct smrf_exec_op *op,
                                    uint32_t mask, uint64_t low, uint64_t high)
{
    return b->claims == NULL ? smrf_space_at(b->space, low, high - low + op->bytes)
                             : smrf_claims_lanes(b, mask, low, high, op->bytes,
                                                 (op->sub2 & SMRF_EXEC_ADDRESS_WRITE) != 0);
}

/* Addresses of all lanes into block->address, host pointers of the lanes of mask into at. Each
 * access has op->bytes bytes and is aligned to that. */
int smrf_exec_locate(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                     uint8_t *at[SMRF_EXEC_LANES]);
/* The space an address lies in, generic windows resolved. */
enum smrf_exec_space smrf_exec_space_of(uint64_t address);

int smrf_exec_bind_atomic(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
