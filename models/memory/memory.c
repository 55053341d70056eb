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

#define AHEAD 6 /* a packet is prefetched so many before its turn */

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

bool smrf_memory_idle(const struct smrf_memory *m)
{
    return smrf_memory_next(m) == SMRF_NEVER;
}
