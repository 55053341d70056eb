/* SPDX-License-Identifier: Apache-2.0 */
/* The studies of Malekeh, long version (figures by its numbering) and short. */
#define _GNU_SOURCE
#include "malekeh_claims.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONG SMRF_MALEKEH_LONG
#define SHORT SMRF_MALEKEH_SHORT
#define PRECISE "reuse.mode=dynamic" /* traces annotated with exact distances: long version, V */

/* --- ways to run ------------------------------------------------------------------------------ */

enum main_variant {
    BASELINE,
    MALEKEH_LONG,
    MALEKEH_SHORT,
    PRIVATE,
    BOW_LONG,
    BOW_SHORT,
    GTO_LRU,
    PROFILED,
    MAIN_VARIANTS
};

static const struct smrf_study_variant main_variant[MAIN_VARIANTS] = {
    [BASELINE] = {"baseline", "baseline", {NULL}},
    [MALEKEH_LONG] = {"malekeh-long", "malekeh-long", {PRECISE}},
    [MALEKEH_SHORT] = {"malekeh-short", "malekeh-short", {PRECISE}},
    [PRIVATE] = {"malekeh-private", "malekeh-private", {PRECISE}},
    [BOW_LONG] = {"bow-long", "bow-long", {NULL}},
    [BOW_SHORT] = {"bow-short", "bow-short", {NULL}},
    [GTO_LRU] = {"gto-lru", "gto-lru", {NULL}},
    [PROFILED] = {"malekeh-long-profile", "malekeh-long", {"reuse.mode=profile"}},
};

/* Malekeh's own variants of a sweep, and the baseline where the machine itself changes. */
struct sweep_point {
    const char *name;
    struct smrf_study_variant variant;
    const struct smrf_study_variant *against;
};

#define POINT(name, ...)                                                                           \
    {                                                                                              \
        name, {"sweep-" name, "malekeh-long", {PRECISE, __VA_ARGS__}}, NULL                        \
    }

static const struct smrf_study_variant collectors_base[] = {
    {"baseline-collectors-4", "baseline", {"rf.collectors=4"}},
    {"baseline-collectors-8", "baseline", {"rf.collectors=8"}},
    {"baseline-collectors-16", "baseline", {"rf.collectors=16"}},
};

static const struct sweep_point sweep_rthld[] = {
    POINT("rthld-2", "reuse.rthld=2"),
    POINT("rthld-4", "reuse.rthld=4"),
    POINT("rthld-8", "reuse.rthld=8"),
    {"rthld-12", {"malekeh-long", "malekeh-long", {PRECISE}}, NULL},
    POINT("rthld-16", "reuse.rthld=16"),
    POINT("rthld-24", "reuse.rthld=24"),
    POINT("rthld-48", "reuse.rthld=48"),
};
static const struct sweep_point sweep_entries[] = {
    POINT("entries-6", "malekeh.ct_entries=6"),
    {"entries-8", {"malekeh-long", "malekeh-long", {PRECISE}}, NULL},
    POINT("entries-12", "malekeh.ct_entries=12"),
    POINT("entries-16", "malekeh.ct_entries=16"),
};
static const struct sweep_point sweep_ports[] = {
    {"ports-1", {"malekeh-long", "malekeh-long", {PRECISE}}, NULL},
    POINT("ports-2", "malekeh.write_ports=2"),
    POINT("ports-any", "malekeh.write_ports=0"),
};
static const struct sweep_point sweep_collectors[] = {
    {"collectors-2", {"malekeh-long", "malekeh-long", {PRECISE}}, NULL},
    {"collectors-4",
     {"sweep-collectors-4", "malekeh-long", {PRECISE, "rf.collectors=4"}},
     &collectors_base[0]},
    {"collectors-8",
     {"sweep-collectors-8", "malekeh-long", {PRECISE, "rf.collectors=8"}},
     &collectors_base[1]},
    {"collectors-16",
     {"sweep-collectors-16", "malekeh-long", {PRECISE, "rf.collectors=16"}},
     &collectors_base[2]},
};

