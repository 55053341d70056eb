/* SPDX-License-Identifier: Apache-2.0 */
/* The YAML of a launch file into a plan. Whatever is wrong is refused with its line. */
#include "firmware/launch/launch_plan.h"
#include "traces/files/input_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_KEYS 6
#define MAX_BUFFER_BYTES (UINT64_C(1) << 36)

/* [x, y, z], shorter, or a single number. */
static int read_dim_(struct smrf_launch_plan *plan, const yaml_node_t *node, const char *what,
                     struct smrf_exec_dim *dim)
{
    uint64_t size[3] = {1, 1, 1};
    int rc = 0;
    if (node->type == YAML_SEQUENCE_NODE) {
        if (smrf_launch_items(node) < 1 || smrf_launch_items(node) > 3) {
            return smrf_launch_fail(plan, SMRF_ERR_FORMAT, smrf_launch_line(node),
                                    "%s must have 1 to 3 numbers: [x, y, z]", what);
        }
        for (unsigned i = 0; i < smrf_launch_items(node) && rc >= 0; i++) {
            rc = smrf_launch_read_u64(plan,
                                      smrf_launch_node(plan, node->data.sequence.items.start[i]),
                                      what, 1, INT32_MAX, &size[i]);
        }
    } else {
        rc = smrf_launch_read_u64(plan, node, what, 1, INT32_MAX, &size[0]);
    }
    *dim = (struct smrf_exec_dim){(uint32_t)size[0], (uint32_t)size[1], (uint32_t)size[2]};
    return rc;
}

static int read_random_(struct smrf_launch_plan *plan, const yaml_node_t *node,
                        struct smrf_launch_buffer *b)
{
    static const char *const keys[] = {"seed", "min", "max", NULL};
    const yaml_node_t *value[3];
    int rc = smrf_launch_take_keys(plan, node, "random", keys, value);
    b->seed = 1;
    if (rc >= 0 && value[0]) {
        rc = smrf_launch_read_u64(plan, value[0], "seed", 0, UINT64_MAX, &b->seed);
    }
    for (unsigned k = 1; k < 3 && rc >= 0; k++) {
        rc = value[k]
                 ? smrf_launch_read_value(plan, value[k], keys[k], b->type, k == 1 ? &b->a : &b->b)
                 : smrf_launch_missing(plan, node, "random", keys[k]);
    }
    return rc;
}

static int read_iota_(struct smrf_launch_plan *plan, const yaml_node_t *node,
                      struct smrf_launch_buffer *b)
{
    if (node->type != YAML_SEQUENCE_NODE || smrf_launch_items(node) != 2) {
        return smrf_launch_fail(plan, SMRF_ERR_FORMAT, smrf_launch_line(node),
                                "iota must be two numbers: [start, step]");
    }
    /* a step may be negative where the values may not */
    const struct smrf_launch_type *step =
        b->type->kind == LAUNCH_FLOAT ? b->type : smrf_launch_type_of("i64");
    int rc = smrf_launch_read_value(
        plan, smrf_launch_node(plan, node->data.sequence.items.start[0]), "start", b->type, &b->a);
    return rc < 0
               ? rc
               : smrf_launch_read_value(plan,
                                        smrf_launch_node(plan, node->data.sequence.items.start[1]),
                                        "step", step, &b->b);
}

