/* SPDX-License-Identifier: Apache-2.0 */
#include "opcode.h"

#include "matrix.h"
#include "opcode_table.def"
#include "opcode_text.h"
#include "steps.h"

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
};

enum shape {
    SHAPE_ONE,      /* every operand one register (two with .64) */
    SHAPE_PAIRS,    /* every operand two */
    SHAPE_DSET,     /* sources pairs, destination one */
    SHAPE_IMAD,     /* .WIDE: D and C pairs; .HI: C pair */
    SHAPE_F2F,      /* .<destination type>.<source type> */
    SHAPE_F2I,      /* a 64-bit integer makes D a pair, F64 the source */
    SHAPE_I2F,      /* F64 makes D a pair, a 64-bit integer the source */
    SHAPE_FRND,     /* F64: both pairs */
    SHAPE_MATCH,    /* .U64: source pair */
    SHAPE_CS2R,     /* from Volta on a pair unless .32 */
    SHAPE_DST_PAIR, /* a program counter or address from Volta on */
    SHAPE_TARGET,   /* the same as a source */
    SHAPE_ADDRESS,  /* one address operand */
    SHAPE_LDC,      /* D as wide as the access, index one */
    SHAPE_LOAD,     /* D as wide as the access, address */
    SHAPE_STORE,    /* address, data as wide as the access */
    SHAPE_ATOM,     /* D, address, data (and comparand) */
    SHAPE_LDSM,     /* D by the number of 8x8 matrices */
    SHAPE_STSM,
    SHAPE_LDGSTS, /* shared address, global address */
    SHAPE_MMA,
    SHAPE_GMMA, /* accumulator, A if it is in registers */
    SHAPE_LDTM, /* D by shape and count */
    SHAPE_STTM
};

struct row {
    char root[16]; /* in place: a search goes through all of them */
    uint8_t op_class, space, flow, shape;
    uint32_t flags;
};

#define ROW(root, op_class, space, flow, shape, flags)                                             \
    {#root,         SMRF_CLASS_##op_class, SMRF_SPACE_##space, SMRF_FLOW_##flow,                   \
     SHAPE_##shape, (uint32_t)(flags)},
static const struct row rows_[] = {SMRF_OPCODES(ROW)};
#undef ROW

#define NUM_ROWS (sizeof rows_ / sizeof rows_[0])

struct class_change {
    const char *root;
    uint8_t op_class;
};

#define CHANGE(root, op_class) {#root, SMRF_CLASS_##op_class},
static const struct class_change before_volta_[] = {SMRF_OPCODES_BEFORE_VOLTA(CHANGE)};
static const struct class_change from_volta_[] = {SMRF_OPCODES_FROM_VOLTA(CHANGE)};
#undef CHANGE

/* What the shapes need to know about the instruction at hand. */
struct decode {
    const struct smrf_listed_inst *in;
    const struct row *row;
    struct smrf_matrix matrix; /* of a matrix multiply */
    bool cut;                  /* operands have more registers than are counted */
    struct smrf_wide all;      /* its vector registers */
    uint8_t num_dst, num_src;  /* after repair */
    uint16_t dst[SMRF_MAX_BASE];
    uint16_t src[SMRF_MAX_BASE];
    struct smrf_operand_place *dst_place[SMRF_MAX_BASE]; /* of each repaired operand */
    struct smrf_operand_place *src_place[SMRF_MAX_BASE];
    uint8_t src_slot[SMRF_MAX_BASE]; /* known operand positions, if in->has_slots */
    uint8_t data_regs;               /* registers of the data of a memory access */
};

static const struct row *find_row_(const char *opcode)
{
    for (size_t i = 0; i < NUM_ROWS; i++) {
        if (rows_[i].root[0] == opcode[0] && smrf_opcode_root_is(opcode, rows_[i].root)) {
            return &rows_[i];
        }
    }
    return NULL;
}

static uint8_t op_class_(const struct row *row, uint32_t binary_version)
{
    const struct class_change *c = binary_version < 70 ? before_volta_ : from_volta_;
    size_t n =
        binary_version < 70 ? sizeof before_volta_ / sizeof *c : sizeof from_volta_ / sizeof *c;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(c[i].root, row->root) == 0) {
            return c[i].op_class;
        }
    }
    return row->op_class;
}

