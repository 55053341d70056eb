/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/noc.h"

#include "models/common/smrf_assert.h"
#include "models/common/smrf_inlined.h"
#include "models/common/smrf_prefetch.h"
#include "models/memory/memory.h"

static size_t round_up_(size_t bytes)
{
    return (bytes + 63u) & ~(size_t)63u;
}

static uint32_t words_(uint32_t members)
{
    return (members + 63) / 64;
}

size_t smrf_noc_bytes(uint32_t inputs, uint32_t outputs)
{
    return round_up_(inputs * sizeof(struct smrf_noc_input)) +
           round_up_(outputs * sizeof(struct smrf_noc_output)) +
           round_up_((size_t)outputs * words_(inputs) * sizeof(uint64_t)) +
           smrf_wheel_bytes(words_(inputs));
}

void smrf_noc_init(struct smrf_noc *n, void *storage, const struct smrf_memory_config *cfg,
                   bool reply, uint32_t way, struct smrf_packet *packet)
{
    unsigned char *p = storage;
    uint32_t bare = (SMRF_NOC_HEADER_BYTES + cfg->noc.flit_bytes - 1) / cfg->noc.flit_bytes;
    uint32_t full =
        (SMRF_NOC_HEADER_BYTES + SMRF_SECTOR_BYTES + cfg->noc.flit_bytes - 1) / cfg->noc.flit_bytes;

    *n = (struct smrf_noc){.reply = reply,
                           .inputs = reply ? cfg->l2.slices : cfg->gpu.sms,
                           .outputs = reply ? cfg->gpu.sms : cfg->l2.slices,
                           .one_a_cycle = cfg->noc.one_a_cycle,
                           .way = way,
                           .packet = packet};
    n->flits[SMRF_MEM_READ] = reply ? full : bare;
    n->flits[SMRF_MEM_WRITE] = reply ? bare : full;
    n->flits[SMRF_MEM_ATOMIC] = full; /* carries operands there and the old values back */
    n->input_words = words_(n->inputs);
    n->input = (struct smrf_noc_input *)(void *)p;
    p += round_up_(n->inputs * sizeof(*n->input));
    n->output = (struct smrf_noc_output *)(void *)p;
    p += round_up_(n->outputs * sizeof(*n->output));
    n->requests = (uint64_t *)(void *)p;
    p += round_up_((size_t)n->outputs * n->input_words * sizeof(*n->requests));
    smrf_wheel_init(&n->wheel, p, n->input_words);
    smrf_noc_reset(n);
}

void smrf_noc_reset(struct smrf_noc *n)
{
    for (uint32_t i = 0; i < n->inputs; i++) {
        n->input[i] = (struct smrf_noc_input){.head = SMRF_NOC_NONE, .tail = SMRF_NOC_NONE};
    }
    for (uint32_t o = 0; o < n->outputs; o++) {
        n->output[o] = (struct smrf_noc_output){.served = n->inputs - 1};
    }
    memset(n->requests, 0, (size_t)n->outputs * n->input_words * sizeof(*n->requests));
    memset(n->requested, 0, sizeof(n->requested));
    smrf_wheel_reset(&n->wheel, n->input_words);
    n->requesting = false;
    n->last = n->flit_count = n->wait_cycles = 0;
}

/* The head of an input can be taken from here on: its last flit is in. */
static inline uint64_t eligible_(const struct smrf_noc *n, const struct smrf_noc_input *in)
{
    const struct smrf_packet *p = &n->packet[in->head];
    uint64_t begin = p->ready > in->free ? p->ready : in->free;

    return begin + n->flits[p->kind] - 1;
}

void smrf_noc_append(struct smrf_noc *n, uint32_t input, uint32_t first, uint32_t last)
{
    struct smrf_noc_input *in = &n->input[input];

    if (in->head == SMRF_NOC_NONE) {
        in->head = first;
        in->eligible = eligible_(n, in);
        smrf_wheel_add(&n->wheel, n->input_words, in->eligible, input);
    } else {
        n->packet[in->tail].next = first;
    }
    in->tail = last;
}

void smrf_noc_delay(struct smrf_noc *n, uint32_t input, uint32_t skip)
{
    uint32_t p = n->input[input].head;

    SMRF_ASSERT(skip > 0);
    for (; skip > 0; skip--) {
        p = n->packet[p].next;
    }
    for (; p != SMRF_NOC_NONE; p = n->packet[p].next) {
        n->packet[p].ready++;
    }
}

/* --- a run: all of this works on a copy of the network's own numbers, which nothing else changes
 * meanwhile, and knows how many words of inputs and of outputs there are and which way the network
 * goes. --- */

struct way {
    uint32_t words, outputs;
    bool reply;
    uint64_t *soon; /* [words] inputs whose head becomes ready in the next cycle: the calendar is
                       for later ones */
};

/* The word that has a member's bit, one of `words`. */
static SMRF_INLINED uint32_t word_(uint32_t words, uint32_t member)
{
    return words == 1 ? 0 : member / 64;
}

static SMRF_INLINED bool any_(const uint64_t *members, uint32_t words)
{
    uint64_t any = members[0];

    for (uint32_t w = 1; w < words; w++) {
        any |= members[w];
    }
    return any != 0;
}

static SMRF_INLINED uint32_t output_of_(const struct smrf_noc *n, struct way way, uint32_t p)
{
    return way.reply ? n->packet[p].sm : n->packet[p].slice;
}

/* The head of an input requests output o. */
static SMRF_INLINED void request_(struct smrf_noc *n, struct way way, uint32_t i, uint32_t o)
{
    n->requests[o * way.words + word_(way.words, i)] |= UINT64_C(1) << (i % 64);
    n->requested[word_(way.outputs, o)] |= UINT64_C(1) << (o % 64);
}

