/* SPDX-License-Identifier: Apache-2.0 */
/* Directives and labels: sections, symbols and their attributes. */
#include "firmware/sass/internal.h"

#include <string.h>

static const struct {
    const char *name;
    uint8_t kind;
    bool owned; /* what follows the name is the function it belongs to */
} kinds[] = {{".text.", SASS_TEXT, true},
             {".nv.global.init", SASS_DATA, false},
             {".nv.global", SASS_DATA, false},
             {".nv.shared.", SASS_SHARED, true},
             {".nv.info.", SASS_INFO, true},
             {".nv.info", SASS_INFO, false},
             {".nv.callgraph", SASS_CALLGRAPH, false}};

/* .nv.constant3, .nv.constant2._Z2swPi */
static int constant_section_(struct smrf_sass_parser *p, struct smrf_sass_section *section)
{
    const char *at = section->name + strlen(".nv.constant");
    unsigned bank = 0, digits = 0;
    for (; *at >= '0' && *at <= '9' && digits < 3; at++, digits++) {
        bank = bank * 10 + (unsigned)(*at - '0');
    }
    if (digits == 0 || (*at != 0 && *at != '.')) {
        return 0; /* not a bank */
    }
    if (bank >= SMRF_SASS_CONST_BANKS) {
        return smrf_sass_fail(p, SMRF_ERR_LIMIT, p->line, "constant bank %u: the banks are 0 to %d",
                              bank, SMRF_SASS_CONST_BANKS - 1);
    }
    section->kind = SASS_CONST;
    section->bank = (uint8_t)bank;
    section->owner = *at == '.' ? at + 1 : NULL;
    return 0;
}

static int classify_(struct smrf_sass_parser *p, struct smrf_sass_section *section)
{
    if (strncmp(section->name, ".nv.constant", 12) == 0) {
        return constant_section_(p, section);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].name);
        if (kinds[i].owned ? strncmp(section->name, kinds[i].name, length) == 0
                           : strcmp(section->name, kinds[i].name) == 0) {
            section->kind = kinds[i].kind;
            section->owner = kinds[i].owned ? section->name + length : NULL;
            p->has_info |= section->kind == SASS_INFO;
            if (section->owner && *section->owner == 0) {
                return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line,
                                      "section '%.40s' names no function", section->name);
            }
            return 0;
        }
    }
    return 0;
}

int smrf_sass_open_section(struct smrf_sass_parser *p, const char *name, size_t length,
                           uint8_t kind)
{
    uint32_t index = smrf_sass_section_find(p, name, length);
    if (index != SMRF_SASS_NO_INDEX) {
        if (p->sections[index].kind == SASS_IGNORED) {
            p->section = index;
            return 0;
        }
        return smrf_sass_fail(p, SMRF_ERR_CORRUPT, p->line,
                              "section '%.120s' stands twice: first in line %u",
                              p->sections[index].name, p->sections[index].line);
    }
    int rc = smrf_sass_section_of(p, name, length, &index);
    if (rc < 0) {
        return rc;
    }
    p->section = index;
    p->source = NULL;
    p->source_line = 0;
    p->sections[index].kind = kind;
    return kind == SASS_IGNORED ? classify_(p, &p->sections[index]) : 0;
}

/* .section .text.f,"ax",@progbits */
static int parse_section_(struct smrf_sass_parser *p)
{
    char buffer[48];
    smrf_sass_skip_space(p);
    size_t length = 0;
    while (p->at + length < p->end && !strchr(", \t\r", p->at[length])) {
        length++;
    }
    const char *name = p->at;
    if (length == 0) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "a section needs a name at %s",
                              smrf_sass_here(p, buffer));
    }
    p->at += length;
    int rc = smrf_sass_open_section(p, name, length, SASS_IGNORED);
    if (rc < 0) {
        return rc;
    }
    for (; p->at < p->end; p->at++) {
        if (smrf_sass_starts(p, "@nobits") || smrf_sass_starts(p, "SHT_CUDA_GLOBAL\"") ||
            smrf_sass_starts(p, "SHT_CUDA_SHARED\"")) {
            p->sections[p->section].nobits = p->sections[p->section].kind == SASS_DATA ||
                                             p->sections[p->section].kind == SASS_SHARED;
        }
    }
    return 0;
}

