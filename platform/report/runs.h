/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of an experiment as data of the page, for its tables. */
#ifndef SMRF_REPORT_RUNS_H
#define SMRF_REPORT_RUNS_H

#include "data.h"

#include <stdio.h>

/* A JSON document inside a script element: traces [name, group, path]; variants [name, mechanism,
 * settings, words of a command]; columns, names of numbers; runs [variant, trace, state, numbers..]
 * with state 0: whole, 1: failed, 2: not run yet; left_out: runs that are too many for a page. */
void smrf_runs_write(struct smrf_data *d, FILE *out);

#endif