static const struct sweep {
    const char *id, *title, *note;
    const struct sweep_point *point;
    size_t num;
} sweeps[] = {
    {"sensitivity-rthld", "Sensitivity: RTHLD",
     "Mean over all benchmarks. The papers choose 12 without showing the curve.", sweep_rthld,
     sizeof sweep_rthld / sizeof *sweep_rthld},
    {"sensitivity-entries", "Sensitivity: entries of the cache table",
     "Mean over all benchmarks. The long version calls 8 the sweet spot.", sweep_entries,
     sizeof sweep_entries / sizeof *sweep_entries},
    {"sensitivity-ports", "Sensitivity: results that port D takes in a cycle",
     "Mean over all benchmarks. The long version says that one is enough.", sweep_ports,
     sizeof sweep_ports / sizeof *sweep_ports},
    {"sensitivity-collectors", "Sensitivity: collector units of a sub-core",
     "Mean over all benchmarks, against the baseline with 2 collectors. 'baseline' is the baseline "
     "with as many. The long version quotes +7.1 % IPC and 2.83x register-file power for 2 to 8 "
     "operand collectors, 5.19x for 16.",
     sweep_collectors, sizeof sweep_collectors / sizeof *sweep_collectors},
};
#define SWEEPS (sizeof sweeps / sizeof *sweeps)

static const unsigned sthld_values[] = {0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64};
#define STHLDS (sizeof sthld_values / sizeof *sthld_values)
/* STHLD matters where more warps than collectors share a sub-core: at the small sizes, these. The
 * long version names the first (srad_v1). */
static const char *const sthld_preferred[] = {"srad", "backprop", "nn", "btree", NULL};
#define STHLD_BENCHES 3

/* The small sizes end within few intervals of 10,000 cycles: their walk is one of shorter ones. */
static const struct smrf_study_variant walk_small = {
    "walk-500", "malekeh-long", {PRECISE, "malekeh.sthld_interval=500"}};

static bool is_small_(const struct smrf_study *s)
{
    return !s->options->num_traces && strcmp(s->options->size, "small") == 0;
}

static const struct smrf_study_variant *walk_variant_(const struct smrf_study *s)
{
    return is_small_(s) ? &walk_small : &main_variant[MALEKEH_LONG];
}

static struct smrf_study_variant sthld_variant_(unsigned value, char name[2][32])
{
    snprintf(name[0], 32, "sthld-%u", value);
    snprintf(name[1], 32, "malekeh.sthld=%u", value);
    return (struct smrf_study_variant){
        name[0], "malekeh-long", {PRECISE, "malekeh.sthld_mode=fixed", name[1]}};
}

/* Three benchmarks for the curves and the walks: known ones first. */
static size_t sthld_benches_(const struct smrf_study *s, const struct smrf_study_bench **chosen)
{
    size_t n = 0;
    for (size_t k = 0; sthld_preferred[k] && n < STHLD_BENCHES; k++) {
        for (size_t i = 0; i < s->num_bench && n < STHLD_BENCHES; i++) {
            if (strcmp(s->bench[i].name, sthld_preferred[k]) == 0) {
                chosen[n++] = &s->bench[i];
            }
        }
    }
    for (size_t i = 0; i < s->num_bench && n < STHLD_BENCHES; i++) {
        bool taken = false;
        for (size_t k = 0; k < n; k++) {
            taken |= chosen[k] == &s->bench[i];
        }
        if (!taken) {
            chosen[n++] = &s->bench[i];
        }
    }
    return n;
}

