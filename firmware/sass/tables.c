/* SPDX-License-Identifier: Apache-2.0 */
/* Hash tables of the parser: symbols, mnemonics, strings, sections, each found in constant time. */
#include "firmware/sass/internal.h"

#include <stdlib.h>
#include <string.h>

static bool grow_table(struct sass_table *table, uint32_t count,
                       uint32_t (*hash_of)(const struct sass_parser *, uint32_t),
                       const struct sass_parser *p)
{
    if (count * 2 < table->size)
        return true;
    uint32_t size = table->size ? table->size * 2 : 256;
    uint32_t *slot = size ? calloc(size, sizeof *slot) : NULL;
    if (!slot)
        return false;
    for (uint32_t i = 0; i < table->size; i++) {
        if (!table->slot[i])
            continue;
        uint32_t at = hash_of(p, table->slot[i] - 1) & (size - 1);
        while (slot[at])
            at = (at + 1) & (size - 1);
        slot[at] = table->slot[i];
    }
    free(table->slot);
    table->slot = slot;
    table->size = size;
    return true;
}

static bool same(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static uint32_t symbol_hash(const struct sass_parser *p, uint32_t i)
{
    return p->symbols[i].hash;
}

static uint32_t symbol_slot(const struct sass_parser *p, uint32_t hash, const char *name,
                            size_t length)
{
    const struct sass_table *table = &p->symbol_table;
    uint32_t at = hash & (table->size - 1);
    for (; table->slot[at]; at = (at + 1) & (table->size - 1)) {
        const struct sass_symbol *symbol = &p->symbols[table->slot[at] - 1];
        if (symbol->hash == hash && same(symbol->name, symbol->length, name, length))
            break;
    }
    return at;
}

uint32_t sass_symbol_find(const struct sass_parser *p, const char *name, size_t length)
{
    if (!p->symbol_table.size)
        return SMRF_SASS_NO_INDEX;
    uint32_t slot = p->symbol_table.slot[symbol_slot(p, sass_hash(name, length), name, length)];
    return slot ? slot - 1 : SMRF_SASS_NO_INDEX;
}

int sass_symbol_of(struct sass_parser *p, const char *name, size_t length, uint32_t *index)
{
    uint32_t hash = sass_hash(name, length);
    if (!grow_table(&p->symbol_table, p->num_symbols + 1, symbol_hash, p))
        return sass_nomem(p);
    uint32_t at = symbol_slot(p, hash, name, length);
    if (p->symbol_table.slot[at]) {
        *index = p->symbol_table.slot[at] - 1;
        return 0;
    }
    char *copy = sass_copy(p->store, name, length);
    if (!copy ||
        !sass_grow((void **)&p->symbols, p->num_symbols, &p->cap_symbols, sizeof *p->symbols))
        return sass_nomem(p);
    *index = p->num_symbols++;
    p->symbols[*index] = (struct sass_symbol){.name = copy,
                                              .hash = hash,
                                              .length = (uint32_t)length,
                                              .section = SMRF_SASS_NO_INDEX,
                                              .function = SMRF_SASS_NO_INDEX,
                                              .size = SMRF_SASS_NO_INDEX};
    p->symbol_table.slot[at] = *index + 1;
    return 0;
}

static uint32_t string_hash(const struct sass_parser *p, uint32_t i)
{
    return p->strings[i].hash;
}

int sass_string_of(struct sass_parser *p, const char *text, size_t length, uint32_t *index)
{
    uint32_t hash = sass_hash(text, length);
    struct sass_table *table = &p->string_table;
    if (!grow_table(table, p->num_strings + 1, string_hash, p))
        return sass_nomem(p);
    uint32_t at = hash & (table->size - 1);
    for (; table->slot[at]; at = (at + 1) & (table->size - 1)) {
        const struct sass_name *known = &p->strings[table->slot[at] - 1];
        if (known->hash == hash && same(known->text, known->length, text, length)) {
            *index = table->slot[at] - 1;
            return 0;
        }
    }
    char *copy = sass_copy(p->store, text, length);
    if (!copy ||
        !sass_grow((void **)&p->strings, p->num_strings, &p->cap_strings, sizeof *p->strings))
        return sass_nomem(p);
    *index = p->num_strings++;
    p->strings[*index] = (struct sass_name){copy, (uint32_t)length, hash};
    table->slot[at] = *index + 1;
    return 0;
}

static uint32_t section_hash(const struct sass_parser *p, uint32_t i)
{
    return sass_hash(p->sections[i].name, strlen(p->sections[i].name));
}

uint32_t sass_section_find(const struct sass_parser *p, const char *name, size_t length)
{
    const struct sass_table *table = &p->section_table;
    if (!table->size)
        return SMRF_SASS_NO_INDEX;
    uint32_t at = sass_hash(name, length) & (table->size - 1);
    for (; table->slot[at]; at = (at + 1) & (table->size - 1)) {
        const char *known = p->sections[table->slot[at] - 1].name;
        if (same(known, strlen(known), name, length))
            return table->slot[at] - 1;
    }
    return SMRF_SASS_NO_INDEX;
}

/* A new section of that name; the caller has made sure that there is none. */
int sass_section_of(struct sass_parser *p, const char *name, size_t length, uint32_t *index)
{
    struct sass_table *table = &p->section_table;
    char *copy = sass_copy(p->store, name, length);
    if (!copy || !grow_table(table, p->num_sections + 1, section_hash, p) ||
        !sass_grow((void **)&p->sections, p->num_sections, &p->cap_sections, sizeof *p->sections))
        return sass_nomem(p);
    *index = p->num_sections++;
    p->sections[*index] = (struct sass_section){.name = copy, .line = p->line, .align = 1};
    uint32_t at = sass_hash(name, length) & (table->size - 1);
    while (table->slot[at])
        at = (at + 1) & (table->size - 1);
    table->slot[at] = *index + 1;
    return 0;
}

static uint32_t mnemonic_hash(const struct sass_parser *p, uint32_t i)
{
    return p->mnemonics[i].hash;
}

static uint8_t branch_of(const struct sass_mnemonic *m)
{
    static const char *const relative[] = {"BRA", "BSSY", "CALL", "RET"};
    const char *mode = m->num_modifiers ? m->modifier[0] : "";
    if (!strcmp(m->opcode, "BRX") || !strcmp(m->opcode, "BRXU"))
        return SASS_INDEXED;
    if (!strcmp(m->opcode, "JMP") || !strcmp(m->opcode, "JMX") || !strcmp(m->opcode, "JMXU"))
        return SASS_ABSOLUTE;
    for (size_t i = 0; i < sizeof relative / sizeof *relative; i++)
        if (!strcmp(m->opcode, relative[i]))
            return strcmp(mode, "ABS") ? SASS_RELATIVE : SASS_ABSOLUTE;
    return SASS_NO_BRANCH;
}

/* "IMAD.WIDE.U32" into IMAD, WIDE, U32. */
static int split(struct sass_parser *p, struct sass_mnemonic *m)
{
    const char *at = m->text, *end = m->text + m->length;
    for (unsigned i = 0;; i++) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        const char *stop = dot ? dot : end;
        uint32_t string;
        if (stop == at)
            return sass_fail(p, SMRF_ERR_FORMAT, p->line, "mnemonic '%.60s' has an empty part",
                             m->text);
        if (i > SMRF_SASS_MAX_MODIFIERS)
            return sass_fail(p, SMRF_ERR_LIMIT, p->line, "mnemonic '%.60s' has more than %d parts",
                             m->text, SMRF_SASS_MAX_MODIFIERS + 1);
        int rc = sass_string_of(p, at, (size_t)(stop - at), &string);
        if (rc < 0)
            return rc;
        if (i == 0)
            m->opcode = p->strings[string].text;
        else
            m->modifier[m->num_modifiers++] = p->strings[string].text;
        if (!dot)
            return 0;
        at = dot + 1;
    }
}

