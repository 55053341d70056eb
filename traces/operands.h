/* SPDX-License-Identifier: Apache-2.0 */
/* The sidecar of a kernel's trace, "kernel-N.operands": what the trace format loses of each static
 * instruction. docs/operands.md specifies the text; here it becomes the fields of struct
 * smrf_static_inst, and the list of registers that a trace line must show. */
#ifndef SMRF_OPERANDS_H
#define SMRF_OPERANDS_H

#include "digest.h"
#include "opcode.h"
#include "trace_error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_OPERANDS_MAX 12
#define SMRF_OPERANDS_FIRST_LINE "#smrf operands 3" /* as written; 1 and 2 are read, too */
#define SMRF_OPERANDS_VERSION 3
#define SMRF_OPERANDS_PROGRAM 2     /* from this version on it holds the whole program */
#define SMRF_OPERANDS_END "#end "   /* the last line from version 3 on: how many are before it */
#define SMRF_OPERANDS_LINE "#line " /* where it was compiled from: a remark to older readers */
#define SMRF_NO_PREDICATE 7         /* PT, UPT */
#define SMRF_CONTROL_BITS 21
#define SMRF_NO_CONTROL UINT32_MAX /* the encoding is not known */

enum smrf_operand_role {
    SMRF_OPERAND_DST, /* =x */
    SMRF_OPERAND_SRC, /* A:x, B:x, .. */
    SMRF_OPERAND_PRED /* ?x: predicate source */
};

enum smrf_operand_kind {
    SMRF_OPERAND_REG,
    SMRF_OPERAND_UREG,
    SMRF_OPERAND_P,       /* predicate */
    SMRF_OPERAND_UP,      /* uniform predicate */
    SMRF_OPERAND_BARRIER, /* convergence barrier B0.. */
    SMRF_OPERAND_INT,     /* immediate, or a code target as PC */
    SMRF_OPERAND_FLOAT,
    SMRF_OPERAND_CONST, /* c[bank][..] */
    SMRF_OPERAND_MEM,   /* [..] */
    SMRF_OPERAND_SPECIAL
};

#define SMRF_BANK_UNKNOWN 255

struct smrf_operand {
    uint8_t role, kind;
    uint8_t slot; /* SRC: 0 = A, 1 = B, .. */
    uint8_t bank; /* CONST: bank; SMRF_BANK_UNKNOWN = a register says */
    uint8_t reg;  /* number; MEM, CONST: register in the address, SMRF_REG_ZERO = none */
    uint8_t ureg; /* MEM, CONST: uniform register in the address, SMRF_UREG_ZERO = none */
    bool reuse;
    int64_t imm;   /* INT; MEM, CONST: offset */
    bool uniform;  /* SPECIAL: the same for all lanes of a warp */
    bool counter;  /* SPECIAL: a dependence counter, SB0 to SB5; reg 7: several, imm a mask */
    bool inverted; /* P, UP: !x */
    uint8_t
        dims; /* SPECIAL: coordinates of a texture of these dimensions; 0 = it is something else */
};

/* One line of the sidecar. */
struct smrf_operands {
    uint32_t pc, line;
    uint32_t control;   /* of the instruction's encoding, 21 bits; SMRF_NO_CONTROL = not known */
    const char *opcode; /* with modifiers */
    const char *source; /* file that it was compiled from; NULL = not known */
    uint32_t source_line;
    uint8_t guard; /* 0..6, SMRF_NO_PREDICATE = none */
    bool guard_inverted, guard_uniform;
    uint8_t num;
    struct smrf_operand operand[SMRF_OPERANDS_MAX]; /* in the order of the machine's text */
};

/* Parse one instruction's line, without its newline, of a sidecar of that version.
 * name[name_room] receives the opcode. Returns 0, or SMRF_ERR_FORMAT with *reason set. */
int smrf_operands_parse(const char *text, unsigned version, struct smrf_operands *out, char *name,
                        size_t name_room, const char **reason);

/* The registers and immediates that a tracer of the version lists for the instruction, with slots.
 * Versions below 6 skip uniform registers and have one immediate, the last; imm2: version 6's
 * second, may be NULL. Fills all but mem_width and binary_version. */
