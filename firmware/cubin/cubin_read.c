/* SPDX-License-Identifier: Apache-2.0 */
/* From the ELF file to sections, symbols and relocations. */
#include "firmware/cubin/cubin_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SECTIONS (UINT32_C(1) << 20)

static int bad_(struct smrf_cubin *c, const char *what)
{
    return smrf_code_fail(c->error, SMRF_ERR_CORRUPT, c->name, "damaged cubin: %s", what);
}

static int nomem_(struct smrf_cubin *c)
{
    return smrf_code_fail(c->error, SMRF_ERR_NOMEM, c->name, "out of memory");
}

static bool starts_(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static uint8_t kind_of_(const char *name)
{
    if (starts_(name, ".text.")) {
        return SMRF_CUBIN_TEXT;
    }
    if (!strcmp(name, ".nv.info") || starts_(name, ".nv.info.")) {
        return SMRF_CUBIN_INFO;
    }
    const bool bytes = !strcmp(name, ".nv.global") || !strcmp(name, ".nv.global.init") ||
                       starts_(name, ".nv.constant") || starts_(name, ".nv.shared.") ||
                       !strcmp(name, ".nv.callgraph");
    return bytes ? SMRF_CUBIN_BYTES : SMRF_CUBIN_OTHER;
}

static int read_sections_(struct smrf_cubin *c)
{
    size_t count, names;
    if (elf_getshdrnum(c->elf, &count) < 0 || elf_getshdrstrndx(c->elf, &names) < 0 ||
        count > MAX_SECTIONS) {
        return bad_(c, "no table of sections");
    }
    c->section = calloc(count + 1, sizeof *c->section);
    if (!c->section) {
        return nomem_(c);
    }
    c->num_sections = (uint32_t)count;
    for (size_t i = 1; i < count; i++) {
        struct smrf_cubin_section *s = &c->section[i];
        GElf_Shdr header;
        Elf_Scn *scn = elf_getscn(c->elf, i);
        if (!scn || !gelf_getshdr(scn, &header) ||
            !(s->name = elf_strptr(c->elf, names, header.sh_name))) {
            return bad_(c, "a section's header");
        }
        s->type = kind_of_(s->name);
        s->size = header.sh_size;
        s->flags = header.sh_flags;
        s->info = header.sh_info;
        s->align = header.sh_addralign == 0 || header.sh_addralign > 65536
                       ? 1
                       : (uint32_t)header.sh_addralign;
        s->nobits = header.sh_type == SHT_NOBITS;
        if (s->nobits || s->size == 0) {
            continue;
        }
        const Elf_Data *data = elf_rawdata(scn, NULL);
        if (!data || !data->d_buf || data->d_size < s->size) {
            return bad_(c, "a section lies beyond the file's end");
        }
        s->bytes = data->d_buf;
    }
    return 0;
}

static int by_name_(const void *a, const void *b)
{
    const struct smrf_cubin_symbol *x = *(struct smrf_cubin_symbol *const *)a,
                                   *y = *(struct smrf_cubin_symbol *const *)b;
    const int order = strcmp(x->name, y->name);
    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

/* Local symbols of several files may have one name: all but the first get their number too. */
static int tell_apart_(struct smrf_cubin *c)
{
    struct smrf_cubin_symbol **sorted = malloc((c->num_symbols + (size_t)1) * sizeof *sorted);
    if (!sorted) {
        return nomem_(c);
    }
    for (uint32_t i = 0; i < c->num_symbols; i++) {
        sorted[i] = &c->symbol[i];
    }
    qsort(sorted, c->num_symbols, sizeof *sorted, by_name_);
    int rc = 0;
    const char *last = "";
    for (uint32_t i = 0; i < c->num_symbols && rc == 0; i++) {
        struct smrf_cubin_symbol *s = sorted[i];
        if (*s->name == 0 || strcmp(s->name, last) != 0) {
            last = s->name;
            continue;
        }
        const size_t room = strlen(s->name) + 16;
        s->own = malloc(room);
        if (!s->own) {
            rc = nomem_(c);
            break;
        }
        (void)snprintf(s->own, room, "%s.s%u", s->name, s->index);
        s->name = s->own;
    }
    free(sorted);
    return rc;
}

/* A section that is about a function whose name was told apart from others takes part in that:
 * .text.f and .nv.info.f become .text.f.s23 and .nv.info.f.s23. old: length of the name f. */
static int rename_section_(struct smrf_cubin *c, struct smrf_cubin_section *s,
                           const struct smrf_cubin_symbol *of, size_t old)
{
    const size_t length = strlen(s->name);
    if (length <= old || s->name[length - old - 1] != '.' ||
        memcmp(s->name + length - old, of->name, old) != 0) {
        return 0;
    }
    const size_t room = length - old + strlen(of->name) + 1;
    char *name = malloc(room);
    if (!name) {
        return nomem_(c);
    }
    (void)snprintf(name, room, "%.*s%s", (int)(length - old), s->name, of->name);
    free(s->own);
    s->name = s->own = name;
    return 0;
}

static int tell_sections_apart_(struct smrf_cubin *c)
{
    for (uint32_t i = 0; i < c->num_symbols; i++) {
        const struct smrf_cubin_symbol *f = &c->symbol[i];
        if (!f->own || f->type != STT_FUNC || c->section[f->section].type != SMRF_CUBIN_TEXT) {
            continue;
        }
        const size_t old = (size_t)(strrchr(f->own, '.') - f->own);
        for (uint32_t k = 1; k < c->num_sections; k++) {
            struct smrf_cubin_section *s = &c->section[k];
            const bool about =
                k == f->section || (s->info == f->section &&
                                    (s->type == SMRF_CUBIN_INFO || s->type == SMRF_CUBIN_BYTES));
            const int rc = about ? rename_section_(c, s, f, old) : 0;
            if (rc < 0) {
                return rc;
            }
        }
    }
    return 0;
}

static int read_symbols_(struct smrf_cubin *c, uint32_t table)
{
    GElf_Shdr header;
    Elf_Scn *scn = elf_getscn(c->elf, table);
    Elf_Data *data = elf_getdata(scn, NULL);
    if (!gelf_getshdr(scn, &header) || header.sh_entsize != sizeof(Elf64_Sym) || !data) {
        return bad_(c, "the table of symbols");
    }
    const size_t count = data->d_size / sizeof(Elf64_Sym);
    c->symbol = calloc(count + 1, sizeof *c->symbol);
    if (!c->symbol) {
        return nomem_(c);
    }
    for (size_t i = 0; i < count; i++) {
        GElf_Sym sym;
        struct smrf_cubin_symbol *s = &c->symbol[i];
        if (!gelf_getsym(data, (int)i, &sym) ||
            !(s->name = elf_strptr(c->elf, header.sh_link, sym.st_name))) {
            return bad_(c, "a symbol's name");
        }
        c->num_symbols = (uint32_t)i + 1;
        s->index = (uint32_t)i;
        s->value = sym.st_value;
        s->size = sym.st_size;
        s->section = sym.st_shndx < c->num_sections ? sym.st_shndx : 0;
        s->type = GELF_ST_TYPE(sym.st_info);
        s->other = sym.st_other;
        if (s->type == STT_SECTION) {
            s->name = c->section[s->section].name ? c->section[s->section].name : "";
        }
    }
    const int rc = tell_apart_(c);
    return rc < 0 ? rc : tell_sections_apart_(c);
}

static int add_relocs_(struct smrf_cubin *c, uint32_t index, uint32_t *room)
{
    GElf_Shdr header;
    Elf_Scn *scn = elf_getscn(c->elf, index);
    Elf_Data *data = elf_getdata(scn, NULL);
    if (!gelf_getshdr(scn, &header)) {
        return bad_(c, "a relocation's header");
    }
    if ((header.sh_type != SHT_REL && header.sh_type != SHT_RELA) ||
        header.sh_info >= c->num_sections || c->section[header.sh_info].type == SMRF_CUBIN_OTHER ||
        !data) {
        return 0;
    }
    const bool rela = header.sh_type == SHT_RELA;
    const size_t count = data->d_size / (rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel));
    if (c->num_relocs + count > *room) {
        *room = (uint32_t)(c->num_relocs + count) * 2;
        struct smrf_cubin_reloc *more = realloc(c->reloc, *room * sizeof *more);
        if (!more) {
            return nomem_(c);
        }
        c->reloc = more;
    }
    for (size_t i = 0; i < count; i++) {
        GElf_Rela r = {0};
        GElf_Rel plain;
        if (rela ? !gelf_getrela(data, (int)i, &r) : !gelf_getrel(data, (int)i, &plain)) {
            return bad_(c, "a relocation");
        }
        if (!rela) {
            r.r_offset = plain.r_offset;
            r.r_info = plain.r_info;
        }
        if (GELF_R_SYM(r.r_info) >= c->num_symbols) {
            return bad_(c, "a relocation names no symbol");
        }
        c->reloc[c->num_relocs++] =
            (struct smrf_cubin_reloc){.offset = r.r_offset,
                                      .addend = r.r_addend,
                                      .section = header.sh_info,
                                      .symbol = (uint32_t)GELF_R_SYM(r.r_info),
                                      .type = (uint32_t)GELF_R_TYPE(r.r_info),
                                      .explicit_addend = rela};
    }
    return 0;
}

static int relocs_by_place_(const void *a, const void *b)
{
    const struct smrf_cubin_reloc *x = a, *y = b;
    if (x->section != y->section) {
        return x->section < y->section ? -1 : 1;
    }
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

struct placed {
    uint64_t value;
    uint32_t section, index;
};

static int symbols_by_place_(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->section != y->section) {
        return x->section < y->section ? -1 : 1;
    }
    if (x->value != y->value) {
        return x->value < y->value ? -1 : 1;
    }
    return x->index < y->index ? -1 : x->index > y->index;
}

static int sort_(struct smrf_cubin *c)
{
    struct placed *sorted = malloc((c->num_symbols + (size_t)1) * sizeof *sorted);
    c->by_place = malloc((c->num_symbols + (size_t)1) * sizeof *c->by_place);
    if (!sorted || !c->by_place) {
        free(sorted);
        return nomem_(c);
    }
    for (uint32_t i = 0; i < c->num_symbols; i++) {
        sorted[i] = (struct placed){c->symbol[i].value, c->symbol[i].section, i};
    }
    qsort(sorted, c->num_symbols, sizeof *sorted, symbols_by_place_);
    for (uint32_t i = c->num_symbols; i-- > 0;) {
        c->by_place[i] = sorted[i].index;
        c->section[sorted[i].section].first_symbol = i;
        c->section[sorted[i].section].num_symbols++;
    }
    free(sorted);
    if (c->num_relocs) {
        qsort(c->reloc, c->num_relocs, sizeof *c->reloc, relocs_by_place_);
    }
    for (uint32_t i = c->num_relocs; i-- > 0;) {
        c->section[c->reloc[i].section].first_reloc = i;
        c->section[c->reloc[i].section].num_relocs++;
    }
    return 0;
}

int smrf_cubin_read(struct smrf_cubin *c, const void *bytes, size_t size)
{
    GElf_Ehdr header;
    if (elf_version(EV_CURRENT) == EV_NONE ||
        !(c->elf = elf_memory((char *)(uintptr_t)bytes, size)) || !gelf_getehdr(c->elf, &header)) {
        return bad_(c, "no ELF header");
    }
    c->relocatable = header.e_type == ET_REL;
    int rc = read_sections_(c);
    uint32_t room = 0;
    for (uint32_t i = 1; i < c->num_sections && rc == 0 && c->num_symbols == 0; i++) {
        if (!strcmp(c->section[i].name, ".symtab")) {
            rc = read_symbols_(c, i);
        }
    }
    for (uint32_t i = 1; i < c->num_sections && rc == 0; i++) {
        if (starts_(c->section[i].name, ".rel")) {
            rc = add_relocs_(c, i, &room);
        }
    }
    return rc == 0 ? sort_(c) : rc;
}
