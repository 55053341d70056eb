/* SPDX-License-Identifier: Apache-2.0 */
/* TEX, TLD, TLD4, TXD, TXQ. An instruction has a list of values: layer, coordinates, the handle
 * where no constant or uniform register names it, level of detail, offsets. It lies in two vectors
 * of registers: halves of the list (.SCR), or the coordinates and the rest. */
#include "firmware/exec/texture.h"

#include "firmware/exec/address.h"

#include <string.h>

#define DIMS 7U          /* of sub: enum dims */
#define SCATTERED 8U     /* .SCR */
#define BINDLESS 16U     /* .B: the handle is in the list */
#define LEVEL 32U        /* a level of detail is */
#define HANDLE_FIRST 64U /* the handle comes before the coordinates */
#define OFFSETS 128U     /* .AOFFI: offsets in texels, four bits for each coordinate */
#define DERIVATIVES 256U /* TXD: they are the second vector; the layer comes last */
#define MASK 15U         /* of sub2: which results */
#define CHANNEL_SHIFT 4
#define HIGH_SHIFT 8 /* row of the third and fourth result */

enum dims { D_1D, D_2D, D_3D, D_CUBE, D_ARRAY_1D, D_ARRAY_2D, D_NONE, D_ARRAY_CUBE };

#define ARRAY 4U /* of enum dims */

static unsigned coordinates_(unsigned dims)
{
    static const uint8_t count[8] = {1, 2, 3, 3, 2, 3, 0, 4};
    return count[dims];
}

const struct smrf_exec_texture *smrf_exec_texture_of(struct smrf_exec_warp *w, unsigned lane,
                                                     uint32_t handle)
{
    const struct smrf_exec_launch *l = w->block->launch;
    const uint32_t number = handle & SMRF_TEXTURE_NUMBER;
    if (number < l->num_textures && l->texture[number] != NULL) {
        return l->texture[number];
    }
    w->fault = SMRF_FAULT_ADDRESS;
    (void)smrf_exec_fail(w, (int)lane, SMRF_ERR_CHECK,
                         "no texture or surface has the handle 0x%x: nothing is bound, or it has "
                         "been destroyed",
                         handle);
    return NULL;
}

static unsigned listed_(const struct smrf_exec_op *op)
{
    return coordinates_(op->sub & DIMS) + ((op->sub & BINDLESS) != 0) + ((op->sub & LEVEL) != 0) +
           ((op->sub & OFFSETS) != 0);
}

/* Row of the k-th value of the list. */
static unsigned row_(const struct smrf_exec_op *op, unsigned k)
{
    const unsigned coordinates =
        coordinates_(op->sub & DIMS) + ((op->sub & HANDLE_FIRST) != 0 ? 1 : 0);
    const unsigned first = (op->sub & SCATTERED) != 0 ? (listed_(op) + 1) / 2 : coordinates;
    const unsigned base = k < first ? op->src[0].reg : op->src[1].reg;
    return base == SMRF_EXEC_RZ ? base : base + (k < first ? k : k - first);
}

static uint32_t handle_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, unsigned lane)
{
    const struct smrf_exec_src *s = &op->src[2];
    if (s->kind == SMRF_SASS_CONST) {
        return (uint32_t)smrf_exec_const(w, s->bank, s->imm, 4);
    }
    if (s->kind == SMRF_SASS_UREG) {
        return w->ur[s->ureg];
    }
    const unsigned k = (op->sub & HANDLE_FIRST) != 0 ? 0 : coordinates_(op->sub & DIMS);
    return w->r[row_(op, k)][lane];
}

struct place {
    uint32_t layer;
    uint32_t at[3]; /* bits */
    int32_t offset[3];
    unsigned dims;
    uint32_t level; /* of detail, or of a load */
};

static struct place place_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                           unsigned lane)
{
    struct place p = {0};
    const unsigned dims = op->sub & DIMS;
    const bool layered = (dims & ARRAY) != 0, layer_last = (op->sub & DERIVATIVES) != 0;
    unsigned k = (op->sub & HANDLE_FIRST) != 0 ? 1 : 0;
    if (layered && !layer_last) {
        p.layer = w->r[row_(op, k++)][lane] & 0xffff;
    }
    p.dims = coordinates_(dims) - layered;
    for (unsigned i = 0; i < p.dims; i++) {
        p.at[i] = w->r[row_(op, k++)][lane];
    }
    if (layered && layer_last) {
        p.layer = w->r[row_(op, k)][lane] & 0xffff;
    }
    if ((op->sub & LEVEL) != 0) {
        p.level = w->r[row_(op, k + ((op->sub & BINDLESS) != 0))][lane];
    }
    if ((op->sub & OFFSETS) != 0) {
        const uint32_t offsets = w->r[row_(op, listed_(op) - 1)][lane];
        for (unsigned i = 0; i < p.dims; i++) {
            p.offset[i] = (int32_t)(offsets << (28 - 4 * i)) >> 28;
        }
    }
    return p;
}

