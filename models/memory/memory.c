/* SPDX-License-Identifier: Apache-2.0 */
/* Two fronts of time: the request network is carried out up to `now`, and everything behind it up
 * to now + delay, because nothing that leaves an SM from `now` on reaches a slice before that. Each
 * part goes the whole way before the next one, as nothing flows back from those behind it: the
 * request network, the DRAM channels, each with its slices, the reply network.
 *
 * An SM touches its port and its packets, and nothing else; what lies behind touches neither, but
 * for the packets that it has been given. So SMs may push while the memory moves on. */
#include "models/memory/memory.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"
#include "models/common/smrf_bits.h"
#include "models/common/smrf_inlined.h"
#include "models/common/smrf_prefetch.h"
#include "models/memory/memory_internal.h"

#define MAX_SLICES 256 /* numbers of 8 bits, as wide as the networks are for SMs */
#define MAX_CHANNELS 128
#define MAX_CREDITS 4096
#define AHEAD 6 /* a packet is prefetched so many before its turn */

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
        !power_of_two_(cfg->dram.banks) || !power_of_two_(cfg->dram.open_bytes) ||
        cfg->dram.open_bytes < SMRF_LINE_BYTES || !power_of_two_(cfg->l2.fetch_bytes) ||
        cfg->l2.fetch_bytes < SMRF_SECTOR_BYTES || cfg->l2.fetch_bytes > SMRF_LINE_BYTES ||
        cfg->l2.ways == 0 || cfg->l2.mshrs == 0 || cfg->l2.mshr_merge == 0) {
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

/* Numbers of all packets. */
static size_t numbers_bytes_(const struct smrf_memory_config *cfg)
{
    return round_up_((size_t)cfg->gpu.sms * cfg->noc.credits * sizeof(uint32_t));
}

size_t smrf_memory_bytes(const struct smrf_memory_config *cfg)
{
    if (smrf_memory_config_check(cfg) != SMRF_OK) {
        return 0;
    }
    return round_up_(sizeof(struct smrf_memory)) + packets_bytes_(cfg) + arrivals_bytes_(cfg) +
           3 * numbers_bytes_(cfg) + round_up_(cfg->gpu.sms * sizeof(struct sm_port)) +
           round_up_(cfg->gpu.sms * sizeof(uint32_t)) +
           round_up_(smrf_noc_bytes(cfg->gpu.sms, cfg->l2.slices)) +
           round_up_(smrf_noc_bytes(cfg->l2.slices, cfg->gpu.sms)) + round_up_(smrf_l2_bytes(cfg)) +
           round_up_(smrf_dram_bytes(cfg)) +
           (cfg->estimates ? round_up_(smrf_memory_estimate_bytes(cfg)) : 0);
}

/* A channel is the last place of its SM's queue (channel.h). */
static uint32_t input_room_(const struct smrf_memory_config *cfg)
{
    switch (cfg->noc.input_queue) {
    case 0:
        return UINT32_MAX;
    case 1:
        return 1;
    default:
        return cfg->noc.input_queue - 1;
    }
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
    uint32_t *free;
    uint64_t *arrival;

    if (result != SMRF_OK) {
        return result;
    }
    (void)carve_(&p, sizeof(*m));
    *m = (struct smrf_memory){.cfg = *cfg,
                              .delay = (uint64_t)cfg->noc.latency + cfg->l2.latency,
                              .room = input_room_(cfg),
                              .lookahead = smrf_memory_lookahead(cfg)};
    cfg = &m->cfg; /* what the parts keep */
    m->packet = (struct smrf_packet *)carve_(&p, packets_bytes_(cfg));
    arrival = (uint64_t *)carve_(&p, arrivals_bytes_(cfg));
    m->port = (struct sm_port *)carve_(&p, cfg->gpu.sms * sizeof(*m->port));
    m->answer = (uint32_t *)carve_(&p, numbers_bytes_(cfg));
    free = (uint32_t *)carve_(&p, numbers_bytes_(cfg));
    m->taken = (uint32_t *)carve_(&p, numbers_bytes_(cfg));
    m->moved = (uint32_t *)carve_(&p, cfg->gpu.sms * sizeof(*m->moved));
    for (uint32_t sm = 0; sm < cfg->gpu.sms; sm++) {
        const size_t first = (size_t)sm * cfg->noc.credits;

        m->port[sm].arrival = &arrival[first];
        m->port[sm].free = &free[first];
    }
    smrf_map_init(&m->map, cfg);
    smrf_noc_init(&m->request, carve_(&p, smrf_noc_bytes(cfg->gpu.sms, cfg->l2.slices)), cfg, false,
                  (uint32_t)m->delay, m->packet);
    smrf_noc_init(&m->reply, carve_(&p, smrf_noc_bytes(cfg->l2.slices, cfg->gpu.sms)), cfg, true,
                  cfg->noc.latency + SMRF_NOC_EJECTION, m->packet);
    smrf_dram_init(&m->dram, carve_(&p, smrf_dram_bytes(cfg)), cfg, &m->map);
    smrf_l2_init(&m->l2, carve_(&p, smrf_l2_bytes(cfg)), cfg, &m->map, &m->reply, &m->dram);
    if (cfg->estimates) {
        smrf_memory_estimate_init(m, carve_(&p, smrf_memory_estimate_bytes(cfg)));
    }
    smrf_memory_reset(m);
    return SMRF_OK;
}

void smrf_memory_reset(struct smrf_memory *m)
{
    m->now = m->ahead = 0;
    m->responses = 0;
    m->answers = 0;
    for (uint32_t sm = 0; sm < m->cfg.gpu.sms; sm++) {
        struct sm_port *port = &m->port[sm];

        *port = (struct sm_port){.arrival = port->arrival,
                                 .free = port->free,
                                 .first_push = SMRF_NOC_NONE,
                                 .line = SMRF_NEVER};
        m->moved[sm] = 0;
    }
    smrf_noc_reset(&m->request);
    smrf_noc_reset(&m->reply);
    smrf_dram_reset(&m->dram);
    smrf_l2_reset(&m->l2);
    if (m->cfg.estimates) {
        smrf_memory_estimate_reset(m);
    }
}

uint32_t smrf_memory_lookahead(const struct smrf_memory_config *cfg)
{
    return 2 * cfg->noc.latency + cfg->l2.latency + SMRF_NOC_EJECTION;
}

uint32_t smrf_memory_unanswered_cycles(const struct smrf_memory_config *cfg)
{
    const uint32_t lookahead = smrf_memory_lookahead(cfg);
    const uint32_t fill = input_room_(cfg) / SMRF_MEMORY_REQUESTS_A_CYCLE;

    return lookahead < fill ? lookahead : fill;
}

uint64_t smrf_memory_decided(const struct smrf_memory *m, uint64_t cycle)
{
    uint32_t least = UINT32_MAX;

    if (m->room == UINT32_MAX) {
        return SMRF_NEVER;
    }
    for (uint32_t sm = 0; sm < m->cfg.gpu.sms; sm++) {
        const uint32_t entering = m->port[sm].entering;
        const uint32_t left = entering < m->room ? m->room - entering : 0;

        least = left < least ? left : least;
    }
    least /= SMRF_MEMORY_REQUESTS_A_CYCLE;
    return cycle + (least ? least : 1);
}

uint64_t smrf_memory_now(const struct smrf_memory *m)
{
    return m->now;
}

uint64_t smrf_memory_horizon(const struct smrf_memory *m)
{
    return m->now + m->lookahead;
}

static inline uint64_t later_(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Have all requests of an SM that were pushed been answered, in cycles that are known? */
static inline bool all_told_(const struct sm_port *port)
{
    return port->unanswered == port->count;
}

bool smrf_memory_sure(const struct smrf_memory *m, uint32_t sm, uint64_t cycle)
{
    const struct sm_port *port = &m->port[sm];

    return all_told_(port) || cycle < later_(m->now, port->alone) + m->lookahead;
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

/* Where a sector lies. Sectors of a line come one after the other. */
static struct smrf_place place_(const struct smrf_memory *m, struct sm_port *port, uint64_t address)
{
    struct smrf_place place;

    if (address / SMRF_LINE_BYTES != port->line) {
        port->line = address / SMRF_LINE_BYTES;
        port->place = smrf_map_slice(&m->map, port->line * SMRF_LINE_BYTES);
    }
    place = port->place;
    place.local += address % SMRF_LINE_BYTES;
    return place;
}

static uint32_t take_packet_(struct smrf_memory *m, uint32_t sm)
{
    struct sm_port *port = &m->port[sm];

    if (port->frees == 0) {
        return sm * m->cfg.noc.credits + port->fresh++;
    }
    if (port->frees > 1) {
        smrf_prefetch(&m->packet[port->free[port->frees - 2]]);
    }
    return port->free[--port->frees];
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
    SMRF_ASSERT(smrf_memory_sure(m, request->sm, request->cycle));
    if (all_told_(port)) {
        port->alone = request->cycle;
    }
    SMRF_ASSERT(request->cycle >= port->last);
    port->last = request->cycle;
    if (port->unanswered == m->cfg.noc.credits) {
        collect_credits_(m, port, request->cycle);
    }
    if (port->unanswered == m->cfg.noc.credits || port->entering >= m->room) {
        port->refused++;
        return false;
    }
    port->unanswered++;
    port->entering++;
    port->requests++;
    place = place_(m, port, request->address);
    p = take_packet_(m, request->sm);
    m->packet[p] = (struct smrf_packet){.ready = request->cycle,
                                        .address = place.local,
                                        .next = SMRF_NOC_NONE,
                                        .id = request->id,
                                        .bytes = request->byte_mask,
                                        .sm = request->sm,
                                        .slice = (uint8_t)place.slice,
                                        .kind = request->kind};
    if (port->first_push == SMRF_NOC_NONE) {
        port->first_push = p;
    } else {
        m->packet[port->last_push].next = p;
    }
    port->last_push = p;
    return true;
}

uint64_t smrf_memory_credit(const struct smrf_memory *m, uint32_t sm, uint64_t cycle)
{
    const struct sm_port *port = &m->port[sm];

    if (port->entering >= m->room) {
        return SMRF_NEVER;
    }
    if (port->unanswered < m->cfg.noc.credits) {
        return cycle;
    }
    if (port->count == 0) {
        return SMRF_NEVER;
    }
    return port->arrival[port->first] > cycle ? port->arrival[port->first] : cycle;
}

/* First cycle in which something behind the request network happens. */
static uint64_t next_behind_(const struct smrf_memory *m)
{
    if (m->cfg.estimates) {
        return smrf_memory_estimate_replies(m);
    }
    const uint64_t reply = smrf_noc_next(&m->reply), l2 = smrf_l2_next(&m->l2);

    return l2 < reply ? l2 : reply;
}

void smrf_memory_take(struct smrf_memory *m)
{
    for (uint32_t sm = 0; sm < m->cfg.gpu.sms; sm++) {
        struct sm_port *port = &m->port[sm];

        if (port->first_push != SMRF_NOC_NONE) {
            if (m->cfg.estimates) {
                smrf_memory_estimate_append(
                    m, sm, (struct smrf_packets){port->first_push, port->last_push});
            } else {
                smrf_noc_append(&m->request, sm, port->first_push, port->last_push);
            }
            port->first_push = SMRF_NOC_NONE;
        }
    }
}

/* The request network before `end`: what it moves goes to the slices. */
static void move_requests_(struct smrf_memory *m, uint64_t end)
{
    const uint32_t taken = smrf_noc_run(&m->request, end, m->taken);

    for (uint32_t i = 0; i < taken; i++) {
        m->moved[m->packet[m->taken[i]].sm]++;
        smrf_l2_push(&m->l2, m->taken[i]);
    }
}

/* So many may come to wait outside of a slice before `end` that there is no room. */
static bool crowded_(const struct smrf_memory *m, uint64_t end)
{
    const uint32_t more = (uint32_t)(end - m->ahead);

    for (uint32_t s = 0; s < m->cfg.l2.slices; s++) {
        if (m->l2.door[s].next > m->ahead + 1 &&
            smrf_l2_outside(&m->l2, s, m->ahead) + more > SMRF_L2_OUTSIDE) {
            return true;
        }
    }
    return false;
}

/* The same, where slices may have no room outside: cycle by cycle. */
static SMRF_APART void move_few_requests_(struct smrf_memory *m, uint64_t end)
{
    for (uint64_t cycle = m->ahead; cycle < end; cycle++) {
        for (uint32_t s = 0; s < m->cfg.l2.slices; s++) {
            if (smrf_l2_outside(&m->l2, s, cycle) >= SMRF_L2_OUTSIDE) {
                smrf_noc_block(&m->request, s, cycle + 1);
            }
        }
        move_requests_(m, cycle + 1);
    }
}

/* So many replies of a slice may come to wait in the network's input before `end` that there is no
 * room. */
static bool replies_crowded_(const struct smrf_memory *m, uint64_t end)
{
    const uint32_t more = (uint32_t)(end - m->l2.until), room = m->cfg.noc.input_queue;

    for (uint32_t s = 0; s < m->cfg.l2.slices && room; s++) {
        if (m->l2.slice[s].leaving + more > room) {
            return true;
        }
    }
    return false;
}

/* The slices before `end`, and the network of their replies. */
static void answer_(struct smrf_memory *m, uint64_t end)
{
    uint32_t *answer = &m->answer[m->answers], answers;

    smrf_l2_run(&m->l2, end);
    answers = smrf_noc_run(&m->reply, end, answer);
    for (uint32_t i = 0; i < answers; i++) {
        m->l2.slice[m->packet[answer[i]].slice].leaving--;
    }
    m->answers += answers;
}

/* The same, where the network's inputs may have no room: cycle by cycle. */
static SMRF_APART void answer_few_(struct smrf_memory *m, uint64_t end)
{
    for (uint64_t cycle = m->l2.until; cycle < end; cycle++) {
        smrf_l2_hold_back(&m->l2, cycle);
        answer_(m, cycle + 1);
    }
}

/* No further than the slices are simulated. */
static void advance_(struct smrf_memory *m, uint64_t now)
{
    const uint64_t end = now + m->delay;

    if (m->cfg.estimates) {
        smrf_memory_estimate_advance(m, now);
        return;
    }
    if (crowded_(m, now)) {
        move_few_requests_(m, now);
    } else {
        move_requests_(m, now);
    }
    m->ahead = now;
    if (replies_crowded_(m, end)) {
        answer_few_(m, end);
    } else {
        answer_(m, end);
    }
}

void smrf_memory_advance(struct smrf_memory *m, uint64_t now)
{
    SMRF_ASSERT(now >= m->ahead);
    while (now - m->ahead > m->delay) {
        advance_(m, m->ahead + m->delay);
    }
    advance_(m, now);
}

static SMRF_INLINED void deliver_(struct smrf_memory *m, const struct smrf_mem_sink to)
{
    const struct smrf_packet *const packets = m->packet;
    const uint32_t *const answer = m->answer, answers = m->answers, credits = m->cfg.noc.credits;

    m->now = m->ahead;
    for (uint32_t i = 0; i < answers; i++) {
        const struct smrf_packet *packet = &packets[answer[i]];
        struct sm_port *port = &m->port[packet->sm];
        const struct smrf_mem_response response = {
            .cycle = packet->ready, .id = packet->id, .sm = packet->sm, .kind = packet->kind};
        const uint32_t last = port->first + port->count;

        smrf_prefetch(&packets[answer[i + AHEAD < answers ? i + AHEAD : i]]);
        port->arrival[last - smrf_select(last >= credits, credits, 0)] = packet->ready;
        port->count++;
        port->free[port->frees++] = answer[i];
        to.response(to.ctx, &response);
    }
    for (uint32_t sm = 0; sm < m->cfg.gpu.sms; sm++) {
        m->port[sm].entering -= m->moved[sm];
        m->moved[sm] = 0;
    }
    m->responses += answers;
    m->answers = 0;
}

void smrf_memory_deliver(struct smrf_memory *m, const struct smrf_mem_sink *sink)
{
    deliver_(m, *sink);
}

static void write_(void *ctx, const struct smrf_mem_response *response)
{
    struct smrf_mem_response **to = (struct smrf_mem_response **)ctx;

    *(*to)++ = *response;
}

uint32_t smrf_memory_deliver_all(struct smrf_memory *m, struct smrf_mem_response *to)
{
    struct smrf_mem_response *end = to;

    deliver_(m, (struct smrf_mem_sink){.ctx = &end, .response = write_});
    return (uint32_t)(end - to);
}

void smrf_memory_run(struct smrf_memory *m, uint64_t now, const struct smrf_mem_sink *sink)
{
    smrf_memory_take(m);
    smrf_memory_advance(m, now);
    smrf_memory_deliver(m, sink);
}

uint64_t smrf_memory_last_event(const struct smrf_memory *m)
{
    return later_(later_(m->request.last, m->reply.last), m->l2.last);
}

uint64_t smrf_memory_next(const struct smrf_memory *m)
{
    uint64_t network =
        m->cfg.estimates ? smrf_memory_estimate_enters(m) : smrf_noc_next(&m->request);
    uint64_t behind = next_behind_(m);

    /* A packet of several flits is ready later than it was pushed: an early look does no harm. */
    for (uint32_t sm = 0; sm < m->cfg.gpu.sms; sm++) {
        const struct sm_port *port = &m->port[sm];

        if (port->first_push != SMRF_NOC_NONE && m->packet[port->first_push].ready < network) {
            network = m->packet[port->first_push].ready;
        }
    }

    if (behind != SMRF_NEVER) {
        behind -= behind < m->delay ? behind : m->delay;
    }
    return network < behind ? network : behind;
}

bool smrf_memory_touch(struct smrf_memory *m, const struct smrf_mem_request *r)
{
    struct smrf_l2 *l = &m->l2;
    const struct smrf_place place = smrf_map_slice(&m->map, r->address);
    struct smrf_cache *cache = &l->slice[place.slice].cache;
    const bool write = r->kind == SMRF_MEM_WRITE;
    const uint32_t set = smrf_map_set(&m->map, place.local);
    const struct smrf_cache_found found = smrf_cache_probe(cache, place.local, set, write);
    const bool hit = found.result == SMRF_CACHE_HIT;
    struct smrf_cache_victim victim = {.evicted = false};

    m->port[r->sm].requests++;
    m->responses++;
    l->stats.accesses[r->kind]++;
    l->stats.hits[r->kind] += hit;
    if (write) {
        smrf_cache_write(cache, &found, r->byte_mask, &victim);
    } else {
        smrf_cache_read(cache, &found, &victim);
        (void)smrf_cache_fill(cache, place.local, set);
        l->stats.fills += !hit;
        m->dram.stats.reads += !hit;
    }
    if (r->kind == SMRF_MEM_ATOMIC) {
        (void)smrf_cache_mark_dirty(cache, place.local, set, r->byte_mask);
    }
    if (victim.evicted) {
        const uint32_t sectors = (uint32_t)__builtin_popcount(victim.dirty);
        l->stats.evictions++;
        l->stats.write_backs += sectors;
        m->dram.stats.writes += sectors;
    }
    return hit;
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
