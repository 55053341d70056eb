/* SPDX-License-Identifier: Apache-2.0 */
/* A control group (cgroup v2) for each run, so that the kernel holds it to its memory. It takes a
 * group of one's own with the memory controller: where it may make groups below its own, it does;
 * where not, the runner watches resident memory instead. SMRF_CGROUP names the group to make them
 * below; it is this process's own otherwise. */
#ifndef SMRF_RUNNER_CGROUP_H
#define SMRF_RUNNER_CGROUP_H

#include "platform/experiment/pool.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The group below which runs get theirs, in the pool; NULL: there is none with the memory
 * controller that may be written. */
const char *smrf_cgroup_parent(struct smrf_pool *pool);

/* A new group of `bytes` below it, in the pool; NULL: it cannot be made. */
const char *smrf_cgroup_make(struct smrf_pool *pool, const char *parent, const char *name,
                             uint64_t bytes);

/* The calling process enters it. Returns false if it cannot. Safe in a new process. */
bool smrf_cgroup_enter(const char *group);

/* What the kernel counted in a group. */
struct smrf_cgroup_events {
    uint64_t peak;     /* bytes; 0: not known */
    uint64_t oom;      /* times that its own limit left no memory */
    uint64_t oom_kill; /* processes of it that were killed for want of memory, for any limit */
};
struct smrf_cgroup_events smrf_cgroup_events(const char *group);

/* Its processes have ended. */
void smrf_cgroup_remove(const char *group);

#ifdef __cplusplus
}
#endif

#endif
