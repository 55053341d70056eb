/* SPDX-License-Identifier: Apache-2.0 */
/* A user's set of constants, from YAML. */
#include "energy.h"

#include "platform/config/internal.h"
#include "traces/files/input_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct reader {
    const char *path;
    char *text;
    size_t size;
    yaml_document_t doc;
    struct smrf_energy_set set;
    unsigned long line[SMRF_ENERGY_COUNT]; /* where a constant is given, 0 = not */
    bool based;
};

__attribute__((format(printf, 4, 5))) static int fail_(const struct reader *r, int code,
                                                       const yaml_node_t *at, const char *fmt, ...)
{
    va_list args;
    int used = at ? snprintf(r->text, r->size, "%s:%zu: ", r->path, at->start_mark.line + 1)
                  : snprintf(r->text, r->size, "%s: ", r->path);
    va_start(args, fmt);
    if (used >= 0 && (size_t)used < r->size) {
        vsnprintf(r->text + used, r->size - (size_t)used, fmt, args);
    }
    va_end(args);
    return code;
}

static const char *scalar_(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static int number_(const struct reader *r, const yaml_node_t *node, const char *key, double *value)
{
    const char *text = scalar_(node);
    char *end = NULL;
    *value = text ? strtod(text, &end) : 0;
    if (!text || end == text || *end || !isfinite(*value) || *value < 0) {
        return fail_(r, SMRF_ERR_INVAL, node, "%s takes a number of pJ, 0 or above%s%s%s", key,
                     text ? ", not '" : "", text ? text : "", text ? "'" : "");
    }
    return SMRF_OK;
}

static int text_(const struct reader *r, const yaml_node_t *node, const char *key, char *to,
                 size_t size)
{
    const char *text = scalar_(node);
    if (!text || strlen(text) >= size || text[0] == '\0') {
        return fail_(r, SMRF_ERR_INVAL, node, "%s takes a text of at most %zu characters", key,
                     size - 1);
    }
    memcpy(to, text, strlen(text) + 1);
    return SMRF_OK;
}

/* A number, or {value: .., source: ..}. */
static int constant_(struct reader *r, unsigned index, yaml_node_t *node)
{
    const char *name = smrf_energy_constant_name(index);
    snprintf(r->set.source[index], sizeof r->set.source[index], "%.80s", r->path);
    if (node->type != YAML_MAPPING_NODE) {
        return number_(r, node, name, &r->set.value[index]);
    }
    bool given = false;
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
         p++) {
        const yaml_node_t *key = yaml_document_get_node(&r->doc, p->key);
        const yaml_node_t *value = yaml_document_get_node(&r->doc, p->value);
        const char *word = scalar_(key);
        int rc;
        if (word && strcmp(word, "value") == 0) {
            rc = number_(r, value, name, &r->set.value[index]);
            given = true;
        } else if (word && strcmp(word, "source") == 0) {
            rc = text_(r, value, "source", r->set.source[index], sizeof r->set.source[index]);
        } else {
            rc = fail_(r, SMRF_ERR_UNKNOWN, key, "%s has a value and a source, not '%s'", name,
                       word ? word : "?");
        }
        if (rc) {
            return rc;
        }
    }
    return given ? SMRF_OK : fail_(r, SMRF_ERR_INVAL, node, "%s has no value", name);
}

static int base_(struct reader *r, const yaml_node_t *node)
{
    const char *name = scalar_(node);
    const struct smrf_energy_set *set = NULL;
    for (unsigned i = 0; name && (set = smrf_energy_set_at(i)) && strcmp(set->name, name); i++) {
    }
    if (!name || !set) {
        return fail_(r, SMRF_ERR_UNKNOWN, node, "base is flat23, sliced23 or aw");
    }
    for (unsigned i = 0; i < SMRF_ENERGY_COUNT; i++) {
        if (!r->line[i]) { /* given before or after: the file's own number stays */
            r->set.value[i] = set->value[i];
            memcpy(r->set.source[i], set->source[i], sizeof r->set.source[i]);
        }
    }
    r->based = true;
    return SMRF_OK;
}

