/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/exec/address.h"
#include "firmware/exec/space.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const space_name[] = {"generic", "global", "shared", "local"};

/* ---- binding ------------------------------------------------------------------------------- */

void smrf_exec_bind_caching(struct smrf_exec_binding *b)
{
    static const char *const names[] = {
        "SYS", "GPU", "CTA", "SM",   "VC", "STRONG",  "WEAK",     "CI", "EF",     "EL",
        "LU",  "EU",  "NA",  "MMIO", "U",  "PRIVATE", "CONSTANT", "SC", "LTC64B", "LTC128B"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)smrf_exec_bind_has(b, names[i]);
    }
}

void smrf_exec_bind_address(struct smrf_exec_binding *b, enum smrf_exec_space space)
{
    const struct smrf_sass_operand *o =
        b->next < b->inst->num_operands ? &b->inst->operand[b->next++] : NULL;
    bool extended = smrf_exec_bind_has(b, "E");
    if (o == NULL || o->kind != SMRF_SASS_MEM) {
        smrf_exec_bind_fail(b, "%s needs an address in brackets", b->inst->mnemonic);
        return;
    }
    b->op->src[0] = (struct smrf_exec_src){.kind = SMRF_SASS_MEM,
                                           .reg = o->reg,
                                           .ureg = o->ureg,
                                           .part = o->scale == 0 ? 1 : o->scale,
                                           .imm = (uint64_t)o->imm};
    b->op->num_src = 1;
    b->op->sub2 |= (uint32_t)space;
    if (space == SMRF_EXEC_SHARED || space == SMRF_EXEC_LOCAL) {
        return;
    }
    b->op->sub2 |= extended ? SMRF_EXEC_ADDRESS_64 : 0;
    if (extended && !o->u32 && (o->wide || o->ureg == 63)) {
        b->op->sub2 |= SMRF_EXEC_ADDRESS_PAIR;
    }
    if (o->u32) {
        b->op->sub2 |= SMRF_EXEC_ADDRESS_U32;
    }
}

static bool fits_(struct smrf_exec_binding *b, const struct smrf_sass_operand *o, unsigned rows)
{
    if (o == NULL || o->kind != SMRF_SASS_REG) {
        smrf_exec_bind_fail(b, "%s needs a register", b->inst->mnemonic);
        return false;
    }
    if (o->reg != SMRF_EXEC_RZ && o->reg + rows > SMRF_EXEC_RZ) {
        smrf_exec_bind_fail(b, "%u registers from R%u on run past R254", rows, (unsigned)o->reg);
        return false;
    }
    return true;
}

void smrf_exec_bind_rows(struct smrf_exec_binding *b, unsigned rows)
{
    const struct smrf_sass_operand *o =
        b->next < b->inst->num_operands ? &b->inst->operand[b->next++] : NULL;
    if (fits_(b, o, rows)) {
        b->op->src[b->op->num_src++] =
            (struct smrf_exec_src){.kind = SMRF_SASS_REG, .reg = o->reg, .ureg = 63};
    }
}

void smrf_exec_bind_dst_rows(struct smrf_exec_binding *b, unsigned rows)
{
    const struct smrf_sass_operand *o =
        b->next < b->inst->num_operands ? &b->inst->operand[b->next] : NULL;
    if (fits_(b, o, rows)) {
        smrf_exec_bind_dst(b);
    }
}

/* ---- addresses ----------------------------------------------------------------------------- */

void smrf_exec_clear_local(struct smrf_exec_block *b, uint32_t low, uint32_t high)
{
    const uint32_t step = 64; /* a frame is used piece by piece */
    low = low / step * step;
    high = (high + step - 1) / step * step; /* less than a step past the end: within the stride */
    if (b->local_low >= b->local_high) {
        b->local_low = b->local_high = low;
    }
    low = low < b->local_low ? low : b->local_low;
    high = high > b->local_high ? high : b->local_high;
    for (uint32_t i = 0; i < b->num_warps * SMRF_EXEC_LANES; i++) {
        uint8_t *lane = b->local + i * b->local_stride;
        memset(lane + low, 0, b->local_low - low);
        memset(lane + b->local_high, 0, high - b->local_high);
    }
    b->local_low = low;
    b->local_high = high;
}

