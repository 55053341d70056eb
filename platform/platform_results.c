/* SPDX-License-Identifier: Apache-2.0 */
/* The C API: reading what happened. */
#include "platform_internal.h"

#include "traces/files/output_file.h"

#include "smrf_version.h"

#include <stdio.h>
#include <string.h>

static bool is_built_(const struct smrf_platform *p)
{
    return p->engine != NULL;
}

static int check_built_(struct smrf_platform *p)
{
    return is_built_(p) ? SMRF_OK
                        : smrf_platform_fail(p, SMRF_ERR_STATE, "build or run the platform first");
}

/* Cycles of a run: the end of the latest launch, or where a launch was cut off. A report asks some
 * two hundred times, so the totals of a run that is done are added up once. The laws ask for them
 * before a run is done, which drops the totals of an earlier run. */
void smrf_platform_totals(struct smrf_platform *p, struct smrf_counters *total)
{
    const struct smrf_machine *machine = p->ops->machine(p->engine);
    const bool done = p->state == SMRF_PLATFORM_DONE;
    if (done && p->knows_whole) {
        *total = p->whole;
        return;
    }
    smrf_counters_collect(total, machine);
    total->cycles = p->ended.cycles;
    if (p->launch_runs && machine->cycle > total->cycles) {
        total->cycles = machine->cycle;
    }
    if (p->launch_runs) {
        smrf_counters_difference(&p->launches[p->num_launches - 1].counters, total, &p->ended,
                                 p->mechanism->marks);
    }
    p->whole = *total;
    p->knows_whole = done;
}

/* --- statistics ------------------------------------------------------------------------------- */

int smrf_stat_at(size_t index, struct smrf_stat_info *info)
{
    if (!info) {
        return SMRF_ERR_INVAL;
    }
    if (index >= smrf_stats_count) {
        return SMRF_ERR_UNKNOWN;
    }
    const struct smrf_stat *stat = &smrf_stats[index];
    *info = (struct smrf_stat_info){stat->name, stat->unit, stat->meaning, stat->ratio == NULL};
    return SMRF_OK;
}

/* The index of the *index-th statistic that the view has. Past the last one: smrf_stats_count, and
 * *index is reduced by their number. */
static size_t known_stats_(const struct smrf_platform *p, size_t *index)
{
    for (size_t i = 0; i < smrf_stats_count; i++) {
        if (smrf_stat_is_known(&smrf_stats[i], &p->cfg) && (*index)-- == 0) {
            return i;
        }
    }
    return smrf_stats_count;
}

int smrf_platform_stat_at(struct smrf_platform *p, size_t index, struct smrf_stat_info *info)
{
    const int bad = smrf_platform_need(p, info, "the place for the statistic");
    if (bad) {
        return bad;
    }
    const size_t known = known_stats_(p, &index);
    if (known < smrf_stats_count) {
        return smrf_stat_at(known, info);
    }
    if (index >= p->mechanism->num_stats) {
        return SMRF_ERR_UNKNOWN;
    }
    const struct smrf_mechanism_stat *own = &p->mechanism->stats[index];
    snprintf(p->stat_name, sizeof p->stat_name, "mechanism.%s", own->name);
    *info =
        (struct smrf_stat_info){p->stat_name, own->unit, own->meaning, own->whole == SMRF_NO_WHOLE};
    return SMRF_OK;
}

/* A statistic of the model, or one of its mechanism. */
struct found {
    const struct smrf_stat *stat;
    const struct smrf_mechanism_stat *own;
};

static int find_(struct smrf_platform *p, const char *name, struct found *found)
{
    found->stat = smrf_stat_find(name);
    found->own = smrf_mechanism_stat_find(p->mechanism, name);
    if (found->stat && !smrf_stat_is_known(found->stat, &p->cfg)) {
        return smrf_platform_fail(p, SMRF_ERR_UNKNOWN,
                                  "%s: a run with sim.view=scoreboard does not know it", name);
    }
    if (found->stat || found->own) {
        return SMRF_OK;
    }
    const char *near = smrf_stat_nearest(name);
    return smrf_platform_fail(p, SMRF_ERR_UNKNOWN, "no statistic is called '%.60s'%s%s%s", name,
                              near ? "; did you mean " : "; smrf list statistics --all shows all",
                              near ? near : "", near ? "?" : "");
}

static double value_(const struct found *found, const struct smrf_counters *c)
{
    return found->stat ? smrf_stat_value(found->stat, c) : smrf_mechanism_stat_value(found->own, c);
}

int smrf_platform_stat(struct smrf_platform *p, const char *name, double *value)
{
    int bad = smrf_platform_need(p, name, "the name of a statistic");
    bad = bad ? bad : smrf_platform_need(p, value, "the place for its value");
    if (bad) {
        return bad;
    }
    struct found found;
    struct smrf_counters total;
    int err = check_built_(p);
    err = err ? err : find_(p, name, &found);
    if (!err) {
        smrf_platform_totals(p, &total);
        *value = value_(&found, &total);
    }
    return err;
}

