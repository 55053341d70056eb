/* SPDX-License-Identifier: Apache-2.0 */
/* Private to firmware/sass: the text on its way to a module. Parsing goes line by line and fills
 * sections, symbols, instructions and relocations; linking then gives every section its place and
 * every relocation its value. */
#ifndef SMRF_SASS_INTERNAL_H
#define SMRF_SASS_INTERNAL_H

#include "firmware/sass/sass.h"
#include "traces/files/hash_index.h"

#define SMRF_SASS_NO_INDEX UINT32_MAX
#define SMRF_SASS_EXPR_TERMS 4
/* Bounds on what a text may ask for, so that a wrong digit does not take the machine's memory. */
#define SMRF_SASS_MAX_INIT_BYTES (UINT64_C(256) << 20) /* initialised data of a section */
#define SMRF_SASS_MAX_ZERO_BYTES (UINT64_C(1) << 40)   /* uninitialised data of a section */
#define SMRF_SASS_MAX_BANK_BYTES UINT64_C(65536)       /* constant bank of the hardware */
#define SMRF_SASS_MAX_SOURCE_NAME 4096                 /* a path of the system */
#define SMRF_SASS_MAX_CALLS (UINT32_C(1) << 22)

/* Text that lives as long as the module, and names kept once. */
struct smrf_sass_chunk;

struct smrf_sass_name {
    const char *text;
    uint32_t length;
};

struct smrf_sass_store {
    struct smrf_sass_module module; /* first: the module is the store's face */
    struct smrf_sass_chunk *chunk;
    uint32_t *slot; /* instruction at image offset / 16, plus 1; 0 = none */
    uint32_t num_slots;
    struct smrf_hash_index symbol_names, function_names;
    uint8_t **bytes; /* of sections */
    uint32_t num_bytes;
};

void *smrf_sass_alloc(struct smrf_sass_store *store,
                      size_t size); /* zeroed, aligned to 16; NULL = none */
char *smrf_sass_copy(struct smrf_sass_store *store, const char *text, size_t length);
void smrf_sass_release(struct smrf_sass_store *store);

/* Grows *array to hold one more of `item` bytes. False = no memory. */
bool smrf_sass_grow(void **array, uint32_t count, uint32_t *capacity, size_t item);

/* What becomes of the sum. */
enum smrf_sass_form {
    SASS_VALUE,
    SASS_CLEARED,  /* fun@R_CUDA_UNUSED_CLEAR..: zero */
    SASS_INDEX,    /* index@(symbol): symbol's number here, plus 1 */
    SASS_STR_INDEX /* str_index@("..."): number of the string, plus 1 */
};

/* Sum of symbols, the place itself (".") and a number; of which, with a mask, some bits. */
struct smrf_sass_expr {
    int64_t constant; /* str_index: the string's number */
    uint64_t mask;    /* 0 = all bits; after the shift */
    uint32_t symbol[SMRF_SASS_EXPR_TERMS];
    int8_t sign[SMRF_SASS_EXPR_TERMS];
    bool srel[SMRF_SASS_EXPR_TERMS]; /* x@srel: relative to its section */
    uint8_t terms, form, shift;
    int8_t here; /* how often "." counts */
};

enum smrf_sass_section_kind {
    SASS_IGNORED, /* debug information and what a loader does not read */
    SASS_TEXT,
    SASS_DATA, /* .nv.global, .nv.global.init */
    SASS_CONST,
    SASS_SHARED,
    SASS_INFO,
    SASS_CALLGRAPH
};

struct smrf_sass_section {
    const char *name;
    const char *owner; /* function that the section belongs to (rest of its name), NULL = none */
    uint8_t kind, bank;
    bool nobits;
    uint32_t line, align;
    uint64_t size, base;
    uint8_t *bytes; /* [capacity] */
    uint64_t capacity;
    uint32_t first_inst, num_insts; /* TEXT */
    uint32_t first_function, num_functions;
    uint32_t registers, barriers;
    const struct smrf_sass_header *header; /* words that name headers */
};

enum smrf_sass_symbol_type { SASS_NOTYPE, SASS_FUNCTION, SASS_OBJECT };

