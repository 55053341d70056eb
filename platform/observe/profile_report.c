/* SPDX-License-Identifier: Apache-2.0 */
#include "profile_report.h"

#include <inttypes.h>
#include <string.h>

const struct smrf_profile_kernel *smrf_profile_kernel_named(const struct smrf_profile_run *run,
                                                            const char *name)
{
    for (size_t k = 0; k < run->num_kernels; k++) {
        if (strcmp(run->kernel[k].name, name) == 0) {
            return &run->kernel[k];
        }
    }
    return NULL;
}

const struct smrf_profile_inst *smrf_profile_inst_like(const struct smrf_profile_kernel *k,
                                                       const struct smrf_profile_inst *like)
{
    for (size_t i = 0; k && i < k->num_inst; i++) {
        if (k->inst[i].own == like->own && k->inst[i].pc == like->pc) {
            return &k->inst[i];
        }
    }
    return NULL;
}

int smrf_profile_place(const struct smrf_profile_inst *i, char *text, size_t size)
{
    const char *slash = i->file ? strrchr(i->file, '/') : NULL;
    const char *file = slash && slash[1] ? slash + 1 : i->file;
    return !i->line ? snprintf(text, size, "-")
           : file   ? snprintf(text, size, "%.60s:%" PRIu32, file, i->line)
                    : snprintf(text, size, "%" PRIu32, i->line);
}
