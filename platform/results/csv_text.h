/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of CSV, RFC 4180. */
#ifndef SMRF_RESULTS_CSV_TEXT_H
#define SMRF_RESULTS_CSV_TEXT_H

#include <stdio.h>

/* Quoted where a reader could take the text for something else; with an apostrophe in front where a
 * spreadsheet would take it for a formula; bytes that are no UTF-8 as \xHH. */
void smrf_csv_text(FILE *out, const char *text);
/* Nine digits; nothing for NAN. */
void smrf_csv_number(FILE *out, double value);

#endif