void smrf_operands_list(const struct smrf_operands *o, uint32_t version,
                        struct smrf_listed_inst *out, uint64_t *imm2);

/* Add what no trace line has to a decoded instruction; map: of smrf_operands_list(o, 6). */
void smrf_operands_apply(const struct smrf_operands *o, const struct smrf_operand_map *map,
                         struct smrf_static_inst *inst);

/* A function of the kernel's program, the kernel itself included. */
enum smrf_operand_function_kind { SMRF_CODE_KERNEL, SMRF_CODE_DEVICE, SMRF_CODE_EXTERNAL };

struct smrf_operand_function {
    uint32_t pc, bytes;
    uint32_t registers; /* a thread, as the compiler states it */
    uint8_t kind;       /* enum smrf_operand_function_kind; external: no instructions here */
    const char *name;   /* mangled */
};

/* Where control may go, where the instruction's line does not say. */
enum smrf_operand_edge_kind {
    SMRF_EDGE_CALL,     /* a function calls another; from, to: where they begin */
    SMRF_EDGE_INDIRECT, /* a function's calls through a pointer may lead there */
    SMRF_EDGE_BRANCH    /* from: an indexed branch; to: one of its targets */
};

struct smrf_operand_edge {
    uint8_t kind;
    uint32_t from, to;
};

/* A whole sidecar. */
struct smrf_operand_table {
    char *path;
    char *text; /* the file's, decompressed: equal texts have equal tables */
    size_t text_bytes;
    unsigned version;
    bool ended;                 /* its last line has been read */
    struct smrf_digest content; /* of all lines: launches of one program have the same */
    struct smrf_operands *row;  /* by PC */
    uint32_t num;
    size_t room;
    char *names; /* opcodes, each once a row */
    size_t names_bytes, names_room;
    char **source; /* files, each once */
    size_t num_sources, sources_room;
    const char *present_source; /* of the next row */
    uint32_t present_line;
    /* Version 2: the program whose instructions the rows are. */
    struct smrf_operand_function *function; /* by PC */
    struct smrf_operand_edge *edge;
    uint32_t num_functions, num_edges;
    size_t function_room, edge_room;
    char *function_names;
    size_t function_names_bytes, function_names_room;
};

/* The name of a trace file's sidecar, to be freed. NULL: it can have none, or no memory. */
char *smrf_operand_table_path(const char *trace_file);
/* The tables of earlier launches. A program of many launches has one sidecar for each launch, but
 * few kernels. The table that was used last comes first. All zeros: none. */
#define SMRF_OPERAND_TABLES 8
struct smrf_operand_tables {
    struct smrf_operand_table table[SMRF_OPERAND_TABLES];
};

/* Read the sidecar of a trace file (its name with everything from ".trace" on replaced), or take
 * its table from the earlier ones. Returns 1, 0 where there is none, or an error. What was read
 * goes into the digest. */
int smrf_operand_table_open(struct smrf_operand_table *t, const char *trace_file,
                            struct smrf_operand_tables *before, struct smrf_digest *digest,
                            struct smrf_trace_error_text *error);
/* Keeps the table for later launches, instead of closing it. */
void smrf_operand_table_keep(struct smrf_operand_table *t, struct smrf_operand_tables *before);
/* If an earlier table was made from the text of t, moves it to t, which keeps its own path. Returns
 * whether there was one. */
bool smrf_operand_tables_take(struct smrf_operand_tables *before, struct smrf_operand_table *t);
void smrf_operand_tables_close(struct smrf_operand_tables *before);
/* The same from text in memory; path is for messages. Returns 0 or an error. */
int smrf_operand_table_read(struct smrf_operand_table *t, const char *path, const char *text,
                            size_t bytes, struct smrf_trace_error_text *error);
void smrf_operand_table_close(struct smrf_operand_table *t);
/* NULL: no line has the PC. */
const struct smrf_operands *smrf_operand_table_find(const struct smrf_operand_table *t,
                                                    uint32_t pc);

#ifdef __cplusplus
}
#endif

#endif
