/* SPDX-License-Identifier: Apache-2.0 */
/* Special registers: S2R, S2UR, CS2R; LEPC. Clocks count the launch's warp instructions. So they
 * grow, and are the same in every run. For a block that does nothing but wait for a time they run
 * ahead. */
#include "firmware/exec/special.h"
#include "firmware/exec/address.h"
#include "firmware/exec/flow.h"

#include <string.h>

enum special {
    TID,
    TID_X,
    TID_Y,
    TID_Z,
    CTAID_X,
    CTAID_Y,
    CTAID_Z,
    NTID_X,
    NTID_Y,
    NTID_Z,
    NCTAID_X,
    NCTAID_Y,
    NCTAID_Z,
    LANE,
    VIRTID,
    EQ,
    LT,
    LE,
    GT,
    GE,
    CLOCK_LO,
    CLOCK_HI,
    SHARED_BYTES,
    SHARED_WINDOW,
    SHARED_WINDOW_HIGH,
    LOCAL_WINDOW,
    LOCAL_WINDOW_HIGH,
    ONE,
    ZERO
};

static const struct {
    const char *name;
    uint8_t special;
} names[] = {
    {"SR_TID", TID},
    {"SR_TID.X", TID_X},
    {"SR_TID.Y", TID_Y},
    {"SR_TID.Z", TID_Z},
    {"SR_CTAID.X", CTAID_X},
    {"SR_CTAID.Y", CTAID_Y},
    {"SR_CTAID.Z", CTAID_Z},
    {"SR_NTID.X", NTID_X},
    {"SR_NTID.Y", NTID_Y},
    {"SR_NTID.Z", NTID_Z},
    {"SR_NTID", NTID_X},
    {"SR_NCTAID.X", NCTAID_X},
    {"SR_NCTAID.Y", NCTAID_Y},
    {"SR_NCTAID.Z", NCTAID_Z},
    {"SR_LANEID", LANE},
    {"SR_VIRTID", VIRTID},
    {"SR_EQMASK", EQ},
    {"SR_LTMASK", LT},
    {"SR_LEMASK", LE},
    {"SR_GTMASK", GT},
    {"SR_GEMASK", GE},
    {"SR_CLOCKLO", CLOCK_LO},
    {"SR_CLOCKHI", CLOCK_HI},
    {"SR_CLOCK", CLOCK_LO},
    {"SR_GLOBALTIMERLO", CLOCK_LO},
    {"SR_GLOBALTIMERHI", CLOCK_HI},
    {"SR_SMEMSZ", SHARED_BYTES},
    {"SR_SWINLO", SHARED_WINDOW},
    {"SR_SWINHI", SHARED_WINDOW_HIGH},
    {"SR_LWINLO", LOCAL_WINDOW},
    {"SR_LWINHI", LOCAL_WINDOW_HIGH},
    {"SR_LMEMHIOFF", ZERO}, /* end of the stack, which grows down: what nvcc -G code checks */
    {"SR_VIRTUALSMID", ZERO},
    {"SR_SMID", ZERO},
    {"SR_GRIDID", ONE},
    {"SR_CgaCtaId", ZERO}, /* a cluster has one block */
    {"SRZ", ZERO},
    {"SR_PM0", ZERO},
    {"SR_PM1", ZERO},
    {"SR_PM2", ZERO},
    {"SR_PM3", ZERO},
    {"SR_PM4", ZERO},
    {"SR_PM5", ZERO},
    {"SR_PM6", ZERO},
    {"SR_PM7", ZERO},
    {"SR_VIRTCFG", ZERO},
};

static uint32_t thread_index_(const struct smrf_exec_block *b, uint32_t thread, unsigned special)
{
    const struct smrf_exec_dim d = b->launch->block;
    uint32_t x = thread % d.x, y = thread / d.x % d.y, z = thread / d.x / d.y;
    switch (special) {
    case TID_X:
        return x;
    case TID_Y:
        return y;
    case TID_Z:
        return z;
    default:
        return x | y << 16 | z << 26;
    }
}

static uint32_t mask_of_(unsigned special, unsigned lane)
{
    uint32_t self = UINT32_C(1) << lane;
    switch (special) {
    case EQ:
        return self;
    case LT:
        return self - 1;
    case LE:
        return self | (self - 1);
    case GE:
        return ~(self - 1);
    default:
        return ~(self | (self - 1));
    }
}

/* What is the same in all lanes. */
static uint64_t warp_value_(const struct smrf_exec_warp *w, unsigned special)
{
    const struct smrf_exec_block *b = w->block;
    const struct smrf_exec_dim block = b->launch->block, grid = b->launch->grid;
    switch (special) {
    case CTAID_X:
        return b->id.x;
    case CTAID_Y:
        return b->id.y;
    case CTAID_Z:
        return b->id.z;
    case NTID_X:
        return block.x;
    case NTID_Y:
        return block.y;
    case NTID_Z:
        return block.z;
    case NCTAID_X:
        return grid.x;
    case NCTAID_Y:
        return grid.y;
    case NCTAID_Z:
        return grid.z;
    case VIRTID: /* %warpid is (SR_VIRTID >> 8) & 0x7f */
        return w->index << 8;
    case CLOCK_LO:
        return b->watch.value;
    case CLOCK_HI:
        return b->watch.value >> 32;
    case SHARED_BYTES:
        return b->shared_bytes;
    case SHARED_WINDOW:
        return SMRF_EXEC_SHARED_WINDOW;
    case SHARED_WINDOW_HIGH:
        return SMRF_EXEC_SHARED_WINDOW >> 32;
    case LOCAL_WINDOW:
        return SMRF_EXEC_LOCAL_WINDOW;
    case LOCAL_WINDOW_HIGH:
        return SMRF_EXEC_LOCAL_WINDOW >> 32;
    case ONE:
        return 1;
    default:
        return 0;
    }
}