int sass_mnemonic_of(struct sass_parser *p, const char *text, size_t length, uint32_t *index)
{
    uint32_t hash = sass_hash(text, length);
    struct sass_table *table = &p->mnemonic_table;
    if (!grow_table(table, p->num_mnemonics + 1, mnemonic_hash, p))
        return sass_nomem(p);
    uint32_t at = hash & (table->size - 1);
    for (; table->slot[at]; at = (at + 1) & (table->size - 1)) {
        const struct sass_mnemonic *known = &p->mnemonics[table->slot[at] - 1];
        if (known->hash == hash && same(known->text, known->length, text, length)) {
            *index = table->slot[at] - 1;
            return 0;
        }
    }
    struct sass_mnemonic m = {.hash = hash, .length = (uint32_t)length};
    m.text = sass_copy(p->store, text, length);
    if (!m.text || !sass_grow((void **)&p->mnemonics, p->num_mnemonics, &p->cap_mnemonics,
                              sizeof *p->mnemonics))
        return sass_nomem(p);
    int rc = split(p, &m);
    if (rc < 0)
        return rc;
    m.branch = branch_of(&m);
    *index = p->num_mnemonics++;
    p->mnemonics[*index] = m;
    table->slot[at] = *index + 1;
    return 0;
}

void sass_tables_free(struct sass_parser *p)
{
    free(p->symbol_table.slot);
    free(p->mnemonic_table.slot);
    free(p->string_table.slot);
    free(p->section_table.slot);
}
