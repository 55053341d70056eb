/* SPDX-License-Identifier: Apache-2.0 */
/* Hash tables of the parser: symbols, mnemonics, strings, sections, each found in constant time. */
#include "firmware/sass/internal.h"

#include <stdlib.h>
#include <string.h>

static bool grow_table_(struct smrf_sass_table *table, uint32_t count,
                        uint32_t (*hash_of)(const struct smrf_sass_parser *, uint32_t),
                        const struct smrf_sass_parser *p)
{
    if (count * 2 < table->size) {
        return true;
    }
    uint32_t size = table->size ? table->size * 2 : 256;
    uint32_t *slot = size ? calloc(size, sizeof *slot) : NULL;
    if (!slot) {
        return false;
    }
    for (uint32_t i = 0; i < table->size; i++) {
        if (!table->slot[i]) {
            continue;
        }
        uint32_t at = hash_of(p, table->slot[i] - 1) & (size - 1);
        while (slot[at]) {
            at = (at + 1) & (size - 1);
        }
        slot[at] = table->slot[i];
    }
    free(table->slot);
    table->slot = slot;
    table->size = size;
    return true;
}

static bool same_(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static uint32_t symbol_hash_(const struct smrf_sass_parser *p, uint32_t i)
{
    return p->symbols[i].hash;
}

static uint32_t symbol_slot_(const struct smrf_sass_parser *p, uint32_t hash, const char *name,
                             size_t length)
{
    const struct smrf_sass_table *table = &p->symbol_table;
    uint32_t at = hash & (table->size - 1);
    for (; table->slot[at]; at = (at + 1) & (table->size - 1)) {
        const struct smrf_sass_label *symbol = &p->symbols[table->slot[at] - 1];
        if (symbol->hash == hash && same_(symbol->name, symbol->length, name, length)) {
            break;
        }
    }
    return at;
}

uint32_t smrf_sass_symbol_find(const struct smrf_sass_parser *p, const char *name, size_t length)
{
    if (!p->symbol_table.size) {
        return SMRF_SASS_NO_INDEX;
    }
    uint32_t slot =
        p->symbol_table.slot[symbol_slot_(p, smrf_sass_hash(name, length), name, length)];
    return slot ? slot - 1 : SMRF_SASS_NO_INDEX;
}

int smrf_sass_symbol_of(struct smrf_sass_parser *p, const char *name, size_t length,
                        uint32_t *index)
{
    uint32_t hash = smrf_sass_hash(name, length);
    if (!grow_table_(&p->symbol_table, p->num_symbols + 1, symbol_hash_, p)) {
        return smrf_sass_nomem(p);
    }
    uint32_t at = symbol_slot_(p, hash, name, length);
    if (p->symbol_table.slot[at]) {
        *index = p->symbol_table.slot[at] - 1;
        return 0;
    }
    char *copy = smrf_sass_copy(p->store, name, length);
    if (!copy || !smrf_sass_grow((void **)&p->symbols, p->num_symbols, &p->cap_symbols,
                                 sizeof *p->symbols)) {
        return smrf_sass_nomem(p);
    }
    *index = p->num_symbols++;
    p->symbols[*index] = (struct smrf_sass_label){.name = copy,
                                                  .hash = hash,
                                                  .length = (uint32_t)length,
                                                  .section = SMRF_SASS_NO_INDEX,
                                                  .function = SMRF_SASS_NO_INDEX,
                                                  .size = SMRF_SASS_NO_INDEX};
    p->symbol_table.slot[at] = *index + 1;
    return 0;
}

static uint32_t string_hash_(const struct smrf_sass_parser *p, uint32_t i)
{
    return p->strings[i].hash;
}

int smrf_sass_string_of(struct smrf_sass_parser *p, const char *text, size_t length,
                        uint32_t *index)
{
    uint32_t hash = smrf_sass_hash(text, length);
    struct smrf_sass_table *table = &p->string_table;
    if (!grow_table_(table, p->num_strings + 1, string_hash_, p)) {
        return smrf_sass_nomem(p);
    }
    uint32_t at = hash & (table->size - 1);
    for (; table->slot[at]; at = (at + 1) & (table->size - 1)) {
        const struct smrf_sass_name *known = &p->strings[table->slot[at] - 1];
        if (known->hash == hash && same_(known->text, known->length, text, length)) {
            *index = table->slot[at] - 1;
            return 0;
        }
    }
    char *copy = smrf_sass_copy(p->store, text, length);
    if (!copy || !smrf_sass_grow((void **)&p->strings, p->num_strings, &p->cap_strings,
                                 sizeof *p->strings)) {
        return smrf_sass_nomem(p);
    }
    *index = p->num_strings++;
    p->strings[*index] = (struct smrf_sass_name){copy, (uint32_t)length, hash};
    table->slot[at] = *index + 1;
    return 0;
}

static uint32_t section_hash_(const struct smrf_sass_parser *p, uint32_t i)
{
    return smrf_sass_hash(p->sections[i].name, strlen(p->sections[i].name));
}

uint32_t smrf_sass_section_find(const struct smrf_sass_parser *p, const char *name, size_t length)
{
    const struct smrf_sass_table *table = &p->section_table;
    if (!table->size) {
        return SMRF_SASS_NO_INDEX;
    }
    uint32_t at = smrf_sass_hash(name, length) & (table->size - 1);
    for (; table->slot[at]; at = (at + 1) & (table->size - 1)) {
        const char *known = p->sections[table->slot[at] - 1].name;
        if (same_(known, strlen(known), name, length)) {
            return table->slot[at] - 1;
        }
    }
    return SMRF_SASS_NO_INDEX;
}

/* A new section of that name; the caller has made sure that there is none. */
int smrf_sass_section_of(struct smrf_sass_parser *p, const char *name, size_t length,
                         uint32_t *index)
{
    struct smrf_sass_table *table = &p->section_table;
    char *copy = smrf_sass_copy(p->store, name, length);
    if (!copy || !grow_table_(table, p->num_sections + 1, section_hash_, p) ||
        !smrf_sass_grow((void **)&p->sections, p->num_sections, &p->cap_sections,
                        sizeof *p->sections)) {
        return smrf_sass_nomem(p);
    }
    *index = p->num_sections++;
    p->sections[*index] = (struct smrf_sass_section){.name = copy, .line = p->line, .align = 1};
    uint32_t at = smrf_sass_hash(name, length) & (table->size - 1);
    while (table->slot[at]) {
        at = (at + 1) & (table->size - 1);
    }
    table->slot[at] = *index + 1;
    return 0;
}

static uint32_t mnemonic_hash_(const struct smrf_sass_parser *p, uint32_t i)
{
    return p->mnemonics[i].hash;
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
    uint32_t hash = smrf_sass_hash(text, length);
    struct smrf_sass_table *table = &p->mnemonic_table;
    if (!grow_table_(table, p->num_mnemonics + 1, mnemonic_hash_, p)) {
        return smrf_sass_nomem(p);
    }
    uint32_t at = hash & (table->size - 1);
    for (; table->slot[at]; at = (at + 1) & (table->size - 1)) {
        const struct smrf_sass_mnemonic *known = &p->mnemonics[table->slot[at] - 1];
        if (known->hash == hash && same_(known->text, known->length, text, length)) {
            *index = table->slot[at] - 1;
            return 0;
        }
    }
    struct smrf_sass_mnemonic m = {.hash = hash, .length = (uint32_t)length};
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
    *index = p->num_mnemonics++;
    p->mnemonics[*index] = m;
    table->slot[at] = *index + 1;
    return 0;
}

void smrf_sass_tables_free(struct smrf_sass_parser *p)
{
    free(p->symbol_table.slot);
    free(p->mnemonic_table.slot);
    free(p->string_table.slot);
    free(p->section_table.slot);
}
