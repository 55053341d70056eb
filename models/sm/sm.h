/* SPDX-License-Identifier: Apache-2.0 */
/* A streaming multiprocessor: the script that runs its blocks once a cycle, and what the platform
 * needs of it. The blocks are C cores of their own; what passes between them passes through
 * `struct smrf_wires`, so that the same script runs with TLM sockets between the blocks and with
 * plain calls.
 *
 * The SM runs ahead of the rest of the GPU, cycle by cycle, until it reaches a given cycle or needs
 * something from outside (a thread block). Cycles in which nothing can change are skipped. */
#ifndef SMRF_SM_H
#define SMRF_SM_H

#include "sm_config.h"

#include "models/counters/sm_stats.h"
#include "models/hooks/hooks.h"
#include "models/ldst/inlet.h"
#include "models/oracle/oracle.h"
#include "models/subcore/explain.h"
#include "models/values/values.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_sm;

struct smrf_sm_links {
    const struct smrf_wires *wires;
    struct smrf_subcore_blocks sub[SMRF_MAX_SUBCORES];
    struct smrf_flights *flights;
    struct smrf_icache *icache;
    struct smrf_units *units;
    struct smrf_writeback *writeback;
    struct smrf_ldst_inlet *inlet; /* its merges' storage is the SM's */
    struct smrf_register_values *values;
    struct smrf_hooks *hooks;
    void *store; /* of smrf_sm_store_bytes */
    struct smrf_simt_stacks *simt;
    struct smrf_inst_source source;
    struct smrf_mem_port port;
    const struct smrf_mechanism *mechanism;
    void *mechanism_state;
    /* What takes the place of the front end's own fetch policy; ops NULL: nothing. */
    const struct smrf_fetch_ops *fetch_ops;
    void *fetch;
};

enum smrf_sm_stop {
    SMRF_SM_REACHED,     /* ran to `until` */
    SMRF_SM_WANTS_BLOCK, /* has room for a thread block, in smrf_sm_cycle() */
    SMRF_SM_ERROR        /* the instruction source failed; smrf_sm_error() */
};

/* sm: zeroed memory of this size. */
size_t smrf_sm_bytes(const struct smrf_sm_config *cfg);
/* links->store: the same, most of which stay untouched in most runs. */
size_t smrf_sm_store_bytes(const struct smrf_sm_config *cfg);
int smrf_sm_init(struct smrf_sm *sm, const struct smrf_sm_config *cfg, uint16_t id,
                 const struct smrf_sm_links *links);

/* As after smrf_sm_init: all blocks, the SIMT stacks, the counters of each and the random numbers;
 * and the mechanism's state as after its init, zeroed before. What is resident or in flight is
 * forgotten; its owner takes thread blocks and requests back first. Returns what the mechanism's
 * init says. */
int smrf_sm_reset(struct smrf_sm *sm, const struct smrf_mechanism_setup *setup);

/* A kernel begins; the SM must be empty. Blocks may be placed at the end of `cycle`. */
void smrf_sm_begin_kernel(struct smrf_sm *sm, const struct smrf_sm_kernel *kernel, uint64_t cycle);

/* Most blocks of the kernel that fit an SM; 0: it does not fit at all. limit (may be NULL) is set
 * to the key of the parameter that limits. */
unsigned smrf_sm_occupancy(const struct smrf_sm_config *cfg, const struct smrf_mechanism *mechanism,
                           const struct smrf_sm_kernel *kernel, const char **limit);

/* The same of an SM with its mechanism. */
unsigned smrf_sm_fit(const struct smrf_sm *sm, const struct smrf_sm_kernel *kernel,
                     const char **limit);

/* Whether blocks wait (the SM then stops when it has room for one). */
void smrf_sm_set_more_blocks(struct smrf_sm *sm, bool more);

/* Between two cycles: the mechanism's part of the GPU may have changed how many registers the next
 * block gets, and with it whether there is room for one. */
void smrf_sm_look_for_room(struct smrf_sm *sm);

