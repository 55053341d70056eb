/* SPDX-License-Identifier: Apache-2.0 */
/* Two fronts of time: the request network is carried out up to `now`, and everything behind it up
 * to now + delay, because nothing that leaves an SM from `now` on reaches a slice before that. */
#include "models/memory/memory.h"

#include "models/common/smrf_assert.h"
#include "models/memory/l2.h"

#define MAX_SLICES 128
#define MAX_CHANNELS 64
#define MAX_CREDITS 4096

struct sm_port {
    uint64_t last;         /* cycle of its last request */
    uint32_t unanswered;   /* requests without a response that has arrived */
    uint32_t first, count; /* of `arrival`: responses told, but perhaps not yet arrived */
    uint64_t *arrival;     /* [noc.credits] ring */
};

struct smrf_memory {
    struct smrf_memory_config cfg;
    uint64_t now;
    uint64_t last_event;
    uint64_t delay;       /* from the request network to the slices */
    uint32_t free, fresh; /* packets: list of used ones, then never used ones */
    uint64_t requests, responses, refused;
    struct smrf_packet *packet;
    struct sm_port *port;
    uint32_t *taken; /* what a network moved in a cycle */
    struct smrf_map map;
    struct smrf_noc request, reply;
    struct smrf_l2 l2;
    struct smrf_dram dram;
};

static size_t round_up_(size_t bytes)
{
    return (bytes + 63u) & ~(size_t)63u;
}