int smrf_platform_count(struct smrf_platform *p, const char *name, uint64_t *value)
{
    int bad = smrf_platform_need(p, name, "the name of a statistic");
    bad = bad ? bad : smrf_platform_need(p, value, "the place for its value");
    if (bad) {
        return bad;
    }
    struct found found;
    struct smrf_counters total;
    int err = check_built_(p);
    err = err ? err : find_(p, name, &found);
    if (!err && (found.stat ? found.stat->ratio != NULL : found.own->whole != SMRF_NO_WHOLE)) {
        err = smrf_platform_fail(p, SMRF_ERR_INVAL, "%s is a ratio: read it as a double", name);
    }
    if (!err) {
        smrf_platform_totals(p, &total);
        *value =
            found.stat ? smrf_stat_count(found.stat, &total) : total.mechanism[found.own->index];
    }
    return err;
}

int smrf_platform_energy(struct smrf_platform *p, const char *set, const char *component,
                         double *pj)
{
    int bad = smrf_platform_need(p, set, "the name of a set of constants");
    bad = bad ? bad : smrf_platform_need(p, component, "the name of a component");
    bad = bad ? bad : smrf_platform_need(p, pj, "the place for the energy");
    if (bad) {
        return bad;
    }
    struct smrf_energy_shape shape;
    struct smrf_counters total;
    double parts[SMRF_ENERGY_COMPONENTS];
    size_t i = 0;
    unsigned k = 0;
    int err = check_built_(p);
    if (err) {
        return err;
    }
    if (!smrf_view_is_exact(&p->cfg)) {
        return smrf_platform_fail(p, SMRF_ERR_UNKNOWN,
                                  "energy: a run with sim.view=scoreboard does not know it");
    }
    while (i < p->num_energy && strcmp(p->energy[i]->name, set) != 0) {
        i++;
    }
    while (k < SMRF_ENERGY_COMPONENTS && strcmp(smrf_energy_component_name(k), component) != 0) {
        k++;
    }
    if (i == p->num_energy || k == SMRF_ENERGY_COMPONENTS) {
        return smrf_platform_fail(p, SMRF_ERR_UNKNOWN,
                                  "no energy '%.40s' of component '%.40s'; smrf "
                                  "list energy shows the sets",
                                  set, component);
    }
    smrf_platform_totals(p, &total);
    smrf_energy_shape_of(p->mechanism, &p->cfg, &shape);
    smrf_energy_of(p->energy[i], &shape, &p->cfg, &total, parts);
    *pj = parts[k];
    return SMRF_OK;
}

const char *smrf_platform_energy_set(const struct smrf_platform *p, size_t index)
{
    if (!smrf_handle_exists(p)) {
        return NULL;
    }
    return index < p->num_energy ? p->energy[index]->name : NULL;
}

double smrf_platform_seconds(const struct smrf_platform *p)
{
    if (!smrf_handle_exists(p)) {
        return 0;
    }
    return p->seconds;
}

size_t smrf_platform_launches(const struct smrf_platform *p)
{
    if (!smrf_handle_exists(p)) {
        return 0;
    }
    return p->num_launches;
}

const char *smrf_platform_launch_name(const struct smrf_platform *p, size_t index)
{
    if (!smrf_handle_exists(p)) {
        return NULL;
    }
    return index < p->num_launches ? p->launches[index].name : NULL;
}

int smrf_platform_launch_stat(struct smrf_platform *p, size_t index, const char *name,
                              double *value)
{
    int bad = smrf_platform_need(p, name, "the name of a statistic");
    bad = bad ? bad : smrf_platform_need(p, value, "the place for its value");
    if (bad) {
        return bad;
    }
    struct found found;
    struct smrf_counters total;
    if (index >= p->num_launches) {
        return smrf_platform_fail(p, SMRF_ERR_UNKNOWN, "launch %zu: only %zu have begun", index,
                                  p->num_launches);
    }
    int err = find_(p, name, &found);
    if (!err) {
        smrf_platform_totals(p, &total); /* brings a running launch up to date */
        *value = value_(&found, &p->launches[index].counters);
    }
    return err;
}

int smrf_platform_read_register(struct smrf_platform *p, unsigned sm, unsigned warp, unsigned reg,
                                uint32_t lanes[32])
{
    const int bad = smrf_platform_need(p, lanes, "the place for the lanes");
    if (bad) {
        return bad;
    }
    int err = check_built_(p);
    if (err) {
        return err;
    }
    const struct smrf_machine *machine = p->ops->machine(p->engine);
    err = SMRF_ERR_UNKNOWN;
    if (sm < machine->cfg->gpu.sms) {
        err = smrf_sm_read_register(machine->sm[sm], warp, reg, lanes);
    }
    return err ? smrf_platform_fail(
                     p, err,
                     "SM %u has no resident warp %u with a register R%u, or values "
                     "are off: with sim.check=off they are stored for observers only",
                     sm, warp, reg)
               : SMRF_OK;
}