static int plan_(struct smrf_study *s)
{
    const struct smrf_study_bench *chosen[STHLD_BENCHES];
    int err = SMRF_OK;
    for (size_t b = 0; !err && b < s->num_bench; b++) {
        err = smrf_study_plan_reuse(s, &s->bench[b]);
        for (size_t v = 0; !err && v < MAIN_VARIANTS; v++) {
            err = smrf_study_plan(s, &s->bench[b], &main_variant[v]);
        }
        for (size_t k = 0; !err && !s->options->no_sweeps && k < SWEEPS; k++) {
            for (size_t p = 0; !err && p < sweeps[k].num; p++) {
                const struct sweep_point *point = &sweeps[k].point[p];
                err = smrf_study_plan(s, &s->bench[b], &point->variant);
                if (!err && point->against) {
                    err = smrf_study_plan(s, &s->bench[b], point->against);
                }
            }
        }
    }
    size_t n = sthld_benches_(s, chosen);
    for (size_t b = 0; !err && b < n; b++) {
        err = smrf_study_plan(s, chosen[b], walk_variant_(s));
        for (size_t k = 0; !err && !s->options->no_sweeps && k < STHLDS; k++) {
            char names[2][32];
            struct smrf_study_variant v = sthld_variant_(sthld_values[k], names);
            err = smrf_study_plan(s, chosen[b], &v);
        }
    }
    return err;
}

/* --- tables by benchmark ---------------------------------------------------------------------- */

struct grid {
    struct smrf_study_result (*of)[MAIN_VARIANTS]; /* [num_bench] */
};

enum quantity { IPC, HITS, L1D, WRITES, ENERGY };

static double value_(const struct smrf_study_result *own, const struct smrf_study_result *base,
                     enum quantity what, unsigned set)
{
    if (!own->ok || !base->ok) {
        return NAN;
    }
    switch (what) {
    case IPC:
        return base->ipc > 0 ? own->ipc / base->ipc : NAN;
    case HITS:
        return own->hit_ratio;
    case L1D:
        return own->l1d_hit_ratio;
    case WRITES:
        return own->write_ratio;
    default:
        return base->energy[set] > 0 ? own->energy[set] / base->energy[set] : NAN;
    }
}

/* Mean of a column over the benchmarks of a group, NULL: over all. NAN if none has a value. */
static double mean_of_(const struct smrf_study *s, const struct smrf_table *t, size_t column,
                       const char *group, bool geometric)
{
    double sum = 0;
    size_t n = 0;
    for (size_t b = 0; b < s->num_bench; b++) {
        double v = t->row[b].value[column];
        if (!isnan(v) && !(geometric && v <= 0) &&
            (!group || strcmp(s->bench[b].group, group) == 0)) {
            sum += geometric ? log(v) : v;
            n++;
        }
    }
    return n == 0 ? NAN : geometric ? exp(sum / (double)n) : sum / (double)n;
}

static bool has_group_(const struct smrf_study *s, const char *group)
{
    for (size_t b = 0; b < s->num_bench; b++) {
        if (strcmp(s->bench[b].group, group) == 0) {
            return true;
        }
    }
    return false;
}

/* Rows: benchmarks, then the mean of each group and of all. */
static struct smrf_table *by_benchmark_(struct smrf_study *s, const struct grid *g, const char *id,
                                        const char *title, const char *note,
                                        const enum main_variant *variants, size_t num,
                                        enum quantity what, unsigned set)
{
    static const char *const labels[] = {
        [IPC] = "IPC, baseline = 1",       [HITS] = "hit ratio of register reads",
        [L1D] = "hit ratio of the L1D",    [WRITES] = "cache writes / register writes",
        [ENERGY] = "energy, baseline = 1",
    };
    static const char *const groups[][2] = {
        {"rodinia", "mean Rodinia"}, {"deepbench", "mean DeepBench"}, {NULL, "mean"}};
    const char *columns[SMRF_TABLE_COLUMNS + 1] = {NULL};
    for (size_t i = 0; i < num; i++) {
        columns[i] = main_variant[variants[i]].name;
    }
    struct smrf_table *t = smrf_table_add(&s->tables, id, title, note, "benchmark", columns);
    for (size_t b = 0; b < s->num_bench; b++) {
        double *row = smrf_table_row(&s->tables, t, s->bench[b].name);
        for (size_t i = 0; i < num; i++) {
            row[i] = value_(&g->of[b][variants[i]], &g->of[b][BASELINE], what, set);
        }
    }
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        double *mean = !groups[k][0] || has_group_(s, groups[k][0])
                           ? smrf_table_row(&s->tables, t, groups[k][1])
                           : NULL;
        for (size_t i = 0; mean && !s->tables.failed && i < num; i++) {
            mean[i] = mean_of_(s, t, i, groups[k][0], what == IPC || what == ENERGY);
        }
    }
    if (t) {
        t->plot = SMRF_PLOT_BARS;
        t->y_label = labels[what];
    }
    return t;
}

