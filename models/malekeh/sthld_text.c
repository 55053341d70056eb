/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's table as text. */
#include "sthld.h"

struct cursor {
    const char *at, *end; /* of the present line */
};

/* Next word of the line; its length is 0 at the line's end. */
static size_t word_(struct cursor *c, const char **word)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r')) {
        c->at++;
    }
    *word = c->at;
    while (c->at < c->end && *c->at != ' ' && *c->at != '\t' && *c->at != '\r') {
        c->at++;
    }
    return (size_t)(c->at - *word);
}

static bool is_(const char *word, size_t length, const char *text)
{
    for (size_t i = 0; i < length; i++, text++) {
        if (*text == '\0' || word[i] != *text) {
            return false;
        }
    }
    return *text == '\0';
}

/* First c in [at, end), or end. */
static const char *find_(const char *at, const char *end, char c)
{
    while (at < end && *at != c) {
        at++;
    }
    return at;
}

/* A whole number with an optional sign, below 10000 in size. */
static bool number_(const char *word, size_t length, int *value)
{
    bool negative = length > 0 && *word == '-';
    if (length > 0 && (*word == '-' || *word == '+')) {
        word++;
        length--;
    }
    *value = 0;
    if (length == 0 || length > 4) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9') {
            return false;
        }
        *value = *value * 10 + (word[i] - '0');
    }
    *value = negative ? -*value : *value;
    return true;
}

static bool state_(struct cursor *c, int *state)
{
    const char *word;
    size_t length = word_(c, &word);
    return number_(word, length, state) && *state >= 1 && *state <= SMRF_STHLD_STATES;
}

static bool change_(struct cursor *c, unsigned *mask)
{
    const char *word;
    size_t length = word_(c, &word);
    *mask = is_(word, length, "small")   ? 1u << SMRF_STHLD_SMALL
            : is_(word, length, "large") ? 1u << SMRF_STHLD_LARGE
            : is_(word, length, "*")     ? (1u << SMRF_STHLD_CHANGES) - 1
                                         : 0u;
    return *mask != 0;
}

static bool delta_(struct cursor *c, int *delta)
{
    const char *word;
    size_t length = word_(c, &word);
    *delta = SMRF_STHLD_UNDO;
    return is_(word, length, "undo") || number_(word, length, delta);
}

/* One line without its comment. Returns NULL or what is wrong. */
static const char *line_(struct smrf_sthld_table *t, struct cursor c)
{
    const char *word;
    struct cursor begin = c;
    size_t length = word_(&c, &word);
    int state, next, delta;
    unsigned changes;
    if (length == 0) {
        return NULL;
    }
    if (is_(word, length, "start")) {
        if (!state_(&c, &state)) {
            return "expected a state from 1 to 16 after 'start'";
        }
        if (t->start) {
            return "there is a start state already";
        }
        t->start = (uint8_t)state;
        return word_(&c, &word) ? "one state is enough after 'start'" : NULL;
    }
    c = begin;
    if (!state_(&c, &state)) {
        return "expected a state from 1 to 16, or 'start'";
    }
    if (!change_(&c, &changes)) {
        return "expected the change: small, large or *";
    }
    if (!state_(&c, &next)) {
        return "expected the next state, 1 to 16";
    }
    if (!delta_(&c, &delta)) {
        return "expected the delta: a whole number or 'undo'";
    }
    if (word_(&c, &word)) {
        return "expected nothing after the delta";
    }
    for (unsigned i = 0; i < SMRF_STHLD_CHANGES; i++) {
        if (!(changes >> i & 1)) {
            continue;
        }
        if (t->edge[state][i].next) {
            return "this state has an edge for this change already";
        }
        t->edge[state][i] = (struct smrf_sthld_edge){(uint8_t)next, (int16_t)delta};
    }
    return NULL;
}

int smrf_sthld_read_table(struct smrf_sthld_table *table, const char *text, size_t size,
                          unsigned *line, const char **why)
{
    struct smrf_sthld_table t = {0};
    const char *at = text, *end = text + size;
    for (*line = 1; at < end; ++*line) {
        const char *stop = find_(at, end, '\n');
        *why = line_(&t, (struct cursor){at, find_(at, stop, '#')});
        if (*why) {
            return SMRF_ERR_FORMAT;
        }
        at = stop == end ? end : stop + 1;
    }
    *line = 0;
    struct smrf_sthld_config cfg = {.table = t};
    if (!t.start) {
        *why = "no start state: add a line 'start 1'";
        return SMRF_ERR_FORMAT;
    }
    if (smrf_sthld_config_check(&cfg)) {
        *why = "a state that can be reached lacks an edge for 'small' or for 'large'";
        return SMRF_ERR_FORMAT;
    }
    *table = t;
    return SMRF_OK;
}
