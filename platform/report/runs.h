/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of an experiment as data of the page, for its pictures and its tables. */
#ifndef SMRF_REPORT_RUNS_H
#define SMRF_REPORT_RUNS_H

#include "table.h"

#include <stdio.h>

/* A JSON document inside a script element: figures that are drawn (smrf_figure_json); traces [name,
 * group, path]; variants [name, mechanism, settings, words of a command]; columns, names of
 * numbers; runs [variant, trace, state, numbers..] with state 0: whole, 1: failed, 2: not run yet;
 * left_out: runs that are too many for a page. */
void smrf_runs_write(struct smrf_data *d, const struct smrf_tables *tables, FILE *out);

#endif