/* --- documents -------------------------------------------------------------------------------- */

static void report_(struct smrf_platform *p, struct smrf_report *r)
{
    const struct smrf_machine *machine = p->ops->counted(p->engine);
    *r = (struct smrf_report){
        .partial = p->state != SMRF_PLATFORM_DONE,
        .end = p->end,
        .failure = p->state == SMRF_PLATFORM_FAILED ? p->failure : NULL,
        .laws = p->laws,
        .version = SMRF_VERSION,
        .commit = SMRF_COMMIT,
        .preset = p->preset,
        .mechanism = p->mechanism->name,
        .machinery = p->mechanism,
        .series = p->series,
        .num_rows = p->series_rows,
        .memory = p->has_outside ? "callback"
                  : p->binder    ? "tlm"
                                 : "in-tree",
        .table = smrf_platform_table_digest(p),
        .reuse_file = p->side_file,
        .digest = smrf_platform_trace_totals(p).digest,
        .config = &p->cfg,
        .energy = p->energy,
        .num_energy = smrf_view_is_exact(&p->cfg) ? p->num_energy : 0,
        .engine = p->ops->name,
        .threads = p->threads > 1 ? p->threads : 1,
        .traces = p->follow.more ? &p->follow.name : (const char *const *)p->workload.path,
        .num_traces = p->workload.num_paths,
        .wall_s = p->seconds,
        .payloads_peak = machine->payloads_peak,
        .transactions = machine->transactions,
    };
    smrf_energy_shape_of(p->mechanism, &p->cfg, &r->shape);
    smrf_platform_totals(p, &r->total);
    r->samples = p->samples;
    r->launches = p->launches;
    r->num_launches = p->num_launches;
}

int smrf_platform_finding(struct smrf_platform *p, size_t index, char *text, size_t size)
{
    const int bad = smrf_platform_need(p, size != 0 ? text : "" /* nothing is wanted */,
                                       "the place for the text");
    if (bad) {
        return bad;
    }
    struct smrf_findings all;
    int err = check_built_(p);
    if (err) {
        return err;
    }
    smrf_findings_gather(&all, p->ops->machine(p->engine));
    if (index >= all.count) {
        return SMRF_ERR_UNKNOWN;
    }
    smrf_finding_text(&all.first[index], p->launches, p->num_launches, text, size);
    return SMRF_OK;
}

static int write_(struct smrf_platform *p, const char *path,
                  int (*write)(const struct smrf_report *r, FILE *out))
{
    struct smrf_report report;
    struct smrf_findings findings;
    struct smrf_output out;
    char text[1024] = "";
    int err = check_built_(p);
    if (err) {
        return err;
    }
    smrf_platform_sample_now(p);
    report_(p, &report);
    smrf_findings_gather(&findings, p->ops->machine(p->engine));
    report.findings = &findings;
    err = smrf_output_open(&out, path, text, sizeof text);
    if (!err) {
        err = write(&report, out.file);
        bool whole = err == SMRF_OK || ferror(out.file); /* closing the file reports it */
        int closed = smrf_output_close(&out, whole, text, sizeof text);
        if (err && !closed) {
            snprintf(text, sizeof text, "%s: out of memory", path);
        }
        err = err ? err : closed;
    }
    return err ? smrf_platform_fail(p, err, "%s", text) : SMRF_OK;
}

int smrf_platform_write_json(struct smrf_platform *p, const char *path)
{
    const int bad = smrf_platform_need(p, path, "the path of the document");
    if (bad) {
        return bad;
    }
    return write_(p, path, smrf_report_json);
}

int smrf_platform_write_csv(struct smrf_platform *p, const char *path)
{
    const int bad = smrf_platform_need(p, path, "the path of the table");
    if (bad) {
        return bad;
    }
    return write_(p, path, smrf_report_csv);
}

int smrf_platform_write_accelsim(struct smrf_platform *p, const char *path)
{
    const int bad = smrf_platform_need(p, path, "the path of the text");
    if (bad) {
        return bad;
    }
    if (!smrf_view_is_exact(&p->cfg)) {
        return smrf_platform_fail(p, SMRF_ERR_INVAL,
                                  "statistics as Accel-Sim prints them: a run with "
                                  "sim.view=scoreboard does not know all of them");
    }
    return write_(p, path, smrf_report_accelsim);
}

static int series_csv_(const struct smrf_report *r, FILE *out)
{
    return smrf_series_csv(r->samples, out);
}

int smrf_platform_write_series(struct smrf_platform *p, const char *path)
{
    const int bad = smrf_platform_need(p, path, "the path of the series");
    if (bad) {
        return bad;
    }
    return p->wish.interval
               ? write_(p, path, series_csv_)
               : smrf_platform_fail(p, SMRF_ERR_STATE, "call smrf_platform_series before the run");
}
