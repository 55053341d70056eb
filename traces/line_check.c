/* SPDX-License-Identifier: Apache-2.0 */
#include "line_check.h"

#include "models/common/smrf_bits.h"

#include <string.h>

/* The shared window of generic addresses: 16 MiB, of a cluster a piece for each block. */
#define WINDOW_BYTES (UINT64_C(1) << 24)
/* From Ampere on the driver keeps the first KiB of a block's shared memory; the header does not
 * count it (CUDA Programming Guide, "Compute Capability 8.x: Shared Memory"). */
#define RESERVED_BYTES 1024u
#define MOST_REGS 256u /* of a thread, where the header does not say */

void smrf_check_launch(struct smrf_line_check *k, const struct smrf_kernel_header *header)
{
    const struct smrf_kernel_info *info = &header->info;
    *k = (struct smrf_line_check){.block_dim = info->block,
                                  .num_regs = header->has_regs ? info->num_regs : MOST_REGS,
                                  .binary_version = info->binary_version,
                                  .shared_bytes = !header->has_shared ? UINT64_MAX
                                                  : info->binary_version >= 80
                                                      ? info->shared_bytes + RESERVED_BYTES
                                                      : info->shared_bytes,
                                  .shared_window = info->shared_window,
                                  .block_ids = info->tracer_version < 3};
}

void smrf_check_warp(struct smrf_line_check *k, struct smrf_dim3 block, uint32_t warp)
{
    const uint32_t threads = k->block_dim.x * k->block_dim.y * k->block_dim.z;
    const uint32_t first = warp * SMRF_LANES;
    const uint32_t left = threads > first ? threads - first : 0;
    k->block = block;
    k->warp = warp;
    k->lanes = left >= SMRF_LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
    k->dead = ~k->lanes;
    k->before = NULL;
}

static void find_(struct smrf_line_check *k, enum smrf_line_contradiction kind)
{
    k->found |= 1u << kind;
}

void smrf_check_place(struct smrf_line_check *k, const uint32_t id[4])
{
    if (id[0] != k->block.x || id[1] != k->block.y || id[2] != k->block.z || id[3] != k->warp) {
        find_(k, SMRF_LINE_PLACE);
    }
}

/* ---- the program ---------------------------------------------------------------------------- */

static bool is_root_(const struct smrf_code *c, const char *root)
{
    const size_t n = strlen(root);
    return strncmp(c->inst.text, root, n) == 0 &&
           (c->inst.text[n] == '\0' || c->inst.text[n] == '.');
}

static bool same_instruction_(const struct smrf_static_inst *a, const struct smrf_static_inst *b)
{
    return strcmp(a->text, b->text) == 0 && a->num_src_listed == b->num_src_listed &&
           a->num_dst_listed == b->num_dst_listed &&
           memcmp(a->src_listed, b->src_listed, a->num_src_listed) == 0 &&
           memcmp(a->dst_listed, b->dst_listed, a->num_dst_listed) == 0;
}

/* How wide the operands of a matrix instruction are depends on
 * its shape: of these, and of unknown opcodes, only the registers that the line lists count. */
int smrf_check_highest(const struct smrf_static_inst *i)
{
    int highest = -1;
    const bool listed = i->op_class == SMRF_CLASS_TENSOR || (i->flags & SMRF_INST_UNKNOWN) != 0;
    const uint8_t *list[] = {listed ? i->src_listed : i->src, listed ? i->dst_listed : i->dst};
    const unsigned num[] = {listed ? i->num_src_listed : i->num_src,
                            listed ? i->num_dst_listed : i->num_dst};
    for (unsigned side = 0; side < 2; side++) {
        for (unsigned n = 0; n < num[side]; n++) {
            const int r = list[side][n];
            highest = r != SMRF_REG_ZERO && r > highest ? r : highest;
        }
    }
    return highest;
}

void smrf_check_code(struct smrf_line_check *k, const struct smrf_code *c)
{
    if (is_root_(c, "USETMAXREG")) { /* now the warp has as many as it says */
        const uint32_t regs = c->imm != 0 && c->imm <= MOST_REGS ? (uint32_t)c->imm : MOST_REGS;
        k->num_regs = regs > k->num_regs ? regs : k->num_regs;
    }
    k->calls |= c->inst.flow == SMRF_FLOW_CALL;
    if (smrf_check_highest(&c->inst) >= (int)k->num_regs) {
        find_(k, SMRF_LINE_REGISTER);
    }
    /* A called function's PCs count from its own beginning. */
    for (const struct smrf_code *o = c->next; !k->calls && o != NULL; o = o->next) {
        if (o->inst.pc == c->inst.pc && !same_instruction_(&o->inst, &c->inst)) {
            find_(k, SMRF_LINE_OPCODE);
            break;
        }
    }
}

