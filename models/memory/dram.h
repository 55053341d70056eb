/* SPDX-License-Identifier: Apache-2.0 */
/* DRAM channels: a request from an L2 slice takes dram.latency core cycles to its channel, waits
 * for room in the channel's window of dram.queue requests, and is scheduled first-ready,
 * first-come, first-served: a bank that has finished a request takes the oldest one of the window
 * that its open row holds, else its oldest. A channel gives at most one command (precharge,
 * activate, read, write) in a DRAM cycle: of those that the timing allows, column commands first,
 * then the bank next behind the one served last. After dram.queue column commands in one direction,
 * the other direction goes first wherever a row is open for it, so that neither starves.
 *
 * Source: Accel-Sim dram_t and frfcfs_scheduler (timing counters, commit of a bank to a request,
 * single command bus); the limit on one direction is ours.
 *
 * Time inside is DRAM command cycles; cycle d of the channel begins at core time d x core_khz /
 * dram_khz, kept as a ratio of integers. */
#ifndef SMRF_MEMORY_DRAM_H
#define SMRF_MEMORY_DRAM_H

#include "memory_config.h"

#include "models/common/smrf_types.h"
#include "models/memory/map.h"
#include "models/memory/wheel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_DRAM_NONE UINT32_MAX
#define SMRF_DRAM_MAX_BANKS 64
#define SMRF_DRAM_MAX_GROUPS 16
/* Core cycles from the last data beat to the slice: Accel-Sim's DRAM return queue and queue to L2,
 * one each. */
#define SMRF_DRAM_RETURN 2u
/* Sector writes that a slice may have under way (Accel-Sim dram_partition_queues). */
#define SMRF_DRAM_SLICE_WRITES 64u

/* One sector to read or write. */
struct smrf_dram_request {
    uint64_t address; /* within its slice */
    uint64_t row;
    uint64_t cycle; /* DRAM cycle in which it may enter the window; done: core cycle at the slice */
    uint32_t next;
    uint8_t slice, bank;
    bool write;
};

struct smrf_dram_list {
    uint32_t head, tail;
};

struct smrf_dram_bank {
    uint64_t row; /* open row */
    /* First DRAM cycle for each command, as far as the bank itself is concerned. */
    uint64_t activate, read, write, precharge;
    uint32_t current;              /* request it works on, SMRF_DRAM_NONE if none */
    bool open;                     /* a row is open */
    bool hit;                      /* it was the right one when the bank took its request */
    struct smrf_dram_list waiting; /* in the window, oldest first */
};

struct smrf_dram_group {
    uint64_t column, precharge; /* first cycle for a command in the group */
};

struct smrf_dram_channel {
    uint64_t now; /* first DRAM cycle not yet decided */
    /* First DRAM cycle for a command in any bank: read or write, each of them, activation. */
    uint64_t column, read, write, activate;
    uint64_t full_from; /* when the window became full */
    uint64_t wake;      /* core cycle of its next entry in the calendar */
    /* Bit b: bank b needs that command for its request. */
    uint64_t to_precharge, to_activate, to_read, to_write;
    uint32_t count;              /* requests in the window */
    uint32_t turn;               /* bank to look at first */
    uint32_t run;                /* column commands in this direction */
    bool writing;                /* direction of the last column command */
    struct smrf_dram_list input; /* not yet in the window */
    struct smrf_dram_group group[SMRF_DRAM_MAX_GROUPS];
    uint64_t ready[SMRF_DRAM_MAX_BANKS]; /* what its bank says about the command it needs */
    struct smrf_dram_bank bank[SMRF_DRAM_MAX_BANKS];
};

/* What a slice gets back, each in ascending order of time. */
struct smrf_dram_port {
    struct smrf_dram_list filled; /* reads */
    struct smrf_dram_list stored; /* writes */
    uint32_t writes;              /* under way */
    bool awaits_store;            /* wake the slice when a write is done */
};

struct smrf_dram_stats {
    uint64_t reads, writes, row_hits, row_misses, precharges, turnarounds, queue_full_cycles;
};

struct smrf_dram {
    const struct smrf_memory_config *cfg;
    const struct smrf_map *map;
    struct smrf_wheel *slices;             /* whom to wake when data is there */
    uint64_t core_khz, dram_khz;           /* without their common divisor */
    uint32_t spacing, group_spacing, data; /* of the column commands of one sector */
    uint32_t read_to_write, write_to_read, write_to_precharge, activate_to_write;
    uint64_t all_banks;                 /* a bit a bank */
    uint8_t group[SMRF_DRAM_MAX_BANKS]; /* of a bank */
    uint32_t free, fresh;               /* pool: list of used ones, then never used ones */
    struct smrf_wheel wheel;
    struct smrf_dram_request *request;
    struct smrf_dram_port *port;
    struct smrf_dram_channel *channel;
    struct smrf_dram_stats stats;
};

/* Lists of requests, for dram.c and dram_channel.c. */
static inline void smrf_dram_append(struct smrf_dram *d, struct smrf_dram_list *list, uint32_t r)
{
    d->request[r].next = SMRF_DRAM_NONE;
    if (list->head == SMRF_DRAM_NONE) {
        list->head = r;
    } else {
        d->request[list->tail].next = r;
    }
    list->tail = r;
}

static inline uint32_t smrf_dram_pop(struct smrf_dram *d, struct smrf_dram_list *list)
{
    uint32_t r = list->head;

    list->head = d->request[r].next;
    return r;
}

/* dram_channel.c, for dram.c: decide the commands of a channel before DRAM cycle `end`, and enter
 * the channel in the calendar for the next one. */
void smrf_dram_run_channel(struct smrf_dram *d, uint32_t channel, uint64_t end);

size_t smrf_dram_bytes(const struct smrf_memory_config *cfg);
void smrf_dram_init(struct smrf_dram *d, void *storage, const struct smrf_memory_config *cfg,
                    const struct smrf_map *map, struct smrf_wheel *slices);
void smrf_dram_reset(struct smrf_dram *d);

/* Slice `slice` asks in core cycle `cycle` for a sector to be read or written. Precondition: it has
 * at most l2.mshrs reads and fewer than SMRF_DRAM_SLICE_WRITES writes under way. */
void smrf_dram_push(struct smrf_dram *d, uint32_t slice, uint64_t local, bool write,
                    uint64_t cycle);

/* First core cycle in which a channel has something to decide. */
static inline uint64_t smrf_dram_next(const struct smrf_dram *d)
{
    return smrf_wheel_next(&d->wheel);
}

/* Carry out core cycle `cycle`: decide every command that starts before the end of core cycle
 * `cycle` + dram.latency in the channels that are due. No later request can change those. Called
 * before the slices carry out the same cycle. */
void smrf_dram_cycle(struct smrf_dram *d, uint64_t cycle);

/* Next sector read for a slice that has arrived by `cycle`. Returns false if there is none. */
bool smrf_dram_filled(struct smrf_dram *d, uint32_t slice, uint64_t cycle, uint64_t *local);

/* Forget the writes of a slice that are done by `cycle`; returns how many are still under way. */
uint32_t smrf_dram_writes(struct smrf_dram *d, uint32_t slice, uint64_t cycle);

#ifdef __cplusplus
}
#endif

#endif
