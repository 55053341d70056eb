/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/memory_internal.h"

void smrf_memory_stats_get(const struct smrf_memory *m, struct smrf_memory_stats *stats)
{
    const struct smrf_l2_stats *l = &m->l2.stats;
    const struct smrf_dram_stats *d = &m->dram.stats;

    *stats = (struct smrf_memory_stats){
        .responses = m->responses,
        .noc_request_flits = m->request.flit_count,
        .noc_reply_flits = m->reply.flit_count,
        .noc_request_wait_cycles = m->request.wait_cycles,
        .noc_reply_wait_cycles = m->reply.wait_cycles,
        .l2_reads = l->accesses[SMRF_MEM_READ],
        .l2_writes = l->accesses[SMRF_MEM_WRITE],
        .l2_atomics = l->accesses[SMRF_MEM_ATOMIC],
        .l2_read_hits = l->hits[SMRF_MEM_READ],
        .l2_write_hits = l->hits[SMRF_MEM_WRITE],
        .l2_atomic_hits = l->hits[SMRF_MEM_ATOMIC],
        .l2_read_merges = l->merges[SMRF_MEM_READ],
        .l2_atomic_merges = l->merges[SMRF_MEM_ATOMIC],
        .l2_fills = l->fills,
        .l2_evictions = l->evictions,
        .l2_write_backs = l->write_backs,
        .l2_warm_lines = l->warm_lines,
        .l2_mshr_full_cycles = l->held_cycles[SMRF_L2_HOLD_MSHR],
        .l2_merge_full_cycles = l->held_cycles[SMRF_L2_HOLD_MERGE],
        .l2_set_full_cycles = l->held_cycles[SMRF_L2_HOLD_SET],
        .l2_write_full_cycles = l->held_cycles[SMRF_L2_HOLD_WRITES],
        .l2_door_cycles = l->door_cycles,
        .l2_reply_full_cycles = l->reply_full_cycles,
        .dram_reads = d->reads,
        .dram_writes = d->writes,
        .dram_row_hits = d->row_hits,
        .dram_row_misses = d->row_misses,
        .dram_activations = d->activations,
        .dram_precharges = d->precharges,
        .dram_turnarounds = d->turnarounds,
        .dram_queue_full_cycles = d->queue_full_cycles,
    };
    for (uint32_t sm = 0; sm < m->cfg.gpu.sms; sm++) {
        stats->requests += m->port[sm].requests;
        stats->refused += m->port[sm].refused;
    }
    stats->l2_read_misses = stats->l2_reads - stats->l2_read_hits - stats->l2_read_merges;
    stats->l2_write_misses = stats->l2_writes - stats->l2_write_hits;
    stats->l2_atomic_misses = stats->l2_atomics - stats->l2_atomic_hits - stats->l2_atomic_merges;
}

void smrf_memory_stats_reset(struct smrf_memory *m)
{
    m->responses = 0;
    for (uint32_t sm = 0; sm < m->cfg.gpu.sms; sm++) {
        m->port[sm].requests = m->port[sm].refused = 0;
    }
    m->request.flit_count = m->request.wait_cycles = 0;
    m->reply.flit_count = m->reply.wait_cycles = 0;
    m->l2.stats = (struct smrf_l2_stats){0};
    m->dram.stats = (struct smrf_dram_stats){0};
}