/* ---- executions ----------------------------------------------------------------------------- */

bool smrf_check_is_straight(const struct smrf_code *c)
{
    const struct smrf_static_inst *i = &c->inst;
    return i->has_operands && i->flow == SMRF_FLOW_NONE && i->op_class != SMRF_CLASS_EXIT &&
           i->op_class != SMRF_CLASS_BARRIER && (i->flags & SMRF_INST_UNKNOWN) == 0;
}

static uint64_t address_(const struct smrf_exec *e, unsigned lane)
{
    const uint32_t before = e->mask & ((UINT32_C(1) << lane) - 1);
    if (e->moved) {
        const struct smrf_code_addresses *a = e->code->addresses;
        const uint64_t base = a->base + (uint64_t)(int64_t)e->distance;
        return base + (a->addr_kind == SMRF_ADDR_LIST
                           ? a->lane[lane]
                           : smrf_count_bits(before) * (uint64_t)a->stride);
    }
    return e->addr_kind == SMRF_ADDR_LIST ? e->lane[lane]
                                          : e->base + smrf_count_bits(before) * (uint64_t)e->stride;
}

/* Is the address one of the shared window? *offset: how far into the block's shared memory. Shared
 * instructions name an offset or a generic address, others a generic one. */
static bool in_window_(const struct smrf_line_check *k, const struct smrf_code *c, uint64_t address,
                       uint64_t *offset)
{
    const uint64_t window = k->shared_window;
    const bool above = window != 0 && address >= window;
    *offset = above ? address - window : address;
    if (c->inst.space == SMRF_SPACE_GENERIC) {
        return above && *offset < WINDOW_BYTES;
    }
    if (k->binary_version >= 90) { /* the shared memory of any block of the cluster */
        *offset %= WINDOW_BYTES;
    }
    return true;
}

static bool lane_fits_(const struct smrf_line_check *k, const struct smrf_code *c, uint64_t address)
{
    const uint64_t bytes = c->inst.access_bytes;
    uint64_t offset;
    return !in_window_(k, c, address, &offset) ||
           (offset < k->shared_bytes && bytes <= k->shared_bytes - offset);
}

static bool lanes_fit_(const struct smrf_line_check *k, const struct smrf_exec *e)
{
    for (uint32_t m = e->mask; m != 0; m &= m - 1) {
        if (!lane_fits_(k, e->code, address_(e, (unsigned)__builtin_ctz(m)))) {
            return false;
        }
    }
    return true;
}

/* A list of shared memory's own addresses: offsets, or all generic ones. What this does not accept
 * is looked at lane by lane. */
static bool list_fits_(const struct smrf_line_check *k, const struct smrf_exec *e)
{
    const uint64_t start =
        e->lane[__builtin_ctz(e->mask)] >= k->shared_window ? k->shared_window : 0;
    const uint64_t bytes = e->code->inst.access_bytes;
    const uint64_t last = k->shared_bytes >= bytes ? k->shared_bytes - bytes : 0;
    uint64_t beyond = k->shared_bytes < bytes;
    for (uint32_t m = e->mask; m != 0; m &= m - 1) {
        beyond |= e->lane[__builtin_ctz(m)] - start > last;
    }
    return !beyond;
}

/* Addresses a stride apart: where the first and the last lane stay in shared memory, or on one side
 * of the shared window, all do. What this does not accept is looked at lane by lane. */
static bool ends_fit_(const struct smrf_line_check *k, const struct smrf_exec *e)
{
    const int64_t stride = e->moved ? e->code->addresses->stride : e->stride;
    const uint64_t first = address_(e, (unsigned)__builtin_ctz(e->mask));
    const uint64_t last = address_(e, 31 - (unsigned)__builtin_clz(e->mask));
    const uint64_t low = stride < 0 ? last : first, high = stride < 0 ? first : last;
    uint64_t offset[2];
    if (low > high || stride > INT32_MAX || stride < INT32_MIN) {
        return false;
    }
    const bool inside[] = {in_window_(k, e->code, low, &offset[0]),
                           in_window_(k, e->code, high, &offset[1])};
    if (inside[0] && inside[1]) {
        return lane_fits_(k, e->code, low) && lane_fits_(k, e->code, high) &&
               offset[1] - offset[0] == high - low;
    }
    return !inside[0] && !inside[1] && (high < k->shared_window || low >= k->shared_window);
}

