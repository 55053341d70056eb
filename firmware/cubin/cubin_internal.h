/* SPDX-License-Identifier: Apache-2.0 */
/* Private to firmware/cubin: a cubin on its way to a text. */
#ifndef SMRF_CUBIN_INTERNAL_H
#define SMRF_CUBIN_INTERNAL_H

#include "firmware/cubin/bytes.h"
#include "firmware/cubin/text.h"

#include <gelf.h>

#define SMRF_CUBIN_MACHINE 190

struct smrf_cubin_section {
    const char *name;
    char *own;            /* the name, where another section has the same one */
    const uint8_t *bytes; /* [size], NULL of a section without bits */
    uint64_t size, flags;
    uint32_t info, align;
    uint8_t type; /* enum smrf_cubin_kind */
    bool nobits;
    uint32_t first_symbol, num_symbols; /* of those sorted by place */
    uint32_t first_reloc, num_relocs;
};

enum smrf_cubin_kind { SMRF_CUBIN_OTHER, SMRF_CUBIN_TEXT, SMRF_CUBIN_BYTES, SMRF_CUBIN_INFO };

struct smrf_cubin_symbol {
    const char *name;
    char *own; /* the name, where another symbol has the same one */
    uint64_t value, size;
    uint32_t section, index;
    uint8_t type, other;
};

struct smrf_cubin_reloc {
    uint64_t offset;
    int64_t addend;
    uint32_t section, symbol, type;
    bool explicit_addend; /* RELA */
};

/* An indexed branch and the places it may lead to. */
struct smrf_cubin_branch {
    uint32_t section, count;
    uint64_t offset;
    const uint8_t *target; /* [count] words, offsets in the section */
};

struct smrf_cubin {
    const char *name;
    char *error;
    Elf *elf;
    unsigned arch;
    bool relocatable;
    struct smrf_cubin_section *section;
    struct smrf_cubin_symbol *symbol; /* by number */
    uint32_t *by_place;               /* symbols sorted by section and value */
    struct smrf_cubin_reloc *reloc;   /* sorted by section and offset */
    struct smrf_cubin_branch *branch; /* sorted by section and offset */
    uint64_t *label;                  /* section << 40 | offset of branch targets, sorted */
    uint32_t num_sections, num_symbols, num_relocs, num_branches, num_labels;
    struct smrf_text text;
};

/* cubin_read.c: what the ELF file says. Everything it hands out lies within the file. */
int smrf_cubin_read(struct smrf_cubin *c, const void *bytes, size_t size);
/* cubin_info.c: .nv.info sections: targets of branches, then the text of a section. */
int smrf_cubin_read_branches(struct smrf_cubin *c);
int smrf_cubin_write_info(struct smrf_cubin *c, const struct smrf_cubin_section *s);
/* cubin_reloc.c: the relocation as the text prints it. False: it has no such form. */
bool smrf_cubin_reference(const struct smrf_cubin *c, const struct smrf_cubin_reloc *r,
                          bool of_code, int64_t in_place, struct smrf_text *text);
/* Bytes that the relocation fills in data: 1, 4 or 8. */
unsigned smrf_cubin_reloc_bytes(const struct smrf_cubin_reloc *r);

#endif
