/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "programs.h"

#include "models/common/smrf_err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct programs {
    const char *what;
    smrf_cli_program_fn *visit;
    void *ctx;
    /* Visited so far: a kernel that is launched again has the same program. */
    struct seen {
        char *name;
    } * seen;
    size_t num_seen;
};

static bool seen_(const struct programs *o, const char *name)
{
    for (size_t i = 0; i < o->num_seen; i++) {
        if (strcmp(o->seen[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static int remember_(struct programs *o, const char *name)
{
    struct seen *grown = realloc(o->seen, (o->num_seen + 1) * sizeof *grown);
    if (grown == NULL) {
        return SMRF_ERR_NOMEM;
    }
    o->seen = grown;
    o->seen[o->num_seen].name = strdup(name);
    return o->seen[o->num_seen++].name != NULL ? 0 : SMRF_ERR_NOMEM;
}

static int kernel_(struct programs *o, const struct smrf_trace *trace,
                   const struct smrf_kernel_info *info)
{
    const struct smrf_operand_table *table = smrf_trace_program(trace);
    const struct smrf_flow_options options = {.binary_version = info->binary_version};
    struct smrf_flow_program *program = NULL;
    const char *reason = "there is no sidecar";
    int rc =
        table != NULL ? smrf_flow_build(&program, table, &options, &reason) : (int)SMRF_ERR_INVAL;
    if (rc == SMRF_ERR_INVAL) {
        fprintf(stderr,
                "smrf: %s: %s: %s needs the program, which a sidecar of version 2 has "
                "(docs/operands.md); 'smrf trace' writes one beside each trace file\n",
                info->file, reason, o->what);
        return SMRF_ERR_FORMAT;
    }
    if (rc != 0) {
        fprintf(stderr, "smrf: %s: %s\n", table->path, reason);
        return rc;
    }
    rc = remember_(o, info->name);
    rc = rc != 0 ? rc : o->visit(o->ctx, info, table, program, o->num_seen - 1);
    smrf_flow_free(program);
    return rc;
}

static int trace_(struct programs *o, const char *path)
{
    struct smrf_trace *trace = NULL;
    struct smrf_kernel_info info;
    bool told = false; /* what is wrong */
    int rc = smrf_trace_open(&trace, path, NULL);
    while (rc == 0 && (rc = smrf_trace_next_kernel(trace, &info)) > 0) {
        rc = seen_(o, info.name) ? 0 : kernel_(o, trace, &info);
        told = rc < 0;
    }
    if (rc < 0 && !told) {
        fprintf(stderr, "smrf: %s\n",
                rc == SMRF_ERR_NOMEM || !trace ? "out of memory" : smrf_trace_error(trace));
    }
    if (trace) {
        smrf_trace_close(trace);
    }
    return rc;
}

int smrf_cli_programs(char *const *paths, int num_paths, const char *what,
                      smrf_cli_program_fn *visit, void *ctx)
{
    struct programs o = {.what = what, .visit = visit, .ctx = ctx};
    int rc = 0;
    for (int i = 0; i < num_paths && rc == 0; i++) {
        rc = trace_(&o, paths[i]);
    }
    for (size_t i = 0; i < o.num_seen; i++) {
        free(o.seen[i].name);
    }
    free(o.seen);
    return rc;
}
