/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics by interval: of the whole machine, or of each SM, sub-core or bank. A row covers the
 * cycles behind the row before it, ends with its launch at the latest, and belongs to it: rows of
 * counts sum up to the launch's own. */
#ifndef SMRF_SERIES_H
#define SMRF_SERIES_H

#include "platform/counters/counters.h"

#include "platform/energy/energy.h"

#include <jansson.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_SERIES_INTERVAL 1000             /* cycles, where no other is wanted */
#define SMRF_SERIES_VALUES ((size_t)50000000) /* most of a run */
#define SMRF_SERIES_DEFAULT "instructions.warp,ipc,rf.*,issue.*"

struct smrf_series_row {
    uint32_t launch;   /* from 1 */
    uint64_t from, to; /* cycles that had passed before it, and at its end */
};

struct smrf_series {
    uint64_t interval;
    enum smrf_part part;
    size_t num_parts, num_columns, num_rows;
    struct smrf_series_row *row;
    double *value; /* [rows][parts][columns] */
    struct smrf_series_state *state;
};

struct smrf_series_wish {
    uint64_t interval; /* cycles, from 1 */
    enum smrf_part part;
    /* Of statistics, with commas between; * and ? stand for any letters. "energy.SET.COMPONENT" is
     * the energy of the interval in pJ, of the whole machine. */
    const char *names;
    const struct smrf_energy_set *const *energy; /* [num_energy]; NULL: the built-in sets */
    size_t num_energy;
};

/* Counters as of now are the beginning. *series NULL: out of memory, or text says what is wrong
 * with the wish (SMRF_ERR_INVAL). The machine outlives it. */
int smrf_series_create(struct smrf_series **series, const struct smrf_series_wish *wish,
                       const struct smrf_machine *machine, char *text, size_t size);
/* The part of this check that needs no machine: 0 or SMRF_ERR_INVAL with text. */
int smrf_series_check(const struct smrf_series_wish *wish, char *text, size_t size);
void smrf_series_free(struct smrf_series *series);

/* Everything up to and with `cycle` has happened, in the launch (from 1). Returns 0,
 * SMRF_ERR_NOMEM, or SMRF_ERR_LIMIT: more than SMRF_SERIES_VALUES. No cycles, no row. */
int smrf_series_take(struct smrf_series *series, uint32_t launch, uint64_t cycle);

const char *smrf_series_column(const struct smrf_series *series, size_t column);
bool smrf_series_is_count(const struct smrf_series *series, size_t column);
double smrf_series_value(const struct smrf_series *series, size_t row, size_t part, size_t column);

/* Tidy: launch,cycle,cycles,sm,subcore,bank,name,value; what a part does not have is empty. */
int smrf_series_csv(const struct smrf_series *series, FILE *out);
/* {"interval", "by", "columns": [launch, cycle, cycles, sm, subcore, bank, NAME..], "rows": [[..],
 * ..]}. NULL: out of memory. */
json_t *smrf_series_json(const struct smrf_series *series);

#ifdef __cplusplus
}
#endif

#endif
