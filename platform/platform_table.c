/* SPDX-License-Identifier: Apache-2.0 */
/* The C API: a table of the mechanism that the user replaces by a file. */
#define _POSIX_C_SOURCE 200809L
#include "platform_internal.h"

#include "traces/files/input_file.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define MOST_BYTES 65536

int smrf_platform_mechanism_table(struct smrf_platform *p, const char *path)
{
    const int bad = smrf_platform_need(p, path, "the path of a table");
    if (bad) {
        return bad;
    }
    char *text = NULL;
    size_t size = 0;
    if (p->state != SMRF_PLATFORM_OPEN) {
        return smrf_platform_fail(p, SMRF_ERR_STATE, "the platform has been built already");
    }
    char why[512];
    int err = smrf_input_read(path, MOST_BYTES, &text, &size, why, sizeof why);
    if (err) {
        return smrf_platform_fail(p, err, "%s", why);
    }
    char *name = strdup(path);
    if (!name) {
        free(text);
        return smrf_platform_fail(p, SMRF_ERR_NOMEM, "%s: out of memory", path);
    }
    free(p->table.text);
    free(p->table.path);
    p->table.text = text;
    p->table.path = name;
    p->table.size = size;
    return SMRF_OK;
}

int smrf_platform_apply_table(struct smrf_platform *p, void *mechanism_gpu)
{
    const struct smrf_gpu_seam *gpu = p->mechanism->gpu;
    const char *why = NULL;
    unsigned line = 0;
    if (!p->table.text) {
        return SMRF_OK;
    }
    if (!gpu || !gpu->table) {
        return smrf_platform_fail(p, SMRF_ERR_INVAL,
                                  "%s: the mechanism %s has no table to replace; leave it out",
                                  p->table.path, p->mechanism->name);
    }
    const struct smrf_mechanism_setup setup = smrf_mechanism_setup_of(&p->cfg, p->mechanism);
    if (!gpu->interval || gpu->interval(&setup) == 0) {
        return smrf_platform_fail(p, SMRF_ERR_INVAL,
                                  "%s: in this configuration %s never waits, so that nothing would "
                                  "look at the table; leave it out",
                                  p->table.path, p->mechanism->name);
    }
    int err = gpu->table(mechanism_gpu, p->table.text, p->table.size, &line, &why);
    if (err && line) {
        return smrf_platform_fail(p, err, "%s:%u: %s", p->table.path, line, why);
    }
    return err ? smrf_platform_fail(p, err, "%s: %s", p->table.path, why) : SMRF_OK;
}

uint64_t smrf_platform_table_digest(const struct smrf_platform *p)
{
    return p->table.text ? XXH3_64bits(p->table.text, p->table.size) : 0;
}