static int entry_(struct reader *r, const yaml_node_t *key, yaml_node_t *value)
{
    const char *word = scalar_(key);
    if (!word) {
        return fail_(r, SMRF_ERR_FORMAT, key, "a key must be plain text");
    }
    if (strcmp(word, "name") == 0) {
        return text_(r, value, "name", r->set.name, sizeof r->set.name);
    }
    if (strcmp(word, "summary") == 0) {
        return text_(r, value, "summary", r->set.summary, sizeof r->set.summary);
    }
    if (strcmp(word, "base") == 0) {
        return base_(r, value);
    }
    unsigned best = 5; /* at five edits the name is another one */
    const char *near = NULL;
    for (unsigned i = 0; i < SMRF_ENERGY_COUNT; i++) {
        const char *name = smrf_energy_constant_name(i);
        if (strcmp(word, name) == 0) {
            if (r->line[i]) {
                return fail_(r, SMRF_ERR_INVAL, key, "%s is given twice, first on line %lu", name,
                             r->line[i]);
            }
            r->line[i] = key->start_mark.line + 1;
            return constant_(r, i, value);
        }
        unsigned distance = smrf_edit_distance(word, name);
        near = distance < best ? name : near;
        best = distance < best ? distance : best;
    }
    return fail_(r, SMRF_ERR_UNKNOWN, key,
                 "there is no constant '%.60s'%s%s; smrf list energy "
                 "shows all",
                 word, near ? ", did you mean " : "", near ? near : "");
}

static int document_(struct reader *r)
{
    yaml_node_t *root = yaml_document_get_root_node(&r->doc);
    if (!root || root->type != YAML_MAPPING_NODE) {
        return fail_(r, SMRF_ERR_FORMAT, root, "expected lines of the form constant: pJ");
    }
    for (yaml_node_pair_t *p = root->data.mapping.pairs.start; p < root->data.mapping.pairs.top;
         p++) {
        int rc = entry_(r, yaml_document_get_node(&r->doc, p->key),
                        yaml_document_get_node(&r->doc, p->value));
        if (rc) {
            return rc;
        }
    }
    if (!r->set.name[0]) {
        return fail_(r, SMRF_ERR_INVAL, root, "the set has no name: add name: mine");
    }
    if (r->set.name[strspn(r->set.name, "abcdefghijklmnopqrstuvwxyz0123456789_-")]) {
        return fail_(r, SMRF_ERR_INVAL, root, "name: use a-z, 0-9, - and _, not '%s'", r->set.name);
    }
    for (unsigned i = 0; i < SMRF_ENERGY_BUILT_IN; i++) {
        if (strcmp(r->set.name, smrf_energy_set_at(i)->name) == 0) {
            return fail_(r, SMRF_ERR_INVAL, root, "%s is the name of a built-in set: take another",
                         r->set.name);
        }
    }
    for (unsigned i = 0; !r->based && i < SMRF_ENERGY_COUNT; i++) {
        if (!r->line[i]) {
            return fail_(r, SMRF_ERR_INVAL, root,
                         "%s is not given: give it, or base: flat23 for what is not",
                         smrf_energy_constant_name(i));
        }
    }
    return SMRF_OK;
}

int smrf_energy_load(struct smrf_energy_set *set, const char *path, char *text, size_t size)
{
    struct smrf_config_error err;
    struct reader r = {.path = path, .text = text, .size = size};
    yaml_parser_t parser;
    char *content;
    size_t length;
    int rc = smrf_config_read_file(path, &content, &length, &err);
    if (rc) {
        snprintf(text, size, "%s", err.text);
        return rc;
    }
    unsigned deep = smrf_input_too_deep(content, length);
    if (deep) {
        free(content);
        return fail_(&r, SMRF_ERR_LIMIT, NULL, "line %u: nested deeper than %d levels", deep,
                     SMRF_INPUT_DEPTH);
    }
    if (!yaml_parser_initialize(&parser)) {
        free(content);
        return fail_(&r, SMRF_ERR_NOMEM, NULL, "out of memory");
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)content, length);
    if (yaml_parser_load(&parser, &r.doc)) {
        rc = document_(&r);
        yaml_document_delete(&r.doc);
    } else {
        rc = fail_(&r, SMRF_ERR_FORMAT, NULL, "line %zu: not valid YAML: %s",
                   parser.problem_mark.line + 1, parser.problem ? parser.problem : "unknown");
    }
    yaml_parser_delete(&parser);
    free(content);
    if (!rc) {
        *set = r.set;
    }
    return rc;
}
