/* SPDX-License-Identifier: Apache-2.0 */
/* DRAM channels without their cycles: when a sector that is asked for comes, given when the window,
 * banks, their groups and the channel's buses are free. A bank opens rows in the order in which
 * they are asked for. A request for a row that is open, or that others in the window wait for,
 * joins these, as under FR-FCFS, and rows behind it are opened later. Each bus carries as many
 * commands as in dram.h, but one that waits for its row keeps no later one from it. Reads and
 * writes change direction in batches. Times are DRAM cycles, as in dram.h. */
#ifndef SMRF_MEMORY_DRAM_ESTIMATE_H
#define SMRF_MEMORY_DRAM_ESTIMATE_H

#include "models/memory/dram.h"
#include "models/memory/under_way.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_DRAM_ROWS 16 /* of a bank, that are kept in mind */
/* Cycles of the data bus that an activation costs: the scheduler's search for it leaves out banks.
 * Fitted to programs that keep DRAM busy with many rows. */
#define SMRF_DRAM_BUBBLE 2
#define SMRF_DRAM_BATCH 2 /* requests a bank of either direction between its changes */

/* A row of a bank, since it was opened, or is to be opened, last. */
struct smrf_row_times {
    uint64_t row;      /* SMRF_NEVER: none */
    uint64_t opened;   /* cycle of its activation */
    uint64_t column;   /* first cycle for a command to its columns */
    uint64_t commands; /* such commands */
    uint64_t last;     /* the last of them, if no other bank used the buses */
    uint64_t pending;  /* the last of them */
    uint64_t tail;     /* cycles from the last to the precharge */
};

struct smrf_bank_times {
    uint32_t newest;
    struct smrf_row_times row[SMRF_DRAM_ROWS];
};

/* First cycles: for taking another request from its slices, for an activation in any bank, for a
 * column command in any bank, and in a group. */
struct smrf_channel_times {
    uint64_t taken, activate, column;
    uint64_t group[SMRF_DRAM_MAX_GROUPS];
    struct smrf_under_way window; /* requests that the scheduler chooses from */
    uint32_t reads, writes;       /* requests since the last change of direction and back */
    struct smrf_bank_times bank[SMRF_DRAM_MAX_BANKS];
};

struct smrf_dram_estimate {
    struct smrf_dram *dram; /* its parameters and statistics */
    uint64_t latency;       /* from the slices' queues to the window */
    uint32_t window;        /* requests in it at most */
    struct smrf_channel_times *channel;
};

size_t smrf_dram_estimate_bytes(const struct smrf_memory_config *cfg);
/* Lay out `storage`; a reset follows. */
void smrf_dram_estimate_init(struct smrf_dram_estimate *e, void *storage, struct smrf_dram *dram);
void smrf_dram_estimate_reset(struct smrf_dram_estimate *e);

/* A slice asks in core cycle `cycle` for a sector. Returns the core cycle in which it comes. */
uint64_t smrf_dram_estimate_read(struct smrf_dram_estimate *e, uint32_t slice, uint64_t local,
                                 uint64_t cycle);
/* A slice has dirty sectors of a line written. Returns the core cycle in which they have been. */
uint64_t smrf_dram_estimate_write(struct smrf_dram_estimate *e, uint32_t slice, uint64_t local,
                                  uint32_t sectors, uint64_t cycle);

#ifdef __cplusplus
}
#endif

#endif
