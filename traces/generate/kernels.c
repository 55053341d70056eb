/* SPDX-License-Identifier: Apache-2.0 */
/* The two documented kernels, as Turing SASS for the interpreter of machine.h.
 *
 * matmul, for a thread (tx, ty) of block (bx, by):
 *     row = by * 16 + ty; col = bx * 16 + tx; acc = 0
 *     for tile = 0 .. size / 16 - 1:
 *         As[ty][tx] = A[row][tile * 16 + tx]; Bs[ty][tx] = B[tile * 16 + ty][col]
 *         barrier
 *         for k = 0 .. 15: acc += As[ty][k] * Bs[k][tx]       (unrolled; A in 128-bit reads)
 *         barrier
 *     C[row][col] = acc
 *
 * divergent, for thread i:
 *     if (i >= threads) return;                                (predicated EXIT)
 *     v = data[i]; n = v & 7; h = v
 *     while (n-- > 0) h = h * 5 + i                            (trip count is data)
 *     if (v & 8) { if (v & 16) h ^= table[h & 255]; else h += v } else h = mix(h)     (a call)
 *     out[i] = h
 */
#include "generate.h"
#include "machine.h"
#include "models/common/smrf_err.h"

#include <stdio.h>
#include <stdlib.h>

#define TILE 16
#define SHARED_WINDOW UINT64_C(0x00007f0a10000000)
#define LOCAL_WINDOW UINT64_C(0x00007f0a0e000000)
#define ARRAY_A UINT64_C(0x00007f0a20000000)
#define ARRAY_B UINT64_C(0x00007f0a21000000)
#define ARRAY_C UINT64_C(0x00007f0a22000000)
#define PROGRAM_MAX 160

#define RZ SMRF_REG_ZERO
#define NONE                                                                                       \
    {                                                                                              \
        OPERAND_NONE, 0                                                                            \
    }
#define R(n)                                                                                       \
    {                                                                                              \
        OPERAND_REG, (n)                                                                           \
    }
#define IMM(v)                                                                                     \
    {                                                                                              \
        OPERAND_IMM, (uint64_t)(v)                                                                 \
    }
#define CONST(v)                                                                                   \
    {                                                                                              \
        OPERAND_CONST, (v)                                                                         \
    }
#define SPECIAL(v)                                                                                 \
    {                                                                                              \
        OPERAND_SPECIAL, (v)                                                                       \
    }

struct assembler {
    struct machine_op op[PROGRAM_MAX];
    uint32_t count;
};

static const struct machine_operand none_ = NONE;

static struct machine_op *add_(struct assembler *a, struct machine_op op)
{
    struct machine_op *p = &a->op[a->count++];
    *p = op;
    return p;
}

/* D = f(A, B, C), all registers or constants as given. */
#define ALU(a, text_, do_, d, ...)                                                                 \
    (void)add_(a, (struct machine_op){.text = (text_),                                             \
                                      .semantics = (do_),                                          \
                                      .dst = (d),                                                  \
                                      .lists_dst = true,                                           \
                                      .src = {__VA_ARGS__}})

static void load_(struct assembler *a, const char *text, uint8_t d, uint8_t address, int32_t offset,
                  uint8_t bytes, bool global)
{
    (void)add_(a, (struct machine_op){.text = text,
                                      .semantics = DO_LOAD,
                                      .dst = d,
                                      .lists_dst = true,
                                      .src = {R(address), NONE, NONE},
                                      .mem_width = bytes,
                                      .wide_address = global,
                                      .offset = offset});
}

static void store_(struct assembler *a, const char *text, uint8_t address, int32_t offset,
                   uint8_t data, bool global)
{
    (void)add_(a, (struct machine_op){.text = text,
                                      .semantics = DO_STORE,
                                      .src = {R(address), R(data), NONE},
                                      .mem_width = 4,
                                      .wide_address = global,
                                      .offset = offset});
}

static struct machine_op *flow_(struct assembler *a, const char *text, uint8_t semantics)
{
    return add_(a, (struct machine_op){.text = text, .semantics = semantics});
}

static void predicate_(struct assembler *a, const char *text, uint8_t semantics, uint8_t p,
                       struct machine_operand x, struct machine_operand y, struct machine_operand z)
{
    (void)add_(
        a, (struct machine_op){.text = text, .semantics = semantics, .dst = p, .src = {x, y, z}});
}

