/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a launch: buffers, typed numbers and vectors, and structures of those, laid out as
 * the compiler lays them out. */
#include "firmware/launch/launch_plan.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 8 /* of structures in structures */

static int read_arg_(struct smrf_launch_plan *plan, const yaml_node_t *node,
                     struct smrf_launch_arg *arg, unsigned depth);

static int too_large_(const struct smrf_launch_plan *plan, unsigned line)
{
    return smrf_launch_fail(plan, SMRF_ERR_LIMIT, line,
                            "an argument has 1 to %u bytes: put more into a buffer",
                            SMRF_EXEC_MAX_PARAMS);
}

static unsigned aligned_(unsigned offset, unsigned align)
{
    return (offset + align - 1) / align * align;
}

static int add_pointer_(const struct smrf_launch_plan *plan, struct smrf_launch_arg *arg,
                        unsigned offset, unsigned buffer)
{
    struct smrf_launch_pointer *grown =
        realloc(arg->pointer, (arg->num_pointers + (size_t)1) * sizeof *grown);
    if (!grown) {
        return smrf_launch_no_memory(plan);
    }
    grown[arg->num_pointers++] = (struct smrf_launch_pointer){offset, buffer};
    arg->pointer = grown;
    return 0;
}

/* {f32: 2.0}, or of a vector {f32: [1, 2, 3, 4]}. */
static int read_number_(struct smrf_launch_plan *plan, const yaml_node_t *node,
                        struct smrf_launch_arg *arg)
{
    if (node->type != YAML_MAPPING_NODE || smrf_launch_pairs(node) != 1) {
        return smrf_launch_fail(
            plan, SMRF_ERR_FORMAT, smrf_launch_line(node),
            "an argument is a buffer's name, a number with its type, {f32: 2.0}, "
            "or a structure, the list of its members");
    }
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    const yaml_node_t *number = smrf_launch_node(plan, pair->value);
    const struct smrf_launch_type *type;
    int rc = smrf_launch_read_type(plan, smrf_launch_node(plan, pair->key), &type);
    if (rc < 0) {
        return rc;
    }
    bool list = number->type == YAML_SEQUENCE_NODE;
    unsigned count = list ? smrf_launch_items(number) : 1;
    if (count == 0 || count > SMRF_EXEC_MAX_PARAMS / type->bytes) {
        return too_large_(plan, smrf_launch_line(number));
    }
    for (unsigned i = 0; i < count && rc >= 0; i++) {
        struct smrf_launch_value value;
        const yaml_node_t *item =
            list ? smrf_launch_node(plan, number->data.sequence.items.start[i]) : number;
        rc = smrf_launch_read_value(plan, item, "an argument's number", type, &value);
        if (rc >= 0) {
            smrf_launch_encode(type, &value, arg->value + i * type->bytes);
        }
    }
    arg->bytes = count * type->bytes;
    arg->align = count == 2 || count == 4 ? arg->bytes : type->bytes; /* float2, float4 */
    if (arg->align > 16) {
        arg->align = 16;
    }
    return rc;
}

/* A member goes behind those that are there, at a multiple of its alignment. */
static int append_(const struct smrf_launch_plan *plan, struct smrf_launch_arg *arg,
                   const struct smrf_launch_arg *member)
{
    unsigned offset = aligned_(arg->bytes, member->align);
    if (offset + member->bytes > SMRF_EXEC_MAX_PARAMS) {
        return too_large_(plan, member->line);
    }
    memcpy(arg->value + offset, member->value, member->bytes);
    arg->bytes = offset + member->bytes;
    if (member->align > arg->align) {
        arg->align = member->align;
    }
    for (unsigned i = 0; i < member->num_pointers; i++) {
        int rc =
            add_pointer_(plan, arg, offset + member->pointer[i].offset, member->pointer[i].buffer);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static int read_members_(struct smrf_launch_plan *plan, const yaml_node_t *node,
                         struct smrf_launch_arg *arg, unsigned depth)
{
    if (depth == MAX_DEPTH) {
        return smrf_launch_fail(plan, SMRF_ERR_LIMIT, arg->line,
                                "a structure is nested more than %d times", MAX_DEPTH);
    }
    struct smrf_launch_arg *member = malloc(sizeof *member);
    if (!member) {
        return smrf_launch_no_memory(plan);
    }
    arg->align = 1;
    int rc = 0;
    for (unsigned i = 0; i < smrf_launch_items(node) && rc >= 0; i++) {
        memset(member, 0, sizeof *member);
        rc = read_arg_(plan, smrf_launch_node(plan, node->data.sequence.items.start[i]), member,
                       depth + 1);
        if (rc >= 0) {
            rc = append_(plan, arg, member);
        }
        free(member->pointer);
    }
    free(member);
    arg->bytes = aligned_(arg->bytes, arg->align);
    return rc >= 0 && arg->bytes == 0 ? too_large_(plan, arg->line) : rc;
}

static int read_arg_(struct smrf_launch_plan *plan, const yaml_node_t *node,
                     struct smrf_launch_arg *arg, unsigned depth)
{
    const char *name = smrf_launch_text(node);
    unsigned buffer;
    arg->line = smrf_launch_line(node);
    if (node->type == YAML_SEQUENCE_NODE) {
        return read_members_(plan, node, arg, depth);
    }
    if (!name) {
        return read_number_(plan, node, arg);
    }
    arg->bytes = arg->align = sizeof(smrf_dptr);
    int rc = smrf_launch_find_buffer(plan, name, arg->line, &buffer);
    return rc < 0 ? rc : add_pointer_(plan, arg, 0, buffer);
}

int smrf_launch_read_args(struct smrf_launch_plan *plan, const yaml_node_t *node,
                          struct smrf_launch_step *step)
{
    if (node->type != YAML_SEQUENCE_NODE) {
        return smrf_launch_fail(plan, SMRF_ERR_FORMAT, smrf_launch_line(node),
                                "args must be a list: [x, {f32: 2.0}]");
    }
    step->arg = calloc(smrf_launch_items(node) + (size_t)1, sizeof *step->arg);
    if (!step->arg) {
        return smrf_launch_no_memory(plan);
    }
    int rc = 0;
    for (unsigned i = 0; i < smrf_launch_items(node) && rc >= 0; i++) {
        rc = read_arg_(plan, smrf_launch_node(plan, node->data.sequence.items.start[i]),
                       &step->arg[step->num_args++], 0);
    }
    return rc;
}