/* Does the execution stay in the block's shared memory, where it accesses shared memory at all? */
static bool shared_fits_(const struct smrf_line_check *k, const struct smrf_exec *e)
{
    if (e->addr_kind == SMRF_ADDR_NONE || k->shared_bytes == UINT64_MAX) {
        return true;
    }
    if (e->moved && e->distance >= e->code->addresses->least &&
        e->distance <= e->code->addresses->most) {
        return true;
    }
    if (e->mask == 0) {
        return true;
    }
    if ((e->moved ? e->code->addresses->addr_kind : e->addr_kind) != SMRF_ADDR_LIST
            ? ends_fit_(k, e)
            : !e->moved && e->code->inst.space == SMRF_SPACE_SHARED && list_fits_(k, e)) {
        return true;
    }
    return lanes_fit_(k, e);
}

static int32_t clamp_(uint64_t bytes)
{
    return bytes > INT32_MAX ? INT32_MAX : (int32_t)bytes;
}

void smrf_check_shared_reach(const struct smrf_line_check *k, const struct smrf_exec *e,
                             int32_t *least, int32_t *most)
{
    uint64_t low = UINT64_MAX, high = 0, offset[2];
    *least = INT32_MIN;
    *most = INT32_MAX;
    if (e->addr_kind == SMRF_ADDR_NONE || k->shared_bytes == UINT64_MAX) {
        return;
    }
    for (uint32_t m = e->mask; m != 0; m &= m - 1) {
        const uint64_t address = address_(e, (unsigned)__builtin_ctz(m));
        low = address < low ? address : low;
        high = address > high ? address : high;
    }
    const bool inside[] = {in_window_(k, e->code, low, &offset[0]),
                           in_window_(k, e->code, high, &offset[1])};
    const uint64_t window = k->shared_window;
    if (inside[0] && inside[1] && lane_fits_(k, e->code, low) && lane_fits_(k, e->code, high) &&
        offset[1] - offset[0] == high - low) {
        *least = -clamp_(offset[0]);
        *most = clamp_(k->shared_bytes - e->code->inst.access_bytes - offset[1]);
    } else if (!inside[0] && !inside[1] && (window == 0 || high < window)) {
        *most = window == 0 ? INT32_MAX : clamp_(window - 1 - high);
    } else if (!inside[0] && low >= window) { /* all above the window */
        *least = -clamp_(low - window - WINDOW_BYTES);
    } else {
        *least = 1;
        *most = 0;
    }
}

bool smrf_check_passes(const struct smrf_line_check *k, const struct smrf_exec *e)
{
    if (e->code->inst.op_class == SMRF_CLASS_BARRIER) {
        return k->has_barrier && e->imm == k->barrier;
    }
    return shared_fits_(k, e);
}

void smrf_check_exec(struct smrf_line_check *k, const struct smrf_exec *e)
{
    const struct smrf_code *c = e->code;
    if (e->mask & ~k->lanes) {
        find_(k, SMRF_LINE_MASK);
    }
    k->ended = e->mask & k->dead & k->lanes;
    if (k->ended != 0) {
        find_(k, SMRF_LINE_AFTER_EXIT);
    }
    if (c->inst.op_class == SMRF_CLASS_BARRIER) {
        k->several_barriers |= k->has_barrier && e->imm != k->barrier;
        k->barrier = k->has_barrier ? k->barrier : e->imm;
        k->has_barrier = true;
    } else if (c->is_checked && !shared_fits_(k, e)) {
        find_(k, SMRF_LINE_SHARED);
    } else if (c->inst.op_class == SMRF_CLASS_EXIT) {
        k->dead |= e->mask;
    }
    if (!smrf_check_follows(k, c, e->mask)) {
        find_(k, SMRF_LINE_FOLLOWS);
        k->follows.code = k->before;
        k->follows.mask = k->before_mask;
    }
    smrf_check_passed(k, c, e->mask);
}