struct smrf_sass_label {
    const char *name;
    uint32_t length;
    uint32_t section; /* where defined, SMRF_SASS_NO_INDEX = nowhere */
    uint32_t line;    /* of the definition */
    uint64_t offset, value;
    uint32_t function; /* index in the module, SMRF_SASS_NO_INDEX = none */
    uint32_t size;     /* index of its .size expression, SMRF_SASS_NO_INDEX = none */
    uint8_t type;
    bool entry;
    bool label;  /* .L_..: or a section's own name */
    bool shared; /* STO_CUDA_SHARED */
};

/* Which field takes the value of an expression. */
enum smrf_sass_target { SASS_TO_IMM, SASS_TO_CONST, SASS_TO_CODE, SASS_TO_BRX, SASS_TO_BYTES };

struct smrf_sass_fixup {
    struct smrf_sass_expr expr;
    uint32_t line;
    uint32_t where;  /* instruction, or section of SASS_TO_BYTES */
    uint64_t offset; /* SASS_TO_BYTES: in the section; else the section itself */
    uint8_t target, operand, bytes;
};

/* BRANCH_TARGETS: one of them. */
struct smrf_sass_label_use {
    uint32_t inst, symbol;
};

struct smrf_sass_size {
    struct smrf_sass_expr expr;
    uint32_t line;
};

/* A mnemonic met before: how it splits, and what its last operand is. */
enum smrf_sass_branch { SASS_NO_BRANCH, SASS_RELATIVE, SASS_ABSOLUTE, SASS_INDEXED };

struct smrf_sass_mnemonic {
    const char *text;
    uint32_t length;
    const char *opcode;
    const char *modifier[SMRF_SASS_MAX_MODIFIERS];
    uint8_t num_modifiers, branch;
};

struct smrf_sass_parser {
    struct smrf_sass_store *store;
    const char *file;
    char *error;          /* [SMRF_SASS_ERROR_BYTES] */
    const char *at, *end; /* the rest of the line */
    uint32_t line;
    bool listing;                       /* cuobjdump -sass */
    bool other_arch;                    /* in a part of a listing for another architecture */
    char others[64];                    /* architectures of such parts: "sm_80, sm_120" */
    bool relocatable;                   /* .elftype ET_REL: not linked */
    bool whole;                         /* says what it is (.elftype): may be without code */
    bool has_info;                      /* there is an .nv.info section */
    bool merged[SMRF_SASS_CONST_BANKS]; /* relocatable: the functions' banks become one */
    uint64_t merged_bytes[SMRF_SASS_CONST_BANKS], shared_bytes;
    const char *source;                /* "//## File": of the instructions that follow */
    uint32_t source_line, source_inst; /* the first of them */
    uint32_t section;                  /* current, SMRF_SASS_NO_INDEX = none */
    uint32_t first_external;           /* function index */

    struct smrf_sass_section *sections;
    struct smrf_sass_label *symbols;
    struct smrf_sass_inst *insts;
    struct smrf_sass_fixup *fixups;
    struct smrf_sass_size *sizes;
    struct smrf_sass_label_use *jumps;
    struct smrf_sass_mnemonic *mnemonics;
    struct smrf_sass_name *strings; /* special-register names, prototypes */
    uint32_t num_sections, num_symbols, num_insts, num_fixups, num_sizes, num_mnemonics,
        num_strings, num_jumps;
    uint32_t cap_sections, cap_symbols, cap_insts, cap_fixups, cap_sizes, cap_mnemonics,
        cap_strings, cap_jumps;
    struct smrf_hash_index symbol_names, mnemonic_names, string_names, section_names;
};

