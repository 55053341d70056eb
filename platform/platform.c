/* SPDX-License-Identifier: Apache-2.0 */
/* The C API: life, configuration, traces, bindings. */
#define _POSIX_C_SOURCE 200809L
#include "platform_internal.h"

#include "guarded_engine.h"
#include "platform/crew/crew.h"
#include "platform/observe/profile.h"

#include "platform/config/internal.h"
#include "platform/config/suggest.h"
#include "smrf_version.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int smrf_platform_fail(struct smrf_platform *p, int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(p->error, sizeof p->error, fmt, args);
    va_end(args);
    return code;
}

int smrf_platform_need(struct smrf_platform *p, const void *argument, const char *what)
{
    return !smrf_handle_exists(p) ? SMRF_ERR_INVAL
           : argument             ? SMRF_OK
                      : smrf_platform_fail(p, SMRF_ERR_INVAL, "%s must not be NULL", what);
}

const char *smrf_platform_version(void)
{
    return SMRF_VERSION " (" SMRF_COMMIT ")";
}

const char *smrf_platform_error(const struct smrf_platform *p)
{
    return !p                       ? "the platform is NULL: smrf_platform_create makes one"
           : !smrf_handle_exists(p) ? "the platform does not exist: it has been destroyed, or "
                                      "smrf_platform_create did not make it"
           : p->error[0]            ? p->error
                                    : "no error";
}

int smrf_platform_create(struct smrf_platform **p)
{
    if (!p) {
        return SMRF_ERR_INVAL;
    }
    *p = calloc(1, sizeof **p);
    if (!*p) {
        return SMRF_ERR_NOMEM;
    }
    smrf_handle_add(&(*p)->handle, *p);
    snprintf((*p)->preset, sizeof(*p)->preset, "%s", SMRF_DEFAULT_PRESET);
    (*p)->mechanism = smrf_mechanism_find("baseline");
    (*p)->ops = &smrf_engine_systemc;
    (*p)->insts_limit = SMRF_NO_LIMIT;
    (*p)->end = "limit";
    while (((*p)->energy[(*p)->num_energy] = smrf_energy_set_at((unsigned)(*p)->num_energy))) {
        (*p)->num_energy++;
    }
    return smrf_preset_apply(&(*p)->cfg, (*p)->preset, NULL);
}

void smrf_platform_destroy(struct smrf_platform *p)
{
    if (!smrf_handle_remove(p)) {
        return;
    }
    if (p->engine) {
        smrf_guarded_destroy(p->ops, p->engine);
    }
    if (p->trace) {
        smrf_trace_close(p->trace);
    }
    for (int k = 0; k < SMRF_LAYER_COUNT; k++) {
        for (size_t i = 0; i < p->layer[k].count; i++) {
            free(p->layer[k].text[i]);
        }
        free(p->layer[k].text);
    }
    for (size_t i = 0; i < p->num_launches; i++) {
        free(p->launches[i].name);
    }
    free(p->launches);
    smrf_reuse_annotator_destroy(p->annotator);
    smrf_lookahead_destroy(p->lookahead);
    free(p->side_file);
    free(p->series);
    smrf_series_free(p->samples);
    smrf_profile_free(p->profile);
    free((char *)(size_t)p->wish.names);
    free(p->table.text);
    free(p->table.path);
    for (size_t i = 0; i < p->num_energy_own; i++) {
        free(p->energy_own[i]);
    }
    smrf_workload_free(&p->workload);
    if (p->binder) {
        p->drop_binder(p->binder);
    }
    free(p);
}

/* --- configuration ---------------------------------------------------------------------------- */

static int check_open_(struct smrf_platform *p)
{
    if (p->state == SMRF_PLATFORM_OPEN) {
        return SMRF_OK;
    }
    return smrf_platform_fail(p, SMRF_ERR_STATE,
                              "the platform has been built: configure it before the first run");
}

static void note_option_(void *user, const struct smrf_option_report *report)
{
    struct smrf_platform *p = user;
    char text[1024];
    if (p->note && report->fate == SMRF_OPTION_LEFT_OUT) {
        snprintf(text, sizeof text, "%s: -%s%s%s: %s: %s", report->file, report->option,
                 *report->value ? " " : "", report->value, smrf_option_fate_text(report->fate),
                 report->reason);
        p->note(p->note_ctx, text);
    } else if (p->note) {
        snprintf(text, sizeof text, "%s:%u: -%s %s: %s: %s", report->file, report->line,
                 report->option, report->value, smrf_option_fate_text(report->fate),
                 report->reason);
        p->note(p->note_ctx, text);
    }
}

