/* SPDX-License-Identifier: Apache-2.0 */
/* Variants side by side: by trace and by launch, IPC relative to the first variant's. */
#ifndef SMRF_REPORT_COMPARISON_H
#define SMRF_REPORT_COMPARISON_H

#include "data.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_compared {
    double cycles, ipc, hits; /* means over the seeds; hits: of register reads */
    struct smrf_spread ratio; /* IPC to the first variant's, over the seeds */
};

struct smrf_comparison_row {
    const char *trace, *kernel; /* kernel: of the launch */
    uint32_t launch;            /* 0: the trace as a whole */
    struct smrf_compared *of;   /* [num_variants] */
};

struct smrf_comparison {
    struct smrf_pool *pool;
    const char **variant;
    size_t num_variants, num_seeds;
    struct smrf_comparison_row *row;
    size_t num_rows;
};

/* Of an experiment's variants. Returns 0 or an error with the store's text. */
int smrf_comparison_of_data(struct smrf_comparison *c, struct smrf_data *d);
/* Of documents that smrf run --json left; names: what to call them. */
void smrf_comparison_of_documents(struct smrf_comparison *c, struct smrf_pool *pool,
                                  const char **names, json_t *const *documents, size_t count);

/* Geometric mean of the ratios of a variant over the traces that have one; NAN: none. */
double smrf_comparison_mean(const struct smrf_comparison *c, size_t variant);

/* launches: how many of those that differ most are shown. */
void smrf_comparison_print(const struct smrf_comparison *c, FILE *out, size_t launches);
int smrf_comparison_csv(const struct smrf_comparison *c, FILE *out);
json_t *smrf_comparison_json(const struct smrf_comparison *c);

#ifdef __cplusplus
}
#endif

#endif