enum smrf_exec_space smrf_exec_space_of(uint64_t address)
{
    if (address - SMRF_EXEC_SHARED_WINDOW < SMRF_EXEC_WINDOW_BYTES) {
        return SMRF_EXEC_SHARED;
    }
    if (address - SMRF_EXEC_LOCAL_WINDOW < SMRF_EXEC_WINDOW_BYTES) {
        return SMRF_EXEC_LOCAL;
    }
    return SMRF_EXEC_GLOBAL;
}

static const char *verb_(const struct smrf_exec_op *op)
{
    return (op->sub2 & SMRF_EXEC_ADDRESS_WRITE) != 0 ? "write" : "read";
}

static int misaligned_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, unsigned lane)
{
    w->fault = SMRF_FAULT_MISALIGNED;
    return smrf_exec_fail(w, (int)lane, SMRF_ERR_CHECK, "misaligned %s of %u bytes at 0x%" PRIx64,
                          verb_(op), (unsigned)op->bytes, w->block->address[lane]);
}

static int outside_global_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, unsigned lane)
{
    uint64_t address = w->block->address[lane], start, bytes;
    w->fault = SMRF_FAULT_ADDRESS;
    if (!smrf_space_near(w->block->space, address, &start, &bytes)) {
        return smrf_exec_fail(w, (int)lane, SMRF_ERR_CHECK,
                              "out-of-range %s of %u bytes at 0x%" PRIx64
                              ": nothing is allocated there or below",
                              verb_(op), (unsigned)op->bytes, address);
    }
    return smrf_exec_fail(w, (int)lane, SMRF_ERR_CHECK,
                          "out-of-range %s of %u bytes at 0x%" PRIx64 ": offset %" PRIu64
                          " of the %" PRIu64 " bytes at 0x%" PRIx64,
                          verb_(op), (unsigned)op->bytes, address, address - start, bytes, start);
}

static int outside_window_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, unsigned lane,
                           enum smrf_exec_space space, uint64_t offset)
{
    uint32_t bytes = space == SMRF_EXEC_SHARED ? w->block->shared_bytes : w->block->local_bytes;
    w->fault = space == SMRF_EXEC_LOCAL ? SMRF_FAULT_TRAP : SMRF_FAULT_ADDRESS;
    if (space == SMRF_EXEC_LOCAL && offset > UINT32_MAX / 2 && offset <= UINT32_MAX) {
        return smrf_exec_fail(w, (int)lane, SMRF_ERR_LIMIT,
                              "stack overflow: %s of %u bytes %u bytes below the lane's %u bytes "
                              "of local memory; raise the stack limit (stack_bytes, --stack)",
                              verb_(op), (unsigned)op->bytes, 0U - (uint32_t)offset, bytes);
    }
    const struct smrf_exec_launch *l = w->block->launch;
    bool unknown = space == SMRF_EXEC_SHARED && l->code->module->listing;
    return smrf_exec_fail(
        w, (int)lane, SMRF_ERR_CHECK,
        "out-of-range %s of %u bytes at offset 0x%" PRIx64 " of %u bytes of %s memory%s", verb_(op),
        (unsigned)op->bytes, offset, bytes, space_name[space],
        unknown
            ? "; the listing does not tell the kernel's static memory: the launch's dynamic one "
              "(shared:) must cover it"
            : "");
}

/* Where a lane accesses what lies past the end of an allocation; NULL: that is an error. */
static uint8_t *past_(struct smrf_exec_block *b, const struct smrf_exec_op *op, unsigned lane)
{
    if ((op->sub2 & SMRF_EXEC_ADDRESS_WRITE) == 0) {
        return smrf_space_read_past(b->space, b->address[lane], b->past[lane], op->bytes)
                   ? b->past[lane]
                   : NULL;
    }
    memset(b->past[lane], 0, sizeof b->past[lane]); /* what an atomic finds */
    return smrf_space_write_past(b->space, b->address[lane], op->bytes) ? b->past[lane] : NULL;
}