/* ---- matmul --------------------------------------------------------------------------------- */

enum {
    ROW = 0,
    TY = 2,
    COL = 3,
    FOUR = 5,
    TX = 8,
    A_ROW = 7,
    SH = 9,
    A_AT = 10,
    B_AT = 12,
    B_COL = 14,
    ACC = 16,
    TILE_NO = 17,
    A_EL = 18,
    B_EL = 19,
    A4 = 20,
    B4 = 24,
    C_AT = 28
};

static void matmul_prologue_(struct assembler *a, uint32_t size)
{
    ALU(a, "IMAD.MOV.U32", DO_MOV, 1, CONST(0), R(RZ), R(RZ)); /* the stack pointer */
    ALU(a, "S2R", DO_MOV, ROW, SPECIAL(CTAID_Y), NONE, NONE);
    ALU(a, "S2R", DO_MOV, TY, SPECIAL(TID_Y), NONE, NONE);
    ALU(a, "S2R", DO_MOV, COL, SPECIAL(CTAID_X), NONE, NONE);
    ALU(a, "S2R", DO_MOV, TX, SPECIAL(TID_X), NONE, NONE);
    ALU(a, "MOV", DO_MOV, FOUR, IMM(4), NONE, NONE);
    ALU(a, "IMAD", DO_MAD, ROW, R(ROW), IMM(TILE), R(TY));
    ALU(a, "IMAD", DO_MAD, COL, R(COL), IMM(TILE), R(TX));
    ALU(a, "IMAD", DO_MAD, 4, R(ROW), IMM(size), R(TX));
    ALU(a, "IMAD", DO_MAD, 6, R(TY), IMM(size), R(COL));
    ALU(a, "IMAD.WIDE", DO_WIDE, A_AT, R(4), R(FOUR), CONST(ARRAY_A));
    ALU(a, "IMAD.WIDE", DO_WIDE, B_AT, R(6), R(FOUR), CONST(ARRAY_B));
    ALU(a, "IMAD.SHL.U32", DO_MAD, A_ROW, R(TY), IMM(TILE * 4), R(RZ));
    ALU(a, "IMAD.SHL.U32", DO_MAD, B_COL, R(TX), IMM(4), R(RZ));
    ALU(a, "LEA", DO_SHL_ADD, SH, R(TX), R(A_ROW), IMM(2));
    ALU(a, "IMAD.MOV.U32", DO_MAD, ACC, R(RZ), R(RZ), R(RZ));
    ALU(a, "IMAD.MOV.U32", DO_MAD, TILE_NO, R(RZ), R(RZ), R(RZ));
}

static void matmul_tile_(struct assembler *a, uint32_t size)
{
    load_(a, "LDG.E.SYS", A_EL, A_AT, 0, 4, true);
    load_(a, "LDG.E.SYS", B_EL, B_AT, 0, 4, true);
    store_(a, "STS", SH, 0, A_EL, false);
    store_(a, "STS", SH, TILE * TILE * 4, B_EL, false);
    (void)flow_(a, "BAR.SYNC", DO_NOTHING);
    for (int k = 0; k < TILE; k += 4) {
        load_(a, "LDS.U.128", A4, A_ROW, 4 * k, 16, false);
        for (int j = 0; j < 4; j++) {
            load_(a, "LDS.U", (uint8_t)(B4 + j), B_COL, TILE * TILE * 4 + TILE * 4 * (k + j), 4,
                  false);
        }
        for (int j = 0; j < 4; j++) {
            ALU(a, "FFMA", DO_MAD, ACC, R((uint64_t)(A4 + j)), R((uint64_t)(B4 + j)), R(ACC));
        }
    }
    (void)flow_(a, "BAR.SYNC", DO_NOTHING);
    ALU(a, "IADD3", DO_ADD, TILE_NO, R(TILE_NO), IMM(1), R(RZ));
    ALU(a, "IADD3", DO_ADD_CARRY, A_AT, R(A_AT), IMM(TILE * 4), R(RZ));
    ALU(a, "IADD3.X", DO_ADD_X, A_AT + 1, R(A_AT + 1), R(RZ), R(RZ));
    ALU(a, "IADD3", DO_ADD_CARRY, B_AT, R(B_AT), IMM(TILE * 4 * size), R(RZ));
    ALU(a, "IADD3.X", DO_ADD_X, B_AT + 1, R(B_AT + 1), R(RZ), R(RZ));
}

