/* SPDX-License-Identifier: Apache-2.0 */
/* Fig. 7, the adaptive machine over time, and the sensitivity studies. */
#include "malekeh_claims.h"
#include "malekeh_runs.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

void smrf_malekeh_sthld_curves(struct smrf_study *s)
{
    const struct smrf_study_bench *chosen[SMRF_MALEKEH_STHLD_BENCHES];
    const char *columns[SMRF_MALEKEH_STHLD_BENCHES + 1] = {NULL};
    size_t n = smrf_malekeh_sthld_benches(s, chosen);
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
    for (size_t k = 0; k < SMRF_MALEKEH_STHLDS; k++) {
        char names[2][32], zero_names[2][32], row_name[16];
        struct smrf_study_variant v = smrf_malekeh_sthld_run(smrf_malekeh_sthld[k], names);
        struct smrf_study_variant zero = smrf_malekeh_sthld_run(0, zero_names);
        snprintf(row_name, sizeof row_name, "%u", smrf_malekeh_sthld[k]);
        double *a = smrf_table_row(&s->tables, ipc, row_name);
        double *h = smrf_table_row(&s->tables, hits, row_name);
        for (size_t b = 0; b < n; b++) {
            struct smrf_study_result own = smrf_study_result(s, chosen[b], &v);
            struct smrf_study_result first = smrf_study_result(s, chosen[b], &zero);
            a[b] = smrf_malekeh_value(&own, &first, SMRF_QUANTITY_IPC, 0);
            h[b] = smrf_malekeh_value(&own, &first, SMRF_QUANTITY_HITS, 0);
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
void smrf_malekeh_walks(struct smrf_study *s)
{
    static const char *const columns[] = {"STHLD", "IPC", NULL};
    const struct smrf_study_bench *chosen[SMRF_MALEKEH_STHLD_BENCHES];
    size_t n = smrf_malekeh_sthld_benches(s, chosen);
    for (size_t b = 0; b < n; b++) {
        char id[128], title[160];
        const char *file = smrf_study_run_file(s, chosen[b], smrf_malekeh_walk_run(s));
        json_t *root = json_load_file(file, 0, NULL), *row;
        json_t *walk = json_object_get(json_object_get(root, "mechanism"), "sthld_walk");
        json_t *rows = json_object_get(walk, "rows");
        snprintf(id, sizeof id, "sthld-walk-%.80s", chosen[b]->name);
        snprintf(title, sizeof title, "Walk of the adaptive STHLD: %.80s", chosen[b]->name);
        struct smrf_table *t =
            json_array_size(rows)
                ? smrf_table_add(&s->tables, id, title,
                                 smrf_malekeh_walk_is_short(s)
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

static void sweep_(struct smrf_study *s, const struct smrf_malekeh_grid *g,
                   const struct smrf_malekeh_sweep *w)
{
    static const char *const columns[] = {
        "IPC",        "hit ratio",     "energy, flat23",           "energy, sliced23",
        "energy, aw", "baseline: IPC", "baseline: energy, flat23", NULL};
    struct smrf_table *t = smrf_table_add(&s->tables, w->id, w->title, w->note, "setting", columns);
    for (size_t p = 0; p < w->num; p++) {
        const struct smrf_malekeh_point *point = &w->point[p];
        double sum[7] = {0};
        size_t n = 0, against = 0;
        for (size_t b = 0; b < s->num_bench; b++) {
            const struct smrf_study_result *base = &g->of[b][SMRF_RUN_BASELINE];
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
        if (strcmp(w->point[p].name, "collectors-8") == 0) {
            smrf_study_claim(s, "operand collectors, 2 to 8: IPC", SMRF_MALEKEH_LONG, "%", 7.1,
                             100 * row[5] - 100);
            smrf_study_claim(s, "operand collectors, 2 to 8: power, flat23", SMRF_MALEKEH_LONG, "x",
                             2.83, row[6] * row[5]);
        } else if (strcmp(w->point[p].name, "collectors-16") == 0) {
            smrf_study_claim(s, "operand collectors, 2 to 16: power, flat23", SMRF_MALEKEH_LONG,
                             "x", 5.19, row[6] * row[5]);
        }
    }
}

void smrf_malekeh_sweeps(struct smrf_study *s, const struct smrf_malekeh_grid *g)
{
    for (size_t k = 0; k < SMRF_MALEKEH_SWEEPS; k++) {
        sweep_(s, g, &smrf_malekeh_sweep[k]);
    }
}