/* The results that the mask names, two in the lower rows, then two in the upper ones. */
static void give_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                  uint32_t out[4][SMRF_EXEC_LANES])
{
    const unsigned high = op->sub2 >> HIGH_SHIFT;
    unsigned count = 0;
    for (unsigned c = 0; c < 4; c++) {
        if ((op->sub2 >> c & 1) == 0) {
            continue;
        }
        const unsigned base = count < 2 ? op->dst : high;
        smrf_exec_write(w, base >= SMRF_EXEC_RZ ? base : base + count % 2, mask, out[c]);
        count++;
    }
}

typedef int fetch_fn(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                     const struct smrf_exec_texture *t, const struct place *p, unsigned lane,
                     uint32_t out[4]);

static int each_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask,
                 fetch_fn *fetch)
{
    uint32_t out[4][SMRF_EXEC_LANES] = {{0}};
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctz(rest);
        const struct place p = place_(w, op, i);
        const uint32_t handle = handle_(w, op, i);
        const struct smrf_exec_texture *t = smrf_exec_texture_of(w, i, handle);
        uint32_t texel[4];
        if (t == NULL) {
            return SMRF_ERR_CHECK;
        }
        if (fetch(w, op, t, &p, i, texel) < 0) {
            w->fault = SMRF_FAULT_ADDRESS;
            return smrf_exec_fail(w, (int)i, SMRF_ERR_CHECK,
                                  "the memory of the texture with the handle 0x%x has been freed",
                                  handle);
        }
        for (unsigned c = 0; c < 4; c++) {
            out[c][i] = texel[c];
        }
    }
    give_(w, op, mask, out);
    return smrf_exec_done(w);
}

static struct smrf_texture_at floats_(const struct place *p)
{
    struct smrf_texture_at at = {.dims = p->dims, .layer = p->layer};
    memcpy(at.x, p->at, sizeof at.x);
    memcpy(at.offset, p->offset, sizeof at.offset);
    memcpy(&at.level, &p->level, sizeof at.level);
    return at;
}

static float float_at_(const struct smrf_exec_warp *w, unsigned row, unsigned lane)
{
    float value;
    memcpy(&value, &w->r[row][lane], sizeof value);
    return value;
}

/* The second vector: of each coordinate, along x and along y. */
static float given_detail_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                           const struct smrf_exec_texture *t, unsigned dims, unsigned lane)
{
    float derivative[2][3] = {{0}};
    for (unsigned i = 0; i < dims && op->src[1].reg != SMRF_EXEC_RZ; i++) {
        derivative[0][i] = float_at_(w, op->src[1].reg + 2 * i, lane);
        derivative[1][i] = float_at_(w, op->src[1].reg + 2 * i + 1, lane);
    }
    return smrf_texture_detail(t, derivative);
}

static int fetch_sample_(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                         const struct smrf_exec_texture *t, const struct place *p, unsigned lane,
                         uint32_t out[4])
{
    struct smrf_texture_at at = floats_(p);
    if (t->num_levels > 1 && (op->sub & DERIVATIVES) != 0) {
        at.level = given_detail_(w, op, t, p->dims, lane);
    }
    return smrf_texture_sample(w->block->space, t, &at, out);
}

static int fetch_load_(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                       const struct smrf_exec_texture *t, const struct place *p, unsigned lane,
                       uint32_t out[4])
{
    int32_t at[3];
    (void)op;
    (void)lane;
    for (unsigned i = 0; i < 3; i++) {
        at[i] = (int32_t)(p->at[i] + (uint32_t)p->offset[i]);
    }
    if (t->num_levels <= 1) {
        return smrf_texture_load(w->block->space, t, at, p->layer, out);
    }
    const struct smrf_exec_texture level =
        smrf_texture_level(t, p->level < t->num_levels ? p->level : t->num_levels - 1U);
    return smrf_texture_load(w->block->space, &level, at, p->layer, out);
}

