/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tree.h"

#include "platform/config/internal.h"
#include "traces/files/input_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define MOST_PARTS 100000

int smrf_tree_fail(struct smrf_source *source, unsigned line, const char *format, ...)
{
    if (!source->error[0]) {
        int used =
            line ? snprintf(source->error, sizeof source->error, "%.300s:%u: ", source->name, line)
                 : snprintf(source->error, sizeof source->error, "%.300s: ", source->name);
        va_list args;
        va_start(args, format);
        vsnprintf(source->error + used, sizeof source->error - (size_t)used, format, args);
        va_end(args);
    }
    return SMRF_ERR_INVAL;
}

static unsigned line_(const yaml_mark_t *mark)
{
    return (unsigned)mark->line + 1;
}

static const struct smrf_tree *build_(struct smrf_source *s, yaml_document_t *d, int index,
                                      unsigned depth);

static const char *key_(struct smrf_source *s, const yaml_node_t *node)
{
    if (node->type != YAML_SCALAR_NODE) {
        smrf_tree_fail(s, line_(&node->start_mark), "a key must be plain text");
        return NULL;
    }
    return smrf_pool_text(s->pool, "%.*s", (int)node->data.scalar.length,
                          (const char *)node->data.scalar.value);
}

static const struct smrf_tree *map_(struct smrf_source *s, yaml_document_t *d, yaml_node_t *node,
                                    struct smrf_tree *tree, unsigned depth)
{
    size_t count = (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
    tree->kind = SMRF_TREE_MAP;
    tree->key = smrf_pool_take(s->pool, (count + 1) * sizeof *tree->key);
    tree->key_line = smrf_pool_take(s->pool, (count + 1) * sizeof *tree->key_line);
    tree->item = smrf_pool_take(s->pool, (count + 1) * sizeof *tree->item);
    for (size_t i = 0; i < count; i++) {
        const yaml_node_pair_t *pair = &node->data.mapping.pairs.start[i];
        const yaml_node_t *key = yaml_document_get_node(d, pair->key);
        tree->key[i] = key_(s, key);
        tree->key_line[i] = line_(&key->start_mark);
        for (size_t k = 0; tree->key[i] && k < i; k++) {
            if (strcmp(tree->key[i], tree->key[k]) == 0) {
                smrf_tree_fail(s, tree->key_line[i],
                               "'%s' is given twice, first on line %u; keep one", tree->key[i],
                               tree->key_line[k]);
                return NULL;
            }
        }
        tree->item[i] = tree->key[i] ? build_(s, d, pair->value, depth + 1) : NULL;
        if (!tree->item[i]) {
            return NULL;
        }
        tree->count++;
    }
    return tree;
}

static const struct smrf_tree *build_(struct smrf_source *s, yaml_document_t *d, int index,
                                      unsigned depth)
{
    yaml_node_t *node = yaml_document_get_node(d, index);
    struct smrf_tree *tree = smrf_pool_take(s->pool, sizeof *tree);
    tree->line = line_(&node->start_mark);
    if (depth > 8) { /* also if an alias is inside its own anchor */
        smrf_tree_fail(s, tree->line, "nested deeper than 8 levels");
        return NULL;
    }
    if (++s->parts > MOST_PARTS) { /* few lines of aliases can stand for very many */
        smrf_tree_fail(s, tree->line, "more than %d values", MOST_PARTS);
        return NULL;
    }
    if (node->type == YAML_SCALAR_NODE) {
        bool nothing = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
                       strcmp((const char *)node->data.scalar.value, "~") == 0;
        tree->text = nothing ? ""
                             : smrf_pool_text(s->pool, "%.*s", (int)node->data.scalar.length,
                                              (const char *)node->data.scalar.value);
        return tree;
    }
    if (node->type == YAML_MAPPING_NODE) {
        return map_(s, d, node, tree, depth);
    }
    size_t count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    tree->kind = SMRF_TREE_LIST;
    tree->item = smrf_pool_take(s->pool, (count + 1) * sizeof *tree->item);
    for (; tree->count < count; tree->count++) {
        tree->item[tree->count] =
            build_(s, d, node->data.sequence.items.start[tree->count], depth + 1);
        if (!tree->item[tree->count]) {
            return NULL;
        }
    }
    return tree;
}

static void not_yaml_(struct smrf_source *s, const yaml_parser_t *p)
{
    bool reader = p->error == YAML_READER_ERROR; /* bytes that are no text */
    smrf_tree_fail(s, line_(reader ? &p->mark : &p->problem_mark), "not valid YAML: %s%s%s",
                   p->problem ? p->problem : "unknown problem", p->context ? ", " : "",
                   p->context ? p->context : "");
}

const struct smrf_tree *smrf_tree_read(struct smrf_source *source, const char *text, size_t size)
{
    yaml_parser_t parser;
    yaml_document_t document, second;
    const struct smrf_tree *tree = NULL;
    unsigned deep = smrf_input_too_deep(text, size);
    if (deep) {
        smrf_tree_fail(source, deep, "nested deeper than %d levels", SMRF_INPUT_DEPTH);
        return NULL;
    }
    if (!yaml_parser_initialize(&parser)) {
        smrf_tree_fail(source, 0, "out of memory");
        return NULL;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    if (!yaml_parser_load(&parser, &document)) {
        not_yaml_(source, &parser);
        yaml_parser_delete(&parser);
        return NULL;
    }
    if (!yaml_document_get_root_node(&document)) {
        smrf_tree_fail(source, 0, "is empty");
    } else {
        tree = build_(source, &document, 1, 0);
    }
    yaml_document_delete(&document);
    if (tree && !yaml_parser_load(&parser, &second)) {
        not_yaml_(source, &parser);
        tree = NULL;
    } else if (tree) {
        if (yaml_document_get_root_node(&second)) {
            smrf_tree_fail(source, line_(&second.start_mark),
                           "a second document; a file holds one");
            tree = NULL;
        }
        yaml_document_delete(&second);
    }
    yaml_parser_delete(&parser);
    return tree;
}

const struct smrf_tree *smrf_tree_get(const struct smrf_tree *map, const char *key)
{
    for (size_t i = 0; map && map->kind == SMRF_TREE_MAP && i < map->count; i++) {
        if (strcmp(map->key[i], key) == 0) {
            return map->item[i];
        }
    }
    return NULL;
}

const char *smrf_tree_near(struct smrf_pool *pool, const char *word, const char *const *names)
{
    const char *near = NULL;
    unsigned best = 4; /* at four edits the name is another one */
    for (; *names; names++) {
        unsigned distance = smrf_edit_distance(word, *names);
        if (distance < best && distance < strlen(*names)) {
            best = distance;
            near = *names;
        }
    }
    return near ? smrf_pool_text(pool, "; did you mean %s?", near) : "";
}

int smrf_tree_keys(struct smrf_source *source, const struct smrf_tree *map, const char *what,
                   const char *const *known)
{
    if (map->kind != SMRF_TREE_MAP) {
        return smrf_tree_fail(source, map->line, "%s: expected lines of the form key: value", what);
    }
    for (size_t i = 0; i < map->count; i++) {
        size_t k = 0;
        while (known[k] && strcmp(known[k], map->key[i]) != 0) {
            k++;
        }
        if (known[k]) {
            continue;
        }
        const char *near = smrf_tree_near(source->pool, map->key[i], known);
        const char *all = known[0];
        for (k = 1; !near[0] && known[k]; k++) {
            all = smrf_pool_text(source->pool, "%s, %s", all, known[k]);
        }
        return smrf_tree_fail(source, map->key_line[i], "%s has no '%s'%s%s", what, map->key[i],
                              near[0] ? near : "; it may have ", near[0] ? "" : all);
    }
    return SMRF_OK;
}

const char *smrf_tree_text(struct smrf_source *source, const struct smrf_tree *tree,
                           const char *what)
{
    if (tree->kind != SMRF_TREE_TEXT || !tree->text[0]) {
        smrf_tree_fail(source, tree->line, "%s: expected a text", what);
        return NULL;
    }
    return tree->text;
}

int smrf_tree_part(struct smrf_source *source, const struct smrf_tree *map, const char *key,
                   const char **text)
{
    const struct smrf_tree *item = smrf_tree_get(map, key);
    const char *found = item ? smrf_tree_text(source, item, key) : NULL;
    if (found) {
        *text = found;
    }
    return item && !found ? SMRF_ERR_INVAL : SMRF_OK;
}

int smrf_tree_number(struct smrf_source *source, const struct smrf_tree *tree, const char *what,
                     double *value)
{
    char *end = NULL;
    if (tree->kind == SMRF_TREE_TEXT) {
        *value = strtod(tree->text, &end);
    }
    if (!end || end == tree->text || *end) {
        return smrf_tree_fail(source, tree->line, "%s: expected a number%s%s%s", what,
                              tree->kind == SMRF_TREE_TEXT ? ", not '" : "",
                              tree->kind == SMRF_TREE_TEXT ? tree->text : "",
                              tree->kind == SMRF_TREE_TEXT ? "'" : "");
    }
    return SMRF_OK;
}

const struct smrf_tree *smrf_tree_each(const struct smrf_tree *tree, size_t k)
{
    if (tree->kind == SMRF_TREE_TEXT) {
        return k == 0 && tree->text[0] ? tree : NULL;
    }
    return tree->kind == SMRF_TREE_LIST && k < tree->count ? tree->item[k] : NULL;
}
