/* SPDX-License-Identifier: Apache-2.0 */
/* Private to firmware/sass: the text on its way to a module. Parsing goes line by line and fills
 * sections, symbols, instructions and relocations; linking then gives every section its place and
 * every relocation its value. */
#ifndef SMRF_SASS_INTERNAL_H
#define SMRF_SASS_INTERNAL_H

#include "firmware/sass/sass.h"

#define SMRF_SASS_NO_INDEX UINT32_MAX
#define SMRF_SASS_EXPR_TERMS 4
/* Bounds on what a text may ask for, so that a wrong digit does not take the machine's memory. */
#define SMRF_SASS_MAX_INIT_BYTES (UINT64_C(256) << 20) /* initialised data of a section */
#define SMRF_SASS_MAX_ZERO_BYTES (UINT64_C(1) << 40)   /* uninitialised data of a section */
#define SMRF_SASS_MAX_BANK_BYTES UINT64_C(65536)       /* constant bank of the hardware */
#define SMRF_SASS_MAX_CALLS (UINT32_C(1) << 22)

/* Text that lives as long as the module, and names kept once. */
struct sass_chunk;

struct sass_name {
    const char *text;
    uint32_t length, hash;
};

struct sass_store {
    struct smrf_sass_module module; /* first: the module is the store's face */
    struct sass_chunk *chunk;
    uint32_t *slot; /* instruction at image offset / 16, plus 1; 0 = none */
    uint32_t num_slots;
    uint32_t *symbol_table, symbol_table_size; /* index + 1 by name, 0 = free */
    uint32_t *function_table, function_table_size;
    uint8_t **bytes; /* of sections */
    uint32_t num_bytes;
};

void *sass_alloc(struct sass_store *store, size_t size); /* zeroed, aligned to 16; NULL = none */
char *sass_copy(struct sass_store *store, const char *text, size_t length);
void sass_release(struct sass_store *store);
uint32_t sass_hash(const char *text, size_t length);

/* Grows *array to hold one more of `item` bytes. False = no memory. */
bool sass_grow(void **array, uint32_t count, uint32_t *capacity, size_t item);

/* What becomes of the sum. */
enum sass_form {
    SASS_VALUE,
    SASS_CLEARED,  /* fun@R_CUDA_UNUSED_CLEAR..: zero */
    SASS_INDEX,    /* index@(symbol): symbol's number here, plus 1 */
    SASS_STR_INDEX /* str_index@("..."): number of the string, plus 1 */
};

/* Sum of symbols, the place itself (".") and a number; of which, with a mask, some bits. */
struct sass_expr {
    int64_t constant; /* str_index: the string's number */
    uint64_t mask;    /* 0 = all bits; after the shift */
    uint32_t symbol[SMRF_SASS_EXPR_TERMS];
    int8_t sign[SMRF_SASS_EXPR_TERMS];
    bool srel[SMRF_SASS_EXPR_TERMS]; /* x@srel: relative to its section */
    uint8_t terms, form, shift;
    int8_t here; /* how often "." counts */
};

enum sass_section_kind {
    SASS_IGNORED, /* debug information and what a loader does not read */
    SASS_TEXT,
    SASS_DATA, /* .nv.global, .nv.global.init */
    SASS_CONST,
    SASS_SHARED,
    SASS_INFO,
    SASS_CALLGRAPH
};

struct sass_section {
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
};

enum sass_symbol_type { SASS_NOTYPE, SASS_FUNCTION, SASS_OBJECT };

struct sass_symbol {
    const char *name;
    uint32_t hash, length;
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
enum sass_target { SASS_TO_IMM, SASS_TO_CONST, SASS_TO_CODE, SASS_TO_BRX, SASS_TO_BYTES };

struct sass_fixup {
    struct sass_expr expr;
    uint32_t line;
    uint32_t where;  /* instruction, or section of SASS_TO_BYTES */
    uint64_t offset; /* SASS_TO_BYTES: in the section; else the section itself */
    uint8_t target, operand, bytes;
};

struct sass_size {
    struct sass_expr expr;
    uint32_t line;
};

/* A mnemonic met before: how it splits, and what its last operand is. */
enum sass_branch { SASS_NO_BRANCH, SASS_RELATIVE, SASS_ABSOLUTE, SASS_INDEXED };

struct sass_mnemonic {
    const char *text;
    uint32_t hash, length;
    const char *opcode;
    const char *modifier[SMRF_SASS_MAX_MODIFIERS];
    uint8_t num_modifiers, branch;
};

/* A hash table of indices into one of the parser's arrays. */
struct sass_table {
    uint32_t *slot; /* index + 1, 0 = free */
    uint32_t size;  /* power of two */
};

struct sass_parser {
    struct sass_store *store;
    const char *file;
    char *error;          /* [SMRF_SASS_ERROR_BYTES] */
    const char *at, *end; /* the rest of the line */
    uint32_t line;
    bool listing;                       /* cuobjdump -sass */
    bool other_arch;                    /* in a part of a listing for another architecture */
    bool relocatable;                   /* .elftype ET_REL: not linked */
    bool has_info;                      /* there is an .nv.info section */
    bool merged[SMRF_SASS_CONST_BANKS]; /* relocatable: the functions' banks become one */
    uint64_t merged_bytes[SMRF_SASS_CONST_BANKS], shared_bytes;
    uint32_t section;        /* current, SMRF_SASS_NO_INDEX = none */
    uint32_t first_external; /* function index */

