/* SPDX-License-Identifier: Apache-2.0 */
/* Private to firmware/launch: what a launch file asks for, read and checked, before it is run. */
#ifndef SMRF_LAUNCH_PLAN_H
#define SMRF_LAUNCH_PLAN_H

#include "firmware/launch/launch_file.h"

#include <yaml.h>

enum launch_kind { LAUNCH_SIGNED, LAUNCH_UNSIGNED, LAUNCH_FLOAT };

struct launch_type {
    const char *name;
    uint8_t bytes, kind; /* enum launch_kind */
    int64_t min;         /* of integers */
    uint64_t max;
};

/* A number of some type: bits for integers, number for floats. */
struct launch_value {
    uint64_t bits;
    double number;
};

enum launch_init { LAUNCH_ZERO, LAUNCH_FILL, LAUNCH_IOTA, LAUNCH_RANDOM, LAUNCH_FILE };

struct launch_buffer {
    const char *name;
    unsigned line;
    const struct launch_type *type;
    uint64_t count;
    enum launch_init init;
    unsigned init_line;
    uint64_t seed;
    struct launch_value a, b; /* fill: a; iota: start a, step b; random: from a to b */
    const char *file;
    bool symbol, keep; /* a variable of the module; it keeps what it holds */
    smrf_dptr address; /* 0 = none: a __constant__ variable */
};

/* A buffer's address goes to `offset` of an argument. */
struct launch_pointer {
    unsigned offset, buffer;
};

struct launch_arg {
    unsigned line, bytes, align;
    unsigned num_pointers;
    struct launch_pointer *pointer;
    uint8_t value[SMRF_EXEC_MAX_PARAMS];
};

struct launch_step {
    const char *kernel;
    unsigned line;
    struct smrf_exec_dim grid, block;
    uint32_t shared;
    struct launch_arg *arg;
    unsigned num_args;
    struct smrf_device_function *function;
};

struct launch_dump {
    unsigned buffer, line;
    const char *file;
};

struct launch_plan {
    const char *path;
    char *error;              /* [SMRF_SASS_ERROR_BYTES] */
    yaml_document_t document; /* names and file names lie in here */
    struct launch_buffer *buffer;
    struct launch_step *step;
    struct launch_dump *dump;
    unsigned num_buffers, num_steps, num_dumps;
};

/* Writes "path:line: reason" and returns code. Line 0: without it. */
int launch_fail(const struct launch_plan *plan, int code, unsigned line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* launch_yaml.c: nodes of the document. */
int launch_no_memory(const struct launch_plan *plan);
const yaml_node_t *launch_node(struct launch_plan *plan, int index);
unsigned launch_line(const yaml_node_t *node);
unsigned launch_pairs(const yaml_node_t *node);
unsigned launch_items(const yaml_node_t *node);
/* Text of a scalar, NULL for anything else. */
const char *launch_text(const yaml_node_t *node);
int launch_need_text(struct launch_plan *plan, const yaml_node_t *node, const char *what,
                     const char **text);
int launch_need_map(struct launch_plan *plan, const yaml_node_t *node, const char *what);
/* Sorts a mapping's values by the list of its keys (NULL at its end). */
int launch_take_keys(struct launch_plan *plan, const yaml_node_t *map, const char *what,
                     const char *const *keys, const yaml_node_t **values);
int launch_missing(struct launch_plan *plan, const yaml_node_t *node, const char *what,
                   const char *key);
int launch_read_u64(struct launch_plan *plan, const yaml_node_t *node, const char *what,
                    uint64_t least, uint64_t most, uint64_t *number);
int launch_read_value(struct launch_plan *plan, const yaml_node_t *node, const char *what,
                      const struct launch_type *type, struct launch_value *value);

/* launch_value.c */
const struct launch_type *launch_type_of(const char *name); /* NULL = no such type */
extern const char launch_type_names[];
int launch_parse_value(const struct launch_plan *plan, const struct launch_type *type,
                       const char *text, unsigned line, struct launch_value *value);
void launch_encode(const struct launch_type *type, const struct launch_value *value, uint8_t *out);

/* launch_fill.c: a buffer's contents into bytes[count * type's bytes]. */
int launch_check_contents(const struct launch_plan *plan, const struct launch_buffer *buffer);
int launch_fill(const struct launch_plan *plan, const struct launch_buffer *buffer, uint8_t *bytes);
/* Name of a file relative to the launch file's folder, malloc'd; NULL = no memory. */
char *launch_resolve(const struct launch_plan *plan, const char *file);

/* launch_args.c */
int launch_read_args(struct launch_plan *plan, const yaml_node_t *node, struct launch_step *step);

/* launch_read.c */
int launch_read_type(struct launch_plan *plan, const yaml_node_t *node,
                     const struct launch_type **type);
int launch_find_buffer(struct launch_plan *plan, const char *name, unsigned line, unsigned *index);
int launch_read(struct launch_plan *plan, const char *path, char *error);
void launch_free(struct launch_plan *plan);

#endif
