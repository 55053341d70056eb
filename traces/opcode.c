/* SPDX-License-Identifier: Apache-2.0 */
#include "opcode.h"

#include "opcode_modifiers.h"
#include "opcode_parts.h"
#include "opcode_table.def"
#include "opcode_text.h"

#include <string.h>

/* Flags of a row beyond enum smrf_inst_flag, which occupies the low half. */
enum {
    OP_PRED_FIRST =
        1 << 16, /* operand 0 may be a predicate: the destination is listed first source */
    OP_DST_IS_SRC = 1 << 17, /* operand 0 is read: the trace shows a source as destination */
    OP_BMOV = 1 << 18,       /* as OP_DST_IS_SRC, but .CLEAR really writes its register */
    OP_TMA = 1 << 19,
    OP_GMMA = 1 << 20,
    OP_NO_TRAFFIC = 1 << 21,   /* its copy is left out */
    OP_NO_WAIT = 1 << 22,      /* its barrier is left out */
    OP_NO_REGISTERS = 1 << 23, /* its change of a warp's registers is left out */
    OP_COMPONENTS = 1 << 24,   /* its registers go by what no trace lists */
};

#define ROW(root, op_class, space, flow, shape, flags)                                             \
    {#root,                                                                                        \
     SMRF_CLASS_##op_class,                                                                        \
     SMRF_SPACE_##space,                                                                           \
     SMRF_FLOW_##flow,                                                                             \
     SMRF_SHAPE_##shape,                                                                           \
     (uint32_t)(flags)},
static const struct smrf_opcode_row rows_[] = {SMRF_OPCODES(ROW)};
#undef ROW

#define NUM_ROWS (sizeof rows_ / sizeof rows_[0])

/* Roots for which a value stands apart from the rows. */
struct listed_root {
    const char *root;
    uint8_t value;
};

#define CLASS(root, op_class) {#root, SMRF_CLASS_##op_class},
#define PIPE(root, pipe) {#root, SMRF_PIPE_##pipe},
static const struct listed_root before_volta_[] = {SMRF_OPCODES_BEFORE_VOLTA(CLASS)};
static const struct listed_root from_volta_[] = {SMRF_OPCODES_FROM_VOLTA(CLASS)};
static const struct listed_root pipes_[] = {SMRF_OPCODES_IN_PIPES(PIPE)};
#undef CLASS
#undef PIPE

static const struct smrf_opcode_row *find_row_(const char *opcode)
{
    for (size_t i = 0; i < NUM_ROWS; i++) {
        if (rows_[i].root[0] == opcode[0] && smrf_opcode_root_is(opcode, rows_[i].root)) {
            return &rows_[i];
        }
    }
    return NULL;
}

static uint8_t value_(const struct listed_root *list, size_t n, const char *root, uint8_t otherwise)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i].root, root) == 0) {
            return list[i].value;
        }
    }
    return otherwise;
}

static uint8_t op_class_(const struct smrf_opcode_row *row, uint32_t binary_version)
{
    return binary_version < 70
               ? value_(before_volta_, sizeof before_volta_ / sizeof before_volta_[0], row->root,
                        row->op_class)
               : value_(from_volta_, sizeof from_volta_ / sizeof from_volta_[0], row->root,
                        row->op_class);
}

/* Bytes that one lane accesses. LDSM and STSM: each addressed lane names one row of a matrix. */
static uint8_t access_bytes_(const struct smrf_opcode_row *row, const char *opcode)
{
    return row->shape == SMRF_SHAPE_LDSM || row->shape == SMRF_SHAPE_STSM
               ? 16
               : smrf_modifiers_bytes(opcode);
}

/* Accel-Sim looks at LDG, LDL and LDGSTS only. */
static bool bypasses_l1_in_accelsim_(const struct smrf_opcode_row *row, const char *opcode)
{
    bool looked_at = row->op_class == SMRF_CLASS_LOAD &&
                     (row->space == SMRF_SPACE_GLOBAL || row->space == SMRF_SPACE_LOCAL);
    return looked_at && smrf_modifiers_bypass_l1_in_accelsim(opcode);
}

static void keep_listed_(const struct smrf_listed_inst *in, struct smrf_static_inst *out)
{
    for (unsigned k = 0; k < in->num_dst; k++) {
        if (in->dst[k] < SMRF_LISTED_UREG) {
            out->dst_listed[out->num_dst_listed++] = (uint8_t)in->dst[k];
        }
    }
    for (unsigned k = 0; k < in->num_src; k++) {
        if (in->src[k] < SMRF_LISTED_UREG) {
            out->src_listed[out->num_src_listed++] = (uint8_t)in->src[k];
        }
    }
}

