/* SPDX-License-Identifier: Apache-2.0 */
/* Hash tables of the parser: symbols, mnemonics, strings, sections, each found in constant time. */
#include "firmware/sass/internal.h"

#include <string.h>

/* A text that is looked up among the parser's. */
struct wanted {
    const struct smrf_sass_parser *p;
    const char *text;
    size_t length;
};

static bool same_(const struct wanted *w, const char *text, size_t length)
{
    return w->length == length && memcmp(w->text, text, length) == 0;
}

static bool is_symbol_(const void *ctx, uint32_t item)
{
    const struct wanted *w = ctx;
    return same_(w, w->p->symbols[item].name, w->p->symbols[item].length);
}

static bool is_string_(const void *ctx, uint32_t item)
{
    const struct wanted *w = ctx;
    return same_(w, w->p->strings[item].text, w->p->strings[item].length);
}

static bool is_section_(const void *ctx, uint32_t item)
{
    const struct wanted *w = ctx;
    return same_(w, w->p->sections[item].name, strlen(w->p->sections[item].name));
}

static bool is_mnemonic_(const void *ctx, uint32_t item)
{
    const struct wanted *w = ctx;
    return same_(w, w->p->mnemonics[item].text, w->p->mnemonics[item].length);
}

_Static_assert(SMRF_HASH_NONE == SMRF_SASS_NO_INDEX, "what is not found has no index");

uint32_t smrf_sass_symbol_find(const struct smrf_sass_parser *p, const char *name, size_t length)
{
    const struct wanted wanted = {p, name, length};
    return smrf_hash_find(&p->symbol_names, smrf_hash_text(name, length), is_symbol_, &wanted);
}

int smrf_sass_symbol_of(struct smrf_sass_parser *p, const char *name, size_t length,
                        uint32_t *index)
{
    *index = smrf_sass_symbol_find(p, name, length);
    if (*index != SMRF_SASS_NO_INDEX) {
        return 0;
    }
    char *copy = smrf_sass_copy(p->store, name, length);
    if (!copy ||
        !smrf_sass_grow((void **)&p->symbols, p->num_symbols, &p->cap_symbols,
                        sizeof *p->symbols) ||
        !smrf_hash_add(&p->symbol_names, smrf_hash_text(name, length), p->num_symbols)) {
        return smrf_sass_nomem(p);
    }
    *index = p->num_symbols++;
    p->symbols[*index] = (struct smrf_sass_label){.name = copy,
                                                  .length = (uint32_t)length,
                                                  .section = SMRF_SASS_NO_INDEX,
                                                  .function = SMRF_SASS_NO_INDEX,
                                                  .size = SMRF_SASS_NO_INDEX};
    return 0;
}

int smrf_sass_string_of(struct smrf_sass_parser *p, const char *text, size_t length,
                        uint32_t *index)
{
    const struct wanted wanted = {p, text, length};
    const uint32_t hash = smrf_hash_text(text, length);
    *index = smrf_hash_find(&p->string_names, hash, is_string_, &wanted);
    if (*index != SMRF_SASS_NO_INDEX) {
        return 0;
    }
    char *copy = smrf_sass_copy(p->store, text, length);
    if (!copy ||
        !smrf_sass_grow((void **)&p->strings, p->num_strings, &p->cap_strings,
                        sizeof *p->strings) ||
        !smrf_hash_add(&p->string_names, hash, p->num_strings)) {
        return smrf_sass_nomem(p);
    }
    *index = p->num_strings++;
    p->strings[*index] = (struct smrf_sass_name){copy, (uint32_t)length};
    return 0;
}

uint32_t smrf_sass_section_find(const struct smrf_sass_parser *p, const char *name, size_t length)
{
    const struct wanted wanted = {p, name, length};
    return smrf_hash_find(&p->section_names, smrf_hash_text(name, length), is_section_, &wanted);
}

