/* SPDX-License-Identifier: Apache-2.0 */
/* A YAML file as a tree; every part knows its line. Aliases are replaced by what they refer to. */
#ifndef SMRF_EXPERIMENT_TREE_H
#define SMRF_EXPERIMENT_TREE_H

#include "pool.h"

#include "models/common/smrf_err.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum smrf_tree_kind { SMRF_TREE_TEXT, SMRF_TREE_LIST, SMRF_TREE_MAP };

struct smrf_tree {
    enum smrf_tree_kind kind;
    unsigned line;
    const char *text;              /* of a text; "" for nothing */
    const char **key;              /* of a map: [count] */
    unsigned *key_line;            /* of a map: [count] */
    const struct smrf_tree **item; /* of a list or map: [count] */
    size_t count;
};

struct smrf_source {
    struct smrf_pool *pool;
    const char *name; /* of the file, for messages */
    unsigned parts;   /* of the tree so far */
    char error[1024];
};

/* Read a text. Returns NULL with source->error, as a key that is given twice. */
const struct smrf_tree *smrf_tree_read(struct smrf_source *source, const char *text, size_t size);

/* Set the error "NAME:LINE: .." unless there is one. Returns SMRF_ERR_INVAL. */
__attribute__((format(printf, 3, 4))) int smrf_tree_fail(struct smrf_source *source, unsigned line,
                                                         const char *format, ...);

/* The item of a map; NULL: there is none. */
const struct smrf_tree *smrf_tree_get(const struct smrf_tree *map, const char *key);
/* Every key of the map must be one of these (NULL-terminated); what: "a figure". */
int smrf_tree_keys(struct smrf_source *source, const struct smrf_tree *map, const char *what,
                   const char *const *known);
/* A text; what: "title". NULL: anything else, with the error. */
const char *smrf_tree_text(struct smrf_source *source, const struct smrf_tree *tree,
                           const char *what);
/* The text of a map's item in *text, which stays where there is none. */
int smrf_tree_part(struct smrf_source *source, const struct smrf_tree *map, const char *key,
                   const char **text);
/* A number. */
int smrf_tree_number(struct smrf_source *source, const struct smrf_tree *tree, const char *what,
                     double *value);
/* Of a text or a list: the k-th; NULL past the last. */
const struct smrf_tree *smrf_tree_each(const struct smrf_tree *tree, size_t k);
/* "; did you mean NAME?", or "": the one of the names (NULL-terminated) nearest to a word. In the
 * pool. */
const char *smrf_tree_near(struct smrf_pool *pool, const char *word, const char *const *names);

#ifdef __cplusplus
}
#endif

#endif