/* Put the operands on the side where the hardware has them. */
static void repair_sides_(struct smrf_opcode_parts *d, struct smrf_operand_map *map)
{
    const struct smrf_listed_inst *in = d->in;
    const uint32_t flags = d->row->flags;
    bool to_src = (flags & OP_DST_IS_SRC) != 0 ||
                  ((flags & OP_BMOV) != 0 && !smrf_opcode_has(in->opcode, "CLEAR"));
    bool to_dst = (flags & OP_PRED_FIRST) != 0 && in->num_dst == 0 && in->num_src > 0;
    for (unsigned k = 0; k < in->num_dst; k++) {
        if (to_src && d->num_src < SMRF_MAX_BASE) {
            d->src_place[d->num_src] = &map->dst[k];
            d->src_slot[d->num_src] = in->dst_slot[k];
            d->src[d->num_src++] = in->dst[k];
        } else {
            d->dst_place[d->num_dst] = &map->dst[k];
            d->dst[d->num_dst++] = in->dst[k];
        }
    }
    for (unsigned k = 0; k < in->num_src; k++) {
        if (to_dst && k == 0) {
            d->dst_place[0] = &map->src[0];
            d->dst[d->num_dst++] = in->src[0];
        } else if (d->num_src < SMRF_MAX_BASE) {
            d->src_place[d->num_src] = &map->src[k];
            d->src_slot[d->num_src] = in->src_slot[k];
            d->src[d->num_src++] = in->src[k];
        }
    }
}

/* Append width consecutive registers from base on, below the register that reads as zero. Returns
 * how many there are then. */
static unsigned append_(uint8_t *list, unsigned have, unsigned capacity, unsigned base,
                        unsigned width, unsigned zero)
{
    for (unsigned r = base; r < base + width && r < zero && have < capacity; r++) {
        list[have++] = (uint8_t)r;
    }
    return have;
}

static void expand_dsts_(struct smrf_opcode_parts *d, struct smrf_static_inst *out)
{
    struct smrf_wide *all = &d->all;
    for (unsigned k = 0; k < d->num_dst; k++) {
        uint8_t width = smrf_opcode_width(d, true, k);
        struct smrf_operand_place *place = d->dst_place[k];
        *place = (struct smrf_operand_place){.is_dst = true, .width = width};
        if (d->dst[k] >= SMRF_LISTED_UREG) {
            out->num_udst = (uint8_t)append_(out->udst, out->num_udst, SMRF_MAX_UDST,
                                             d->dst[k] - SMRF_LISTED_UREG, width, SMRF_UREG_ZERO);
            continue;
        }
        out->dst_base[out->num_dst_base++] = (uint8_t)d->dst[k];
        place->first = all->num_dst;
        all->num_dst = (uint16_t)append_(all->dst, all->num_dst, SMRF_WIDE_MAX, d->dst[k], width,
                                         SMRF_REG_ZERO);
        place->regs = (uint8_t)(all->num_dst - place->first);
    }
}

static void expand_srcs_(struct smrf_opcode_parts *d, struct smrf_static_inst *out)
{
    struct smrf_wide *all = &d->all;
    for (unsigned k = 0; k < d->num_src; k++) {
        uint8_t width = smrf_opcode_width(d, false, d->in->has_slots ? d->src_slot[k] : k);
        struct smrf_operand_place *place = d->src_place[k];
        *place = (struct smrf_operand_place){.width = width};
        if (d->src[k] >= SMRF_LISTED_UREG) {
            out->num_usrc = (uint8_t)append_(out->usrc, out->num_usrc, SMRF_MAX_USRC,
                                             d->src[k] - SMRF_LISTED_UREG, width, SMRF_UREG_ZERO);
            continue;
        }
        out->src_base[out->num_src_base++] = (uint8_t)d->src[k];
        place->first = all->num_src;
        all->num_src = (uint16_t)append_(all->src, all->num_src, SMRF_WIDE_MAX, d->src[k], width,
                                         SMRF_REG_ZERO);
        place->regs = (uint8_t)(all->num_src - place->first);
        memset(all->src_slot + place->first, smrf_opcode_slot(d, k), place->regs);
    }
}