static uint32_t matmul_(struct assembler *a, uint32_t size)
{
    matmul_prologue_(a, size);
    uint32_t loop = a->count;
    matmul_tile_(a, size);
    predicate_(a, "ISETP.LT.AND", DO_LESS, 0, (struct machine_operand)R(TILE_NO),
               (struct machine_operand)IMM(size / TILE), none_);
    struct machine_op *bra = flow_(a, "BRA", DO_BRANCH);
    bra->guard = 1;
    bra->target = loop;
    bra->lists_target = true;
    ALU(a, "IMAD", DO_MAD, 4, R(ROW), IMM(size), R(COL));
    ALU(a, "IMAD.WIDE", DO_WIDE, C_AT, R(4), R(FOUR), CONST(ARRAY_C));
    store_(a, "STG.E.SYS", C_AT, 0, ACC, true);
    (void)flow_(a, "EXIT", DO_EXIT);
    return a->count;
}

/* ---- divergent ------------------------------------------------------------------------------ */

enum {
    I = 0,
    DATA_AT = 2,
    WORD = 4,
    VALUE = 6,
    LEFT = 7,
    HASH = 8,
    INDEX = 9,
    TABLE_AT = 10,
    ENTRY = 12,
    RETURN = 20,
    OUT_AT = 14
};

static void divergent_start_(struct assembler *a, uint32_t threads)
{
    ALU(a, "IMAD.MOV.U32", DO_MOV, 1, CONST(0), R(RZ), R(RZ));
    ALU(a, "S2R", DO_MOV, I, SPECIAL(CTAID_X), NONE, NONE);
    ALU(a, "S2R", DO_MOV, 3, SPECIAL(TID_X), NONE, NONE);
    ALU(a, "IMAD", DO_MAD, I, R(I), IMM(128), R(3));
    predicate_(a, "ISETP.LT.AND", DO_LESS, 0, (struct machine_operand)R(I),
               (struct machine_operand)IMM(threads), none_);
    flow_(a, "EXIT", DO_EXIT)->guard = -1;
    ALU(a, "MOV", DO_MOV, WORD, IMM(4), NONE, NONE);
    ALU(a, "IMAD.WIDE", DO_WIDE, DATA_AT, R(I), R(WORD), CONST(ARRAY_A));
    load_(a, "LDG.E.SYS", VALUE, DATA_AT, 0, 4, true);
    ALU(a, "LOP3.LUT", DO_AND, LEFT, R(VALUE), IMM(7), R(RZ));
    ALU(a, "MOV", DO_MOV, HASH, R(VALUE), NONE, NONE);
}

/* while (LEFT-- > 0) HASH = HASH * 5 + I */
static void divergent_loop_(struct assembler *a)
{
    struct machine_op *bssy = flow_(a, "BSSY", DO_BSSY);
    predicate_(a, "ISETP.LT.AND", DO_LESS, 0, (struct machine_operand)R(RZ),
               (struct machine_operand)R(LEFT), none_);
    struct machine_op *skip = flow_(a, "BRA", DO_BRANCH);
    skip->guard = -1;
    uint32_t loop = a->count;
    ALU(a, "IMAD", DO_MAD, HASH, R(HASH), IMM(5), R(I));
    ALU(a, "IADD3", DO_ADD, LEFT, R(LEFT), IMM(-1), R(RZ));
    predicate_(a, "ISETP.LT.AND", DO_LESS, 0, (struct machine_operand)R(RZ),
               (struct machine_operand)R(LEFT), none_);
    struct machine_op *back = flow_(a, "BRA", DO_BRANCH);
    back->guard = 1;
    back->target = loop;
    bssy->target = skip->target = a->count;
    bssy->lists_target = skip->lists_target = back->lists_target = true;
    (void)flow_(a, "BSYNC", DO_BSYNC);
}