/* sass.c: code for another architecture is in the text. */
void smrf_sass_note_arch(struct smrf_sass_parser *p, uint64_t arch);
/* Writes "file:line: reason" and returns code. Line 0: without it. */
int smrf_sass_fail(struct smrf_sass_parser *p, int code, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int smrf_sass_nomem(struct smrf_sass_parser *p);

/* lexer.c: the rest of the current line. */
void smrf_sass_skip_space(struct smrf_sass_parser *p);
bool smrf_sass_at_end(const struct smrf_sass_parser *p);
bool smrf_sass_accept(struct smrf_sass_parser *p, char c); /* skips space before it */
bool smrf_sass_accept_word(struct smrf_sass_parser *p, const char *word);
bool smrf_sass_starts(const struct smrf_sass_parser *p, const char *word);
bool smrf_sass_is_name(char c); /* of a symbol */
size_t smrf_sass_name_length(const struct smrf_sass_parser *p);
bool smrf_sass_unsigned(struct smrf_sass_parser *p, uint64_t *value);    /* 12 or 0xc, no sign */
bool smrf_sass_hex_comment(struct smrf_sass_parser *p, uint64_t *value); /* an address comment */
/* What stands at the cursor, for messages: at most 40 characters. */
const char *smrf_sass_here(const struct smrf_sass_parser *p, char buffer[48]);

/* tables.c */
int smrf_sass_symbol_of(struct smrf_sass_parser *p, const char *name, size_t length,
                        uint32_t *index);
uint32_t smrf_sass_symbol_find(const struct smrf_sass_parser *p, const char *name, size_t length);
int smrf_sass_string_of(struct smrf_sass_parser *p, const char *text, size_t length,
                        uint32_t *index);
int smrf_sass_mnemonic_of(struct smrf_sass_parser *p, const char *text, size_t length,
                          uint32_t *index);
int smrf_sass_section_of(struct smrf_sass_parser *p, const char *name, size_t length,
                         uint32_t *index);
uint32_t smrf_sass_section_find(const struct smrf_sass_parser *p, const char *name, size_t length);
void smrf_sass_tables_free(struct smrf_sass_parser *p);

/* expr.c */
int smrf_sass_parse_expr(struct smrf_sass_parser *p,
                         struct smrf_sass_expr *expr); /* with or without form */
int smrf_sass_eval(struct smrf_sass_parser *p, const struct smrf_sass_expr *expr, uint32_t line,
                   uint64_t here, int64_t *value);
int smrf_sass_add_fixup(struct smrf_sass_parser *p, const struct smrf_sass_fixup *fixup);

/* operand.c, number.c */
int smrf_sass_parse_operand(struct smrf_sass_parser *p, struct smrf_sass_inst *inst,
                            unsigned branch);
int smrf_sass_parse_number(struct smrf_sass_parser *p, struct smrf_sass_operand *operand);

/* inst.c, section.c, data.c */
int smrf_sass_parse_inst(struct smrf_sass_parser *p, uint64_t offset);
/* '//## File "saxpy.cu", line 6' of nvdisasm -g. */
int smrf_sass_parse_source(struct smrf_sass_parser *p);
/* The encoding's upper word, on a line of its own behind the instruction. */
void smrf_sass_parse_upper_word(struct smrf_sass_parser *p);
int smrf_sass_parse_directive(struct smrf_sass_parser *p);
/* Whether code of this architecture is read: all of a module is for one, the first met. */
bool smrf_sass_take_arch(struct smrf_sass_parser *p, uint64_t arch);
int smrf_sass_parse_label(struct smrf_sass_parser *p, size_t length);
int smrf_sass_open_section(struct smrf_sass_parser *p, const char *name, size_t length,
                           uint8_t kind);
bool smrf_sass_data_directive(const struct smrf_sass_parser *p);
int smrf_sass_parse_data(struct smrf_sass_parser *p, bool has_offset, uint64_t offset);
int smrf_sass_pad(struct smrf_sass_parser *p, struct smrf_sass_section *section, uint64_t size);

/* place.c, link.c, info.c, symbols.c, calls.c */
int smrf_sass_place(struct smrf_sass_parser *p);
int smrf_sass_link(struct smrf_sass_parser *p);
int smrf_sass_read_info(struct smrf_sass_parser *p);
int smrf_sass_collect_symbols(struct smrf_sass_parser *p);
int smrf_sass_collect_calls(struct smrf_sass_parser *p);

/* relocatable.c, infer.c, nan.c */
int smrf_sass_place_relocatable(struct smrf_sass_parser *p);
int smrf_sass_merge_relocatable(struct smrf_sass_parser *p);
int smrf_sass_infer(struct smrf_sass_parser *p);
void smrf_sass_settle_nans(struct smrf_sass_parser *p);

#endif