static void figures_(struct smrf_study *s, const struct grid *g)
{
    static const enum main_variant five[] = {MALEKEH_LONG, MALEKEH_SHORT, PRIVATE, BOW_LONG,
                                             BOW_SHORT};
    static const enum main_variant six[] = {BASELINE, MALEKEH_LONG, MALEKEH_SHORT,
                                            PRIVATE,  BOW_LONG,     BOW_SHORT};
    static const enum main_variant traditional[] = {GTO_LRU, MALEKEH_LONG};
    struct smrf_table *ipc, *hits, *l1d, *lru, *energy[SMRF_ENERGY_BUILT_IN];
    ipc = by_benchmark_(s, g, "fig12-ipc", "IPC, normalised to the baseline (Fig. 12)",
                        "Thread instructions a cycle. Means are geometric.", five, 5, IPC, 0);
    hits = by_benchmark_(s, g, "fig13-hit-ratio", "Hit ratio of register reads (Fig. 13)",
                         "Distinct register sources that a collector held already, of all.", five,
                         5, HITS, 0);
    l1d = by_benchmark_(s, g, "fig14-l1d", "Hit ratio of the L1D (Fig. 14)",
                        "Sectors. It moves because warps are ordered otherwise.", six, 6, L1D, 0);
    for (unsigned k = 0; k < SMRF_ENERGY_BUILT_IN; k++) {
        char id[64], title[96];
        const struct smrf_energy_set *set = smrf_energy_set_at(k);
        snprintf(id, sizeof id, "fig15-energy-%s", set->name);
        snprintf(title, sizeof title, "Register-file dynamic energy, normalised (Fig. 15), set %s",
                 set->name);
        energy[k] = by_benchmark_(s, g, id, title, set->summary, five, 5, ENERGY, k);
    }
    by_benchmark_(s, g, "fig16-cache-writes", "Results written to the cache, of all (Fig. 16)",
                  "The paper gives no numbers in its text.", five, 5, WRITES, 0);
    lru = by_benchmark_(s, g, "fig17-gto-lru", "Hit ratio under GTO and LRU (Fig. 17)",
                        "The same hardware under traditional policies.", traditional, 2, HITS, 0);

    smrf_study_malekeh_claims(s, &(struct smrf_malekeh_figures){ipc, hits, l1d, lru, energy});
    if (ipc && hits && lru && !s->tables.failed) {
        ipc->y_floor = 0.7;
        smrf_table_mark(ipc, 1.061, "paper: malekeh-long, mean");
        smrf_table_mark(hits, 0.464, "paper: malekeh-long, mean");
        smrf_table_mark(lru, 0.079, "paper: gto-lru, mean");
        for (unsigned k = 0; k < SMRF_ENERGY_BUILT_IN; k++) {
            smrf_table_mark(energy[k], 0.717, "paper: malekeh-long, mean");
        }
    }
}

/* --- reuse distances and the profile ---------------------------------------------------------- */

struct distances {
    double reuses, above_3, above_10;
};