static int locate_global_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                          uint8_t *at[SMRF_EXEC_LANES])
{
    const uint64_t *address = w->block->address;
    uint64_t low = UINT64_MAX, high = 0;
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        bool on = (mask & smrf_exec_bit[i]) != 0;
        low = on && address[i] < low ? address[i] : low;
        high = on && address[i] > high ? address[i] : high;
    }
    uint64_t span = high - low + op->bytes;
    uint8_t *base = span < op->bytes ? NULL : smrf_exec_reach(w->block, op, mask, low, high);
    if (base != NULL) {
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            at[i] = (mask & smrf_exec_bit[i]) != 0 ? base + (address[i] - low) : base;
        }
        return 0;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        at[lane] = smrf_space_use(w->block->space, address[lane], op->bytes,
                                  (op->sub2 & SMRF_EXEC_ADDRESS_WRITE) != 0);
        if (at[lane] == NULL && smrf_claims_settle(w->block)) {
            at[lane] = past_(w->block, op, lane);
        }
        if (at[lane] == NULL) {
            return outside_global_(w, op, lane);
        }
    }
    return 0;
}

static int locate_shared_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                          uint64_t origin, uint8_t *at[SMRF_EXEC_LANES])
{
    struct smrf_exec_block *b = w->block;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t offset = b->address[lane] - origin;
        if (offset + op->bytes > b->shared_bytes) {
            return outside_window_(w, op, lane, SMRF_EXEC_SHARED, offset);
        }
        at[lane] = b->shared + offset;
    }
    return 0;
}

static int locate_local_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                         uint64_t origin, uint8_t *at[SMRF_EXEC_LANES])
{
    struct smrf_exec_block *b = w->block;
    uint8_t *base = b->local + w->index * SMRF_EXEC_LANES * b->local_stride;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t offset = b->address[lane] - origin;
        if (offset + op->bytes > b->local_bytes) {
            return outside_window_(w, op, lane, SMRF_EXEC_LOCAL, offset);
        }
        at[lane] = base + lane * b->local_stride + offset;
        smrf_exec_use_local(b, (uint32_t)offset, (uint32_t)offset + op->bytes);
    }
    return 0;
}

static int locate_generic_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                           uint8_t *at[SMRF_EXEC_LANES])
{
    uint32_t lanes[4] = {0, 0, 0, 0};
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        lanes[smrf_exec_space_of(w->block->address[i])] |= mask & smrf_exec_bit[i];
    }
    int rc = 0;
    if (lanes[SMRF_EXEC_GLOBAL] != 0) {
        rc = locate_global_(w, op, lanes[SMRF_EXEC_GLOBAL], at);
    }
    if (rc == 0 && lanes[SMRF_EXEC_SHARED] != 0) {
        uint8_t *shared[SMRF_EXEC_LANES];
        rc = locate_shared_(w, op, lanes[SMRF_EXEC_SHARED], SMRF_EXEC_SHARED_WINDOW, shared);
        for (uint32_t rest = rc == 0 ? lanes[SMRF_EXEC_SHARED] : 0; rest != 0; rest &= rest - 1) {
            at[__builtin_ctz(rest)] = shared[__builtin_ctz(rest)];
        }
    }
    if (rc == 0 && lanes[SMRF_EXEC_LOCAL] != 0) {
        rc = locate_local_(w, op, lanes[SMRF_EXEC_LOCAL], SMRF_EXEC_LOCAL_WINDOW, at);
    }
    return rc;
}

int smrf_exec_locate(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                     uint8_t *at[SMRF_EXEC_LANES])
{
    uint64_t *address = w->block->address, odd = 0;
    smrf_exec_addresses(w, op, address);
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        odd |= (mask & smrf_exec_bit[i]) != 0 ? address[i] : 0;
    }
    if ((odd & (op->bytes - 1U)) != 0 && (op->sub2 & SMRF_EXEC_ADDRESS_PART) != 0) {
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            address[i] &= ~(uint64_t)(op->bytes - 1U);
        }
    } else if ((odd & (op->bytes - 1U)) != 0) {
        for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            if ((address[__builtin_ctz(rest)] & (op->bytes - 1U)) != 0) {
                return misaligned_(w, op, (unsigned)__builtin_ctz(rest));
            }
        }
    }
    switch (op->sub2 & SMRF_EXEC_ADDRESS_SPACE) {
    case SMRF_EXEC_GENERIC:
        return locate_generic_(w, op, mask, at);
    case SMRF_EXEC_SHARED:
        return locate_shared_(w, op, mask, 0, at);
    case SMRF_EXEC_LOCAL:
        return locate_local_(w, op, mask, 0, at);
    default:
        return locate_global_(w, op, mask, at);
    }
}
