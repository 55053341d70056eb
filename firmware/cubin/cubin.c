/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/cubin/cubin.h"

#include "firmware/cubin/cubin_internal.h"
#include "firmware/cubin/decode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define INST_BYTES 16u
#define STO_CUDA_ENTRY 0x10
#define MAX_REFERENCE 4096 /* bytes of a relocation's text in an instruction */
#define MAX_TEXT (UINT64_C(3) << 30)

unsigned smrf_cubin_arch(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    if (size < 64 || memcmp(at, "\177ELF\2\1", 6) != 0 ||
        smrf_get16(at + 18) != SMRF_CUBIN_MACHINE) {
        return 0;
    }
    /* ABI 7 has the number in the lowest byte of e_flags, ABI 8 (CUDA 13) in the next one. */
    const uint32_t flags = smrf_get32(at + 48);
    return at[8] >= 8 ? flags >> 8 & 0xff : flags & 0xff;
}

/* Declares the symbols of a section that stand at `offset`, from *next on. */
static void write_symbols_(struct smrf_cubin *c, const struct smrf_cubin_section *s, uint32_t *next,
                           uint64_t offset)
{
    for (; *next < s->num_symbols; (*next)++) {
        const struct smrf_cubin_symbol *symbol = &c->symbol[c->by_place[s->first_symbol + *next]];
        if (symbol->value > offset) {
            break;
        }
        if (*symbol->name == 0 || symbol->value != offset) {
            continue;
        }
        if (symbol->type != STT_SECTION) {
            smrf_text_add(&c->text, "\t.type\t%s,%s\n", symbol->name,
                          symbol->type == STT_FUNC ? "@function" : "@object");
            if (symbol->size != 0 && symbol->size <= s->size - offset) {
                smrf_text_add(&c->text, "\t.size\t%s,0x%" PRIx64 "\n", symbol->name, symbol->size);
            }
            if (symbol->other & STO_CUDA_ENTRY && symbol->type == STT_FUNC) {
                smrf_text_add(&c->text, "\t.other\t%s,@\"STO_CUDA_ENTRY\"\n", symbol->name);
            }
        }
        smrf_text_add(&c->text, "%s:\n", symbol->name);
    }
}

static uint64_t next_symbol_(const struct smrf_cubin *c, const struct smrf_cubin_section *s,
                             uint32_t next)
{
    return next < s->num_symbols ? c->symbol[c->by_place[s->first_symbol + next]].value
                                 : UINT64_MAX;
}

static void write_plain_(struct smrf_cubin *c, const struct smrf_cubin_section *s, uint64_t at,
                         uint64_t end)
{
    if (!s->bytes) {
        smrf_text_add(&c->text, "\t.zero\t%" PRIu64 "\n", end - at);
        return;
    }
    for (; end - at >= 8; at += 8) {
        smrf_text_add(&c->text, "\t.dword\t0x%" PRIx64 "\n", smrf_get64(s->bytes + at));
    }
    for (; at < end; at++) {
        smrf_text_add(&c->text, "\t.byte\t0x%02x\n", s->bytes[at]);
    }
}

static int write_reloc_(struct smrf_cubin *c, const struct smrf_cubin_section *s,
                        const struct smrf_cubin_reloc *r)
{
    const unsigned bytes = smrf_cubin_reloc_bytes(r);
    if (bytes == 0 || !s->bytes || bytes > s->size - r->offset) {
        return smrf_code_fail(c->error, SMRF_ERR_UNKNOWN, c->name,
                              "relocation 0x%x of section '%.120s' is not known", r->type, s->name);
    }
    const int64_t in_place = bytes == 8   ? (int64_t)smrf_get64(s->bytes + r->offset)
                             : bytes == 4 ? (int32_t)smrf_get32(s->bytes + r->offset)
                                          : s->bytes[r->offset];
    smrf_text_add(&c->text, "\t.%s\t", bytes == 8 ? "dword" : bytes == 4 ? "word" : "byte");
    if (!smrf_cubin_reference(c, r, false, in_place, &c->text)) {
        return smrf_code_fail(c->error, SMRF_ERR_CORRUPT, c->name,
                              "damaged cubin: relocation 0x%x of section '%.120s'", r->type,
                              s->name);
    }
    smrf_text_add(&c->text, "\n");
    return 0;
}