static bool accesses_memory_(const struct smrf_opcode_row *row)
{
    return row->op_class == SMRF_CLASS_LOAD || row->op_class == SMRF_CLASS_STORE ||
           row->op_class == SMRF_CLASS_ATOMIC;
}

/* What an instruction does and the model leaves out, NULL: nothing. */
static const char *left_out_(uint32_t flags)
{
    return flags & OP_NO_TRAFFIC
               ? "its copy is left out: it requests nothing from memory and takes no time there"
           : flags & OP_NO_WAIT ? "barriers in shared memory, of clusters and between grids are "
                                  "left out: it waits for "
                                  "nothing"
           : flags & OP_NO_REGISTERS
               ? "left out: a warp keeps the registers of its launch (-nregs); those beyond them "
                 "have no row and are not checked"
           : flags & OP_COMPONENTS
               ? "its registers go by a mask and a dimension that a trace does not "
                 "list: every operand counts as one register"
               : NULL;
}

/* What is not known of the instruction, NULL: nothing. */
static const char *doubt_(const struct smrf_opcode_parts *d, bool known)
{
    const bool matrix = d->row->shape == SMRF_SHAPE_MMA || d->row->shape == SMRF_SHAPE_GMMA;
    if (!known) {
        return "an unknown opcode, treated as a plain integer instruction";
    }
    if (matrix && d->matrix.accumulator == 0) {
        return "a matrix multiply of a shape or type whose registers are not known: every operand "
               "counts as one register";
    }
    if (!smrf_opcode_access_is_known(d->row, d->in->opcode)) {
        return "an access to matrices or to a surface whose registers are not known: every operand "
               "counts as one register";
    }
    if (d->cut) {
        return "its operands have more registers than the model counts of an instruction (24 read, "
               "16 written): the first ones count";
    }
    /* With a sidecar every register of a texture's vectors is listed. */
    return left_out_(d->row->flags & ~(d->in->has_slots ? (uint32_t)OP_COMPONENTS : 0));
}

/* May the instruction issue in steps? Others have one address, or one target. */
static bool has_steps_(const struct smrf_opcode_row *row)
{
    return row->shape == SMRF_SHAPE_MMA || row->shape == SMRF_SHAPE_GMMA ||
           row->shape == SMRF_SHAPE_LDTM || row->shape == SMRF_SHAPE_STTM;
}

/* Of an operand's registers, those that the lists hold. */
static void clip_(struct smrf_operand_place *place, const struct smrf_static_inst *out)
{
    const unsigned have = place->is_dst ? out->num_dst : out->num_src;
    const unsigned room = have > place->first ? have - place->first : 0;
    place->regs = (uint8_t)(place->regs < room ? place->regs : room);
    place->vector = place->regs != 0;
}

/* The lists of step n from those of the whole instruction. Returns how many steps it has. */
static unsigned take_step_(struct smrf_opcode_parts *d, unsigned n, struct smrf_static_inst *out)
{
    unsigned src, dst;
    struct smrf_wide *all = &d->all;
    if (!has_steps_(d->row) && !smrf_wide_fits(all)) {
        d->cut = true;
        all->num_src = all->num_src < SMRF_MAX_SRC ? all->num_src : SMRF_MAX_SRC;
        all->num_dst = all->num_dst < SMRF_MAX_DST ? all->num_dst : SMRF_MAX_DST;
    }
    smrf_wide_step(all, n, out, &src, &dst);
    return smrf_wide_steps(all);
}

static void decode_access_(struct smrf_opcode_parts *d, bool known, struct smrf_static_inst *out)
{
    const struct smrf_listed_inst *in = d->in;
    const uint8_t bytes = access_bytes_(d->row, in->opcode);
    d->data_regs = (uint8_t)(bytes <= 4 ? 1 : bytes / 4);
    if (known && accesses_memory_(d->row)) {
        out->access_bytes = bytes;
    } else if (in->mem_width != 0) { /* addresses on a line that the table says needs none */
        out->access_bytes = in->mem_width < 16 ? (uint8_t)in->mem_width : 16;
    }
    if (out->access_bytes != 0 && smrf_modifiers_bypass_l1(in->opcode)) {
        out->flags |= SMRF_INST_BYPASS_L1;
    }
    if (known && bypasses_l1_in_accelsim_(d->row, in->opcode)) {
        out->flags |= SMRF_INST_BYPASS_ACCELSIM;
    }
    if (out->op_class == SMRF_CLASS_ATOMIC && smrf_opcode_has(in->opcode, "POPC")) {
        out->flags |= SMRF_INST_COUNTS_LANES;
    }
}

