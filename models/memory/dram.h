/* SPDX-License-Identifier: Apache-2.0 */
/* DRAM channels. Requests of an L2 slice go into a queue of its own, a request a core cycle; a
 * channel takes one request of its slices' queues in a DRAM cycle, in turn, while its window has
 * room and the slice a credit (dram_take.h), and dram.latency core cycles later it enters the
 * window of dram.queue requests, one in a cycle. In a cycle one bank that has nothing to do takes a
 * request of the window: the oldest one that its open row holds, else its oldest. The write-back of
 * a line is one request, of as many column commands as it has dirty sectors.
 *
 * Commands: banks are looked at in turn. The first one that may read or write does; before it a
 * bank may activate or precharge in the same cycle, and the turn is then the next bank's: the
 * search goes on from there, so that some banks are left out.
 *
 * dram.dual_bus (HBM): one bank may have a column command and another one a row command in the same
 * cycle. The search for each begins at the turn; the row command sees what the column command did.
 *
 * Source: Accel-Sim memory_partition_unit::dram_cycle, dram_t and frfcfs_scheduler (timing
 * counters, commit of a bank to a request, `prio`, dram_dual_bus_interface).
 *
 * Time inside is DRAM command cycles; cycle d of the channel begins at core time d x core_khz /
 * dram_khz, kept as a ratio of integers. */
#ifndef SMRF_MEMORY_DRAM_H
#define SMRF_MEMORY_DRAM_H

#include "memory_config.h"

#include "models/common/smrf_aligned.h"
#include "models/common/smrf_bits.h"
#include "models/common/smrf_types.h"
#include "models/memory/clock_sum.h"
#include "models/memory/map.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_DRAM_NONE UINT32_MAX
#define SMRF_DRAM_MAX_BANKS 64
#define SMRF_DRAM_MAX_GROUPS 16
/* Requests of a slice that wait for the channel, misses on the way to there, and what a channel may
 * have under way beside its window: Accel-Sim's gpgpu_dram_partition_queues, the miss queue of
 * gpgpu_cache:dl2 and gpgpu_dram_return_queue_size. */
#define SMRF_DRAM_SLICE_QUEUE 64u
#define SMRF_DRAM_MISS_QUEUE 32u
#define SMRF_DRAM_RETURN_QUEUE 192u

#define SMRF_DRAM_WRITES 0x80u /* beside the number of sectors: they are written */

/* A sector to read, or dirty sectors of a line to write. */
struct smrf_dram_request {
    uint64_t tag; /* the slice's, of a read */
    uint64_t row;
    uint64_t cycle; /* DRAM cycle in which it may go on; done: core cycle at the slice */
    uint32_t next;
    uint8_t commands; /* column commands that are left */
    uint8_t slice, bank;
    uint8_t sectors; /* and SMRF_DRAM_WRITES */
};

struct smrf_dram_list {
    uint32_t head, tail;
};

/* The command that a bank's request needs next. */
enum smrf_dram_need {
    SMRF_DRAM_ACTIVATE,
    SMRF_DRAM_PRECHARGE,
    SMRF_DRAM_READ,
    SMRF_DRAM_WRITE,
    SMRF_DRAM_NEEDS
};

struct SMRF_LINE_ALIGNED smrf_dram_bank {
    uint64_t row; /* open row */
    /* First DRAM cycle for each command, by the bank's own timing. */
    uint64_t activate, read, write, precharge;
    uint64_t ready;                /* when it allows the command that its request needs */
    uint32_t current;              /* request it works on, SMRF_DRAM_NONE if none */
    struct smrf_dram_list waiting; /* in the window, oldest first */
    bool open;                     /* a row is open */
    bool hit;                      /* it was the right one when the bank took its request */
    uint8_t group;
};

struct smrf_dram_group {
    uint64_t column, precharge; /* first cycle for a command in the group */
};

/* A credit that comes back to the channel (dram_take.h). */
struct smrf_dram_back {
    uint64_t cycle; /* DRAM cycle */
    uint32_t slice; /* of the channel's */
};