/* A new section of that name; the caller has made sure that there is none. */
int smrf_sass_section_of(struct smrf_sass_parser *p, const char *name, size_t length,
                         uint32_t *index)
{
    char *copy = smrf_sass_copy(p->store, name, length);
    if (!copy ||
        !smrf_sass_grow((void **)&p->sections, p->num_sections, &p->cap_sections,
                        sizeof *p->sections) ||
        !smrf_hash_add(&p->section_names, smrf_hash_text(name, length), p->num_sections)) {
        return smrf_sass_nomem(p);
    }
    *index = p->num_sections++;
    p->sections[*index] = (struct smrf_sass_section){.name = copy, .line = p->line, .align = 1};
    return 0;
}

static uint8_t branch_of_(const struct smrf_sass_mnemonic *m)
{
    static const char *const relative[] = {"BRA", "BSSY", "CALL", "RET"};
    const char *mode = m->num_modifiers ? m->modifier[0] : "";
    if (!strcmp(m->opcode, "BRX") || !strcmp(m->opcode, "BRXU")) {
        return SASS_INDEXED;
    }
    if (!strcmp(m->opcode, "JMP") || !strcmp(m->opcode, "JMX") || !strcmp(m->opcode, "JMXU")) {
        return SASS_ABSOLUTE;
    }
    for (size_t i = 0; i < sizeof relative / sizeof *relative; i++) {
        if (!strcmp(m->opcode, relative[i])) {
            return strcmp(mode, "ABS") ? SASS_RELATIVE : SASS_ABSOLUTE;
        }
    }
    return SASS_NO_BRANCH;
}

/* "IMAD.WIDE.U32" into IMAD, WIDE, U32. */
static int split_(struct smrf_sass_parser *p, struct smrf_sass_mnemonic *m)
{
    const char *at = m->text, *end = m->text + m->length;
    for (unsigned i = 0;; i++) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        const char *stop = dot ? dot : end;
        uint32_t string;
        if (stop == at) {
            return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "mnemonic '%.60s' has an empty part",
                                  m->text);
        }
        if (i > SMRF_SASS_MAX_MODIFIERS) {
            return smrf_sass_fail(p, SMRF_ERR_LIMIT, p->line,
                                  "mnemonic '%.60s' has more than %d parts", m->text,
                                  SMRF_SASS_MAX_MODIFIERS + 1);
        }
        int rc = smrf_sass_string_of(p, at, (size_t)(stop - at), &string);
        if (rc < 0) {
            return rc;
        }
        if (i == 0) {
            m->opcode = p->strings[string].text;
        } else {
            m->modifier[m->num_modifiers++] = p->strings[string].text;
        }
        if (!dot) {
            return 0;
        }
        at = dot + 1;
    }
}

int smrf_sass_mnemonic_of(struct smrf_sass_parser *p, const char *text, size_t length,
                          uint32_t *index)
{
    const struct wanted wanted = {p, text, length};
    const uint32_t hash = smrf_hash_text(text, length);
    *index = smrf_hash_find(&p->mnemonic_names, hash, is_mnemonic_, &wanted);
    if (*index != SMRF_SASS_NO_INDEX) {
        return 0;
    }
    struct smrf_sass_mnemonic m = {.length = (uint32_t)length};
    m.text = smrf_sass_copy(p->store, text, length);
    if (!m.text || !smrf_sass_grow((void **)&p->mnemonics, p->num_mnemonics, &p->cap_mnemonics,
                                   sizeof *p->mnemonics)) {
        return smrf_sass_nomem(p);
    }
    int rc = split_(p, &m);
    if (rc < 0) {
        return rc;
    }
    m.branch = branch_of_(&m);
    if (!smrf_hash_add(&p->mnemonic_names, hash, p->num_mnemonics)) {
        return smrf_sass_nomem(p);
    }
    *index = p->num_mnemonics++;
    p->mnemonics[*index] = m;
    return 0;
}

void smrf_sass_tables_free(struct smrf_sass_parser *p)
{
    smrf_hash_free(&p->symbol_names);
    smrf_hash_free(&p->mnemonic_names);
    smrf_hash_free(&p->string_names);
    smrf_hash_free(&p->section_names);
}
