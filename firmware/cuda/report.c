/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SUM_DIGITS 20 /* of any sum, so that the lines have the same length every time */

static int file_ = -1;
static off_t end_; /* of the lines */

static off_t put_(const char *text, int length, off_t at)
{
    return length > 0 && pwrite(file_, text, (size_t)length, at) == length ? at + length : at;
}

void smrf_cuda_report_open(const char *folder, unsigned number)
{
    char path[4200];
    (void)snprintf(path, sizeof path, "%s/%u/report", folder, number);
    file_ = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    smrf_cuda_report_sums(&(struct smrf_capture_totals){0}, &(struct smrf_exec_totals){0});
}

void smrf_cuda_report_line(const char *key, const char *value)
{
    char *line;
    const int length = file_ >= 0 ? asprintf(&line, "%s=%s\n", key, value) : -1;
    if (length >= 0) {
        end_ = put_(line, length, end_);
        free(line);
    }
}

void smrf_cuda_report_sums(const struct smrf_capture_totals *t, const struct smrf_exec_totals *e)
{
    const struct {
        const char *key;
        uint64_t value;
    } sums[] = {
        {"launches", t->launches},
        {"written_launches", t->written_launches},
        {"blocks", e->blocks},
        {"warps", e->warps},
        {"warp_insts", e->warp_insts},
        {"thread_insts", e->thread_insts},
        {"written_insts", t->written_insts},
        {"written_blocks", t->written_blocks},
        {"copies", t->copies},
        {"copied_bytes", t->copied_bytes},
    };
    char text[1024];
    int length = 0;
    for (size_t i = 0; file_ >= 0 && i < sizeof sums / sizeof *sums; i++) {
        length += snprintf(text + length, sizeof text - (size_t)length, "%s=%*" PRIu64 "\n",
                           sums[i].key, SUM_DIGITS, sums[i].value);
    }
    const off_t behind = put_(text, length, 0);
    end_ = end_ > behind ? end_ : behind;
}
