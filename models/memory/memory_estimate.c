/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/memory_estimate.h"

#include "models/memory/l2_internal.h"
#include "models/memory/memory_internal.h"

static size_t round_up_(size_t bytes)
{
    return (bytes + 63u) & ~(size_t)63u;
}

static uint32_t words_(uint32_t members)
{
    return (members + 63) / 64;
}

size_t smrf_memory_estimate_bytes(const struct smrf_memory_config *cfg)
{
    return round_up_(cfg->gpu.sms * sizeof(struct smrf_sm_times)) +
           cfg->l2.slices * sizeof(struct smrf_slice_times) +
           round_up_(sizeof(struct smrf_reply_calendars)) +
           round_up_(smrf_wheel_bytes(words_(cfg->gpu.sms))) +
           2 * round_up_(smrf_wheel_bytes(words_(cfg->l2.slices))) + smrf_dram_estimate_bytes(cfg);
}

void smrf_memory_estimate_init(struct smrf_memory *m, void *storage)
{
    struct smrf_memory_estimate *e = &m->estimate;
    const struct smrf_memory_config *cfg = &m->cfg;
    unsigned char *p = storage;

    e->words = words_(cfg->gpu.sms);
    e->slice_words = words_(cfg->l2.slices);
    e->most = cfg->l2.mshrs < SMRF_UNDER_WAY_MOST ? cfg->l2.mshrs : SMRF_UNDER_WAY_MOST;
    e->sm = (struct smrf_sm_times *)(void *)p;
    p += round_up_(cfg->gpu.sms * sizeof *e->sm);
    e->slice = (struct smrf_slice_times *)(void *)p;
    p += cfg->l2.slices * sizeof *e->slice;
    e->calendar = (struct smrf_reply_calendars *)(void *)p;
    p += round_up_(sizeof *e->calendar);
    smrf_wheel_init(&e->entries, p, e->words);
    p += round_up_(smrf_wheel_bytes(e->words));
    smrf_wheel_init(&e->links, p, e->slice_words);
    p += round_up_(smrf_wheel_bytes(e->slice_words));
    smrf_wheel_init(&e->exits, p, e->slice_words);
    p += round_up_(smrf_wheel_bytes(e->slice_words));
    smrf_dram_estimate_init(&e->dram, p, &m->dram);
}

void smrf_memory_estimate_reset(struct smrf_memory *m)
{
    struct smrf_memory_estimate *e = &m->estimate;
    const struct smrf_packets none = {SMRF_NOC_NONE, SMRF_NOC_NONE};

    for (uint32_t i = 0; i < m->cfg.gpu.sms; i++) {
        e->sm[i] = (struct smrf_sm_times){.requests = none};
    }
    for (uint32_t s = 0; s < m->cfg.l2.slices; s++) {
        e->slice[s] =
            (struct smrf_slice_times){.served = m->cfg.gpu.sms - 1, .taken = none, .replies = none};
    }
    smrf_wheel_reset(&e->entries, e->words);
    smrf_wheel_reset(&e->links, e->slice_words);
    smrf_wheel_reset(&e->exits, e->slice_words);
    smrf_calendar_reset(&e->calendar->ready);
    smrf_calendar_reset(&e->calendar->left);
    e->until = m->delay;
    smrf_dram_estimate_reset(&e->dram);
}

/* --- requests --------------------------------------------------------------------------------- */

/* The first request of an SM, which there is, has entered the network with its last flit. */
static inline uint64_t entered_(const struct smrf_memory *m, const struct smrf_sm_times *sm)
{
    const struct smrf_packet *packet = &m->packet[sm->requests.first];

    return smrf_l2_later(packet->ready, sm->sends) + m->request.flits[packet->kind] - 1;
}