/* HMMA.1688.F32, HMMA.1688.F16, IMMA.8816.S8.S8: the type after the shape. */
static uint8_t accumulators_(const char *opcode)
{
    if (opcode[0] != 'H') {
        return SMRF_ACCUMULATORS_INT;
    }
    const char *type = strstr(opcode, ".F");
    return type != NULL && type[2] == '3' ? SMRF_ACCUMULATORS_F32 : SMRF_ACCUMULATORS_F16;
}

/* Bytes of a modifier that is a vector's type: F32x4, F16x2, BF16x8, E4M3x4; 0: there is none. */
static unsigned vector_bytes_(const char *opcode)
{
    for (const char *p = strchr(opcode, '.'); p != NULL; p = strchr(p, '.')) {
        static const struct {
            const char *type;
            unsigned bytes;
        } types[] = {{"F32x", 4},  {"F16x", 2},  {"BF16x", 2}, {"F64x", 8},
                     {"E4M3x", 1}, {"E5M2x", 1}, {"U32x", 4},  {"S32x", 4}};
        p++;
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
            const size_t n = strlen(types[i].type);
            if (strncmp(p, types[i].type, n) == 0 && p[n] >= '2' && p[n] <= '8') {
                return types[i].bytes * (unsigned)(p[n] - '0');
            }
        }
    }
    return 0;
}

/* Bytes that one lane accesses. */
static uint8_t access_bytes_(const struct row *row, const char *opcode)
{
    const unsigned vector = vector_bytes_(opcode);
    if (vector != 0) {
        return (uint8_t)vector;
    }
    if (row->shape == SHAPE_LDSM || row->shape == SHAPE_STSM) {
        return 16; /* each addressed lane names one 16-byte row of a matrix */
    }
    if (smrf_opcode_has(opcode, "256")) {
        return 32;
    }
    if (smrf_opcode_has(opcode, "128")) {
        return 16;
    }
    if (smrf_opcode_has(opcode, "96")) {
        return 12;
    }
    if (smrf_opcode_has(opcode, "64")) {
        return 8;
    }
    if (row->op_class == SMRF_CLASS_ATOMIC) {
        return smrf_opcode_has(opcode, "F64") || smrf_opcode_has(opcode, "S64") ||
                       smrf_opcode_has(opcode, "U64")
                   ? 8
                   : 4;
    }
    if (smrf_opcode_has(opcode, "U8") || smrf_opcode_has(opcode, "S8")) {
        return 1;
    }
    if (smrf_opcode_has(opcode, "U16") || smrf_opcode_has(opcode, "S16")) {
        return 2;
    }
    return 4;
}

static bool bypasses_l1_(const char *opcode)
{
    return smrf_opcode_has(opcode, "CG") || smrf_opcode_has(opcode, "CV") ||
           smrf_opcode_has(opcode, "BYPASS") ||
           (smrf_opcode_has(opcode, "STRONG") &&
            (smrf_opcode_has(opcode, "GPU") || smrf_opcode_has(opcode, "SYS"))) ||
           smrf_opcode_has(opcode, "MMIO");
}

/* Accel-Sim (trace_driven.cc, parse_from_trace_struct) looks at LDG, LDL and LDGSTS only. */
static bool bypasses_l1_in_accelsim_(const struct row *row, const char *opcode)
{
    bool looked_at = row->op_class == SMRF_CLASS_LOAD &&
                     (row->space == SMRF_SPACE_GLOBAL || row->space == SMRF_SPACE_LOCAL);
    return looked_at && smrf_opcode_has(opcode, "STRONG") && smrf_opcode_has(opcode, "GPU");
}

/* Number of 8x8 matrices of LDSM and STSM: .M88 (one), .M88.2, .M88.4. */
static uint8_t matrices_(const char *opcode)
{
    return smrf_opcode_has(opcode, "4") ? 4 : smrf_opcode_has(opcode, "2") ? 2 : 1;
}

/* The rank-th modifier that is an operand type (F16, F32, F64, ...); NULL if there are fewer. */
static const char *type_token_(const char *opcode, unsigned rank)
{
    for (const char *p = strchr(opcode, '.'); p != NULL; p = strchr(p, '.')) {
        p++;
        bool letter = *p == 'F' || *p == 'S' || *p == 'U' || *p == 'B';
        bool number = letter && ((p[1] >= '0' && p[1] <= '9') || (p[1] == 'F' && p[2] == '1'));
        if (number && rank-- == 0) {
            return p;
        }
    }
    return NULL;
}

