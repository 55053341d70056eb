/* SPDX-License-Identifier: Apache-2.0 */
/* Fig. 1, and what a profile of it loses. */
#include "malekeh_claims.h"
#include "malekeh_runs.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

struct distances {
    double reuses, above_3, above_10;
};

void smrf_malekeh_reuse(struct smrf_study *s, const struct smrf_malekeh_grid *g)
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
        lost[4] =
            smrf_malekeh_value(&of[SMRF_RUN_LONG], &of[SMRF_RUN_BASELINE], SMRF_QUANTITY_HITS, 0);
        lost[5] = smrf_malekeh_value(&of[SMRF_RUN_PROFILED], &of[SMRF_RUN_BASELINE],
                                     SMRF_QUANTITY_HITS, 0);
        lost[6] =
            smrf_malekeh_value(&of[SMRF_RUN_LONG], &of[SMRF_RUN_BASELINE], SMRF_QUANTITY_IPC, 0);
        lost[7] = smrf_malekeh_value(&of[SMRF_RUN_PROFILED], &of[SMRF_RUN_BASELINE],
                                     SMRF_QUANTITY_IPC, 0);
        json_decref(root);
    }
    if (t) {
        t->plot = SMRF_PLOT_STACKED;
        t->plot_columns = 6;
        t->y_label = "share of reuses, by distance";
    }
    smrf_study_claim(s, "reuse distances above 3, Rodinia", SMRF_MALEKEH_LONG, "%", 36.0,
                     rodinia.reuses > 0 ? 100 * rodinia.above_3 / rodinia.reuses : NAN);
    smrf_study_claim(s, "reuse distances above 3, DeepBench", SMRF_MALEKEH_LONG, "%", 50.2,
                     deep.reuses > 0 ? 100 * deep.above_3 / deep.reuses : NAN);
    smrf_study_claim(s, "reuse distances above 10, DeepBench (more than)", SMRF_MALEKEH_LONG, "%",
                     40.0, deep.reuses > 0 ? 100 * deep.above_10 / deep.reuses : NAN);
    smrf_study_claim(s, "hit ratio with profiled static bits, mean", SMRF_MALEKEH_LONG, "%", 46.4,
                     100 * smrf_table_mean(loss, 5, false));
}