static int fetch_gather_(struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                         const struct smrf_exec_texture *t, const struct place *p, unsigned lane,
                         uint32_t out[4])
{
    const struct smrf_texture_at at = floats_(p);
    (void)lane;
    return smrf_texture_gather(w->block->space, t, &at, op->sub2 >> CHANNEL_SHIFT & 3, out);
}

static int sample_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    return each_(w, op, mask, fetch_sample_);
}

static int load_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    return each_(w, op, mask, fetch_load_);
}

static int gather_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    return each_(w, op, mask, fetch_gather_);
}

/* TXQ.DIMENSION: width, height, depth or layers, number of levels. */
static int query_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint32_t out[4][SMRF_EXEC_LANES];
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctz(rest);
        const struct smrf_exec_texture *t = smrf_exec_texture_of(w, i, handle_(w, op, i));
        if (t == NULL) {
            return SMRF_ERR_CHECK;
        }
        const uint32_t level = w->r[op->src[0].reg][i];
        const struct smrf_exec_texture one =
            level < t->num_levels ? smrf_texture_level(t, level) : *t;
        out[0][i] = one.width;
        out[1][i] = one.height;
        out[2][i] = one.layers != 0 ? one.layers : one.depth;
        out[3][i] = t->num_levels > 1 ? t->num_levels : 1;
    }
    give_(w, op, mask, out);
    return smrf_exec_done(w);
}

/* ---- binding ------------------------------------------------------------------------------- */

static const struct smrf_sass_operand *next_(struct smrf_exec_binding *b)
{
    return b->next < b->inst->num_operands ? &b->inst->operand[b->next] : NULL;
}

unsigned smrf_exec_bind_vector(struct smrf_exec_binding *b, unsigned rz)
{
    const struct smrf_sass_operand *o = next_(b);
    if (o == NULL || o->kind != SMRF_SASS_REG) {
        smrf_exec_bind_fail(b, "operand %u of %s should be a register", b->next + 1,
                            b->inst->mnemonic);
        return rz;
    }
    b->next++;
    if (o->reg != SMRF_EXEC_RZ && o->reg > SMRF_EXEC_RZ - 4) {
        smrf_exec_bind_fail(b, "%s names registers behind R254", b->inst->mnemonic);
    }
    return o->reg == SMRF_EXEC_RZ ? rz : o->reg;
}

static unsigned bind_row_(struct smrf_exec_binding *b)
{
    return smrf_exec_bind_vector(b, SMRF_EXEC_RZ);
}

static unsigned bind_result_(struct smrf_exec_binding *b)
{
    return smrf_exec_bind_vector(b, SMRF_EXEC_BIN);
}

/* 0x0, 0x5c: a word of a constant bank; UR4, 0x0: a uniform register. */
void smrf_exec_bind_header(struct smrf_exec_binding *b, struct smrf_exec_src *handle)
{
    const struct smrf_sass_operand *o = next_(b);
    const struct smrf_sass_operand *more =
        b->next + 1U < b->inst->num_operands ? &b->inst->operand[b->next + 1] : NULL;
    if (o == NULL || more == NULL || more->kind != SMRF_SASS_INT ||
        (o->kind != SMRF_SASS_INT && o->kind != SMRF_SASS_UREG)) {
        smrf_exec_bind_fail(b, "%s does not say which texture or surface", b->inst->mnemonic);
        return;
    }
    b->next += 2;
    if (o->kind == SMRF_SASS_INT && (uint64_t)o->imm < SMRF_SASS_CONST_BANKS) {
        *handle = (struct smrf_exec_src){
            .kind = SMRF_SASS_CONST, .bank = (uint8_t)o->imm, .imm = (uint64_t)more->imm * 4};
    } else if (o->kind == SMRF_SASS_UREG && more->imm == 0) {
        *handle = (struct smrf_exec_src){.kind = SMRF_SASS_UREG, .ureg = o->reg};
    } else {
        smrf_exec_bind_fail(b, "this place of a handle in %s is not supported", b->inst->mnemonic);
    }
}

static void bind_dims_(struct smrf_exec_binding *b)
{
    static const char *const names[] = {"1D",       "2D",       "3D", "CUBE",
                                        "ARRAY_1D", "ARRAY_2D", "",   "ARRAY_CUBE"};
    const struct smrf_sass_operand *o = next_(b);
    unsigned dims = D_NONE;
    for (unsigned i = 0; o != NULL && o->kind == SMRF_SASS_SPECIAL && i < 8; i++) {
        dims = strcmp(o->name, names[i]) == 0 ? i : dims;
    }
    if (dims == D_NONE) {
        smrf_exec_bind_fail(b, "%s does not say how many dimensions", b->inst->mnemonic);
        return;
    }
    b->next++;
    b->op->sub |= dims;
}