static void reuse_(struct smrf_study *s, const struct grid *g)
{
    static const char *const columns[] = {"1",    "2",       "3",        "4..10", "11..12",
                                          "13..", "above 3", "above 10", NULL};
    static const char *const loss_columns[] = {"near operands",
                                               "wrong by profile",
                                               "wrong by majority",
                                               "never profiled",
                                               "hit ratio, each execution",
                                               "hit ratio, profile",
                                               "IPC, each execution",
                                               "IPC, profile",
                                               NULL};
    struct smrf_table *t = smrf_table_add(
        &s->tables, "fig1-reuse", "Reuse distances (Fig. 1)",
        "Share of all reuses of register values, by the distance in instructions of the warp.",
        "benchmark", columns);
    struct smrf_table *loss = smrf_table_add(
        &s->tables, "annotation", "What a profile loses",
        "Near/far bits of static operands (majority over the first 0.01 % of the warps, or over "
        "all) against the bit of each execution; then malekeh-long with either, IPC against the "
        "baseline. The papers annotate traces with exact distances.",
        "benchmark", loss_columns);
    struct distances rodinia = {0}, deep = {0};
    for (size_t b = 0; b < s->num_bench; b++) {
        json_t *root = json_load_file(smrf_study_reuse_file(s, &s->bench[b]), 0, NULL), *bin;
        if (!root) {
            continue;
        }
        double *row = smrf_table_row(&s->tables, t, s->bench[b].name);
        double reuses = json_number_value(json_object_get(root, "reuses")), by[6] = {0};
        size_t i;
        by[5] = json_number_value(json_object_get(root, "distances_above_4095"));
        json_array_foreach(json_object_get(root, "distances_from_1"), i, bin)
        {
            by[i < 3 ? i : i < 10 ? 3 : i < 12 ? 4 : 5] += json_number_value(bin);
        }
        for (i = 0; i < 6; i++) {
            row[i] = reuses > 0 ? by[i] / reuses : NAN;
        }
        row[6] = row[3] + row[4] + row[5];
        row[7] = row[4] + row[5];
        struct distances *group = strcmp(s->bench[b].group, "rodinia") == 0     ? &rodinia
                                  : strcmp(s->bench[b].group, "deepbench") == 0 ? &deep
                                                                                : NULL;
        if (group && reuses > 0) {
            group->reuses++;
            group->above_3 += row[6];
            group->above_10 += row[7];
        }
        double *lost = smrf_table_row(&s->tables, loss, s->bench[b].name);
        double operands = json_number_value(json_object_get(root, "operands"));
        static const char *const keys[] = {"near_operands", "profile_wrong", "majority_wrong",
                                           "never_profiled"};
        for (i = 0; i < 4; i++) {
            lost[i] =
                operands > 0 ? json_number_value(json_object_get(root, keys[i])) / operands : NAN;
        }
        const struct smrf_study_result *of = g->of[b];
        lost[4] = value_(&of[MALEKEH_LONG], &of[BASELINE], HITS, 0);
        lost[5] = value_(&of[PROFILED], &of[BASELINE], HITS, 0);
        lost[6] = value_(&of[MALEKEH_LONG], &of[BASELINE], IPC, 0);
        lost[7] = value_(&of[PROFILED], &of[BASELINE], IPC, 0);
        json_decref(root);
    }
    if (t) {
        t->plot = SMRF_PLOT_STACKED;
        t->plot_columns = 6;
        t->y_label = "share of reuses, by distance";
    }
    smrf_study_claim(s, "reuse distances above 3, Rodinia", LONG, "%", 36.0,
                     rodinia.reuses > 0 ? 100 * rodinia.above_3 / rodinia.reuses : NAN);
    smrf_study_claim(s, "reuse distances above 3, DeepBench", LONG, "%", 50.2,
                     deep.reuses > 0 ? 100 * deep.above_3 / deep.reuses : NAN);
    smrf_study_claim(s, "reuse distances above 10, DeepBench (more than)", LONG, "%", 40.0,
                     deep.reuses > 0 ? 100 * deep.above_10 / deep.reuses : NAN);
    smrf_study_claim(s, "hit ratio with profiled static bits, mean", LONG, "%", 46.4,
                     100 * smrf_table_mean(loss, 5, false));
}