void smrf_memory_estimate_append(struct smrf_memory *m, uint32_t i, struct smrf_packets more)
{
    struct smrf_memory_estimate *e = &m->estimate;
    struct smrf_sm_times *sm = &e->sm[i];

    if (sm->requests.first == SMRF_NOC_NONE) {
        sm->requests = more;
        smrf_wheel_add(&e->entries, e->words, entered_(m, sm), i);
    } else {
        m->packet[sm->requests.last].next = more.first;
        sm->requests.last = more.last;
    }
}

/* The first request of an SM goes to its slice in `cycle`; those behind it may be next. */
static inline void pass_(struct smrf_memory *m, uint32_t i, uint64_t cycle)
{
    struct smrf_memory_estimate *e = &m->estimate;
    struct smrf_sm_times *sm = &e->sm[i];
    const uint32_t p = sm->requests.first;
    struct smrf_packet *packet = &m->packet[p];
    struct smrf_slice_times *t = &e->slice[packet->slice];
    const uint32_t flits = m->request.flits[packet->kind];
    const uint64_t comes = cycle + m->delay;

    t->link = cycle + flits;
    t->served = i;
    sm->sends = cycle + 1;
    sm->requests.first = packet->next;
    if (packet->next != SMRF_NOC_NONE) {
        smrf_wheel_add(&e->entries, e->words, entered_(m, sm), i);
    }
    m->request.flit_count += flits;
    m->moved[i]++;
    if (t->waiting == 0) {
        t->access = smrf_slice_estimate_free(m, packet->slice, comes);
        if (t->access == comes) {
            smrf_slice_estimate_use(m, p, comes);
            return;
        }
    }
    packet->ready = comes;
    smrf_packets_append(&t->taken, m->packet, p);
    t->waiting++;
}

/* The first request that waits at a slice uses it, if the slice is free in `cycle`. */
static inline void use_first_(struct smrf_memory *m, uint32_t s, uint64_t cycle)
{
    struct smrf_slice_times *t = &m->estimate.slice[s];
    const uint32_t p = t->taken.first;

    if (t->waiting == 0 || t->access > cycle) {
        return;
    }
    const uint64_t at = smrf_l2_later(m->packet[p].ready, t->access);
    t->access = smrf_slice_estimate_free(m, s, at);
    if (t->access == at) {
        t->taken.first = m->packet[p].next;
        t->waiting--;
        smrf_slice_estimate_use(m, p, at);
    }
}

/* Do first requests of SMs wait for the slice's link, and does it take any? */
static inline bool takes_(const struct smrf_memory *m, const struct smrf_slice_times *t)
{
    uint64_t any = 0;

    for (uint32_t w = 0; w < m->estimate.words; w++) {
        any |= t->asks[w];
    }
    return any && t->waiting < SMRF_MEMORY_WAITING;
}

/* A slice goes on with what waits for it, and its link with the SM whose turn it is. */
static inline void go_on_(struct smrf_memory *m, uint32_t s, uint64_t cycle)
{
    struct smrf_memory_estimate *e = &m->estimate;
    struct smrf_slice_times *t = &e->slice[s];

    use_first_(m, s, cycle + m->delay);
    if (takes_(m, t) && t->link <= cycle) {
        const uint32_t i = smrf_noc_choose(t->asks, e->words, t->served);

        t->asks[i / 64] &= ~(UINT64_C(1) << i % 64);
        pass_(m, i, cycle);
    }
    if (takes_(m, t)) {
        smrf_wheel_add(&e->links, e->slice_words, t->link, s);
    }
    if (t->waiting) {
        smrf_wheel_add(&e->links, e->slice_words, t->access - m->delay, s);
    }
}

/* --- replies ---------------------------------------------------------------------------------- */