/* Place a block; it can fetch from smrf_sm_cycle() on. Precondition: the SM wants one. */
void smrf_sm_launch_block(struct smrf_sm *sm, void *block);

/* How far an SM may go: it simulates up to, not including, `until`, and further, as far as `far`,
 * as long as no answer of the memory can come: in the next `latency` cycles none does where none is
 * awaited. latency 0: no further. */
struct smrf_sm_reach {
    uint64_t until, far; /* cycles */
    uint32_t latency;    /* from a request to its answer, at least */
};
enum smrf_sm_stop smrf_sm_run_on(struct smrf_sm *sm, const struct smrf_sm_reach *reach);

/* Simulate cycles from smrf_sm_cycle() up to, not including, `until`. */
static inline enum smrf_sm_stop smrf_sm_run(struct smrf_sm *sm, uint64_t until)
{
    const struct smrf_sm_reach reach = {until, 0, 0};
    return smrf_sm_run_on(sm, &reach);
}

/* The cycle that the next smrf_sm_run starts with, or that the SM is in. */
uint64_t smrf_sm_cycle(const struct smrf_sm *sm);
const uint64_t *smrf_sm_clock(const struct smrf_sm *sm);
/* First cycle in which anything can happen without outside help; SMRF_NEVER: none. */
uint64_t smrf_sm_next(const struct smrf_sm *sm);
bool smrf_sm_idle(const struct smrf_sm *sm);
bool smrf_sm_wants_block(const struct smrf_sm *sm);
/* Cycle of the last issue, step of the load/store unit or completion (for the watchdog). */
uint64_t smrf_sm_last_progress(const struct smrf_sm *sm);
int smrf_sm_error(const struct smrf_sm *sm);
/* What the mechanism says is wrong, NULL: nothing. */
const char *smrf_sm_refusal(const struct smrf_sm *sm);

/* An answer from the memory. */
void smrf_sm_response(struct smrf_sm *sm, const struct smrf_mem_response *response);
/* The memory port is free again. */
void smrf_sm_port_free(struct smrf_sm *sm);

/* Whether values are moved in this kernel. */
const bool *smrf_sm_values(const struct smrf_sm *sm);

/* Adds a listener to its hooks, which must outlive its use. */
void smrf_sm_listen(struct smrf_sm *sm, const struct smrf_listener *listener);

const struct smrf_sm_stats *smrf_sm_stats_get(struct smrf_sm *sm);
/* Those that its sub-cores keep on their own: of one of them; the rest is 0. */
void smrf_sm_stats_of_sub(const struct smrf_sm *sm, unsigned sub, struct smrf_sm_stats *to);
const struct smrf_oracle *smrf_sm_oracle(const struct smrf_sm *sm);
/* A launch is over on all SMs: their oracles judge what had to wait for this. */
void smrf_sm_settle(struct smrf_sm *const *sm, unsigned count);
const struct smrf_ldst *smrf_sm_ldst(const struct smrf_sm *sm);
/* Handle of the thread block in a block slot, NULL if there is none. */
void *smrf_sm_resident_block(const struct smrf_sm *sm, unsigned slot);
/* Its instructions in flight. */
const struct smrf_flights *smrf_sm_flights(const struct smrf_sm *sm);
/* The blocks of a sub-core, for their own counters. */
const struct smrf_subcore_blocks *smrf_sm_blocks(const struct smrf_sm *sm, unsigned sub);

/* Architectural register of a resident warp, as the banks hold it. Returns 0 with data [32]
 * filled, or SMRF_ERR_UNKNOWN: no such register, or values are not moved in this kernel. */
int smrf_sm_read_register(const struct smrf_sm *sm, unsigned warp, unsigned reg, uint32_t *data);

/* Why a warp makes no progress. */
void smrf_sm_explain(const struct smrf_sm *sm, unsigned warp, struct smrf_wait_info *info);
/* What the warp in a slot does in the cycle whose issue is over, if it has not issued in it. */
struct smrf_warp_look smrf_sm_probe_warp(const struct smrf_sm *sm, unsigned warp);

#ifdef __cplusplus
}
#endif

#endif