static int apply_files_(struct smrf_platform *p, struct smrf_config *cfg, bool last_is_new,
                        struct smrf_config_error *err)
{
    int rc = SMRF_OK;
    const struct smrf_texts *files = &p->layer[SMRF_LAYER_GPGPUSIM];
    for (size_t i = 0; rc == SMRF_OK && i < files->count; i++) {
        bool tell = last_is_new && i + 1 == files->count;
        rc = smrf_config_gpgpusim(cfg, files->text[i], tell ? note_option_ : NULL, p, err);
    }
    files = &p->layer[SMRF_LAYER_FILE];
    for (size_t i = 0; rc == SMRF_OK && i < files->count; i++) {
        rc = smrf_config_load_file(cfg, files->text[i], err);
    }
    return rc;
}

/* Work out the effective configuration from all layers. changed: the layer that is new. */
static int configure_(struct smrf_platform *p, int changed)
{
    struct smrf_config cfg;
    struct smrf_config_error err = {{0}};
    int rc = smrf_preset_apply(&cfg, p->preset, &err);
    const char *const *defaults = p->mechanism->defaults;
    if (rc == SMRF_OK && defaults) {
        size_t count = 0;
        while (defaults[count]) {
            count++;
        }
        rc = smrf_config_set_pairs(&cfg, defaults, count, p->mechanism->name, &err);
    }
    if (rc == SMRF_OK) {
        rc = apply_files_(p, &cfg, changed == SMRF_LAYER_GPGPUSIM, &err);
    }
    if (rc == SMRF_OK) {
        const struct smrf_texts *set = &p->layer[SMRF_LAYER_SET];
        rc = smrf_config_set_pairs(&cfg, (const char *const *)set->text, set->count, "--set", &err);
    }
    if (rc == SMRF_OK) {
        p->cfg = cfg;
        return SMRF_OK;
    }
    return smrf_platform_fail(p, rc, "%s", err.text);
}

static int add_layer_(struct smrf_platform *p, enum smrf_layer layer, const char *text)
{
    struct smrf_texts *texts = &p->layer[layer];
    int err = check_open_(p);
    if (err) {
        return err;
    }
    char **grown = realloc(texts->text, (texts->count + 1) * sizeof *grown);
    char *copy = strdup(text);
    if (grown) {
        texts->text = grown;
    }
    if (!grown || !copy) {
        free(copy);
        return smrf_platform_fail(p, SMRF_ERR_NOMEM, "out of memory");
    }
    texts->text[texts->count++] = copy;
    err = configure_(p, (int)layer);
    if (err) {
        free(texts->text[--texts->count]);
    }
    return err;
}

int smrf_platform_gpgpusim(struct smrf_platform *p, const char *path)
{
    const int bad = smrf_platform_need(p, path, "the path of a gpgpusim.config");
    if (bad) {
        return bad;
    }
    return add_layer_(p, SMRF_LAYER_GPGPUSIM, path);
}

int smrf_platform_config_file(struct smrf_platform *p, const char *path)
{
    const int bad = smrf_platform_need(p, path, "the path of a configuration file");
    if (bad) {
        return bad;
    }
    return add_layer_(p, SMRF_LAYER_FILE, path);
}

int smrf_platform_set(struct smrf_platform *p, const char *pair)
{
    const int bad = smrf_platform_need(p, pair, "the text \"key=value\"");
    if (bad) {
        return bad;
    }
    return add_layer_(p, SMRF_LAYER_SET, pair);
}

int smrf_platform_preset(struct smrf_platform *p, const char *name)
{
    const int bad = smrf_platform_need(p, name, "the name of a preset");
    if (bad) {
        return bad;
    }
    char before[sizeof p->preset];
    int err = check_open_(p);
    if (err) {
        return err;
    }
    memcpy(before, p->preset, sizeof before);
    const char *found = smrf_preset_find(name);
    snprintf(p->preset, sizeof p->preset, "%s", found ? found : name);
    err = configure_(p, -1);
    if (err) {
        memcpy(p->preset, before, sizeof before);
    }
    return err;
}

static const char *mechanism_name_(size_t index)
{
    const struct smrf_mechanism *m = smrf_mechanism_at((unsigned)index);
    return m ? m->name : NULL;
}

int smrf_platform_mechanism(struct smrf_platform *p, const char *name)
{
    const int bad = smrf_platform_need(p, name, "the name of a mechanism");
    if (bad) {
        return bad;
    }
    const struct smrf_mechanism *found = smrf_mechanism_find(name), *before = p->mechanism;
    int err = check_open_(p);
    if (err) {
        return err;
    }
    if (!found) {
        char near[256];
        smrf_suggest(name, mechanism_name_, 4, near, sizeof near); /* at four it is another one */
        return smrf_platform_fail(p, SMRF_ERR_UNKNOWN, "no mechanism is called '%.60s'%s", name,
                                  near[0] ? near : "; smrf list mechanisms shows all");
    }
    p->mechanism = found;
    err = configure_(p, -1);
    if (err) {
        p->mechanism = before;
    }
    return err;
}