/* A reply leaves its slice in `cycle`, or when the link to its SM is free; those behind it wait. */
static inline void leave_(struct smrf_memory *m, uint32_t p, uint64_t cycle)
{
    struct smrf_memory_estimate *e = &m->estimate;
    struct smrf_packet *packet = &m->packet[p];
    struct smrf_sm_times *sm = &e->sm[packet->sm];
    const uint32_t flits = m->reply.flits[packet->kind];

    packet->ready = smrf_l2_later(sm->receives, cycle);
    e->slice[packet->slice].leaves = packet->ready + 1;
    sm->receives = packet->ready + flits;
    m->reply.flit_count += flits;
    smrf_calendar_add(&e->calendar->left, m->packet, p);
}

/* A reply that is ready in `cycle` leaves, or waits for its slice's earlier ones. */
static inline void come_(struct smrf_memory *m, uint32_t p, uint64_t cycle)
{
    struct smrf_memory_estimate *e = &m->estimate;
    const uint32_t s = m->packet[p].slice;
    struct smrf_slice_times *t = &e->slice[s];
    const bool first = t->replies.first == SMRF_NOC_NONE;

    if (first && t->leaves <= cycle) {
        leave_(m, p, cycle);
        return;
    }
    smrf_packets_append(&t->replies, m->packet, p);
    if (first) {
        smrf_wheel_add(&e->exits, e->slice_words, t->leaves, s);
    }
}

/* The first of the replies that wait in a slice leaves in `cycle`. */
static void leave_first_(struct smrf_memory *m, uint32_t s, uint64_t cycle)
{
    struct smrf_memory_estimate *e = &m->estimate;
    struct smrf_slice_times *t = &e->slice[s];
    const uint32_t p = t->replies.first;

    if (t->leaves <= cycle) { /* else it lay too far ahead */
        t->replies.first = m->packet[p].next;
        leave_(m, p, cycle);
    }
    if (t->replies.first != SMRF_NOC_NONE) {
        smrf_wheel_add(&e->exits, e->slice_words, t->leaves, s);
    }
}

/* Replies that have left in one cycle arrive, in the order of their SMs. */
static inline void arrive_(struct smrf_memory *m, uint32_t p)
{
    const uint32_t before = m->answers;
    uint32_t next;

    for (; p != SMRF_NOC_NONE; p = next) {
        uint32_t at = m->answers++;

        next = m->packet[p].next;
        m->packet[p].ready += m->reply.way;
        for (; at > before && m->packet[m->answer[at - 1]].sm > m->packet[p].sm; at--) {
            m->answer[at] = m->answer[at - 1];
        }
        m->answer[at] = p;
    }
}

/* --- time ------------------------------------------------------------------------------------- */

/* The first request of an SM has entered the network, and asks for its slice's link. */
static inline void ask_(struct smrf_memory *m, uint32_t i, uint64_t cycle, uint64_t *slices)
{
    struct smrf_memory_estimate *e = &m->estimate;
    const struct smrf_sm_times *sm = &e->sm[i];
    const uint64_t at = entered_(m, sm);

    if (at > cycle) { /* it lay too far ahead */
        smrf_wheel_add(&e->entries, e->words, at, i);
        return;
    }
    const uint32_t s = m->packet[sm->requests.first].slice;

    e->slice[s].asks[i / 64] |= UINT64_C(1) << i % 64;
    slices[s / 64] |= UINT64_C(1) << s % 64;
    m->request.last = cycle;
}

static void pass_all_(struct smrf_memory *m, uint64_t now)
{
    struct smrf_memory_estimate *e = &m->estimate;
    uint64_t sms[SMRF_WHEEL_MAX_WORDS], cycle;

    while ((cycle = smrf_memory_estimate_enters(m)) < now) {
        uint64_t slices[SMRF_WHEEL_MAX_WORDS] = {0};

        if (smrf_wheel_next(&e->links) == cycle) {
            (void)smrf_wheel_take(&e->links, e->slice_words, cycle, slices);
        }
        if (smrf_wheel_next(&e->entries) == cycle) {
            (void)smrf_wheel_take(&e->entries, e->words, cycle, sms);
            for (uint32_t w = 0; w < e->words; w++) {
                for (; sms[w]; sms[w] &= sms[w] - 1) {
                    ask_(m, w * 64 + (uint32_t)__builtin_ctzll(sms[w]), cycle, slices);
                }
            }
        }
        for (uint32_t w = 0; w < e->slice_words; w++) {
            for (; slices[w]; slices[w] &= slices[w] - 1) {
                go_on_(m, w * 64 + (uint32_t)__builtin_ctzll(slices[w]), cycle);
            }
        }
    }
    smrf_wheel_skip(&e->entries, now);
    smrf_wheel_skip(&e->links, now);
}

