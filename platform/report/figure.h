/* SPDX-License-Identifier: Apache-2.0 */
/* A figure as data: page/plot.js draws it from that. */
#ifndef SMRF_REPORT_FIGURE_H
#define SMRF_REPORT_FIGURE_H

#include "table.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why a plot that is wanted cannot be drawn, in the table's pool. NULL: it can. */
const char *smrf_figure_hindrance(const struct smrf_table *t);
/* Is a plot wanted, and can it be drawn? */
bool smrf_figure_can(const struct smrf_table *t);
/* At most 7 digits, all of a number of a million and more; null: there is none. */
json_t *smrf_figure_number(double value);
/* What is drawn: the plot, its texts and options, and the rows with the columns that it shows. */
json_t *smrf_figure_json(const struct smrf_table *t);

#ifdef __cplusplus
}
#endif

#endif