/* Bytes, cut where a symbol stands or a relocation fills some. */
static int write_bytes_(struct smrf_cubin *c, const struct smrf_cubin_section *s)
{
    const struct smrf_cubin_reloc *r = c->reloc + s->first_reloc, *last = r + s->num_relocs;
    uint32_t symbol = 0;
    for (uint64_t at = 0; at < s->size;) {
        write_symbols_(c, s, &symbol, at);
        while (s->num_relocs && r < last && r->offset < at) {
            r++; /* twice for one place, or within another: the first counts */
        }
        const uint64_t place = s->num_relocs && r < last ? r->offset : UINT64_MAX;
        if (place == at) {
            int rc = write_reloc_(c, s, r);
            if (rc < 0) {
                return rc;
            }
            at += smrf_cubin_reloc_bytes(r++);
            continue;
        }
        uint64_t end = next_symbol_(c, s, symbol);
        end = end < place ? end : place;
        end = end < s->size ? end : s->size;
        write_plain_(c, s, at, end);
        at = end;
    }
    write_symbols_(c, s, &symbol, s->size);
    return 0;
}

/* "BRANCH_TARGETS .L_1_100,.L_1_200" behind an indexed branch. */
static void write_targets_(struct smrf_cubin *c, const struct smrf_cubin_branch *branch)
{
    smrf_text_add(&c->text, " (*\"BRANCH_TARGETS ");
    for (uint32_t i = 0; i < branch->count; i++) {
        smrf_text_add(&c->text, "%s.L_%u_%x", i ? "," : "", branch->section,
                      smrf_get32(branch->target + 4 * (size_t)i));
    }
    smrf_text_add(&c->text, "\"*)");
}

struct cursor {
    const struct smrf_cubin_section *section;
    uint32_t index, symbol, branch, label;
    const struct smrf_cubin_reloc *reloc, *last;
};

static void write_labels_(struct smrf_cubin *c, struct cursor *at, uint64_t offset)
{
    const uint64_t key = (uint64_t)at->index << 40 | offset;
    while (at->label < c->num_labels && c->label[at->label] < key) {
        at->label++;
    }
    if (at->label < c->num_labels && c->label[at->label] == key) {
        smrf_text_add(&c->text, ".L_%u_%x:\n", at->index, (unsigned)offset);
    }
}

static int write_inst_(struct smrf_cubin *c, struct cursor *at, uint64_t offset)
{
    const uint8_t *bytes = at->section->bytes + offset;
    const struct smrf_encoding code = {smrf_get64(bytes), smrf_get64(bytes + 8)};
    struct smrf_text reference = {0};
    char text[SMRF_DECODE_TEXT_BYTES + MAX_REFERENCE];
    while (at->reloc < at->last && at->reloc->offset < offset) {
        at->reloc++;
    }
    if (at->reloc < at->last && at->reloc->offset < offset + INST_BYTES &&
        !smrf_cubin_reference(c, at->reloc, true, 0, &reference)) {
        return smrf_code_fail(c->error, SMRF_ERR_UNKNOWN, c->name,
                              "relocation 0x%x at 0x%llx of section '%.120s' is not known",
                              at->reloc->type, (unsigned long long)offset, at->section->name);
    }
    if (reference.length >= MAX_REFERENCE) {
        smrf_text_free(&reference);
        return smrf_code_fail(c->error, SMRF_ERR_LIMIT, c->name,
                              "a symbol's name is longer than %d characters", MAX_REFERENCE);
    }
    (void)smrf_decode(c->arch, code, offset, reference.bytes, text, sizeof text);
    smrf_text_free(&reference);
    smrf_text_add(&c->text, "/*%04" PRIx64 "*/ %s ", offset, text);
    while (at->branch < c->num_branches && (c->branch[at->branch].section < at->index ||
                                            (c->branch[at->branch].section == at->index &&
                                             c->branch[at->branch].offset < offset))) {
        at->branch++;
    }
    if (at->branch < c->num_branches && c->branch[at->branch].section == at->index &&
        c->branch[at->branch].offset == offset) {
        write_targets_(c, &c->branch[at->branch]);
    }
    smrf_text_add(&c->text, "; /* 0x%016" PRIx64 " */\n/* 0x%016" PRIx64 " */\n", code.low,
                  code.high);
    return 0;
}