static int parse_align_(struct smrf_sass_parser *p)
{
    char buffer[48];
    struct smrf_sass_section *section = &p->sections[p->section];
    uint64_t align;
    smrf_sass_skip_space(p);
    if (!smrf_sass_unsigned(p, &align) || align == 0 || align > 65536 || (align & (align - 1))) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "an alignment is a power of two at %s",
                              smrf_sass_here(p, buffer));
    }
    if (align > section->align) {
        section->align = (uint32_t)align;
    }
    return section->kind == SASS_TEXT
               ? 0
               : smrf_sass_pad(p, section, (section->size + align - 1) & ~(align - 1));
}

/* @"SHI_REGISTERS=37": the number after the key, if it stands there. */
static bool find_number_(struct smrf_sass_parser *p, const char *key, uint32_t *value)
{
    const char *start = p->at;
    uint64_t number = 0;
    for (; p->at < p->end; p->at++) {
        if (smrf_sass_accept_word(p, key)) {
            bool ok = smrf_sass_unsigned(p, &number) && number <= 65535;
            p->at = start;
            if (ok) {
                *value = (uint32_t)number;
            }
            return ok;
        }
    }
    p->at = start;
    return false;
}

static int named_symbol_(struct smrf_sass_parser *p, uint32_t *index)
{
    char buffer[48];
    smrf_sass_skip_space(p);
    size_t length = smrf_sass_name_length(p);
    if (length == 0) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "expected a symbol at %s",
                              smrf_sass_here(p, buffer));
    }
    const char *name = p->at;
    p->at += length;
    return smrf_sass_symbol_of(p, name, length, index);
}

static int parse_size_(struct smrf_sass_parser *p, uint32_t symbol)
{
    char buffer[48];
    if (!smrf_sass_accept(p, ',')) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "',' and a size expected at %s",
                              smrf_sass_here(p, buffer));
    }
    if (!smrf_sass_grow((void **)&p->sizes, p->num_sizes, &p->cap_sizes, sizeof *p->sizes)) {
        return smrf_sass_nomem(p);
    }
    struct smrf_sass_expr expr;
    int rc = smrf_sass_parse_expr(p, &expr);
    if (rc < 0) {
        return rc;
    }
    p->symbols[symbol].size = p->num_sizes;
    p->sizes[p->num_sizes++] = (struct smrf_sass_size){expr, p->line};
    return 0;
}

static bool rest_contains_(const struct smrf_sass_parser *p, const char *word)
{
    struct smrf_sass_parser rest = *p;
    for (; rest.at < rest.end; rest.at++) {
        if (smrf_sass_starts(&rest, word)) {
            return true;
        }
    }
    return false;
}

enum about { ABOUT_TYPE, ABOUT_SIZE, ABOUT_OTHER };

static int parse_about_(struct smrf_sass_parser *p, enum about about)
{
    uint32_t index;
    int rc = named_symbol_(p, &index);
    if (rc < 0) {
        return rc;
    }
    struct smrf_sass_label *symbol = &p->symbols[index];
    if (about == ABOUT_SIZE) {
        return parse_size_(p, index);
    }
    if (about == ABOUT_OTHER) {
        symbol->entry |= rest_contains_(p, "STO_CUDA_ENTRY");
        symbol->shared |= rest_contains_(p, "STO_CUDA_SHARED");
    } else if (rest_contains_(p, "@function")) {
        symbol->type = SASS_FUNCTION;
    } else if (rest_contains_(p, "@object") || rest_contains_(p, "OBJECT")) {
        symbol->type = SASS_OBJECT;
    }
    return 0;
}

static bool accept_directive_(struct smrf_sass_parser *p, const char *word)
{
    const char *start = p->at;
    if (smrf_sass_accept_word(p, word) &&
        (smrf_sass_at_end(p) || *p->at == ' ' || *p->at == '\t')) {
        return true;
    }
    p->at = start;
    return false;
}

bool smrf_sass_arch_known(uint64_t arch)
{
#define SMRF_ARCHITECTURE_CODE(sm) arch == (sm) ||
#define SMRF_ARCHITECTURE(sm, ...) SMRF_ARCHITECTURE_CODE(sm)
    return
#include "architectures.def"
        false;
#undef SMRF_ARCHITECTURE
#undef SMRF_ARCHITECTURE_CODE
}