/* --- curves ----------------------------------------------------------------------------------- */

static void sthld_curves_(struct smrf_study *s)
{
    const struct smrf_study_bench *chosen[STHLD_BENCHES];
    const char *columns[STHLD_BENCHES + 1] = {NULL};
    size_t n = sthld_benches_(s, chosen);
    for (size_t b = 0; b < n; b++) {
        columns[b] = chosen[b]->name;
    }
    struct smrf_table *ipc = smrf_table_add(
        &s->tables, "fig7a-ipc-sthld", "IPC against a fixed STHLD (Fig. 7a)",
        "Normalised to STHLD 0. Expected: flat or slightly rising, then falling after the knee.",
        "STHLD", columns);
    struct smrf_table *hits =
        smrf_table_add(&s->tables, "fig7b-hits-sthld", "Hit ratio against a fixed STHLD (Fig. 7b)",
                       "Expected: rising to saturation.", "STHLD", columns);
    for (size_t k = 0; k < STHLDS; k++) {
        char names[2][32], zero_names[2][32], row_name[16];
        struct smrf_study_variant v = sthld_variant_(sthld_values[k], names);
        struct smrf_study_variant zero = sthld_variant_(0, zero_names);
        snprintf(row_name, sizeof row_name, "%u", sthld_values[k]);
        double *a = smrf_table_row(&s->tables, ipc, row_name);
        double *h = smrf_table_row(&s->tables, hits, row_name);
        for (size_t b = 0; b < n; b++) {
            struct smrf_study_result own = smrf_study_result(s, chosen[b], &v);
            struct smrf_study_result first = smrf_study_result(s, chosen[b], &zero);
            a[b] = value_(&own, &first, IPC, 0);
            h[b] = value_(&own, &first, HITS, 0);
        }
    }
    if (ipc && hits) {
        ipc->plot = hits->plot = SMRF_PLOT_LINES;
        ipc->x_label = hits->x_label = "STHLD, cycles";
        ipc->y_label = "IPC, STHLD 0 = 1";
        hits->y_label = "hit ratio of register reads";
    }
}

/* The adaptive machine's intervals, as the run's document lists them. */
static void walks_(struct smrf_study *s)
{
    static const char *const columns[] = {"STHLD", "IPC", NULL};
    const struct smrf_study_bench *chosen[STHLD_BENCHES];
    size_t n = sthld_benches_(s, chosen);
    for (size_t b = 0; b < n; b++) {
        char id[128], title[160];
        const char *file = smrf_study_run_file(s, chosen[b], walk_variant_(s));
        json_t *root = json_load_file(file, 0, NULL), *row;
        json_t *walk = json_object_get(json_object_get(root, "mechanism"), "sthld_walk");
        json_t *rows = json_object_get(walk, "rows");
        snprintf(id, sizeof id, "sthld-walk-%.80s", chosen[b]->name);
        snprintf(title, sizeof title, "Walk of the adaptive STHLD: %.80s", chosen[b]->name);
        struct smrf_table *t =
            json_array_size(rows)
                ? smrf_table_add(&s->tables, id, title,
                                 is_small_(s)
                                     ? "A point an interval, here of 500 cycles, as the small "
                                       "sizes end within few of 10,000: the STHLD that held in it, "
                                       "and its IPC."
                                     : "A point an interval of 10,000 cycles: the STHLD that held "
                                       "in it, and its IPC.",
                                 "cycle", columns)
                : NULL;
        size_t i;
        json_array_foreach(rows, i, row)
        {
            char name[32];
            snprintf(name, sizeof name, "%.0f", json_number_value(json_array_get(row, 0)));
            double *values = t ? smrf_table_row(&s->tables, t, name) : NULL;
            if (values) {
                values[0] = json_number_value(json_array_get(row, 3));
                values[1] = json_number_value(json_array_get(row, 2));
            }
        }
        if (t) {
            t->plot = SMRF_PLOT_TWO_AXES;
            t->x_label = "core cycle at which the interval ended";
            t->y_label = "STHLD, cycles";
            t->y2_label = "IPC, thread instructions a cycle";
        }
        json_decref(root);
    }
}