/* if (VALUE & 8) { if (VALUE & 16) HASH ^= table[HASH & 255] else HASH += VALUE } else call */
static struct machine_op *divergent_branches_(struct assembler *a)
{
    struct machine_op *outer = flow_(a, "BSSY", DO_BSSY);
    outer->barrier = 1;
    predicate_(a, "LOP3.LUT", DO_NONZERO, 1, (struct machine_operand)R(RZ),
               (struct machine_operand)R(VALUE), (struct machine_operand)IMM(8));
    struct machine_op *otherwise = flow_(a, "BRA", DO_BRANCH);
    otherwise->guard = -2;
    struct machine_op *inner = flow_(a, "BSSY", DO_BSSY);
    inner->barrier = 2;
    predicate_(a, "LOP3.LUT", DO_NONZERO, 2, (struct machine_operand)R(RZ),
               (struct machine_operand)R(VALUE), (struct machine_operand)IMM(16));
    struct machine_op *add = flow_(a, "BRA", DO_BRANCH);
    add->guard = -3;
    ALU(a, "LOP3.LUT", DO_AND, INDEX, R(HASH), IMM(255), R(RZ));
    ALU(a, "IMAD.WIDE", DO_WIDE, TABLE_AT, R(INDEX), R(WORD), CONST(ARRAY_B));
    load_(a, "LDG.E.SYS", ENTRY, TABLE_AT, 0, 4, true);
    ALU(a, "LOP3.LUT", DO_XOR, HASH, R(HASH), R(ENTRY), R(RZ));
    struct machine_op *done = flow_(a, "BRA", DO_BRANCH);
    add->target = a->count;
    ALU(a, "IADD3", DO_ADD, HASH, R(HASH), R(VALUE), R(RZ));
    inner->target = done->target = a->count;
    flow_(a, "BSYNC", DO_BSYNC)->barrier = 2;
    struct machine_op *join = flow_(a, "BRA", DO_BRANCH);
    otherwise->target = a->count;
    ALU(a, "MOV", DO_MOV, RETURN, IMM((a->count + 3) * MACHINE_PC_STEP), NONE, NONE);
    ALU(a, "MOV", DO_MOV, RETURN + 1, IMM(0), NONE, NONE);
    struct machine_op *call = flow_(a, "CALL.REL.NOINC", DO_CALL);
    outer->target = join->target = a->count;
    flow_(a, "BSYNC", DO_BSYNC)->barrier = 1;
    outer->lists_target = otherwise->lists_target = inner->lists_target = add->lists_target =
        done->lists_target = join->lists_target = call->lists_target = true;
    return call;
}

static uint32_t divergent_(struct assembler *a, uint32_t threads)
{
    divergent_start_(a, threads);
    divergent_loop_(a);
    struct machine_op *call = divergent_branches_(a);
    ALU(a, "IMAD.WIDE", DO_WIDE, OUT_AT, R(I), R(WORD), CONST(ARRAY_C));
    store_(a, "STG.E.SYS", OUT_AT, 0, HASH, true);
    (void)flow_(a, "EXIT", DO_EXIT);
    call->target = a->count; /* mix(h) = (h >> 7 ^ h) * 9 + 11 */
    ALU(a, "SHF.R.U32.HI", DO_SHR, INDEX, R(HASH), IMM(7), R(RZ));
    ALU(a, "LOP3.LUT", DO_XOR, HASH, R(HASH), R(INDEX), R(RZ));
    ALU(a, "MOV", DO_MOV, INDEX, IMM(11), NONE, NONE);
    ALU(a, "IMAD", DO_MAD, HASH, R(HASH), IMM(9), R(INDEX));
    /* The trace shows the return address as destination; the interpreter reads it as A. */
    (void)add_(a, (struct machine_op){.text = "RET.REL.NODEC",
                                      .semantics = DO_RETURN,
                                      .dst = RETURN,
                                      .lists_dst = true,
                                      .src = {{OPERAND_HIDDEN_REG, RETURN}, NONE, NONE}});
    return a->count;
}

/* ---- from program to trace ------------------------------------------------------------------ */

struct lines {
    struct smrf_trace_line *line;
    size_t count, room;
};

static int keep_(void *context, const struct smrf_trace_line *line)
{
    struct lines *l = context;
    if (l->count == l->room) {
        size_t room = l->room == 0 ? 256 : 2 * l->room;
        struct smrf_trace_line *p = realloc(l->line, room * sizeof *p);
        if (p == NULL) {
            return SMRF_ERR_NOMEM;
        }
        l->line = p;
        l->room = room;
    }
    l->line[l->count++] = *line;
    return 0;
}