    struct sass_section *sections;
    struct sass_symbol *symbols;
    struct smrf_sass_inst *insts;
    struct sass_fixup *fixups;
    struct sass_size *sizes;
    struct sass_mnemonic *mnemonics;
    struct sass_name *strings; /* special-register names, prototypes */
    uint32_t num_sections, num_symbols, num_insts, num_fixups, num_sizes, num_mnemonics,
        num_strings;
    uint32_t cap_sections, cap_symbols, cap_insts, cap_fixups, cap_sizes, cap_mnemonics,
        cap_strings;
    struct sass_table symbol_table, mnemonic_table, string_table, section_table;
};

/* Writes "file:line: reason" and returns code. Line 0: without it. */
int sass_fail(struct sass_parser *p, int code, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int sass_nomem(struct sass_parser *p);

/* lexer.c: the rest of the current line. */
void sass_skip_space(struct sass_parser *p);
bool sass_at_end(const struct sass_parser *p);
bool sass_accept(struct sass_parser *p, char c); /* skips space before it */
bool sass_accept_word(struct sass_parser *p, const char *word);
bool sass_starts(const struct sass_parser *p, const char *word);
bool sass_is_name(char c); /* of a symbol */
size_t sass_name_length(const struct sass_parser *p);
bool sass_unsigned(struct sass_parser *p, uint64_t *value);    /* 12 or 0xc, no sign */
bool sass_hex_comment(struct sass_parser *p, uint64_t *value); /* an address comment */
/* What stands at the cursor, for messages: at most 40 characters. */
const char *sass_here(const struct sass_parser *p, char buffer[48]);

/* tables.c */
int sass_symbol_of(struct sass_parser *p, const char *name, size_t length, uint32_t *index);
uint32_t sass_symbol_find(const struct sass_parser *p, const char *name, size_t length);
int sass_string_of(struct sass_parser *p, const char *text, size_t length, uint32_t *index);
int sass_mnemonic_of(struct sass_parser *p, const char *text, size_t length, uint32_t *index);
int sass_section_of(struct sass_parser *p, const char *name, size_t length, uint32_t *index);
uint32_t sass_section_find(const struct sass_parser *p, const char *name, size_t length);
void sass_tables_free(struct sass_parser *p);

/* expr.c */
int sass_parse_expr(struct sass_parser *p, struct sass_expr *expr); /* with or without form */
int sass_eval(struct sass_parser *p, const struct sass_expr *expr, uint32_t line, uint64_t here,
              int64_t *value);
int sass_add_fixup(struct sass_parser *p, const struct sass_fixup *fixup);

/* operand.c, number.c */
int sass_parse_operand(struct sass_parser *p, struct smrf_sass_inst *inst, unsigned branch);
int sass_parse_number(struct sass_parser *p, struct smrf_sass_operand *operand);

/* inst.c, section.c, data.c */
int sass_parse_inst(struct sass_parser *p, uint64_t offset);
int sass_parse_directive(struct sass_parser *p);
int sass_parse_label(struct sass_parser *p, size_t length);
int sass_open_section(struct sass_parser *p, const char *name, size_t length, uint8_t kind);
bool sass_data_directive(const struct sass_parser *p);
int sass_parse_data(struct sass_parser *p, bool has_offset, uint64_t offset);
int sass_pad(struct sass_parser *p, struct sass_section *section, uint64_t size);

/* place.c, link.c, info.c, symbols.c, calls.c */
int sass_place(struct sass_parser *p);
int sass_link(struct sass_parser *p);
int sass_read_info(struct sass_parser *p);
int sass_collect_symbols(struct sass_parser *p);
int sass_collect_calls(struct sass_parser *p);

/* relocatable.c, infer.c, nan.c */
int sass_place_relocatable(struct sass_parser *p);
int sass_merge_relocatable(struct sass_parser *p);
int sass_infer(struct sass_parser *p);
void sass_settle_nans(struct sass_parser *p);

#endif