static int write_code_(struct smrf_cubin *c, uint32_t index)
{
    const struct smrf_cubin_section *s = &c->section[index];
    struct cursor at = {.section = s, .index = index};
    if (s->num_relocs) {
        at.reloc = c->reloc + s->first_reloc;
        at.last = at.reloc + s->num_relocs;
    }
    if (s->size % INST_BYTES != 0 || (s->size != 0 && !s->bytes) || s->size > UINT32_MAX) {
        return smrf_code_fail(c->error, SMRF_ERR_CORRUPT, c->name,
                              "damaged cubin: section '%.120s' is not whole instructions", s->name);
    }
    if (s->info >> 24) {
        smrf_text_add(&c->text, "\t.sectioninfo\t@\"SHI_REGISTERS=%u\"\n", s->info >> 24);
    }
    smrf_text_add(&c->text, "\t.sectionflags\t@\"SHF_BARRIERS=%u\"\n",
                  (unsigned)(s->flags >> 20 & 0x7f));
    for (uint64_t offset = 0; offset < s->size; offset += INST_BYTES) {
        write_symbols_(c, s, &at.symbol, offset);
        write_labels_(c, &at, offset);
        int rc = write_inst_(c, &at, offset);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static int write_section_(struct smrf_cubin *c, uint32_t index)
{
    const struct smrf_cubin_section *s = &c->section[index];
    if (s->type == SMRF_CUBIN_OTHER) {
        return 0;
    }
    smrf_text_add(&c->text, "//----------\n\t.section\t%s,\"\",%s\n\t.align\t%u\n", s->name,
                  s->nobits ? "@nobits" : "@progbits", s->align);
    if (c->text.length > MAX_TEXT) {
        return smrf_code_fail(c->error, SMRF_ERR_LIMIT, c->name, "the cubin is too large");
    }
    if (s->type == SMRF_CUBIN_TEXT) {
        return write_code_(c, index);
    }
    return s->type == SMRF_CUBIN_INFO ? smrf_cubin_write_info(c, s) : write_bytes_(c, s);
}

static int write_(struct smrf_cubin *c)
{
    smrf_text_add(&c->text, "\t.headerflags\t@\"EF_CUDA_SM%u\"\n\t.elftype\t@\"ET_%s\"\n", c->arch,
                  c->relocatable ? "REL" : "EXEC");
    for (uint32_t i = 1; i < c->num_sections; i++) {
        int rc = write_section_(c, i);
        if (rc < 0) {
            return rc;
        }
    }
    smrf_text_add(&c->text, "//---------- SYMBOLS\n");
    for (uint32_t i = 1; i < c->num_symbols; i++) { /* malloc, vprintf, .. */
        const struct smrf_cubin_symbol *s = &c->symbol[i];
        if (s->section == 0 && s->type == STT_FUNC && *s->name) {
            smrf_text_add(&c->text, "\t.type\t%s,@function\n", s->name);
        } else if (s->section == 0 && *s->name && s->type == 13 && c->relocatable) {
            smrf_text_add(&c->text, "\t.other\t%s,@\"STO_CUDA_SHARED\"\n", s->name);
        }
    }
    return c->text.failed ? smrf_code_fail(c->error, SMRF_ERR_NOMEM, c->name, "out of memory") : 0;
}

static void free_(struct smrf_cubin *c)
{
    for (uint32_t i = 0; i < c->num_symbols; i++) {
        free(c->symbol[i].own);
    }
    for (uint32_t i = 0; i < c->num_sections; i++) {
        free(c->section[i].own);
    }
    elf_end(c->elf);
    free(c->section);
    free(c->symbol);
    free(c->by_place);
    free(c->reloc);
    free(c->branch);
    free(c->label);
    smrf_text_free(&c->text);
}

int smrf_cubin_text(const void *bytes, size_t size, const char *name, char **text, size_t *length,
                    char error[SMRF_SASS_ERROR_BYTES])
{
    struct smrf_cubin c = {
        .name = name, .error = error, .arch = smrf_cubin_arch(bytes, size), .elf = NULL};
    *text = NULL;
    *length = 0;
    error[0] = 0;
    if (c.arch == 0) {
        return smrf_code_fail(error, SMRF_ERR_FORMAT, name, "this is not a cubin");
    }
    int rc = smrf_cubin_read(&c, bytes, size);
    if (rc == 0) {
        rc = smrf_cubin_read_branches(&c);
    }
    if (rc == 0) {
        rc = write_(&c);
    }
    if (rc == 0) {
        *text = c.text.bytes;
        *length = c.text.length;
        c.text.bytes = NULL;
    }
    free_(&c);
    return rc;
}

int smrf_cubin_load(struct smrf_sass_module **module, const char *name, const void *bytes,
                    size_t size, const struct smrf_sass_where *where,
                    char error[SMRF_SASS_ERROR_BYTES])
{
    char *text;
    size_t length;
    *module = NULL;
    int rc = smrf_cubin_text(bytes, size, name, &text, &length, error);
    if (rc == 0) {
        rc = smrf_sass_parse_at(module, name, text, length, where, error);
    }
    free(text);
    return rc;
}