/* Replies that are ready before `end` go to their slices' queues, and leave these. */
static void leave_all_(struct smrf_memory *m, uint64_t end)
{
    struct smrf_memory_estimate *e = &m->estimate;
    uint64_t woken[SMRF_WHEEL_MAX_WORDS], ready = smrf_calendar_next(&e->calendar->ready, e->until);
    uint32_t next;

    for (;;) {
        const uint64_t exits = smrf_wheel_next(&e->exits), cycle = ready < exits ? ready : exits;

        if (cycle >= end) {
            break;
        }
        if (ready == cycle) {
            for (uint32_t p = smrf_calendar_take(&e->calendar->ready, m->packet, cycle);
                 p != SMRF_NOC_NONE; p = next) {
                next = m->packet[p].next;
                come_(m, p, cycle);
            }
            ready = smrf_calendar_next(&e->calendar->ready, cycle + 1);
        }
        if (smrf_wheel_take(&e->exits, e->slice_words, cycle, woken)) {
            for (uint32_t w = 0; w < e->slice_words; w++) {
                for (; woken[w]; woken[w] &= woken[w] - 1) {
                    leave_first_(m, w * 64 + (uint32_t)__builtin_ctzll(woken[w]), cycle);
                }
            }
        }
    }
    smrf_wheel_skip(&e->exits, end);
}

static void reply_all_(struct smrf_memory *m, uint64_t end)
{
    struct smrf_memory_estimate *e = &m->estimate;
    struct smrf_calendar *left = &e->calendar->left;
    uint64_t cycle;

    leave_all_(m, end);
    for (cycle = e->until; (cycle = smrf_calendar_next(left, cycle)) < end; cycle++) {
        arrive_(m, smrf_calendar_take(left, m->packet, cycle));
        m->reply.last = cycle;
    }
    e->until = end;
}

void smrf_memory_estimate_advance(struct smrf_memory *m, uint64_t now)
{
    pass_all_(m, now);
    reply_all_(m, now + m->delay);
    m->ahead = now;
}

uint64_t smrf_memory_estimate_enters(const struct smrf_memory *m)
{
    const uint64_t entries = smrf_wheel_next(&m->estimate.entries);
    const uint64_t links = smrf_wheel_next(&m->estimate.links);

    return entries < links ? entries : links;
}

uint64_t smrf_memory_estimate_replies(const struct smrf_memory *m)
{
    const struct smrf_memory_estimate *e = &m->estimate;
    const uint64_t ready = smrf_calendar_next(&e->calendar->ready, e->until);
    const uint64_t left = smrf_calendar_next(&e->calendar->left, e->until);
    const uint64_t exits = smrf_wheel_next(&e->exits), first = left < ready ? left : ready;

    return exits < first ? exits : first;
}

void smrf_memory_estimate_kept(struct smrf_memory_stats *kept)
{
    kept->noc_request_wait_cycles = kept->noc_reply_wait_cycles = 0;
    kept->l2_mshr_full_cycles = kept->l2_merge_full_cycles = kept->l2_set_full_cycles = 0;
    kept->l2_write_full_cycles = kept->l2_reply_full_cycles = kept->l2_door_cycles = 0;
    kept->dram_turnarounds = kept->dram_queue_full_cycles = 0;
}
