/* SPDX-License-Identifier: Apache-2.0 */
/* What an experiment leaves for people: report.html, one page that needs no other file; each
 * figure's numbers as <id>.csv; claims.csv; results.csv, every number; study.json. */
#ifndef SMRF_REPORT_WRITE_H
#define SMRF_REPORT_WRITE_H

#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_report_parts {
    const struct smrf_data *d;
    const struct smrf_tables *tables;
    const char *command; /* how to make it again */
    const char *version; /* of the program */
    bool alone;          /* the page is written without the files beside it */
};

/* Write all but results.csv. Each file appears when it is complete. Returns 0 or an error with
 * text. */
int smrf_report_all(const struct smrf_report_parts *r, char *text, size_t size);

/* For smrf_report_all. */
int smrf_report_page(FILE *out, const void *parts);

#ifdef __cplusplus
}
#endif

#endif
