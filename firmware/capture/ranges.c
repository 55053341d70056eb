/* SPDX-License-Identifier: Apache-2.0 */
#include "capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char *number_(const char *p, uint64_t *out)
{
    char *end;
    if (*p < '0' || *p > '9') {
        return NULL;
    }
    errno = 0;
    *out = strtoull(p, &end, 10);
    return errno == 0 ? end : NULL;
}

static int add_(struct smrf_capture_ranges *ranges, struct smrf_capture_range r)
{
    struct smrf_capture_range *grown = realloc(ranges->range, (ranges->num + 1) * sizeof *grown);
    if (grown == NULL) {
        return SMRF_ERR_NOMEM;
    }
    ranges->range = grown;
    ranges->range[ranges->num++] = r;
    return 0;
}

int smrf_capture_ranges_parse(struct smrf_capture_ranges *ranges, const char *text,
                              char error[SMRF_SASS_ERROR_BYTES])
{
    *ranges = (struct smrf_capture_ranges){0};
    for (const char *p = text;; p++) {
        struct smrf_capture_range r;
        const char *at = p;
        p = number_(p, &r.first);
        r.last = r.first;
        if (p != NULL && *p == '-') {
            p = number_(p + 1, &r.last);
        }
        if (p == NULL || (*p != ',' && *p != '\0') || r.last < r.first) {
            snprintf(error, SMRF_SASS_ERROR_BYTES,
                     "'%s' must be numbers and ascending ranges such as 0,3,8-15; wrong from '%s' "
                     "on",
                     text, at);
            smrf_capture_ranges_free(ranges);
            return SMRF_ERR_INVAL;
        }
        if (add_(ranges, r) != 0) {
            smrf_capture_ranges_free(ranges);
            snprintf(error, SMRF_SASS_ERROR_BYTES, "out of memory");
            return SMRF_ERR_NOMEM;
        }
        if (*p == '\0') {
            return 0;
        }
    }
}

bool smrf_capture_ranges_has(const struct smrf_capture_ranges *ranges, uint64_t value)
{
    for (size_t i = 0; i < ranges->num; i++) {
        if (value >= ranges->range[i].first && value <= ranges->range[i].last) {
            return true;
        }
    }
    return ranges->num == 0;
}

void smrf_capture_ranges_free(struct smrf_capture_ranges *ranges)
{
    free(ranges->range);
    *ranges = (struct smrf_capture_ranges){0};
}
