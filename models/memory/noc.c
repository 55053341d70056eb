/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/noc.h"

#include "models/common/smrf_assert.h"
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
                   bool reply, struct smrf_packet *packet)
{
    unsigned char *p = storage;
    uint32_t bare = (SMRF_NOC_HEADER_BYTES + cfg->noc.flit_bytes - 1) / cfg->noc.flit_bytes;
    uint32_t full =
        (SMRF_NOC_HEADER_BYTES + SMRF_SECTOR_BYTES + cfg->noc.flit_bytes - 1) / cfg->noc.flit_bytes;

    *n = (struct smrf_noc){.reply = reply,
                           .inputs = reply ? cfg->l2.slices : cfg->gpu.sms,
                           .outputs = reply ? cfg->gpu.sms : cfg->l2.slices,
                           .one_a_cycle = cfg->noc.one_a_cycle,
                           .packet = packet};
    n->flits[SMRF_MEM_READ] = reply ? full : bare;
    n->flits[SMRF_MEM_WRITE] = reply ? bare : full;
    n->flits[SMRF_MEM_ATOMIC] = full; /* carries operands there and the old values back */
    n->input_words = words_(n->inputs);
    n->input = (struct smrf_noc_input *)(void *)p;
    p += round_up_(n->inputs * sizeof(*n->input));
    n->output = (struct smrf_noc_output *)(void *)p;
    p += round_up_(n->outputs * sizeof(*n->output));
    n->ask = (uint64_t *)(void *)p;
    p += round_up_((size_t)n->outputs * n->input_words * sizeof(*n->ask));
    smrf_wheel_init(&n->wheel, p, n->input_words);
    smrf_noc_reset(n);
}

void smrf_noc_reset(struct smrf_noc *n)
{
    for (uint32_t i = 0; i < n->inputs; i++) {
        n->input[i] = (struct smrf_noc_input){.head = SMRF_NOC_NONE, .tail = SMRF_NOC_NONE};
    }
    memset(n->output, 0, n->outputs * sizeof(*n->output));
    memset(n->ask, 0, (size_t)n->outputs * n->input_words * sizeof(*n->ask));
    memset(n->asked, 0, sizeof(n->asked));
    smrf_wheel_reset(&n->wheel);
    n->flit_count = n->wait_cycles = 0;
}

/* The head of an input can be taken from here on: its last flit is in. */
static uint64_t eligible_(const struct smrf_noc *n, const struct smrf_noc_input *in)
{
    const struct smrf_packet *p = &n->packet[in->head];
    uint64_t begin = p->ready > in->free ? p->ready : in->free;

    return begin + n->flits[p->kind] - 1;
}

void smrf_noc_push(struct smrf_noc *n, uint32_t input, uint32_t p, uint64_t ready)
{
    struct smrf_noc_input *in = &n->input[input];

    n->packet[p].ready = ready;
    n->packet[p].next = SMRF_NOC_NONE;
    if (in->head == SMRF_NOC_NONE) {
        in->head = in->tail = p;
        smrf_wheel_add(&n->wheel, eligible_(n, in), input);
    } else {
        n->packet[in->tail].next = p;
        in->tail = p;
    }
}

uint64_t smrf_noc_next(const struct smrf_noc *n)
{
    for (uint32_t i = 0; i < SMRF_WHEEL_MAX_WORDS; i++) {
        if (n->asked[i]) {
            return n->wheel.base;
        }
    }
    return smrf_wheel_next(&n->wheel);
}

/* The head of an input, which can be taken since `eligible`, asks for its output. */
static void ask_for_(struct smrf_noc *n, uint32_t i, uint64_t eligible)
{
    struct smrf_noc_input *in = &n->input[i];
    const uint32_t o = n->reply ? n->packet[in->head].sm : n->packet[in->head].slice;

    in->eligible = eligible;
    n->ask[o * n->input_words + i / 64] |= UINT64_C(1) << (i % 64);
    n->asked[o / 64] |= UINT64_C(1) << (o % 64);
}

/* Heads that have become ready ask for their outputs. */
static void ask_(struct smrf_noc *n, uint64_t cycle)
{
    uint64_t woken[SMRF_WHEEL_MAX_WORDS];

    if (!smrf_wheel_take(&n->wheel, cycle, woken)) {
        return;
    }
    for (uint32_t w = 0; w < n->input_words; w++) {
        for (; woken[w]; woken[w] &= woken[w] - 1) {
            uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(woken[w]);
            struct smrf_noc_input *in = &n->input[i];
            uint64_t eligible = eligible_(n, in);

            if (eligible > cycle) {
                smrf_wheel_add(&n->wheel, eligible, i);
                continue;
            }
            ask_for_(n, i, eligible);
        }
    }
}

/* The input whose turn it is at output o: the first at or behind output->turn, around the end. */
static uint32_t choose_(const struct smrf_noc *n, uint32_t o)
{
    const uint64_t *ask = &n->ask[o * n->input_words];
    uint32_t turn = n->output[o].turn;
    uint32_t w = turn / 64;
    uint64_t word = ask[w] & ~UINT64_C(0) << (turn % 64);

    while (!word) {
        w = w + 1 < n->input_words ? w + 1 : 0;
        word = ask[w];
    }
    return w * 64 + (uint32_t)__builtin_ctzll(word);
}

/* Output o takes the head of the input whose turn it is. Returns the packet. */
static uint32_t take_(struct smrf_noc *n, uint32_t o, uint64_t cycle)
{
    uint64_t *ask = &n->ask[o * n->input_words];
    struct smrf_noc_output *out = &n->output[o];
    uint32_t i = choose_(n, o);
    struct smrf_noc_input *in = &n->input[i];
    uint32_t p = in->head;
    uint32_t flits = n->flits[n->packet[p].kind];
    uint64_t others = 0;

    ask[i / 64] &= ~(UINT64_C(1) << (i % 64));
    for (uint32_t w = 0; w < n->input_words; w++) {
        others |= ask[w];
    }
    if (!others) {
        n->asked[o / 64] &= ~(UINT64_C(1) << (o % 64));
    }
    out->turn = i + 1 < n->inputs ? i + 1 : 0;
    out->free = cycle + flits;
    n->flit_count += flits;
    n->wait_cycles += cycle - in->eligible;
    in->free = n->one_a_cycle ? cycle + 1 : cycle;
    in->head = n->packet[p].next;
    if (in->head != SMRF_NOC_NONE) {
        const uint64_t eligible = eligible_(n, in);

        if (eligible <= cycle) {
            ask_for_(n, i, eligible);
        } else {
            smrf_wheel_add(&n->wheel, eligible, i);
        }
    }
    return p;
}

uint32_t smrf_noc_cycle(struct smrf_noc *n, uint64_t cycle, uint32_t *taken)
{
    uint32_t count = 0;

    ask_(n, cycle);
    for (uint32_t w = 0; w < words_(n->outputs); w++) {
        uint64_t left = n->asked[w];

        while (left) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(left);
            const uint32_t o = w * 64 + bit;

            if (n->output[o].free <= cycle) {
                taken[count++] = take_(n, o, cycle);
            }
            /* What stood behind a packet that was taken may ask for a later output. */
            left = n->asked[w] & ~(((UINT64_C(1) << bit) - 1) | UINT64_C(1) << bit);
        }
    }
    return count;
}