/* Conversions from and to 64 bits have the rate of double precision [CUDA C++ Programming Guide,
 * throughput of native arithmetic instructions]. */
static uint8_t pipe_(const struct smrf_opcode_parts *d)
{
    const uint8_t shape = d->row->shape;
    const bool converts = shape == SMRF_SHAPE_F2F || shape == SMRF_SHAPE_F2I ||
                          shape == SMRF_SHAPE_I2F || shape == SMRF_SHAPE_FRND;
    if (converts && (smrf_opcode_width(d, true, 0) == 2 || smrf_opcode_width(d, false, 0) == 2)) {
        return SMRF_PIPE_WIDE;
    }
    return (uint8_t)value_(pipes_, sizeof pipes_ / sizeof pipes_[0], d->row->root, SMRF_PIPE_CLASS);
}

static bool decode_(const struct smrf_listed_inst *in, unsigned step, struct smrf_static_inst *out,
                    struct smrf_operand_map *map)
{
    static const struct smrf_opcode_row unknown = {
        "", SMRF_CLASS_INT, SMRF_SPACE_NONE, SMRF_FLOW_NONE, SMRF_SHAPE_ONE, SMRF_INST_UNKNOWN};
    const struct smrf_opcode_row *row = find_row_(in->opcode);
    const bool known = row != NULL;
    struct smrf_opcode_parts d = {.in = in, .row = known ? row : &unknown};
    memset(out, 0, sizeof *out);
    memset(map, 0, sizeof *map);

    out->pc = in->pc;
    out->guard = 7;
    out->opcode = known ? (uint16_t)(row - rows_) : (uint16_t)NUM_ROWS;
    out->op_class = known ? op_class_(row, in->binary_version) : SMRF_CLASS_INT;
    out->accumulators =
        out->op_class == SMRF_CLASS_TENSOR ? smrf_modifiers_accumulators(in->opcode) : 0;
    out->pipe = known ? pipe_(&d) : SMRF_PIPE_CLASS;
    out->space = d.row->space;
    out->flow = d.row->flow;
    out->flags = (uint16_t)d.row->flags;
    decode_access_(&d, known, out);
    if (d.row->shape == SMRF_SHAPE_MMA) {
        d.matrix = smrf_matrix_of_warp(in->opcode);
    } else if (d.row->shape == SMRF_SHAPE_GMMA) {
        d.matrix = smrf_matrix_of_group(in->opcode);
    }

    keep_listed_(in, out);
    repair_sides_(&d, map);
    expand_dsts_(&d, out);
    expand_srcs_(&d, out);
    map->steps = (uint8_t)take_step_(&d, step, out);
    for (unsigned k = 0; k < SMRF_MAX_BASE; k++) {
        clip_(&map->dst[k], out);
        clip_(&map->src[k], out);
    }
    if (out->num_dst == 0) {
        out->flags &= (uint16_t)~SMRF_INST_ATOMIC_RETURN;
    }
    map->doubt = doubt_(&d, known);
    if (map->doubt != NULL) {
        out->flags |= SMRF_INST_UNKNOWN;
    }
    return map->doubt == NULL;
}

bool smrf_opcode_decode(const struct smrf_listed_inst *in, struct smrf_static_inst *out,
                        struct smrf_operand_map *map)
{
    struct smrf_operand_map own;
    return decode_(in, 0, out, map != NULL ? map : &own);
}

void smrf_opcode_step(const struct smrf_listed_inst *in, unsigned step,
                      struct smrf_static_inst *out)
{
    struct smrf_operand_map own;
    (void)decode_(in, step, out, &own);
    out->num_src_base = out->num_dst_base = 0;
    out->num_src_listed = out->num_dst_listed = 0;
    out->num_usrc = out->num_udst = 0;
}

size_t smrf_opcode_count(void)
{
    return NUM_ROWS;
}

const char *smrf_opcode_root(size_t row)
{
    return row < NUM_ROWS ? rows_[row].root : NULL;
}

bool smrf_opcode_is_tma(const struct smrf_static_inst *inst)
{
    return inst->opcode < NUM_ROWS && (rows_[inst->opcode].flags & OP_TMA) != 0;
}

bool smrf_opcode_is_gmma(const char *opcode)
{
    const struct smrf_opcode_row *row = find_row_(opcode);
    return row != NULL && (row->flags & OP_GMMA) != 0;
}
