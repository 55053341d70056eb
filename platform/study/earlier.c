/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "earlier.h"

#include "models/seam/mechanism.h"
#include "platform/config/config.h"
#include "traces/trace.h"

#include "smrf_version.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

/* The program is newer: built anew from the same commit, it may be another one all the same. */
static bool is_outdated_(const struct smrf_job *job)
{
    struct stat own, program;
    return stat(job->output, &own) != 0 || stat("/proc/self/exe", &program) != 0 ||
           program.st_mtim.tv_sec > own.st_mtim.tv_sec ||
           (program.st_mtim.tv_sec == own.st_mtim.tv_sec &&
            program.st_mtim.tv_nsec > own.st_mtim.tv_nsec);
}

bool smrf_study_trace_is_good(void *ctx, const struct smrf_job *job, bool fresh)
{
    (void)ctx;
    return fresh || !is_outdated_(job);
}

/* ---- the trace ------------------------------------------------------------------------------- */

/* Digest of all that a trace holds, 0 where it cannot be read. */
static uint64_t digest_(const char *path)
{
    struct smrf_trace *trace = NULL;
    struct smrf_kernel_info info;
    struct smrf_trace_block *block;
    int got = smrf_trace_open(&trace, path, NULL);
    while (got >= 0 && (got = smrf_trace_next_kernel(trace, &info)) > 0) {
        while ((got = smrf_trace_next_block(trace, &block)) > 0) {
            smrf_trace_release_block(trace, block);
        }
    }
    uint64_t digest = got == 0 ? smrf_trace_totals_get(trace)->digest : 0;
    if (trace) {
        smrf_trace_close(trace);
    }
    return digest;
}

static uint64_t digest_of_(struct smrf_study *s, const char *path)
{
    for (size_t i = 0; i < s->num_bench; i++) {
        struct smrf_study_bench *b = &s->bench[i];
        if (strcmp(b->trace, path) == 0) {
            b->digest = b->digest ? b->digest : digest_(path);
            return b->digest;
        }
    }
    return 0;
}

/* ---- the document ---------------------------------------------------------------------------- */

static bool is_text_(const json_t *object, const char *key, const char *text)
{
    const char *own = json_string_value(json_object_get(object, key));
    return own && text && strcmp(own, text) == 0;
}

static bool is_of_(const json_t *provenance, uint64_t digest)
{
    char text[24];
    snprintf(text, sizeof text, "0x%016" PRIx64, digest);
    return digest && is_text_(provenance, "trace_digest", text);
}

/* The configuration that the job's arguments ask for, as smrf run puts it together. */
static int configure_(const struct smrf_job *job, struct smrf_config *cfg, const char **preset,
                      const char **mechanism)
{
    const char *set[SMRF_JOB_ARGS];
    size_t sets = 0;
    *preset = *mechanism = NULL;
    for (size_t i = 0; i + 1 < SMRF_JOB_ARGS && job->arg[i] && job->arg[i + 1]; i++) {
        if (strcmp(job->arg[i], "--preset") == 0) {
            *preset = job->arg[i + 1];
        } else if (strcmp(job->arg[i], "--mechanism") == 0) {
            *mechanism = job->arg[i + 1];
        } else if (strcmp(job->arg[i], "--set") == 0) {
            set[sets++] = job->arg[i + 1];
        }
    }
    const struct smrf_mechanism *m = *mechanism ? smrf_mechanism_find(*mechanism) : NULL;
    int err = m && *preset ? smrf_preset_apply(cfg, *preset, NULL) : SMRF_ERR_UNKNOWN;
    for (size_t i = 0; !err && m->defaults && m->defaults[i]; i++) {
        err = smrf_config_set_pairs(cfg, &m->defaults[i], 1, "", NULL);
    }
    return err ? err : smrf_config_set_pairs(cfg, set, sets, "", NULL);
}

static bool is_value_(const json_t *value, const struct smrf_config *cfg, size_t i)
{
    char text[256];
    switch (smrf_param_type(smrf_param_at(i))) {
    case SMRF_PARAM_NUM:
        return json_is_integer(value) && json_integer_value(value) == smrf_config_get(cfg, i);
    case SMRF_PARAM_FLAG:
        return json_is_boolean(value) && json_is_true(value) == (smrf_config_get(cfg, i) != 0);
    default:
        smrf_config_text(cfg, i, text, sizeof text);
        return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
    }
}

/* A whole run on that machine. */
static bool is_run_(const json_t *root, const json_t *provenance, const struct smrf_job *job)
{
    struct smrf_config cfg;
    const char *preset, *mechanism;
    const json_t *config = json_object_get(provenance, "config");
    bool same = json_is_false(json_object_get(root, "partial")) &&
                configure_(job, &cfg, &preset, &mechanism) == SMRF_OK &&
                is_text_(provenance, "preset", preset) &&
                is_text_(provenance, "mechanism", mechanism) &&
                json_is_null(json_object_get(provenance, "mechanism_table")) &&
                json_is_null(json_object_get(provenance, "reuse_file")) &&
                json_object_size(config) == smrf_param_count();
    for (size_t i = 0; same && i < smrf_param_count(); i++) {
        same = is_value_(json_object_get(config, smrf_param_at(i)->key), &cfg, i);
    }
    return same;
}

bool smrf_study_run_is_good(void *ctx, const struct smrf_job *job, bool fresh)
{
    size_t last = 0;
    while (last + 1 < SMRF_JOB_ARGS && job->arg[last + 1]) {
        last++; /* the trace is the last argument */
    }
    json_t *root = fresh || !is_outdated_(job) ? json_load_file(job->output, 0, NULL) : NULL;
    const json_t *provenance = json_object_get(root, "provenance");
    bool good = is_text_(provenance, "version", SMRF_VERSION) &&
                is_text_(provenance, "commit", SMRF_COMMIT) &&
                (strcmp(job->arg[0], "run") == 0 ? is_run_(root, provenance, job)
                                                 : json_object_get(root, "reuses") != NULL) &&
                (fresh || is_of_(provenance, digest_of_(ctx, job->arg[last])));
    json_decref(root);
    return good;
}