static uint8_t f2f_width_(const char *opcode, bool dst)
{
    const char *type = type_token_(opcode, dst ? 0 : 1);
    return type != NULL && strncmp(type, "F64", 3) == 0 ? 2 : 1;
}

static bool int64_(const char *opcode)
{
    return smrf_opcode_has(opcode, "S64") || smrf_opcode_has(opcode, "U64");
}

/* With two listed sources, one of A, B, C is a constant or an immediate that the trace does not
 * list. Assumption A-trace-1: the missing one is C, unless an immediate is known (then B is the
 * immediate and the second register is C; a pair C is even). */
static bool imad_second_is_c_(const struct decode *d)
{
    uint16_t r = d->src[1];
    bool pair = smrf_opcode_has(d->in->opcode, "WIDE") || smrf_opcode_has(d->in->opcode, "HI");
    return d->num_src == 2 && d->in->imm != 0 && (!pair || r == SMRF_REG_ZERO || r % 2 == 0);
}

static bool address_pair_(const struct decode *d)
{
    uint8_t space = d->row->space;
    return (space == SMRF_SPACE_GLOBAL || space == SMRF_SPACE_GENERIC ||
            space == SMRF_SPACE_NONE) &&
           smrf_opcode_has(d->in->opcode, "E");
}

static uint8_t imad_width_(const struct decode *d, bool dst, unsigned k)
{
    bool wide = smrf_opcode_has(d->in->opcode, "WIDE");
    bool high = smrf_opcode_has(d->in->opcode, "HI");
    if (dst) {
        return wide ? 2 : 1;
    }
    bool is_c = k == 2 || (k == 1 && !d->in->has_slots && imad_second_is_c_(d));
    return is_c && (wide || high) ? 2 : 1;
}

static uint8_t atom_width_(const struct decode *d, bool dst, unsigned k)
{
    if (dst) {
        return d->data_regs;
    }
    if (k == 0) {
        return address_pair_(d) ? 2 : 1;
    }
    /* Before Volta comparand and new value stand in consecutive registers, listed once. */
    bool both = smrf_opcode_has(d->in->opcode, "CAS") && d->num_src == 2;
    return (uint8_t)(both ? 2 * d->data_regs : d->data_regs);
}

/* A warp group's multiply: of its vector registers the last listed source is C, the first one of
 * several A; a sparse one has metadata between them. C is RZ where none is read. */
static uint8_t gmma_width_(const struct decode *d, bool dst, unsigned k)
{
    unsigned vectors = 0, before = 0;
    for (unsigned i = 0; i < d->num_src; i++) {
        const bool vector = d->src[i] < SMRF_LISTED_UREG;
        vectors += vector;
        before += vector && (d->in->has_slots ? d->src_slot[i] : i) < k;
    }
    return smrf_matrix_width(&d->matrix, dst, before + 1 == vectors ? 2 : before == 0 ? 0 : 3);
}

static bool plain_pairs_(const struct decode *d)
{
    uint8_t c = d->row->op_class;
    return d->row->root[0] != '\0' &&
           (c == SMRF_CLASS_INT || c == SMRF_CLASS_ALU || c == SMRF_CLASS_UNIFORM) &&
           d->row->space == SMRF_SPACE_NONE && smrf_opcode_has(d->in->opcode, "64");
}

/* A store's line with one register: the address is a constant or uniform. */
static bool only_data_(const struct decode *d)
{
    return d->num_src == 1 && !d->in->has_slots;
}

/* 32-bit registers of the k-th listed operand of a side; of a source in a known position, k is
 * that. */
