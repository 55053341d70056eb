/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of CSV. */
#ifndef SMRF_REPORT_CSV_H
#define SMRF_REPORT_CSV_H

#include <stdio.h>

/* Quoted where it must be. */
void smrf_csv_text(FILE *out, const char *text);
/* Nine digits; nothing for NAN. */
void smrf_csv_number(FILE *out, double value);

#endif
