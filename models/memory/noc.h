/* SPDX-License-Identifier: Apache-2.0 */
/* One direction of the network between SMs and L2 slices: an input-queued crossbar. In a cycle an
 * input sends at most one packet (noc.one_a_cycle=off: as many as outputs take, the lower ones
 * first) and an output takes at most one; an output takes its inputs in turn, starting behind the
 * one it took last. A packet of n flits is switched as a whole: it stands at the head of its input
 * n - 1 cycles before it can be taken, and its output is busy for n.
 * Source: Accel-Sim's "local crossbar" (network_mode 2, two subnets); round robin. */
#ifndef SMRF_MEMORY_NOC_H
#define SMRF_MEMORY_NOC_H

#include "memory_config.h"

#include "models/common/smrf_inlined.h"
#include "models/common/smrf_turn.h"
#include "models/common/smrf_types.h"
#include "models/memory/wheel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_NOC_NONE UINT32_MAX
#define SMRF_NOC_HEADER_BYTES 8u /* Accel-Sim: control size of a packet */
#define SMRF_NOC_EJECTION 1u     /* cycles from the network to the SM: Accel-Sim's response FIFO */

/* A request, and later its reply, wherever it waits. */
struct smrf_packet {
    uint64_t ready;   /* first cycle in which it may move on from where it waits */
    uint64_t address; /* within its slice */
    uint32_t next;    /* packet behind it in the same queue */
    uint32_t id;
    uint32_t bytes; /* written: bit a byte */
    uint16_t sm;
    uint8_t slice;
    uint8_t kind;
};

struct smrf_noc_input {
    uint64_t free;     /* first cycle in which a further packet can begin to enter */
    uint64_t eligible; /* when the head can first be taken, while there is one */
    uint32_t head, tail;
};

struct smrf_noc_output {
    uint64_t free;   /* first cycle in which it can take a packet */
    uint32_t served; /* input that it took the last one of: the next one is looked at first */
};

struct smrf_noc {
    bool reply;        /* from slices to SMs */
    bool one_a_cycle;  /* an input sends at most one packet */
    uint32_t flits[3]; /* of a packet by enum smrf_mem_kind */
    uint32_t inputs, outputs, input_words;
    uint32_t way;    /* cycles to where a packet is ready for what comes next */
    bool requesting; /* a head wants an output */
    struct smrf_packet *packet;
    struct smrf_noc_input *input;
    struct smrf_noc_output *output;
    uint64_t *requests;                       /* [output][input word]: heads that want the output */
    uint64_t requested[SMRF_WHEEL_MAX_WORDS]; /* outputs that a head requests */
    struct smrf_wheel wheel;                  /* inputs whose head becomes ready */
    uint64_t last;                            /* cycle in which a packet was taken last */
    uint64_t flit_count, wait_cycles;         /* statistics */
};

size_t smrf_noc_bytes(uint32_t inputs, uint32_t outputs);

/* Lay out `storage` (smrf_noc_bytes, kept). way: cycles from the network to what comes next;
 * packet: the pool that packet numbers index. */
void smrf_noc_init(struct smrf_noc *n, void *storage, const struct smrf_memory_config *cfg,
                   bool reply, uint32_t way, struct smrf_packet *packet);
void smrf_noc_reset(struct smrf_noc *n);

/* Append packets to an input, `first` to `last` as they are linked, or one: p. Ready: not before
 * the last cycle taken, nor before its predecessor in the same input. */
void smrf_noc_append(struct smrf_noc *n, uint32_t input, uint32_t first, uint32_t last);
static inline void smrf_noc_push(struct smrf_noc *n, uint32_t input, uint32_t p, uint64_t ready)
{
    n->packet[p].ready = ready;
    n->packet[p].next = SMRF_NOC_NONE;
    smrf_noc_append(n, input, p, p);
}

/* The packets of an input behind its first `skip`, which are at least one, become ready a cycle
 * later. */
void smrf_noc_delay(struct smrf_noc *n, uint32_t input, uint32_t skip);

/* Output o takes none before `cycle`. */
static inline void smrf_noc_block(struct smrf_noc *n, uint32_t o, uint64_t cycle)
{
    struct smrf_noc_output *out = &n->output[o];

    out->free = out->free > cycle ? out->free : cycle;
}

/* The input whose turn it is at an output, of those that have a bit, which there are: the first
 * behind the one that was taken last, around the end. */
static SMRF_INLINED uint32_t smrf_noc_choose(const uint64_t *requests, uint32_t words,
                                             uint32_t served)
{
    uint32_t w;
    uint64_t word;

    if (words == 1) {
        return smrf_turn_first(requests[0], served + 1);
    }
    w = served / 64;
    word = requests[w] & ~UINT64_C(1) << (served % 64);
    while (!word) {
        w = w + 1 < words ? w + 1 : 0;
        word = requests[w];
    }
    return w * 64 + (uint32_t)__builtin_ctzll(word);
}

/* First cycle in which a packet may move, SMRF_NEVER if there is none. */
static inline uint64_t smrf_noc_next(const struct smrf_noc *n)
{
    return n->requesting ? n->wheel.base : smrf_wheel_next(&n->wheel);
}

/* Carry out the cycles before `end`. Writes the packets that were taken, in ascending order of
 * cycles, then of outputs, to `taken` and returns their number; a packet is ready again n->way
 * cycles after it was taken. */
uint32_t smrf_noc_run(struct smrf_noc *n, uint64_t end, uint32_t *taken);

#ifdef __cplusplus
}
#endif

#endif