static int write_block_(struct smrf_trace_writer *w, const struct machine_program *p,
                        struct smrf_dim3 id, struct lines *l)
{
    uint32_t threads = p->block.x * p->block.y * p->block.z;
    int rc = smrf_trace_writer_begin_block(w, id);
    for (uint32_t warp = 0; rc == 0 && warp * SMRF_LANES < threads; warp++) {
        l->count = 0;
        int64_t n = smrf_machine_run_warp(p, id, warp, keep_, l);
        rc = n < 0 ? (int)n : smrf_trace_writer_begin_warp(w, warp, l->count);
        for (size_t i = 0; rc == 0 && i < l->count; i++) {
            rc = smrf_trace_writer_line(w, &l->line[i]);
        }
    }
    return rc == 0 ? smrf_trace_writer_end_block(w) : rc;
}

static int write_program_(const struct smrf_gen_target *target, const struct machine_program *p,
                          const uint64_t copied[2], char error[256])
{
    struct smrf_trace_writer *w;
    struct lines l = {0};
    const struct smrf_kernel_info info = {.name = p->name,
                                          .id = 1,
                                          .grid = p->grid,
                                          .block = p->block,
                                          .shared_bytes = p->shared_bytes,
                                          .num_regs = p->num_regs,
                                          .binary_version = 75,
                                          .shared_window = SHARED_WINDOW,
                                          .local_window = LOCAL_WINDOW};
    int rc = smrf_trace_writer_open(&w, target->dir, target->format, target->compression);
    if (rc == 0) {
        rc = smrf_trace_writer_memcpy(w, ARRAY_A, copied[0]);
    }
    if (rc == 0) {
        rc = smrf_trace_writer_memcpy(w, ARRAY_B, copied[1]);
    }
    if (rc == 0) {
        rc = smrf_trace_writer_begin_kernel(w, &info);
    }
    struct smrf_dim3 id = {0, 0, 0};
    for (id.y = 0; rc == 0 && id.y < p->grid.y; id.y++) {
        for (id.x = 0; rc == 0 && id.x < p->grid.x; id.x++) {
            rc = write_block_(w, p, id, &l);
        }
    }
    if (rc == 0) {
        rc = smrf_trace_writer_end_kernel(w);
    }
    (void)snprintf(error, 256, "%.255s", smrf_trace_writer_error(w));
    int closed = smrf_trace_writer_close(w);
    free(l.line);
    return rc != 0 ? rc : closed;
}

int smrf_generate_matmul(const struct smrf_gen_target *target, uint32_t size, char error[256])
{
    struct assembler a = {.count = 0};
    if (size < TILE || size > 1024 || size % TILE != 0) {
        (void)snprintf(error, 256, "the size must be a multiple of 16 from 16 to 1024");
        return SMRF_ERR_INVAL;
    }
    uint32_t count = matmul_(&a, size);
    const struct machine_program p = {.name = "_Z6matmulPKfS0_Pf",
                                      .op = a.op,
                                      .count = count,
                                      .num_regs = 32,
                                      .shared_bytes = 2 * TILE * TILE * 4,
                                      .grid = {size / TILE, size / TILE, 1},
                                      .block = {TILE, TILE, 1}};
    const uint64_t copied[2] = {4ull * size * size, 4ull * size * size};
    return write_program_(target, &p, copied, error);
}

int smrf_generate_divergent(const struct smrf_gen_target *target, uint32_t threads, char error[256])
{
    struct assembler a = {.count = 0};
    if (threads == 0 || threads > 1u << 20) {
        (void)snprintf(error, 256, "the number of threads must be 1 to 1048576");
        return SMRF_ERR_INVAL;
    }
    uint32_t count = divergent_(&a, threads);
    const struct machine_program p = {.name = "_Z9divergentPKjS0_Pji",
                                      .op = a.op,
                                      .count = count,
                                      .num_regs = 24,
                                      .grid = {(threads + 127) / 128, 1, 1},
                                      .block = {128, 1, 1}};
    const uint64_t copied[2] = {4ull * threads, 4 * 256};
    return write_program_(target, &p, copied, error);
}
