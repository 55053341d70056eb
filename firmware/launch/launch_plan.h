/* SPDX-License-Identifier: Apache-2.0 */
/* Private to firmware/launch: what a launch file asks for, read and checked, before it is run. */
#ifndef SMRF_LAUNCH_PLAN_H
#define SMRF_LAUNCH_PLAN_H

#include "firmware/launch/launch_file.h"

#include <yaml.h>

enum smrf_launch_kind { LAUNCH_SIGNED, LAUNCH_UNSIGNED, LAUNCH_FLOAT };

struct smrf_launch_type {
    const char *name;
    uint8_t bytes, kind; /* enum smrf_launch_kind */
    int64_t min;         /* of integers */
    uint64_t max;
};

/* A number of some type: bits for integers, number for floats. */
struct smrf_launch_value {
    uint64_t bits;
    double number;
};

enum smrf_launch_init { LAUNCH_ZERO, LAUNCH_FILL, LAUNCH_IOTA, LAUNCH_RANDOM, LAUNCH_FILE };

struct smrf_launch_buffer {
    const char *name;
    unsigned line;
    const struct smrf_launch_type *type;
    uint64_t count;
    enum smrf_launch_init init;
    unsigned init_line;
    uint64_t seed;
    struct smrf_launch_value a, b; /* fill: a; iota: start a, step b; random: from a to b */
    const char *file;
    bool symbol, keep; /* a variable of the module; it keeps what it holds */
    smrf_dptr address; /* 0 = none: a __constant__ variable */
};

/* A buffer's address goes to `offset` of an argument. */
struct smrf_launch_pointer {
    unsigned offset, buffer;
};

struct smrf_launch_arg {
    unsigned line, bytes, align;
    unsigned num_pointers;
    struct smrf_launch_pointer *pointer;
    uint8_t value[SMRF_EXEC_MAX_PARAMS];
};

struct smrf_launch_step {
    const char *kernel;
    unsigned line;
    struct smrf_exec_dim grid, block;
    uint32_t shared;
    bool together;
    struct smrf_launch_arg *arg;
    unsigned num_args;
    struct smrf_device_function *function;
};

struct smrf_launch_dump {
    unsigned buffer, line;
    const char *file;
};

struct smrf_launch_plan {
    const char *path;
    char *error;              /* [SMRF_SASS_ERROR_BYTES] */
    yaml_document_t document; /* names and file names lie in here */
    struct smrf_launch_buffer *buffer;
    struct smrf_launch_step *step;
    struct smrf_launch_dump *dump;
    unsigned num_buffers, num_steps, num_dumps;
};

/* Writes "path:line: reason" and returns code. Line 0: without it. */
int smrf_launch_fail(const struct smrf_launch_plan *plan, int code, unsigned line,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* launch_yaml.c: nodes of the document. */
int smrf_launch_no_memory(const struct smrf_launch_plan *plan);
const yaml_node_t *smrf_launch_node(struct smrf_launch_plan *plan, int index);
unsigned smrf_launch_line(const yaml_node_t *node);
unsigned smrf_launch_pairs(const yaml_node_t *node);
unsigned smrf_launch_items(const yaml_node_t *node);
/* Text of a scalar, NULL for anything else. */
const char *smrf_launch_text(const yaml_node_t *node);
int smrf_launch_need_text(struct smrf_launch_plan *plan, const yaml_node_t *node, const char *what,
                          const char **text);
int smrf_launch_need_map(struct smrf_launch_plan *plan, const yaml_node_t *node, const char *what);
/* Sorts a mapping's values by the list of its keys (NULL at its end). */
int smrf_launch_take_keys(struct smrf_launch_plan *plan, const yaml_node_t *map, const char *what,
                          const char *const *keys, const yaml_node_t **values);
int smrf_launch_missing(struct smrf_launch_plan *plan, const yaml_node_t *node, const char *what,
                        const char *key);
int smrf_launch_read_u64(struct smrf_launch_plan *plan, const yaml_node_t *node, const char *what,
                         uint64_t least, uint64_t most, uint64_t *number);
int smrf_launch_read_value(struct smrf_launch_plan *plan, const yaml_node_t *node, const char *what,
                           const struct smrf_launch_type *type, struct smrf_launch_value *value);

/* launch_value.c */
const struct smrf_launch_type *smrf_launch_type_of(const char *name); /* NULL = no such type */
extern const char launch_type_names[];
int smrf_launch_parse_value(const struct smrf_launch_plan *plan,
                            const struct smrf_launch_type *type, const char *text, unsigned line,
                            struct smrf_launch_value *value);
void smrf_launch_encode(const struct smrf_launch_type *type, const struct smrf_launch_value *value,
                        uint8_t *out);

/* launch_fill.c: a buffer's contents into bytes[count * type's bytes]. */
int smrf_launch_check_contents(const struct smrf_launch_plan *plan,
                               const struct smrf_launch_buffer *buffer);
int smrf_launch_fill(const struct smrf_launch_plan *plan, const struct smrf_launch_buffer *buffer,
                     uint8_t *bytes);
/* Name of a file relative to the launch file's folder, malloc'd; NULL = no memory. */
char *smrf_launch_resolve(const struct smrf_launch_plan *plan, const char *file);

/* launch_args.c */
int smrf_launch_read_args(struct smrf_launch_plan *plan, const yaml_node_t *node,
                          struct smrf_launch_step *step);

/* launch_read.c */
int smrf_launch_read_type(struct smrf_launch_plan *plan, const yaml_node_t *node,
                          const struct smrf_launch_type **type);
int smrf_launch_find_buffer(struct smrf_launch_plan *plan, const char *name, unsigned line,
                            unsigned *index);
int smrf_launch_read(struct smrf_launch_plan *plan, const char *path, char *error);
void smrf_launch_free(struct smrf_launch_plan *plan);

#endif