/* zero, {fill: v}, {iota: [start, step]}, {random: {..}}, {file: name} */
static int read_init_(struct smrf_launch_plan *plan, const yaml_node_t *node,
                      struct smrf_launch_buffer *b)
{
    static const char *const keys[] = {"zero", "fill", "iota", "random", "file", NULL};
    static const char *const forms = "init is one of: zero, {fill: v}, {iota: [start, step]}, "
                                     "{random: {seed: s, min: a, max: b}}, {file: name}";
    const yaml_node_t *value[5] = {NULL};
    const char *text = smrf_launch_text(node);
    b->init_line = smrf_launch_line(node);
    if (text && strcmp(text, "zero") == 0) {
        return 0;
    }
    if (node->type != YAML_MAPPING_NODE || smrf_launch_pairs(node) != 1) {
        return smrf_launch_fail(plan, SMRF_ERR_FORMAT, smrf_launch_line(node), "%s", forms);
    }
    int rc = smrf_launch_take_keys(plan, node, "init", keys, value);
    for (unsigned k = 0; k < 5 && rc >= 0; k++) {
        if (!value[k]) {
            continue;
        }
        b->init = (enum smrf_launch_init)k;
        if (k == LAUNCH_FILL) {
            rc = smrf_launch_read_value(plan, value[k], "fill", b->type, &b->a);
        } else if (k == LAUNCH_IOTA) {
            rc = read_iota_(plan, value[k], b);
        } else if (k == LAUNCH_RANDOM) {
            rc = read_random_(plan, value[k], b);
        } else if (k == LAUNCH_FILE) {
            rc = smrf_launch_need_text(plan, value[k], "file", &b->file);
        }
    }
    return rc;
}

int smrf_launch_read_type(struct smrf_launch_plan *plan, const yaml_node_t *node,
                          const struct smrf_launch_type **type)
{
    const char *text;
    int rc = smrf_launch_need_text(plan, node, "type", &text);
    if (rc < 0) {
        return rc;
    }
    *type = smrf_launch_type_of(text);
    return *type ? 0
                 : smrf_launch_fail(plan, SMRF_ERR_UNKNOWN, smrf_launch_line(node),
                                    "there is no type '%.60s'; the types are: %s", text,
                                    launch_type_names);
}

static int read_buffer_(struct smrf_launch_plan *plan, const yaml_node_t *node,
                        struct smrf_launch_buffer *b)
{
    static const char *const keys[] = {"type", "count", "init", NULL};
    const yaml_node_t *value[3];
    int rc = smrf_launch_take_keys(plan, node, "a buffer", keys, value);
    for (unsigned k = 0; k < 2 && rc >= 0; k++) {
        if (!value[k]) {
            rc = smrf_launch_missing(plan, node, "a buffer", keys[k]);
        }
    }
    if (rc >= 0) {
        rc = smrf_launch_read_type(plan, value[0], &b->type);
    }
    if (rc >= 0) {
        rc = smrf_launch_read_u64(plan, value[1], "count", 1, MAX_BUFFER_BYTES / b->type->bytes,
                                  &b->count);
    }
    b->keep = b->symbol && !value[2];
    if (rc >= 0 && value[2]) {
        rc = read_init_(plan, value[2], b);
    }
    return rc < 0 ? rc : smrf_launch_check_contents(plan, b);
}

int smrf_launch_find_buffer(struct smrf_launch_plan *plan, const char *name, unsigned line,
                            unsigned *index)
{
    for (unsigned i = 0; i < plan->num_buffers; i++) {
        if (strcmp(plan->buffer[i].name, name) == 0) {
            *index = i;
            return 0;
        }
    }
    return smrf_launch_fail(
        plan, SMRF_ERR_UNKNOWN, line,
        "there is no buffer '%.60s': declare it under 'buffers' (a variable of the "
        "module under 'symbols'), or write a number with its type, as in {i32: 5}",
        name);
}