static void sweep_(struct smrf_study *s, const struct grid *g, const struct sweep *w)
{
    static const char *const columns[] = {
        "IPC",        "hit ratio",     "energy, flat23",           "energy, sliced23",
        "energy, aw", "baseline: IPC", "baseline: energy, flat23", NULL};
    struct smrf_table *t = smrf_table_add(&s->tables, w->id, w->title, w->note, "setting", columns);
    for (size_t p = 0; p < w->num; p++) {
        const struct sweep_point *point = &w->point[p];
        double sum[7] = {0};
        size_t n = 0, against = 0;
        for (size_t b = 0; b < s->num_bench; b++) {
            const struct smrf_study_result *base = &g->of[b][BASELINE];
            struct smrf_study_result own = smrf_study_result(s, &s->bench[b], &point->variant);
            struct smrf_study_result other = {0};
            if (!own.ok || !base->ok || !(base->ipc > 0) || !(base->energy[0] > 0)) {
                continue;
            }
            n++;
            sum[0] += log(own.ipc / base->ipc);
            sum[1] += own.hit_ratio;
            for (unsigned k = 0; k < SMRF_ENERGY_BUILT_IN; k++) {
                sum[2 + k] += log(own.energy[k] / base->energy[k]);
            }
            if (point->against) {
                other = smrf_study_result(s, &s->bench[b], point->against);
            }
            if (other.ok) {
                against++;
                sum[5] += log(other.ipc / base->ipc);
                sum[6] += log(other.energy[0] / base->energy[0]);
            }
        }
        double *row = smrf_table_row(&s->tables, t, point->name);
        for (size_t i = 0; n && i < 5; i++) {
            row[i] = i == 1 ? sum[i] / (double)n : exp(sum[i] / (double)n);
        }
        for (size_t i = 5; against && i < 7; i++) {
            row[i] = exp(sum[i] / (double)against);
        }
    }
    if (t) {
        t->plot = SMRF_PLOT_BARS;
        t->y_label = "baseline of 2 collectors = 1; hit ratio";
    }
    for (size_t p = 0; t && !s->tables.failed && p < w->num; p++) {
        const double *row = t->row[p].value; /* 5, 6: IPC and energy of as many collectors */
        if (w->point[p].against == &collectors_base[1]) {
            smrf_study_claim(s, "operand collectors, 2 to 8: IPC", LONG, "%", 7.1,
                             100 * row[5] - 100);
            smrf_study_claim(s, "operand collectors, 2 to 8: power, flat23", LONG, "x", 2.83,
                             row[6] * row[5]);
        } else if (w->point[p].against == &collectors_base[2]) {
            smrf_study_claim(s, "operand collectors, 2 to 16: power, flat23", LONG, "x", 5.19,
                             row[6] * row[5]);
        }
    }
}