static uint8_t width_(const struct decode *d, bool dst, unsigned k)
{
    const char *op = d->in->opcode;
    bool volta = d->in->binary_version >= 70;
    switch ((enum shape)d->row->shape) {
    case SHAPE_ONE:
        return plain_pairs_(d) ? 2 : 1;
    case SHAPE_PAIRS:
        return 2;
    case SHAPE_DSET:
        return dst ? 1 : 2;
    case SHAPE_IMAD:
        return imad_width_(d, dst, k);
    case SHAPE_F2F:
        return f2f_width_(op, dst);
    case SHAPE_F2I:
        return (dst ? int64_(op) : smrf_opcode_has(op, "F64")) ? 2 : 1;
    case SHAPE_I2F:
        return (dst ? smrf_opcode_has(op, "F64") : int64_(op)) ? 2 : 1;
    case SHAPE_FRND:
        return smrf_opcode_has(op, "F64") ? 2 : 1;
    case SHAPE_MATCH:
        return !dst && smrf_opcode_has(op, "U64") ? 2 : 1;
    case SHAPE_CS2R:
        return dst && volta && !smrf_opcode_has(op, "32") ? 2 : 1;
    case SHAPE_DST_PAIR:
        return dst && volta ? 2 : 1;
    case SHAPE_TARGET:
        return !dst && volta ? 2 : 1;
    case SHAPE_ADDRESS:
        return !dst && k == 0 && address_pair_(d) ? 2 : 1;
    case SHAPE_LDC:
        return dst ? d->data_regs : 1;
    case SHAPE_LOAD:
        return dst ? d->data_regs : k == 0 && address_pair_(d) ? 2 : 1;
    case SHAPE_STORE:
        if (dst) {
            return 1;
        }
        return only_data_(d) || k > 0 ? d->data_regs : address_pair_(d) ? 2 : 1;
    case SHAPE_ATOM:
        return atom_width_(d, dst, k);
    case SHAPE_LDSM:
        return dst ? matrices_(op) : 1;
    case SHAPE_STSM:
        return !dst && (only_data_(d) || k > 0) ? matrices_(op) : 1;
    case SHAPE_LDGSTS:
        return !dst && k > 0 && address_pair_(d) ? 2 : 1;
    case SHAPE_MMA:
        return smrf_matrix_width(&d->matrix, dst, k);
    case SHAPE_GMMA:
        return gmma_width_(d, dst, k);
    case SHAPE_LDTM:
        return dst ? smrf_tensor_memory_width(op) : 1;
    case SHAPE_STTM:
        return dst ? 1 : smrf_tensor_memory_width(op);
    }
    return 1;
}

