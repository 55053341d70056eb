/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of tables: legend inside; colours that the colour-blind can distinguish, and shapes
 * beside them. */
#ifndef SMRF_REPORT_SVG_H
#define SMRF_REPORT_SVG_H

#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_SVG_NARROW 380.0 /* a telephone shows it at full size */
#define SMRF_SVG_WIDE 620.0   /* half of a screen */

/* Why a plot that is wanted cannot be drawn, in the table's pool. NULL: it can. */
const char *smrf_svg_hindrance(const struct smrf_table *t);
/* Is a plot wanted, and can it be drawn? */
bool smrf_svg_can(const struct smrf_table *t);
/* An <svg> element, of the width. alone: a file of its own, with its styles. */
void smrf_svg_write(const struct smrf_table *t, double width, bool alone, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