struct smrf_dram_channel {
    uint64_t now; /* first DRAM cycle not yet decided */
    /* First DRAM cycle for a command in any bank: read or write, each of them, activation. */
    uint64_t column, read, write, activate;
    uint64_t asked;     /* first DRAM cycle for the head of any slice's queue */
    uint64_t take_from; /* first DRAM cycle in which a head may be taken, given the earlier ones */
    uint64_t entering;  /* the same for the first request between the queues and the window, if the
                           window has room */
    uint64_t command;   /* first DRAM cycle in which a bank may have its command */
    uint64_t due;       /* bit b: bank b may have it then */
    uint64_t pending;   /* bit b: bank b has requests in the window, and works on none */
    uint64_t need[SMRF_DRAM_NEEDS]; /* bit b: bank b works on a request that needs this now */
    uint64_t ripe;                  /* bit b: bank b also allows it */
    uint64_t full_from;             /* when the window became full */
    uint64_t last;                  /* the last DRAM cycle with something to do */
    uint64_t
        known;     /* sectors that come to a slice before this core cycle have been entered there */
    uint32_t room; /* requests that the window can take yet */
    uint32_t shared_out;            /* shared credits that are in use */
    uint32_t back_first, back_last; /* credits that come back: numbers in the ring below */
    struct smrf_dram_back *back;    /* [backs + 1] a ring */
    uint32_t turn;                  /* bank to look at first */
    uint32_t served;                /* slice that was served last, of the channel's */
    uint32_t column_group;          /* of the last column command */
    uint32_t frees, fresh;          /* requests: number of freed ones; number ever used */
    uint32_t *free; /* [frees], the last one first, so that taking one needs no look-up */
    bool writing;   /* direction of the last column command */
    struct smrf_dram_list latency; /* between the queues and the window */
    struct smrf_dram_group group[SMRF_DRAM_MAX_GROUPS];
    struct smrf_dram_port *port; /* of its slices */
    struct smrf_dram_bank bank[SMRF_DRAM_MAX_BANKS];
};

/* A slice's side of its channel. */
struct smrf_dram_port {
    struct smrf_dram_list queue; /* asked for */
    uint64_t asked;   /* DRAM cycle in which the first one may go on, SMRF_NEVER if empty */
    uint64_t entered; /* core cycle in which the last one entered */
    struct smrf_dram_list filled; /* sectors read, in ascending order of time */
    uint64_t arrival; /* core cycle in which the first one arrives, SMRF_NEVER if empty */
    uint64_t line;    /* whose place is known, a number within the slice */
    uint64_t row;     /* its row */
    uint16_t bank;
    uint16_t queued;  /* requests in the queue, and misses on the way to it */
    bool own_out;     /* its own credit is in use */
    uint32_t channel; /* of the slice */
};

struct smrf_dram_stats {
    uint64_t reads, writes, row_hits, row_misses, activations, precharges, turnarounds,
        queue_full_cycles;
};

struct smrf_dram {
    const struct smrf_memory_config *cfg;
    const struct smrf_map *map;
    uint64_t core_khz, dram_khz;              /* without their common divisor */
    struct smrf_clock_sum core_sum, dram_sum; /* dram.summed_clocks */
    uint32_t spacing, group_spacing;          /* of column commands */
    uint32_t bursts, sectors;                 /* column commands a sector, sectors a command */
    uint8_t commands[SMRF_LINE_BYTES / SMRF_SECTOR_BYTES +
                     1]; /* commands for a number of sectors of a line */
    uint32_t data;       /* cycles of a command's data */
    uint32_t read_to_write, write_to_read, write_to_precharge, activate_to_write;
    uint32_t shared;                         /* credits that a channel's slices share */
    uint32_t backs;                          /* of a channel's ring of them, less one: a mask */
    uint32_t requests;                       /* of a channel */
    uint64_t all_banks;                      /* a bit a bank */
    uint64_t banks_of[SMRF_DRAM_MAX_GROUPS]; /* of a group, a bit each */
    struct smrf_dram_request *request;       /* [channel][requests] */
    uint32_t *free;                          /* [channel][requests] */
    struct smrf_dram_back *back;             /* [channel][backs + 1] */
    struct smrf_dram_port *port;
    struct smrf_dram_channel *channel;
    void (*expect)(void *ctx, uint32_t slice, uint64_t tag); /* NULL: no early notice */
    void *expect_ctx;
    struct smrf_dram_stats stats;
};

/* Lists of requests, for dram.c and dram_channel.c. Whether one is empty is as good as random:
 * nothing branches on it. */
static inline void smrf_dram_append(struct smrf_dram *d, struct smrf_dram_list *list, uint32_t r)
{
    const bool empty = list->head == SMRF_DRAM_NONE;

    d->request[smrf_select(empty, r, list->tail)].next = r;
    d->request[r].next = SMRF_DRAM_NONE;
    list->head = smrf_select(empty, r, list->head);
    list->tail = r;
}

static inline uint32_t smrf_dram_pop(struct smrf_dram *d, struct smrf_dram_list *list)
{
    uint32_t r = list->head;

    list->head = d->request[r].next;
    return r;
}

/* The first of a list may go on in this cycle; SMRF_NEVER: it is empty. */
static inline uint64_t smrf_dram_first(const struct smrf_dram *d, const struct smrf_dram_list *list)
{
    const bool empty = list->head == SMRF_DRAM_NONE;

    return smrf_select64(empty, SMRF_NEVER, d->request[smrf_select(empty, 0, list->head)].cycle);
}

static inline void smrf_dram_give_back(struct smrf_dram_channel *ch, uint32_t r)
{
    ch->free[ch->frees++] = r;
}