/* Buffers, or with `symbols` variables of the module; both under one set of names. */
static int read_buffers_(struct smrf_launch_plan *plan, const yaml_node_t *node, bool symbols)
{
    int rc = smrf_launch_need_map(plan, node, symbols ? "symbols" : "buffers");
    if (rc < 0) {
        return rc;
    }
    size_t most = plan->num_buffers + (size_t)smrf_launch_pairs(node) + 1;
    struct smrf_launch_buffer *grown = realloc(plan->buffer, most * sizeof *grown);
    if (!grown) {
        return smrf_launch_no_memory(plan);
    }
    plan->buffer = grown;
    for (unsigned i = 0; i < smrf_launch_pairs(node) && rc >= 0; i++) {
        const yaml_node_pair_t *pair = &node->data.mapping.pairs.start[i];
        const yaml_node_t *key = smrf_launch_node(plan, pair->key);
        struct smrf_launch_buffer *b = &plan->buffer[plan->num_buffers];
        *b = (struct smrf_launch_buffer){.line = smrf_launch_line(key), .symbol = symbols};
        rc = smrf_launch_need_text(plan, key, "a buffer's name", &b->name);
        for (unsigned k = 0; k < plan->num_buffers && rc >= 0; k++) {
            if (strcmp(plan->buffer[k].name, b->name) == 0) {
                rc = smrf_launch_fail(plan, SMRF_ERR_FORMAT, smrf_launch_line(key),
                                      "buffer '%.60s' stands twice: first in line %u", b->name,
                                      plan->buffer[k].line);
            }
        }
        if (rc < 0) {
            return rc;
        }
        rc = read_buffer_(plan, smrf_launch_node(plan, pair->value), b);
        plan->num_buffers++;
    }
    return rc;
}

static int read_switch_(struct smrf_launch_plan *plan, const yaml_node_t *node, const char *what,
                        bool *on)
{
    const char *text = NULL;
    int rc = smrf_launch_need_text(plan, node, what, &text);
    *on = rc >= 0 && strcmp(text, "true") == 0;
    if (rc >= 0 && !*on && strcmp(text, "false") != 0) {
        rc = smrf_launch_fail(plan, SMRF_ERR_FORMAT, smrf_launch_line(node),
                              "%s is true or false, not '%.40s'", what, text);
    }
    return rc;
}

static int read_step_(struct smrf_launch_plan *plan, const yaml_node_t *node,
                      struct smrf_launch_step *step)
{
    static const char *const keys[] = {"kernel", "grid",     "block", "shared",
                                       "args",   "together", NULL};
    const yaml_node_t *value[MAX_KEYS];
    uint64_t shared = 0;
    step->line = smrf_launch_line(node);
    int rc = smrf_launch_take_keys(plan, node, "a launch", keys, value);
    for (unsigned k = 0; k < 3 && rc >= 0; k++) {
        if (!value[k]) {
            rc = smrf_launch_missing(plan, node, "a launch", keys[k]);
        }
    }
    if (rc >= 0) {
        rc = smrf_launch_need_text(plan, value[0], "kernel", &step->kernel);
    }
    if (rc >= 0) {
        rc = read_dim_(plan, value[1], "grid", &step->grid);
    }
    if (rc >= 0) {
        rc = read_dim_(plan, value[2], "block", &step->block);
    }
    if (rc >= 0 && value[3]) {
        rc = smrf_launch_read_u64(plan, value[3], "shared", 0, SMRF_EXEC_MAX_SHARED, &shared);
    }
    step->shared = (uint32_t)shared;
    if (rc >= 0 && value[5]) {
        rc = read_switch_(plan, value[5], "together", &step->together);
    }
    return rc >= 0 && value[4] ? smrf_launch_read_args(plan, value[4], step) : rc;
}

static int read_steps_(struct smrf_launch_plan *plan, const yaml_node_t *node)
{
    if (node->type != YAML_SEQUENCE_NODE || smrf_launch_items(node) == 0) {
        return smrf_launch_fail(plan, SMRF_ERR_FORMAT, smrf_launch_line(node),
                                "launches must be a list with at least one '- kernel: name'");
    }
    plan->step = calloc(smrf_launch_items(node), sizeof *plan->step);
    if (!plan->step) {
        return smrf_launch_no_memory(plan);
    }
    int rc = 0;
    for (unsigned i = 0; i < smrf_launch_items(node) && rc >= 0; i++) {
        rc = read_step_(plan, smrf_launch_node(plan, node->data.sequence.items.start[i]),
                        &plan->step[plan->num_steps++]);
    }
    return rc;
}