/* Operand position of the k-th listed source: A = 0, B = 1, C = 2. */
static uint8_t slot_(const struct decode *d, unsigned k)
{
    if (d->in->has_slots) {
        return d->src_slot[k];
    }
    if (d->row->shape == SHAPE_IMAD && k == 1 && imad_second_is_c_(d)) {
        return 2;
    }
    bool store = d->row->shape == SHAPE_STORE || d->row->shape == SHAPE_STSM;
    if (store && only_data_(d)) {
        return 1;
    }
    return (uint8_t)k;
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
static void repair_sides_(struct decode *d, struct smrf_operand_map *map)
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

static void expand_dsts_(struct decode *d, struct smrf_static_inst *out)
{
    struct smrf_wide *all = &d->all;
    for (unsigned k = 0; k < d->num_dst; k++) {
        uint8_t width = width_(d, true, k);
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

static void expand_srcs_(struct decode *d, struct smrf_static_inst *out)
{
    struct smrf_wide *all = &d->all;
    for (unsigned k = 0; k < d->num_src; k++) {
        uint8_t width = width_(d, false, d->in->has_slots ? d->src_slot[k] : k);
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
        memset(all->src_slot + place->first, slot_(d, k), place->regs);
    }
}

static bool accesses_memory_(const struct row *row)
{
    return row->op_class == SMRF_CLASS_LOAD || row->op_class == SMRF_CLASS_STORE ||
           row->op_class == SMRF_CLASS_ATOMIC;
}

/* What an instruction does and the model leaves out, NULL: nothing. */
static const char *left_out_(uint32_t flags)
{
    return flags & OP_NO_TRAFFIC
               ? "its copy is left out: it requests nothing from memory and takes no time there"
           : flags & OP_NO_WAIT ? "barriers in shared memory are left out: it waits for nothing"
           : flags & OP_NO_REGISTERS
               ? "left out: a warp keeps the registers of its launch (-nregs); those beyond them "
                 "have no row and are not checked"
               : NULL;
}

/* What is not known of the instruction, NULL: nothing. */
static const char *doubt_(const struct decode *d, bool known)
{
    const bool matrix = d->row->shape == SHAPE_MMA || d->row->shape == SHAPE_GMMA;
    if (!known) {
        return "an unknown opcode, treated as a plain integer instruction";
    }
    if (matrix && d->matrix.accumulator == 0) {
        return "a matrix multiply of a shape or type whose registers are not known: every operand "
               "counts as one register";
    }
    if (d->cut) {
        return "its operands have more registers than the model counts of an instruction (24 read, "
               "16 written): the first ones count";
    }
    return left_out_(d->row->flags);
}

/* May the instruction issue in steps? Others have one address, or one target. */
static bool has_steps_(const struct row *row)
{
    return row->shape == SHAPE_MMA || row->shape == SHAPE_GMMA || row->shape == SHAPE_LDTM ||
           row->shape == SHAPE_STTM;
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
static unsigned take_step_(struct decode *d, unsigned n, struct smrf_static_inst *out)
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

static void decode_access_(struct decode *d, bool known, struct smrf_static_inst *out)
{
    const struct smrf_listed_inst *in = d->in;
    const uint8_t bytes = access_bytes_(d->row, in->opcode);
    d->data_regs = (uint8_t)(bytes <= 4 ? 1 : bytes / 4);
    if (known && accesses_memory_(d->row)) {
        out->access_bytes = bytes;
    } else if (in->mem_width != 0) { /* addresses on a line that the table says needs none */
        out->access_bytes = in->mem_width < 16 ? (uint8_t)in->mem_width : 16;
    }
    if (out->access_bytes != 0 && bypasses_l1_(in->opcode)) {
        out->flags |= SMRF_INST_BYPASS_L1;
    }
    if (known && bypasses_l1_in_accelsim_(d->row, in->opcode)) {
        out->flags |= SMRF_INST_BYPASS_ACCELSIM;
    }
}

/* Source: Huerta MICRO 2025; least distances in code that NVIDIA compiled for Turing. */
static uint8_t pipe_(const char *root)
{
    static const char *const alu[] = {"FSEL", "FSETP", "FSET", "FMNMX", "FCMP"};
    static const char *const fma[] = {"IMAD", "IDP", "IDP4A", "XMAD"};
    static const char *const slow[] = {"S2R",  "POPC", "FLO", "BREV", "F2F",   "F2I",
                                       "I2F",  "FRND", "I2I", "SHFL", "MATCH", "FCHK",
                                       "R2UR", "B2R",  "LDC", "S2UR"};
    for (size_t i = 0; i < sizeof alu / sizeof alu[0]; i++) {
        if (strcmp(root, alu[i]) == 0) {
            return SMRF_PIPE_ALU;
        }
    }
    for (size_t i = 0; i < sizeof fma / sizeof fma[0]; i++) {
        if (strcmp(root, fma[i]) == 0) {
            return SMRF_PIPE_FMA;
        }
    }
    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++) {
        if (strcmp(root, slow[i]) == 0) {
            return SMRF_PIPE_SLOW;
        }
    }
    return SMRF_PIPE_CLASS;
}

static bool decode_(const struct smrf_listed_inst *in, unsigned step, struct smrf_static_inst *out,
                    struct smrf_operand_map *map)
{
    static const struct row unknown = {"",        SMRF_CLASS_INT,   SMRF_SPACE_NONE, SMRF_FLOW_NONE,
                                       SHAPE_ONE, SMRF_INST_UNKNOWN};
    const struct row *row = find_row_(in->opcode);
    const bool known = row != NULL;
    struct decode d = {.in = in, .row = known ? row : &unknown};
    memset(out, 0, sizeof *out);
    memset(map, 0, sizeof *map);

    out->pc = in->pc;
    out->guard = 7;
    out->opcode = known ? (uint16_t)(row - rows_) : (uint16_t)NUM_ROWS;
    out->op_class = known ? op_class_(row, in->binary_version) : SMRF_CLASS_INT;
    out->accumulators = out->op_class == SMRF_CLASS_TENSOR ? accumulators_(in->opcode) : 0;
    out->pipe = known ? pipe_(row->root) : SMRF_PIPE_CLASS;
    out->space = d.row->space;
    out->flow = d.row->flow;
    out->flags = (uint16_t)d.row->flags;
    decode_access_(&d, known, out);
    if (d.row->shape == SHAPE_MMA) {
        d.matrix = smrf_matrix_of_warp(in->opcode);
    } else if (d.row->shape == SHAPE_GMMA) {
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
    const struct row *row = find_row_(opcode);
    return row != NULL && (row->flags & OP_GMMA) != 0;
}