int smrf_platform_engine(struct smrf_platform *p, const char *name)
{
    const int bad = smrf_platform_need(p, name, "the name of an engine");
    if (bad) {
        return bad;
    }
    static const struct smrf_engine_ops *const engines[] = {&smrf_engine_systemc,
                                                            &smrf_engine_direct};
    int err = check_open_(p);
    if (err) {
        return err;
    }
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        if (strcasecmp(engines[i]->name, name) == 0) {
            p->ops = engines[i];
            return SMRF_OK;
        }
    }
    return smrf_platform_fail(p, SMRF_ERR_UNKNOWN,
                              "no engine is called '%.60s': it is systemc or direct", name);
}

int smrf_platform_threads(struct smrf_platform *p, unsigned threads)
{
    const int bad = smrf_platform_need(p, p, "the platform");
    if (bad) {
        return bad;
    }
    int err = check_open_(p);
    if (!err && threads > SMRF_PLATFORM_THREADS) {
        err = smrf_platform_fail(p, SMRF_ERR_INVAL, "%u threads: at most %u", threads,
                                 SMRF_PLATFORM_THREADS);
    }
    if (!err) {
        p->threads = threads ? threads : 1;
        p->threads_by_host = threads == 0;
    }
    return err;
}

int smrf_platform_series(struct smrf_platform *p, uint64_t interval, const char *by,
                         const char *names)
{
    const int bad = smrf_platform_need(p, p, "the platform");
    if (bad) {
        return bad;
    }
    const enum smrf_part part = smrf_part_find(by ? by : "gpu");
    char *copy = strdup(names ? names : SMRF_SERIES_DEFAULT);
    if (p->state != SMRF_PLATFORM_OPEN || interval == 0 || part == SMRF_PARTS || !copy) {
        free(copy);
        return p->state != SMRF_PLATFORM_OPEN
                   ? smrf_platform_fail(p, SMRF_ERR_STATE, "the platform has been built already")
               : interval == 0
                   ? smrf_platform_fail(p, SMRF_ERR_INVAL, "an interval has a cycle at least")
               : part == SMRF_PARTS
                   ? smrf_platform_fail(p, SMRF_ERR_INVAL,
                                        "a series is by gpu, sm, subcore or bank, not '%.40s'", by)
                   : smrf_platform_fail(p, SMRF_ERR_NOMEM, "out of memory");
    }
    free((char *)(size_t)p->wish.names);
    p->wish = (struct smrf_series_wish){.interval = interval, .part = part, .names = copy};
    return SMRF_OK;
}

int smrf_platform_strict(struct smrf_platform *p, bool strict)
{
    const int bad = smrf_platform_need(p, p, "the platform");
    if (bad) {
        return bad;
    }
    int err = check_open_(p);
    if (!err) {
        p->strict = strict;
    }
    return err;
}

int smrf_platform_allow_outside(struct smrf_platform *p, bool allow)
{
    const int bad = smrf_platform_need(p, p, "the platform");
    if (bad) {
        return bad;
    }
    int err = check_open_(p);
    if (!err) {
        p->allow_outside = allow;
    }
    return err;
}

int smrf_platform_reuse_file(struct smrf_platform *p, const char *path)
{
    const int bad = smrf_platform_need(p, path, "the path of a side file");
    if (bad) {
        return bad;
    }
    int err = check_open_(p);
    if (err) {
        return err;
    }
    free(p->side_file);
    p->side_file = strdup(path);
    return p->side_file ? SMRF_OK : smrf_platform_fail(p, SMRF_ERR_NOMEM, "out of memory");
}

int smrf_platform_energy_file(struct smrf_platform *p, const char *path)
{
    const int bad = smrf_platform_need(p, path, "the path of an energy file");
    if (bad) {
        return bad;
    }
    char text[512] = "";
    int err = check_open_(p);
    if (err) {
        return err;
    }
    if (p->num_energy_own == SMRF_PLATFORM_ENERGY) {
        return smrf_platform_fail(p, SMRF_ERR_LIMIT, "%s: at most %d sets of energy constants",
                                  path, SMRF_PLATFORM_ENERGY);
    }
    struct smrf_energy_set *set = malloc(sizeof *set);
    if (!set) {
        return smrf_platform_fail(p, SMRF_ERR_NOMEM, "out of memory");
    }
    err = smrf_energy_load(set, path, text, sizeof text);
    for (size_t i = 0; !err && i < p->num_energy; i++) {
        if (strcmp(p->energy[i]->name, set->name) == 0) {
            snprintf(text, sizeof text, "%s: there is a set named %s already", path, set->name);
            err = SMRF_ERR_INVAL;
        }
    }
    if (err) {
        free(set);
        return smrf_platform_fail(p, err, "%s", text);
    }
    p->energy_own[p->num_energy_own++] = set;
    p->energy[p->num_energy++] = set;
    return SMRF_OK;
}

