/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of tables: 380 units wide, which a telephone shows at full size; legend inside; colours
 * that the colour-blind can distinguish, and shapes beside them. */
#ifndef SMRF_REPORT_SVG_H
#define SMRF_REPORT_SVG_H

#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Can it be drawn: a plot is wanted, and there is something to draw? */
bool smrf_svg_can(const struct smrf_table *t);
/* An <svg> element of its own. */
void smrf_svg_write(const struct smrf_table *t, FILE *out);
/* A text with what HTML and XML want escaped. */
void smrf_html_text(FILE *out, const char *text);

#ifdef __cplusplus
}
#endif

#endif