/* Heads that have become ready request their outputs. */
static SMRF_INLINED void request_ready_(struct smrf_noc *n, struct way way, uint64_t cycle)
{
    uint64_t woken[SMRF_WHEEL_MAX_WORDS] = {0};

    (void)smrf_wheel_take(&n->wheel, way.words, cycle, woken);
    for (uint32_t w = 0; w < way.words; w++) {
        uint64_t ready = woken[w] | way.soon[w];

        for (way.soon[w] = 0; ready; ready &= ready - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(ready);
            const struct smrf_noc_input *in = &n->input[i];

            if (in->eligible > cycle) {
                smrf_wheel_add(&n->wheel, way.words, in->eligible, i);
            } else {
                request_(n, way, i, output_of_(n, way, in->head));
            }
        }
    }
}

/* The head of input i withdraws its request for output o, unless it stays. */
static SMRF_INLINED void withdraw_(struct smrf_noc *n, struct way way, uint32_t i, uint32_t o,
                                   bool stays)
{
    uint64_t *requests = &n->requests[o * way.words];

    requests[word_(way.words, i)] &= ~((uint64_t)!stays << (i % 64));
    n->requested[word_(way.outputs, o)] &= ~((uint64_t)!any_(requests, way.words) << (o % 64));
}

/* Input i has sent its head to output o; what stood behind is its head now. One that can be taken
 * by the same output in the next cycle keeps its request; without noc.one_a_cycle it may be taken
 * in the same cycle, by a later output. */
static SMRF_INLINED void follow_(struct smrf_noc *n, struct way way, uint32_t i, uint32_t o,
                                 uint64_t cycle)
{
    struct smrf_noc_input *in = &n->input[i];
    uint64_t eligible;
    uint32_t next;
    bool stays;

    if (in->head == SMRF_NOC_NONE) {
        withdraw_(n, way, i, o, false);
        return;
    }
    eligible = eligible_(n, in);
    next = output_of_(n, way, in->head);
    if (n->packet[in->head].next != SMRF_NOC_NONE) {
        smrf_prefetch(&n->packet[n->packet[in->head].next]);
    }
    stays = ((next ^ o) | (uint32_t)(eligible > cycle + 1)) == 0;
    in->eligible = eligible;
    withdraw_(n, way, i, o, stays);
    if (eligible > cycle + 1) {
        smrf_wheel_add(&n->wheel, way.words, eligible, i);
    } else if (eligible > cycle) {
        way.soon[word_(way.words, i)] |= (uint64_t)!stays << (i % 64);
    } else if (!stays) {
        request_(n, way, i, next);
    }
}

/* Output o takes the packet whose turn it is. Returns it. */
static SMRF_INLINED uint32_t take_(struct smrf_noc *n, struct way way, uint32_t o, uint64_t cycle)
{
    struct smrf_noc_output *out = &n->output[o];
    const uint32_t i = smrf_noc_choose(&n->requests[o * way.words], way.words, out->served);
    struct smrf_noc_input *in = &n->input[i];
    const uint32_t p = in->head;
    struct smrf_packet *packet = &n->packet[p];
    const uint32_t flits = n->flits[packet->kind];

    n->flit_count += flits;
    n->wait_cycles += cycle - in->eligible;
    out->served = i;
    out->free = cycle + flits;
    in->free = cycle + n->one_a_cycle;
    in->head = packet->next;
    packet->ready = cycle + n->way;
    follow_(n, way, i, o, cycle);
    return p;
}

/* Carry out `cycle`, before which no packet may move. Returns how many were taken. */
static SMRF_INLINED uint32_t cycle_(struct smrf_noc *n, struct way way, uint64_t cycle,
                                    uint32_t *taken)
{
    uint32_t count = 0;

    request_ready_(n, way, cycle);
    for (uint32_t w = 0; w < way.outputs; w++) {
        uint64_t left = n->requested[w];

        while (left) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(left), o = w * 64 + bit;

            if (n->output[o].free <= cycle) {
                taken[count++] = take_(n, way, o, cycle);
            }
            left = n->requested[w] & ~UINT64_C(1) << bit;
        }
    }
    n->requesting = any_(n->requested, way.outputs);
    return count;
}

static SMRF_INLINED uint64_t next_(const struct smrf_noc *n, struct way way)
{
    return any_(way.soon, way.words) ? n->wheel.base : smrf_noc_next(n);
}

static SMRF_INLINED uint32_t run_(struct smrf_noc *n, struct way way, uint64_t end, uint32_t *taken)
{
    uint64_t soon[SMRF_WHEEL_MAX_WORDS] = {0};
    uint32_t count = 0;
    uint64_t cycle;

    way.soon = soon;
    while ((cycle = next_(n, way)) < end) {
        const uint32_t more = cycle_(n, way, cycle, &taken[count]);

        n->last = more ? cycle : n->last;
        count += more;
    }
    smrf_wheel_skip(&n->wheel, end);
    smrf_wheel_add_all(&n->wheel, way.words, soon);
    return count;
}

uint32_t smrf_noc_run(struct smrf_noc *n, uint64_t end, uint32_t *taken)
{
    struct smrf_noc copy = *n;
    uint32_t count;

    if (copy.input_words > 1 || copy.outputs > 64) {
        const struct way way = {copy.input_words, words_(copy.outputs), copy.reply, NULL};

        count = run_(&copy, way, end, taken);
    } else if (copy.reply) {
        count = run_(&copy, (struct way){1, 1, true, NULL}, end, taken);
    } else {
        count = run_(&copy, (struct way){1, 1, false, NULL}, end, taken);
    }
    *n = copy;
    return count;
}