int smrf_platform_config_at(const struct smrf_platform *p, size_t index, const char **key,
                            char *value, size_t size)
{
    if (!p || !key || (!value && size != 0)) {
        return SMRF_ERR_INVAL;
    }
    const struct smrf_param *info = smrf_param_at(index);
    if (!info) {
        return SMRF_ERR_UNKNOWN;
    }
    *key = info->key;
    smrf_config_text(&p->cfg, index, value, size);
    return SMRF_OK;
}

/* --- traces and the outside ------------------------------------------------------------------- */

static int add_trace_(struct smrf_platform *p, const char *path)
{
    struct smrf_trace *trace = NULL;
    int err = smrf_trace_open(&trace, path, NULL);
    if (err) {
        smrf_platform_fail(p, err, "%s", trace ? smrf_trace_error(trace) : "out of memory");
    }
    if (trace) {
        smrf_trace_close(trace);
    }
    if (!err && smrf_workload_add(&p->workload, path)) {
        err = smrf_platform_fail(p, SMRF_ERR_NOMEM, "out of memory");
    }
    return err;
}

int smrf_platform_add_trace(struct smrf_platform *p, const char *path)
{
    const int bad = smrf_platform_need(p, path, "the path of a trace");
    if (bad) {
        return bad;
    }
    if (p->state > SMRF_PLATFORM_BUILT) {
        return smrf_platform_fail(p, SMRF_ERR_STATE,
                                  "the run has ended: add traces before it does");
    }
    return add_trace_(p, path);
}

int smrf_platform_continue(struct smrf_platform *p, const char *path)
{
    const int bad = smrf_platform_need(p, path, "the path of a trace");
    if (bad) {
        return bad;
    }
    if (p->state == SMRF_PLATFORM_FAILED || p->busy) {
        return smrf_platform_fail(p, SMRF_ERR_STATE, "%s",
                                  p->busy ? "a run is under way in another process"
                                          : "the run has failed: reset the platform first");
    }
    int err = add_trace_(p, path);
    p->state = err || p->state != SMRF_PLATFORM_DONE ? p->state : SMRF_PLATFORM_BUILT;
    return err;
}

int smrf_platform_bind_memory(struct smrf_platform *p, const struct smrf_outside_memory *memory)
{
    const int bad = smrf_platform_need(p, memory, "the memory");
    if (bad) {
        return bad;
    }
    int err = check_open_(p);
    if (err) {
        return err;
    }
    if (!memory->request || memory->min_latency < 1) {
        return smrf_platform_fail(p, SMRF_ERR_INVAL,
                                  "an outside memory needs a request function and a min_latency of "
                                  "at least 1 cycle");
    }
    if (p->binder) {
        return smrf_platform_fail(p, SMRF_ERR_STATE, "a TLM memory is bound already");
    }
    p->outside = *memory;
    p->has_outside = true;
    return SMRF_OK;
}

int smrf_platform_set_binder(struct smrf_platform *p, void *binder, void (*drop)(void *binder))
{
    const int bad = smrf_platform_need(p, binder, "the binder");
    if (bad) {
        return bad;
    }
    int err = check_open_(p);
    if (err) {
        return err;
    }
    if (p->has_outside || p->binder) {
        return smrf_platform_fail(p, SMRF_ERR_STATE, "an outside memory is bound already");
    }
    p->binder = binder;
    p->drop_binder = drop;
    return SMRF_OK;
}

void smrf_platform_on_note(struct smrf_platform *p, void (*note)(void *ctx, const char *text),
                           void *ctx)
{
    if (!smrf_handle_exists(p)) {
        return;
    }
    p->note = note;
    p->note_ctx = ctx;
}

void smrf_platform_on_progress(struct smrf_platform *p, double interval_s,
                               void (*progress)(void *ctx, const struct smrf_progress *progress),
                               void *ctx)
{
    if (!smrf_handle_exists(p)) {
        return;
    }
    p->progress = progress;
    p->progress_ctx = ctx;
    p->progress_interval = interval_s;
}