/* Arithmetic of the long version III-C and the short version 9.4, from the default machine. */
static void overhead_(struct smrf_study *s)
{
    static const char *const columns[] = {"bytes", "of the register file, %", NULL};
    const double units = 4 * 2, file = 256 * 1024;
    const double tag = 8, lock = 1, reuse = 1, lru = 3, index = 3, entries = 8;
    struct smrf_table *t = smrf_table_add(
        &s->tables, "overhead", "Hardware that Malekeh adds to an SM",
        "4 sub-cores of 2 collectors; 8 entries where an operand collector has 6; tag 8, lock 1, "
        "reuse 1, LRU 3 bits an entry, index 3 bits an operand slot.",
        "part", columns);
    const struct {
        const char *name;
        double bytes;
    } parts[] = {
        {"data: 2 entries more", units * 2 * 128},
        {"control, 6 slots", units * (entries * (tag + lock + reuse + lru) + 6 * index) / 8},
        {"control, 7 slots", units * (entries * (tag + lock + reuse + lru) + 7 * index) / 8},
        {"BOW: 8 collectors of 24 words, all", 4 * 8 * 24 * 128.0},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double *row = smrf_table_row(&s->tables, t, parts[i].name);
        row[0] = parts[i].bytes;
        row[1] = 100 * parts[i].bytes / file;
    }
    smrf_study_claim(s, "storage added, data", LONG, "KB", 2.0, parts[0].bytes / 1024);
    smrf_study_claim(s, "storage added, data, of the register file", LONG, "%", 0.78,
                     100 * parts[0].bytes / file);
    smrf_study_claim(s, "cache storage, of BOW's", LONG, "%", 8.3,
                     100.0 * 8 * units / (4 * 8 * 24));
    smrf_study_claim(s, "cache storage of the private form, of BOW's", LONG, "%", 33,
                     100.0 * 8 / 24);
    smrf_study_claim(s, "control added, of the register file", SHORT, "%", 0.04,
                     100 * parts[2].bytes / file);
    smrf_study_claim(s, "control added", SHORT, "bytes", 128, parts[2].bytes);
}

/* --- the whole -------------------------------------------------------------------------------- */

static int report_(struct smrf_study *s)
{
    char introduction[1536], settings[256] = "";
    bool pictures = false;
    struct grid g = {calloc(s->num_bench, sizeof *g.of)};
    if (!g.of) {
        return smrf_study_fail(s, SMRF_ERR_NOMEM, "out of memory");
    }
    for (size_t b = 0; b < s->num_bench; b++) {
        for (size_t v = 0; v < MAIN_VARIANTS; v++) {
            g.of[b][v] = smrf_study_result(s, &s->bench[b], &main_variant[v]);
        }
    }
    figures_(s, &g);
    reuse_(s, &g);
    walks_(s);
    if (!s->options->no_sweeps) {
        sthld_curves_(s);
        for (size_t k = 0; k < SWEEPS; k++) {
            sweep_(s, &g, &sweeps[k]);
        }
    }
    overhead_(s);
    free(g.of);
    for (size_t i = 0, used = 0; i < s->options->num_sets; i++) {
        used +=
            (size_t)snprintf(settings + used, sizeof settings - used, ", %s", s->options->sets[i]);
    }
    snprintf(introduction, sizeof introduction,
             "%zu benchmarks, %s%s, preset %s%s. The papers' numbers come from their own traces of "
             "Rodinia and DeepBench; ours from %s, so that the programs are alike and their inputs "
             "are not. Hit ratios are means over the benchmarks, IPC and energy geometric means of "
             "ratios to the baseline.",
             s->num_bench, s->options->num_traces ? "traces given by the user" : "size ",
             s->options->num_traces ? "" : s->options->size, s->options->preset, settings,
             s->options->num_traces ? "those" : "the suite's kernels");
    int err = smrf_tables_write(&s->tables, s->claim, s->num_claims, s->options->folder,
                                "Malekeh: register-file caching in collector units", introduction,
                                &pictures, s->error, s->error_size);
    if (!err && s->options->summary) {
        smrf_claims_print(s->options->summary, s->claim, s->num_claims);
    }
    if (!err && !pictures) {
        fputs("smrf study: no pictures: gnuplot is not installed (apt install gnuplot-nox)\n",
              stderr);
    }
    return err;
}

int smrf_study_malekeh(const struct smrf_study_options *options, char *text, size_t size)
{
    static const char *const groups[] = {"rodinia", "deepbench", NULL};
    struct smrf_study s;
    int err = smrf_study_open(&s, options, groups, text, size);
    err = err ? err : plan_(&s);
    err = err ? err : smrf_study_execute(&s);
    err = err ? err : report_(&s);
    smrf_study_close(&s);
    return err;
}