static void bind_mask_(struct smrf_exec_binding *b)
{
    const struct smrf_sass_operand *o = next_(b);
    b->op->sub2 |= MASK;
    if (o != NULL && o->kind == SMRF_SASS_INT) {
        b->op->sub2 = (b->op->sub2 & ~MASK) | ((uint32_t)o->imm & MASK);
        b->next++;
    }
}

static void bind_fetch_(struct smrf_exec_binding *b, bool derivatives)
{
    struct smrf_exec_op *op = b->op;
    const bool bindless = smrf_exec_bind_has(b, "B");
    op->sub |= smrf_exec_bind_has(b, "SCR") ? SCATTERED : 0;
    op->sub |= bindless ? BINDLESS : 0;
    op->sub |= smrf_exec_bind_has(b, "AOFFI") ? OFFSETS : 0;
    op->sub |= bindless && derivatives ? HANDLE_FIRST : 0;
    op->sub |= derivatives ? DERIVATIVES : 0;
    smrf_exec_bind_caching(b);
    (void)smrf_exec_bind_has(b, "NODEP");
    op->sub2 |= bind_result_(b) << HIGH_SHIFT;
    op->dst = (uint16_t)bind_result_(b);
    op->src[0].reg = (uint8_t)bind_row_(b);
    op->src[1].reg = SMRF_EXEC_RZ;
    if (smrf_exec_bind_kind(b) == SMRF_SASS_REG) {
        op->src[1].reg = (uint8_t)bind_row_(b);
    }
    if (!bindless) {
        smrf_exec_bind_header(b, &op->src[2]);
    }
    bind_dims_(b);
    bind_mask_(b);
}

static void bind_sample_(struct smrf_exec_binding *b)
{
    const bool level = smrf_exec_bind_has(b, "LL") || smrf_exec_bind_has(b, "LB");
    b->op->fn = sample_;
    b->op->sub |= level ? LEVEL : 0;
    (void)smrf_exec_bind_has(b, "LZ");
    (void)smrf_exec_bind_has(b, "NDV");
    bind_fetch_(b, false);
}

static void bind_load_(struct smrf_exec_binding *b)
{
    b->op->fn = load_;
    b->op->sub |= smrf_exec_bind_has(b, "LL") ? LEVEL : 0;
    (void)smrf_exec_bind_has(b, "LZ");
    bind_fetch_(b, false);
}

/* .B is a channel as well as the handle's place: TLD4.SCR.B.B. The channel comes first. */
static void bind_gather_(struct smrf_exec_binding *b)
{
    static const char *const names[] = {"R", "G", "B", "A"};
    b->op->fn = gather_;
    b->op->sub2 |= smrf_exec_bind_next_of(b, names, 4, 0) << CHANNEL_SHIFT;
    bind_fetch_(b, false);
}

static void bind_query_(struct smrf_exec_binding *b)
{
    struct smrf_exec_op *op = b->op;
    op->fn = query_;
    (void)smrf_exec_bind_has(b, "NODEP");
    op->sub2 |= bind_result_(b) << HIGH_SHIFT;
    op->dst = (uint16_t)bind_result_(b);
    op->src[0].reg = (uint8_t)bind_row_(b); /* level of detail */
    const struct smrf_sass_operand *o = next_(b);
    if (o == NULL || o->kind != SMRF_SASS_SPECIAL || strcmp(o->name, "TEX_HEADER_DIMENSION") != 0) {
        smrf_exec_bind_fail(b, "%s asks for what is not supported", b->inst->mnemonic);
        return;
    }
    b->next++;
    smrf_exec_bind_header(b, &op->src[2]);
    bind_mask_(b);
}

int smrf_exec_bind_texture(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    struct smrf_exec_binding b;
    const char *name = op->inst->opcode;
    smrf_exec_bind_begin(&b, op, error);
    if (strcmp(name, "TEX") == 0) {
        bind_sample_(&b);
    } else if (strcmp(name, "TXD") == 0) {
        op->fn = sample_;
        bind_fetch_(&b, true);
    } else if (strcmp(name, "TLD") == 0) {
        bind_load_(&b);
    } else if (strcmp(name, "TLD4") == 0) {
        bind_gather_(&b);
    } else if (strcmp(name, "TXQ") == 0) {
        bind_query_(&b);
    } else {
        return 0;
    }
    return smrf_exec_bind_end(&b);
}