static uint32_t lane_value_(const struct smrf_exec_warp *w, unsigned special, unsigned lane)
{
    if (special <= TID_Z) {
        return thread_index_(w->block, w->index * SMRF_EXEC_LANES + lane, special);
    }
    if (special == LANE) {
        return lane;
    }
    if (special >= EQ && special <= GE) {
        return mask_of_(special, lane);
    }
    return (uint32_t)warp_value_(w, special);
}

#define SOON 64               /* instructions from one look to the next */
#define MOST_LOOKS (1U << 16) /* .. until the block is taken to wait */
#define MOST_SHIFT 24

/* Looks at the clock. A loop that waits for milliseconds looks a million times and more; it goes
 * ahead twice as far with every look then. */
static void look_(struct smrf_exec_block *b)
{
    const uint64_t count = b->clock_base + b->clock;
    b->watch.reads = count - b->watch.count <= SOON ? b->watch.reads + 1 : 0;
    if (b->watch.reads > MOST_LOOKS) {
        const uint32_t more = b->watch.reads - MOST_LOOKS;
        b->watch.ahead += UINT64_C(1) << (more < MOST_SHIFT ? more : MOST_SHIFT);
    }
    b->watch.count = count;
    b->watch.value = count + b->watch.ahead;
}

/* A clock tells how much ran before: of a block that runs beside others, that is known when it is
 * the oldest. */
static int settle_(struct smrf_exec_warp *w, unsigned special)
{
    if (special != CLOCK_LO && special != CLOCK_HI) {
        return 0;
    }
    if (!smrf_claims_settle(w->block)) {
        return smrf_exec_fail(w, -1, SMRF_ERR_STATE, SMRF_EXEC_UNDONE);
    }
    look_(w->block);
    return 0;
}

static int to_vector_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    if (settle_(w, op->sub) < 0) {
        return SMRF_ERR_STATE;
    }
    uint32_t row[SMRF_EXEC_LANES];
    const struct smrf_exec_dim d = w->block->launch->block;
    bool by_lane = op->sub <= TID_Z || op->sub == LANE || (op->sub >= EQ && op->sub <= GE);
    uint32_t first = op->sub == TID_X ? w->index * SMRF_EXEC_LANES
                     : by_lane        ? 0
                                      : (uint32_t)warp_value_(w, op->sub);
    uint32_t step = op->sub == TID_X; /* of a block that is a line */
    if (!by_lane || (op->sub == TID_X && d.y * d.z == 1)) {
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            row[i] = first + step * i;
        }
    } else {
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            row[i] = lane_value_(w, op->sub, i);
        }
    }
    smrf_exec_write(w, op->dst, mask, row);
    if (op->sub2 != 0) { /* CS2R of 64 bits */
        uint32_t high = (uint32_t)(warp_value_(w, op->sub) >> 32);
        for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
            row[i] = high;
        }
        smrf_exec_write(w, smrf_exec_next_row(op->dst), mask, row);
    }
    return 0;
}

static int to_uniform_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    if (settle_(w, op->sub) < 0) {
        return SMRF_ERR_STATE;
    }
    unsigned lane = (unsigned)__builtin_ctz(mask);
    smrf_exec_write_uniform(w, op->udst, lane_value_(w, op->sub, lane));
    if (op->sub2 != 0) {
        smrf_exec_write_uniform(w, op->udst < 63U ? op->udst + 1U : 63U,
                                (uint32_t)(warp_value_(w, op->sub) >> 32));
    }
    return 0;
}

/* LEPC: its own address, from which code without a linker makes the one to return to. */
static int place_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint32_t low[SMRF_EXEC_LANES], high[SMRF_EXEC_LANES];
    for (unsigned i = 0; i < SMRF_EXEC_LANES; i++) {
        low[i] = (uint32_t)op->inst->address;
        high[i] = (uint32_t)(op->inst->address >> 32);
    }
    smrf_exec_write(w, op->dst, mask, low);
    smrf_exec_write(w, smrf_exec_next_row(op->dst), mask, high);
    return 0;
}

static void bind_name_(struct smrf_exec_binding *b)
{
    const struct smrf_sass_operand *o =
        b->next < b->inst->num_operands ? &b->inst->operand[b->next++] : NULL;
    if (o == NULL || o->kind != SMRF_SASS_SPECIAL || o->name == NULL) {
        smrf_exec_bind_fail(b, "%s needs a special register", b->inst->mnemonic);
        return;
    }
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(o->name, names[i].name) == 0) {
            b->op->sub = names[i].special;
            return;
        }
    }
    smrf_exec_bind_fail(b, "special register %.40s is not supported", o->name);
}

int smrf_exec_bind_special(struct smrf_exec_binding *b)
{
    const char *name = b->inst->opcode;
    bool wide =
        (strcmp(name, "CS2R") == 0 || strcmp(name, "CS2UR") == 0) && !smrf_exec_bind_has(b, "32");
    if (strcmp(name, "S2R") == 0 || strcmp(name, "CS2R") == 0) {
        b->op->fn = to_vector_;
        smrf_exec_bind_dst_rows(b, wide ? 2 : 1);
    } else if (strcmp(name, "S2UR") == 0 || strcmp(name, "CS2UR") == 0) {
        b->op->fn = to_uniform_;
        smrf_exec_bind_udst(b);
    } else if (strcmp(name, "LEPC") == 0) {
        b->op->fn = place_;
        smrf_exec_bind_dst_rows(b, 2);
        return 1;
    } else {
        return 0;
    }
    b->op->sub2 = wide;
    bind_name_(b);
    return 1;
}