static bool power_of_two_(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static bool within_(uint32_t value, uint32_t max)
{
    return value >= 1 && value <= max;
}

int smrf_memory_config_check(const struct smrf_memory_config *cfg)
{
    if (!within_(cfg->gpu.sms, SMRF_MAX_SMS) || !within_(cfg->noc.credits, MAX_CREDITS) ||
        !within_(cfg->l2.slices, MAX_SLICES) || !within_(cfg->dram.channels, MAX_CHANNELS) ||
        !within_(cfg->dram.banks, SMRF_DRAM_MAX_BANKS) ||
        !within_(cfg->dram.bank_groups, SMRF_DRAM_MAX_GROUPS)) {
        return SMRF_ERR_INVAL;
    }
    if (cfg->noc.flit_bytes == 0 || cfg->l2.latency == 0 || cfg->dram.queue == 0 ||
        cfg->gpu.core_khz == 0 || cfg->dram.khz == 0 || cfg->dram.burst == 0 ||
        cfg->dram.bus_bytes == 0 || cfg->dram.data_rate == 0 || cfg->dram.ccd == 0) {
        return SMRF_ERR_INVAL;
    }
    if (cfg->l2.slices % cfg->dram.channels != 0 || !power_of_two_(cfg->l2.sets) ||
        !power_of_two_(cfg->dram.banks) || cfg->l2.ways == 0 || cfg->l2.mshrs == 0 ||
        cfg->l2.mshr_merge == 0) {
        return SMRF_ERR_INVAL;
    }
    return smrf_l2_bytes(cfg) == 0 ? SMRF_ERR_LIMIT : SMRF_OK;
}

static size_t packets_bytes_(const struct smrf_memory_config *cfg)
{
    return round_up_((size_t)cfg->gpu.sms * cfg->noc.credits * sizeof(struct smrf_packet));
}

static size_t arrivals_bytes_(const struct smrf_memory_config *cfg)
{
    return round_up_((size_t)cfg->gpu.sms * cfg->noc.credits * sizeof(uint64_t));
}

static size_t taken_bytes_(const struct smrf_memory_config *cfg)
{
    uint32_t most = cfg->gpu.sms > cfg->l2.slices ? cfg->gpu.sms : cfg->l2.slices;

    return round_up_(most * sizeof(uint32_t));
}

size_t smrf_memory_bytes(const struct smrf_memory_config *cfg)
{
    if (smrf_memory_config_check(cfg) != SMRF_OK) {
        return 0;
    }
    return round_up_(sizeof(struct smrf_memory)) + packets_bytes_(cfg) + arrivals_bytes_(cfg) +
           round_up_(cfg->gpu.sms * sizeof(struct sm_port)) + taken_bytes_(cfg) +
           round_up_(smrf_noc_bytes(cfg->gpu.sms, cfg->l2.slices)) +
           round_up_(smrf_noc_bytes(cfg->l2.slices, cfg->gpu.sms)) + round_up_(smrf_l2_bytes(cfg)) +
           round_up_(smrf_dram_bytes(cfg));
}

static void *carve_(unsigned char **p, size_t bytes)
{
    void *at = *p;

    *p += round_up_(bytes);
    return at;
}

int smrf_memory_init(struct smrf_memory *m, const struct smrf_memory_config *cfg)
{
    unsigned char *p = (unsigned char *)m;
    int result = smrf_memory_config_check(cfg);
    uint64_t *arrival;

    if (result != SMRF_OK) {
        return result;
    }
    (void)carve_(&p, sizeof(*m));
    *m = (struct smrf_memory){.cfg = *cfg, .delay = (uint64_t)cfg->noc.latency + cfg->l2.latency};
    cfg = &m->cfg; /* what the parts keep */
    m->packet = (struct smrf_packet *)carve_(&p, packets_bytes_(cfg));
    arrival = (uint64_t *)carve_(&p, arrivals_bytes_(cfg));
    m->port = (struct sm_port *)carve_(&p, cfg->gpu.sms * sizeof(*m->port));
    m->taken = (uint32_t *)carve_(&p, taken_bytes_(cfg));
    for (uint32_t sm = 0; sm < cfg->gpu.sms; sm++) {
        m->port[sm].arrival = &arrival[(size_t)sm * cfg->noc.credits];
    }
    smrf_map_init(&m->map, cfg);
    smrf_noc_init(&m->request, carve_(&p, smrf_noc_bytes(cfg->gpu.sms, cfg->l2.slices)), cfg, false,
                  m->packet);
    smrf_noc_init(&m->reply, carve_(&p, smrf_noc_bytes(cfg->l2.slices, cfg->gpu.sms)), cfg, true,
                  m->packet);
    smrf_dram_init(&m->dram, carve_(&p, smrf_dram_bytes(cfg)), cfg, &m->map, &m->l2.wheel);
    smrf_l2_init(&m->l2, carve_(&p, smrf_l2_bytes(cfg)), cfg, &m->map, &m->reply, &m->dram);
    smrf_memory_reset(m);
    return SMRF_OK;
}

void smrf_memory_reset(struct smrf_memory *m)
{
    m->now = m->last_event = 0;
    m->free = SMRF_NOC_NONE;
    m->fresh = 0;
    m->requests = m->responses = m->refused = 0;
    for (uint32_t sm = 0; sm < m->cfg.gpu.sms; sm++) {
        m->port[sm] = (struct sm_port){.arrival = m->port[sm].arrival};
    }
    smrf_noc_reset(&m->request);
    smrf_noc_reset(&m->reply);
    smrf_dram_reset(&m->dram);
    smrf_l2_reset(&m->l2);
}

uint32_t smrf_memory_lookahead(const struct smrf_memory_config *cfg)
{
    return 2 * cfg->noc.latency + cfg->l2.latency + SMRF_NOC_EJECTION;
}

uint64_t smrf_memory_now(const struct smrf_memory *m)
{
    return m->now;
}

uint64_t smrf_memory_horizon(const struct smrf_memory *m)
{
    return m->now + smrf_memory_lookahead(&m->cfg);
}

/* Credits of responses that have arrived by `cycle` come back. */
static void collect_credits_(const struct smrf_memory *m, struct sm_port *port, uint64_t cycle)
{
    while (port->count > 0 && port->arrival[port->first] <= cycle) {
        port->first = port->first + 1 < m->cfg.noc.credits ? port->first + 1 : 0;
        port->count--;
        port->unanswered--;
    }
}

static uint32_t take_packet_(struct smrf_memory *m)
{
    uint32_t p = m->free;

    if (p == SMRF_NOC_NONE) {
        return m->fresh++;
    }
    m->free = m->packet[p].next;
    return p;
}

bool smrf_memory_push(struct smrf_memory *m, const struct smrf_mem_request *request)
{
    struct sm_port *port = &m->port[request->sm];
    struct smrf_place place;
    uint32_t p;

    SMRF_ASSERT(request->sm < m->cfg.gpu.sms);
    SMRF_ASSERT(request->kind <= SMRF_MEM_ATOMIC);
    SMRF_ASSERT(request->address % SMRF_SECTOR_BYTES == 0);
    SMRF_ASSERT(request->cycle >= m->now);
    SMRF_ASSERT(request->cycle < smrf_memory_horizon(m));
    SMRF_ASSERT(request->cycle >= port->last);
    port->last = request->cycle;
    collect_credits_(m, port, request->cycle);
    if (port->unanswered == m->cfg.noc.credits) {
        m->refused++;
        return false;
    }
    port->unanswered++;
    m->requests++;
    place = smrf_map_slice(&m->map, request->address);
    p = take_packet_(m);
    m->packet[p] = (struct smrf_packet){.address = place.local,
                                        .id = request->id,
                                        .bytes = request->byte_mask,
                                        .sm = request->sm,
                                        .slice = (uint8_t)place.slice,
                                        .kind = request->kind};
    smrf_noc_push(&m->request, request->sm, p, request->cycle);
    return true;
}

uint64_t smrf_memory_credit(const struct smrf_memory *m, uint32_t sm, uint64_t cycle)
{
    const struct sm_port *port = &m->port[sm];

    if (port->unanswered < m->cfg.noc.credits) {
        return cycle;
    }
    if (port->count == 0) {
        return SMRF_NEVER;
    }
    return port->arrival[port->first] > cycle ? port->arrival[port->first] : cycle;
}

static void respond_(struct smrf_memory *m, uint32_t p, uint64_t cycle,
                     const struct smrf_mem_sink *sink)
{
    const struct smrf_packet *packet = &m->packet[p];
    struct sm_port *port = &m->port[packet->sm];
    struct smrf_mem_response response = {
        .cycle = cycle, .id = packet->id, .sm = packet->sm, .kind = packet->kind};
    uint32_t last = port->first + port->count;

    port->arrival[last < m->cfg.noc.credits ? last : last - m->cfg.noc.credits] = cycle;
    port->count++;
    m->packet[p].next = m->free;
    m->free = p;
    m->responses++;
    sink->response(sink->ctx, &response);
}

/* First cycle in which something behind the request network happens. */
static uint64_t next_behind_(const struct smrf_memory *m)
{
    uint64_t next = smrf_noc_next(&m->reply);
    uint64_t other = smrf_l2_next(&m->l2);

    next = other < next ? other : next;
    other = smrf_dram_next(&m->dram);
    return other < next ? other : next;
}

static uint64_t later_(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void smrf_memory_run(struct smrf_memory *m, uint64_t now, const struct smrf_mem_sink *sink)
{
    uint64_t end = now + m->delay;
    uint64_t t;

    SMRF_ASSERT(now >= m->now);
    m->now = now;
    while ((t = smrf_noc_next(&m->request)) < now) {
        uint32_t n = smrf_noc_cycle(&m->request, t, m->taken);

        m->last_event = later_(m->last_event, t);
        for (uint32_t i = 0; i < n; i++) {
            smrf_l2_push(&m->l2, m->taken[i], t + m->delay);
        }
    }
    while ((t = next_behind_(m)) < end) {
        uint32_t n;

        m->last_event = later_(m->last_event, t);
        smrf_dram_cycle(&m->dram, t);
        smrf_l2_cycle(&m->l2, t);
        n = smrf_noc_cycle(&m->reply, t, m->taken);
        for (uint32_t i = 0; i < n; i++) {
            respond_(m, m->taken[i], t + m->cfg.noc.latency + SMRF_NOC_EJECTION, sink);
        }
    }
    smrf_wheel_skip(&m->request.wheel, now);
    smrf_wheel_skip(&m->dram.wheel, end);
    smrf_wheel_skip(&m->l2.wheel, end);
    smrf_wheel_skip(&m->reply.wheel, end);
}

uint64_t smrf_memory_last_event(const struct smrf_memory *m)
{
    return m->last_event;
}

uint64_t smrf_memory_next(const struct smrf_memory *m)
{
    uint64_t network = smrf_noc_next(&m->request);
    uint64_t behind = next_behind_(m);

    if (behind != SMRF_NEVER) {
        behind -= behind < m->delay ? behind : m->delay;
    }
    return network < behind ? network : behind;
}

void smrf_memory_warm(struct smrf_memory *m, uint64_t address, uint64_t bytes)
{
    /* Any 3 x L2 consecutive bytes hold at least l2.ways lines of every set: a set gets one line of
     * each `sets` lines of its slice, and at most two of 3 x ways such groups are incomplete. What
     * lies before them would not stay. */
    uint64_t most = 3 * (uint64_t)m->cfg.l2.slices * m->cfg.l2.sets * m->cfg.l2.ways *
                    (SMRF_LINE_BYTES / SMRF_SECTOR_BYTES);
    uint64_t first = address / SMRF_SECTOR_BYTES;
    uint64_t last;

    if (!m->cfg.l2.copies_warm || bytes == 0) {
        return;
    }
    last = (address + (bytes - 1)) / SMRF_SECTOR_BYTES;
    if (last - first >= most) {
        first = last - most + 1;
    }
    for (uint64_t sector = first; sector <= last; sector++) {
        struct smrf_place place = smrf_map_slice(&m->map, sector * SMRF_SECTOR_BYTES);

        smrf_l2_warm(&m->l2, place.slice, place.local);
    }
}

bool smrf_memory_idle(const struct smrf_memory *m)
{
    return smrf_memory_next(m) == SMRF_NEVER;
}

void smrf_memory_stats_get(const struct smrf_memory *m, struct smrf_memory_stats *stats)
{
    const struct smrf_l2_stats *l = &m->l2.stats;
    const struct smrf_dram_stats *d = &m->dram.stats;

    *stats = (struct smrf_memory_stats){
        .requests = m->requests,
        .responses = m->responses,
        .refused = m->refused,
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
        .dram_reads = d->reads,
        .dram_writes = d->writes,
        .dram_row_hits = d->row_hits,
        .dram_row_misses = d->row_misses,
        .dram_precharges = d->precharges,
        .dram_turnarounds = d->turnarounds,
        .dram_queue_full_cycles = d->queue_full_cycles,
    };
    stats->l2_read_misses = stats->l2_reads - stats->l2_read_hits - stats->l2_read_merges;
    stats->l2_write_misses = stats->l2_writes - stats->l2_write_hits;
    stats->l2_atomic_misses = stats->l2_atomics - stats->l2_atomic_hits - stats->l2_atomic_merges;
}

void smrf_memory_stats_reset(struct smrf_memory *m)
{
    m->requests = m->responses = m->refused = 0;
    m->request.flit_count = m->request.wait_cycles = 0;
    m->reply.flit_count = m->reply.wait_cycles = 0;
    m->l2.stats = (struct smrf_l2_stats){0};
    m->dram.stats = (struct smrf_dram_stats){0};
}