bool smrf_sass_take_arch(struct smrf_sass_parser *p, uint64_t arch)
{
    struct smrf_sass_module *module = &p->store->module;
    if (!smrf_sass_arch_known(arch)) {
        return false;
    }
    if (module->arch == 0) {
        module->arch = (unsigned)arch;
    }
    return module->arch == arch;
}

/* .headerflags @"EF_CUDA_SM75 ..": the architecture. */
static int parse_headerflags_(struct smrf_sass_parser *p)
{
    struct smrf_sass_parser rest = *p;
    while (rest.at < rest.end && !smrf_sass_starts(&rest, "EF_CUDA_SM")) {
        rest.at++;
    }
    uint64_t arch;
    if (smrf_sass_accept_word(&rest, "EF_CUDA_SM") &&
        !(smrf_sass_unsigned(&rest, &arch) && smrf_sass_take_arch(p, arch))) {
        return smrf_sass_fail(
            p, SMRF_ERR_UNKNOWN, p->line,
            "the code is for none of sm_70, 72, 75, 80, 86, 87, 89 and 90: compile with "
            "nvcc -arch=sm_75");
    }
    return 0;
}

int smrf_sass_parse_directive(struct smrf_sass_parser *p)
{
    static const char *const ignored[] = {
        ".global",         ".weak",   ".local",   ".file",   ".sectionentsize", ".loc",
        ".map_symbolname", ".common", ".visible", ".extern", ".hidden",         ".internal"};
    char buffer[48];
    if (accept_directive_(p, ".section")) {
        return parse_section_(p);
    }
    if (accept_directive_(p, ".headerflags")) {
        return p->other_arch ? 0 : parse_headerflags_(p);
    }
    if (accept_directive_(p, ".elftype")) {
        p->relocatable = rest_contains_(p, "ET_REL");
        p->whole = p->store->module.arch != 0;
        return 0;
    }
    if (accept_directive_(p, ".type")) {
        return parse_about_(p, ABOUT_TYPE);
    }
    if (accept_directive_(p, ".size")) {
        return parse_about_(p, ABOUT_SIZE);
    }
    if (accept_directive_(p, ".other")) {
        return parse_about_(p, ABOUT_OTHER);
    }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        if (accept_directive_(p, ignored[i])) {
            return 0;
        }
    }
    if (p->section == SMRF_SASS_NO_INDEX) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "%s outside of any section",
                              smrf_sass_here(p, buffer));
    }
    struct smrf_sass_section *section = &p->sections[p->section];
    if (accept_directive_(p, ".align")) {
        return parse_align_(p);
    }
    if (accept_directive_(p, ".sectioninfo") || accept_directive_(p, ".sectionflags")) {
        find_number_(p, "SHI_REGISTERS=", &section->registers);
        find_number_(p, "SHI_BARRIERS=", &section->barriers);
        find_number_(p, "SHF_BARRIERS=", &section->barriers);
        return 0;
    }
    if (smrf_sass_data_directive(p)) {
        return smrf_sass_parse_data(p, false, 0);
    }
    return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "unknown directive at %s",
                          smrf_sass_here(p, buffer));
}

int smrf_sass_parse_label(struct smrf_sass_parser *p, size_t length)
{
    uint32_t index;
    int rc = smrf_sass_symbol_of(p, p->at, length, &index);
    if (rc < 0) {
        return rc;
    }
    struct smrf_sass_label *symbol = &p->symbols[index];
    if (p->section == SMRF_SASS_NO_INDEX) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "label '%.120s' outside of any section",
                              symbol->name);
    }
    if (symbol->section != SMRF_SASS_NO_INDEX) {
        return smrf_sass_fail(p, SMRF_ERR_CORRUPT, p->line,
                              "label '%.120s' stands twice: first in line %u", symbol->name,
                              symbol->line);
    }
    const struct smrf_sass_section *section = &p->sections[p->section];
    symbol->section = p->section;
    symbol->offset = section->size;
    symbol->line = p->line;
    symbol->label = strncmp(symbol->name, ".L", 2) == 0 || !strcmp(symbol->name, section->name);
    return 0;
}
