/* SPDX-License-Identifier: Apache-2.0 */
/* Controller of STHLD, the cycles that a collector with near values is kept from other warps: one
 * register with the last interval's instructions and a state machine. At the end of every interval
 * it compares the interval with the one before (small or large relative change) and moves STHLD.
 *
 * The machine is a table, state x change -> next state and delta, that a user may replace by a
 * text:
 *
 *   # comment              | states 1..16, `start` names the first
 *   start 1                | change: small, large, or * for both
 *   1 *     2 +8           | delta: a whole number, or `undo`: add back what the last decrement
 *   5 small 6 undo         |   really took off (a decrement that the floor 0 swallowed adds
 *   nothing)
 *
 * Source: Malekeh (long) IV-B3, Fig. 8 and 9; edges and deltas reconstructed, see README. */
#ifndef SMRF_STHLD_H
#define SMRF_STHLD_H

#include "models/common/smrf_err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_STHLD_STATES 16
#define SMRF_STHLD_UNDO INT16_MIN /* delta: add back the last decrement */

enum smrf_sthld_change { SMRF_STHLD_SMALL, SMRF_STHLD_LARGE, SMRF_STHLD_CHANGES };

struct smrf_sthld_edge {
    uint8_t next; /* state 1..SMRF_STHLD_STATES; 0 = the state does not exist */
    int16_t delta;
};

struct smrf_sthld_table {
    uint8_t start;
    struct smrf_sthld_edge edge[SMRF_STHLD_STATES + 1][SMRF_STHLD_CHANGES];
};

struct smrf_sthld_config {
    struct smrf_sthld_table table;
    uint32_t threshold; /* relative change that is still small, in 1/10000 */
    uint32_t first;     /* STHLD at the start */
    uint32_t max;       /* STHLD stays within 0..max */
    bool only_drops;    /* a rise is never large */
    bool count_idle;    /* an interval without an instruction is compared as well */
};

struct smrf_sthld {
    const struct smrf_sthld_config *cfg;
    uint64_t before;    /* instructions of the interval before */
    uint32_t value;     /* STHLD now */
    uint32_t decrement; /* what the last step took off */
    uint8_t state;
    bool large; /* the last comparison */
};

/* The table of the reconstruction with its three deltas: climb, back (rollback), fine. */
void smrf_sthld_default_table(struct smrf_sthld_table *table, int climb, int back, int fine);

/* Read a table from text. Returns 0, or SMRF_ERR_FORMAT with *line (from 1; 0 = the whole) and
 * *why. */
int smrf_sthld_read_table(struct smrf_sthld_table *table, const char *text, size_t size,
                          unsigned *line, const char **why);

int smrf_sthld_config_check(const struct smrf_sthld_config *cfg);
int smrf_sthld_init(struct smrf_sthld *s, const struct smrf_sthld_config *cfg);
/* Back to the start state; forgets the interval before. */
void smrf_sthld_reset(struct smrf_sthld *s);
/* An interval has ended, with `insts` instructions. Returns whether it was evaluated. */
bool smrf_sthld_step(struct smrf_sthld *s, uint64_t insts);

#ifdef __cplusplus
}
#endif

#endif
