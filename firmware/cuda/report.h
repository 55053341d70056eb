/* SPDX-License-Identifier: Apache-2.0 */
/* What a process of the program reports to the command that started it, as lines of key=value: the
 * sums, rewritten after each launch, then what happened. It is on the disk at any time, so that a
 * process that is killed has reported what it has done. */
#ifndef SMRF_CUDA_REPORT_H
#define SMRF_CUDA_REPORT_H

#include "firmware/capture/capture.h"

/* The file "<folder>/<number>/report". Without it the other calls do nothing. */
void smrf_cuda_report_open(const char *folder, unsigned number);
void smrf_cuda_report_line(const char *key, const char *value);
void smrf_cuda_report_sums(const struct smrf_capture_totals *written,
                           const struct smrf_exec_totals *executed);

#endif
