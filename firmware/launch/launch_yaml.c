/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a YAML document: words, numbers, mappings with known keys, each fault with its line. */
#include "firmware/launch/launch_plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int smrf_launch_fail(const struct smrf_launch_plan *plan, int code, unsigned line,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    smrf_sass_error_at(plan->error, plan->path, line, format, args);
    va_end(args);
    return code;
}

int smrf_launch_no_memory(const struct smrf_launch_plan *plan)
{
    return smrf_launch_fail(plan, SMRF_ERR_NOMEM, 0, "no memory left");
}

const yaml_node_t *smrf_launch_node(struct smrf_launch_plan *plan, int index)
{
    return yaml_document_get_node(&plan->document, index);
}

unsigned smrf_launch_line(const yaml_node_t *node)
{
    return (unsigned)node->start_mark.line + 1;
}

/* Text of a scalar, NULL for anything else (and for text with a zero byte in it). */
const char *smrf_launch_text(const yaml_node_t *node)
{
    if (node->type != YAML_SCALAR_NODE) {
        return NULL;
    }
    const char *text = (const char *)node->data.scalar.value;
    return strlen(text) == node->data.scalar.length ? text : NULL;
}

int smrf_launch_need_text(struct smrf_launch_plan *plan, const yaml_node_t *node, const char *what,
                          const char **text)
{
    *text = smrf_launch_text(node);
    return *text && **text ? 0
                           : smrf_launch_fail(plan, SMRF_ERR_FORMAT, smrf_launch_line(node),
                                              "%s must be a single word or number", what);
}

unsigned smrf_launch_pairs(const yaml_node_t *node)
{
    return (unsigned)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
}

unsigned smrf_launch_items(const yaml_node_t *node)
{
    return (unsigned)(node->data.sequence.items.top - node->data.sequence.items.start);
}

int smrf_launch_need_map(struct smrf_launch_plan *plan, const yaml_node_t *node, const char *what)
{
    return node->type == YAML_MAPPING_NODE
               ? 0
               : smrf_launch_fail(plan, SMRF_ERR_FORMAT, smrf_launch_line(node),
                                  "%s must be a mapping: key: value", what);
}

/* Sorts a mapping's values by the list of its keys; an unknown or doubled key is an error. */
int smrf_launch_take_keys(struct smrf_launch_plan *plan, const yaml_node_t *map, const char *what,
                          const char *const *keys, const yaml_node_t **values)
{
    char known[160] = "";
    int rc = smrf_launch_need_map(plan, map, what);
    if (rc < 0) {
        return rc;
    }
    for (unsigned k = 0; keys[k]; k++) {
        size_t used = strlen(known);
        values[k] = NULL;
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", keys[k]);
    }
    for (unsigned i = 0; i < smrf_launch_pairs(map); i++) {
        const yaml_node_pair_t *pair = &map->data.mapping.pairs.start[i];
        const yaml_node_t *key = smrf_launch_node(plan, pair->key);
        const char *name = smrf_launch_text(key);
        unsigned k = 0;
        while (keys[k] && (!name || strcmp(keys[k], name) != 0)) {
            k++;
        }
        if (!keys[k]) {
            return smrf_launch_fail(plan, SMRF_ERR_UNKNOWN, smrf_launch_line(key),
                                    "%s has no key '%.60s'; its keys are: %s", what,
                                    name ? name : "(not a word)", known);
        }
        if (values[k]) {
            return smrf_launch_fail(plan, SMRF_ERR_FORMAT, smrf_launch_line(key),
                                    "key '%s' stands twice", name);
        }
        values[k] = smrf_launch_node(plan, pair->value);
    }
    return 0;
}

int smrf_launch_missing(struct smrf_launch_plan *plan, const yaml_node_t *node, const char *what,
                        const char *key)
{
    return smrf_launch_fail(plan, SMRF_ERR_FORMAT, smrf_launch_line(node), "%s needs the key '%s'",
                            what, key);
}

int smrf_launch_read_u64(struct smrf_launch_plan *plan, const yaml_node_t *node, const char *what,
                         uint64_t least, uint64_t most, uint64_t *number)
{
    const char *text;
    struct smrf_launch_value value;
    int rc = smrf_launch_need_text(plan, node, what, &text);
    if (rc >= 0) {
        rc = smrf_launch_parse_value(plan, smrf_launch_type_of("u64"), text, smrf_launch_line(node),
                                     &value);
    }
    if (rc < 0) {
        return rc;
    }
    if (value.bits < least || value.bits > most) {
        return smrf_launch_fail(plan, SMRF_ERR_INVAL, smrf_launch_line(node),
                                "%s is %llu: it must be %llu to %llu", what,
                                (unsigned long long)value.bits, (unsigned long long)least,
                                (unsigned long long)most);
    }
    *number = value.bits;
    return 0;
}

int smrf_launch_read_value(struct smrf_launch_plan *plan, const yaml_node_t *node, const char *what,
                           const struct smrf_launch_type *type, struct smrf_launch_value *value)
{
    const char *text;
    int rc = smrf_launch_need_text(plan, node, what, &text);
    return rc < 0 ? rc : smrf_launch_parse_value(plan, type, text, smrf_launch_line(node), value);
}