static int read_dumps_(struct smrf_launch_plan *plan, const yaml_node_t *node)
{
    int rc = smrf_launch_need_map(plan, node, "dump");
    if (rc < 0) {
        return rc;
    }
    plan->dump = calloc(smrf_launch_pairs(node) + (size_t)1, sizeof *plan->dump);
    if (!plan->dump) {
        return smrf_launch_no_memory(plan);
    }
    for (unsigned i = 0; i < smrf_launch_pairs(node) && rc >= 0; i++) {
        const yaml_node_pair_t *pair = &node->data.mapping.pairs.start[i];
        const yaml_node_t *key = smrf_launch_node(plan, pair->key);
        struct smrf_launch_dump *dump = &plan->dump[plan->num_dumps++];
        const char *name;
        dump->line = smrf_launch_line(key);
        rc = smrf_launch_need_text(plan, key, "a buffer's name", &name);
        if (rc >= 0) {
            rc = smrf_launch_find_buffer(plan, name, dump->line, &dump->buffer);
        }
        if (rc >= 0) {
            rc = smrf_launch_need_text(plan, smrf_launch_node(plan, pair->value), "a file's name",
                                       &dump->file);
        }
    }
    return rc;
}

static int read_root_(struct smrf_launch_plan *plan)
{
    static const char *const keys[] = {"launches", "buffers", "symbols", "dump", NULL};
    const yaml_node_t *value[4];
    const yaml_node_t *root = yaml_document_get_root_node(&plan->document);
    if (!root) {
        return smrf_launch_fail(
            plan, SMRF_ERR_FORMAT, 0,
            "the file is empty: it needs 'launches', and 'buffers' for its data");
    }
    int rc = smrf_launch_take_keys(plan, root, "a launch file", keys, value);
    if (rc >= 0 && !value[0]) {
        rc = smrf_launch_missing(plan, root, "a launch file", keys[0]);
    }
    if (rc >= 0 && value[1]) {
        rc = read_buffers_(plan, value[1], false);
    }
    if (rc >= 0 && value[2]) {
        rc = read_buffers_(plan, value[2], true);
    }
    if (rc >= 0) {
        rc = read_steps_(plan, value[0]);
    }
    return rc >= 0 && value[3] ? read_dumps_(plan, value[3]) : rc;
}

int smrf_launch_read(struct smrf_launch_plan *plan, const char *path, char *error)
{
    *plan = (struct smrf_launch_plan){.path = path, .error = error};
    error[0] = 0;
    char *text;
    size_t size;
    yaml_parser_t parser;
    int rc = smrf_input_read(path, SMRF_INPUT_TEXT_MAX, &text, &size, error, SMRF_SASS_ERROR_BYTES);
    if (rc != 0) {
        return rc;
    }
    unsigned deep = smrf_input_too_deep(text, size);
    if (deep != 0) {
        free(text);
        return smrf_launch_fail(plan, SMRF_ERR_LIMIT, deep, "nested deeper than %d levels",
                                SMRF_INPUT_DEPTH);
    }
    if (!yaml_parser_initialize(&parser)) {
        free(text);
        return smrf_launch_no_memory(plan);
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    if (!yaml_parser_load(&parser, &plan->document)) {
        memset(&plan->document, 0, sizeof plan->document);
        rc = smrf_launch_fail(plan,
                              parser.error == YAML_READER_ERROR ? SMRF_ERR_IO : SMRF_ERR_FORMAT,
                              (unsigned)parser.problem_mark.line + 1, "not valid YAML: %s",
                              parser.problem ? parser.problem : "the text cannot be read");
    }
    yaml_parser_delete(&parser);
    free(text);
    return rc < 0 ? rc : read_root_(plan);
}

void smrf_launch_free(struct smrf_launch_plan *plan)
{
    for (unsigned i = 0; i < plan->num_steps; i++) {
        for (unsigned k = 0; k < plan->step[i].num_args; k++) {
            free(plan->step[i].arg[k].pointer);
        }
        free(plan->step[i].arg);
    }
    free(plan->step);
    free(plan->buffer);
    free(plan->dump);
    yaml_document_delete(&plan->document);
}
