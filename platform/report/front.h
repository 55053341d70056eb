/* SPDX-License-Identifier: Apache-2.0 */
/* The front page over several studies: every claim of every paper, with its verdict. */
#ifndef SMRF_REPORT_FRONT_H
#define SMRF_REPORT_FRONT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Write the page `path` from the study.json of each folder; it refers to their report.html as seen
 * from the present folder. Returns 0 or an error with text. */
int smrf_front_write(const char *path, char *const *folders, size_t count, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