/* Clocks: DRAM cycle n begins at core time n x core_khz / dram_khz; where it begins with a core
 * cycle, it goes first, unless dram.summed_clocks makes it late. The slices, whose core cycle t
 * follows the network's by one, see what happened before the begin of t + 1. */

/* The DRAM cycle that begins with core cycle `core` goes behind it. */
bool smrf_dram_late(const struct smrf_dram *d, uint64_t core);

/* First DRAM cycle behind the begin of core cycle `core`. */
static inline uint64_t smrf_dram_after(const struct smrf_dram *d, uint64_t core)
{
    const uint64_t scaled = core * d->dram_khz, before = scaled / d->core_khz;

    return before + 1 -
           (d->cfg->dram.summed_clocks && before * d->core_khz == scaled &&
            smrf_dram_late(d, core));
}

/* The core cycle that begins with DRAM cycle n or next behind it. */
static inline uint64_t smrf_dram_core(const struct smrf_dram *d, uint64_t n)
{
    const uint64_t scaled = n * d->core_khz, core = (scaled + d->dram_khz - 1) / d->dram_khz;

    return core +
           (d->cfg->dram.summed_clocks && core * d->dram_khz == scaled && smrf_dram_late(d, core));
}

/* First cycle of the slices that sees what DRAM cycle n does. */
static inline uint64_t smrf_dram_seen(const struct smrf_dram *d, uint64_t n)
{
    const uint64_t core = smrf_dram_core(d, n);
    return core ? core - 1 : 0;
}

size_t smrf_dram_bytes(const struct smrf_memory_config *cfg);
void smrf_dram_init(struct smrf_dram *d, void *storage, const struct smrf_memory_config *cfg,
                    const struct smrf_map *map);
void smrf_dram_reset(struct smrf_dram *d);

/* Call `expect` when it is known that the sector that was requested with `tag` will come to a
 * slice. */
static inline void smrf_dram_tell_ahead(struct smrf_dram *d, void *ctx,
                                        void (*expect)(void *ctx, uint32_t slice, uint64_t tag))
{
    d->expect = expect;
    d->expect_ctx = ctx;
}

/* Slice `slice` requests in core cycle `cycle` that a sector is read; `tag` comes back with it.
 * Precondition: its queue is not full, it has at most l2.mshrs reads under way. */
void smrf_dram_read(struct smrf_dram *d, uint32_t slice, uint64_t local, uint64_t tag,
                    uint64_t cycle);

/* The same for writing dirty sectors of a line. */
void smrf_dram_write(struct smrf_dram *d, uint32_t slice, uint64_t local, uint32_t sectors,
                     uint64_t cycle);

/* Misses of a slice that are on the way to its queue when it makes an access in core cycle `cycle`:
 * one comes to the queue in a cycle. */
static inline uint32_t smrf_dram_misses(const struct smrf_dram *d, uint32_t slice, uint64_t cycle)
{
    const uint64_t entered = d->port[slice].entered;

    return entered > cycle + 1 ? (uint32_t)(entered - cycle - 1) : 0;
}

/* May a slice ask for more then? */
static inline bool smrf_dram_room(const struct smrf_dram *d, uint32_t slice, uint64_t cycle)
{
    const uint32_t misses = smrf_dram_misses(d, slice, cycle);

    return d->port[slice].queued < SMRF_DRAM_SLICE_QUEUE + misses &&
           misses < SMRF_DRAM_MISS_QUEUE - 1;
}

/* It may not, and the channel has been simulated up to there: no miss meets a full queue. */
static inline void smrf_dram_wait(struct smrf_dram *d, uint32_t slice, uint64_t cycle)
{
    struct smrf_dram_port *port = &d->port[slice];

    if (port->queued > SMRF_DRAM_SLICE_QUEUE + smrf_dram_misses(d, slice, cycle)) {
        port->entered = cycle + 1 + (port->queued - SMRF_DRAM_SLICE_QUEUE);
    }
}

/* First DRAM cycle in which a channel has something to do. */
uint64_t smrf_dram_next(const struct smrf_dram *d, uint32_t channel);

/* Simulates a channel's DRAM cycles before `end`. Everything that a slice sees in core cycle t has
 * happened once the cycles before smrf_dram_after(t + 1) are simulated. Sectors read are entered at
 * their slice ahead of time: all that arrive before core cycle channel->known. */
void smrf_dram_run(struct smrf_dram *d, uint32_t channel, uint64_t end);

/* First core cycle in which a sector that has been read comes to a slice, SMRF_NEVER if none
 * does. */
static inline uint64_t smrf_dram_arrival(const struct smrf_dram *d, uint32_t slice)
{
    return d->port[slice].arrival;
}

/* Take it: returns its tag. Precondition: one comes. */
uint64_t smrf_dram_fetch(struct smrf_dram *d, uint32_t slice);

#ifdef __cplusplus
}
#endif

#endif
