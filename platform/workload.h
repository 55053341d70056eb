/* SPDX-License-Identifier: Apache-2.0 */
/* The traces to replay, and how much of them is done: launches weigh as much as their files. */
#ifndef SMRF_WORKLOAD_H
#define SMRF_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_workload {
    char **path; /* as the user gave them */
    size_t num_paths;
    uint64_t *launch_bytes; /* size of each launch's file, in order of replay; 0 = unknown */
    size_t num_launches, room;
    uint64_t bytes; /* of all launches */
};

/* A list that grows while it is read: what struct smrf_trace_options says of `more`. */
struct smrf_follow {
    int (*more)(void *ctx, uint64_t read);
    void *ctx;
    const char *name; /* what results call the trace */
};

/* Append a trace that could be opened. Returns 0 or SMRF_ERR_NOMEM. */
int smrf_workload_add(struct smrf_workload *w, const char *path);
void smrf_workload_free(struct smrf_workload *w);

/* Part of the whole that is done: `launches` ended and `part` (0..1) of the next. Below 0: unknown.
 */
double smrf_workload_fraction(const struct smrf_workload *w, size_t launches, double part);

/* Visit every file that the trace is read from, in order, whether it is there or not: the list,
 * each kernel's file, the operands beside it, which need not be there. Stops at a nonzero result
 * and returns it. */
int smrf_workload_files(const char *trace, int (*visit)(void *ctx, const char *path, bool optional),
                        void *ctx);

/* Is this file one that the trace is read from? */
bool smrf_workload_reads(const char *trace, const char *path);

struct smrf_platform;
/* Replay, as the platform's only trace, the list of this path while it grows. Returns 0 or
 * SMRF_ERR_NOMEM. */
int smrf_platform_follow(struct smrf_platform *p, const char *path,
                         const struct smrf_follow *follow);

#ifdef __cplusplus
}
#endif

#endif
