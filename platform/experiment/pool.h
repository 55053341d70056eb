/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of an experiment, which is given back as a whole. Memory that is short ends the program:
 * what has been run is in the store. */
#ifndef SMRF_EXPERIMENT_POOL_H
#define SMRF_EXPERIMENT_POOL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_pool {
    struct smrf_pool_piece *last;
};

/* Zeroed. */
void *smrf_pool_take(struct smrf_pool *pool, size_t bytes);
__attribute__((format(printf, 2, 3))) char *smrf_pool_text(struct smrf_pool *pool,
                                                           const char *format, ...);
/* A word for the shell, in single quotes. */
const char *smrf_pool_quoted(struct smrf_pool *pool, const char *word);
/* Room for one more element behind `count`: the list, or a larger copy of it. */
void *smrf_pool_grow(struct smrf_pool *pool, void *list, size_t count, size_t element);
void smrf_pool_free(struct smrf_pool *pool);

/* Append to a list with its count. */
#define SMRF_POOL_ADD(pool, list, count, ...)                                                      \
    ((list) = smrf_pool_grow((pool), (list), (count), sizeof *(list)),                             \
     (list)[(count)] = (__VA_ARGS__), (count)++)

#ifdef __cplusplus
}
#endif

#endif
