/* SPDX-License-Identifier: Apache-2.0 */
/* Figs. 12 to 17: a row a benchmark, then the mean of each group and of all. */
#include "malekeh_claims.h"
#include "malekeh_runs.h"

#include <math.h>
#include <string.h>

double smrf_malekeh_value(const struct smrf_study_result *own, const struct smrf_study_result *base,
                          enum smrf_malekeh_quantity what, unsigned set)
{
    if (!own->ok || !base->ok) {
        return NAN;
    }
    switch (what) {
    case SMRF_QUANTITY_IPC:
        return base->ipc > 0 ? own->ipc / base->ipc : NAN;
    case SMRF_QUANTITY_HITS:
        return own->hit_ratio;
    case SMRF_QUANTITY_L1D:
        return own->l1d_hit_ratio;
    case SMRF_QUANTITY_WRITES:
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
static struct smrf_table *by_benchmark_(struct smrf_study *s, const struct smrf_malekeh_grid *g,
                                        const char *id, const char *title, const char *note,
                                        const enum smrf_malekeh_run *variants, size_t num,
                                        enum smrf_malekeh_quantity what, unsigned set)
{
    static const char *const labels[] = {
        [SMRF_QUANTITY_IPC] = "IPC, baseline = 1",
        [SMRF_QUANTITY_HITS] = "hit ratio of register reads",
        [SMRF_QUANTITY_L1D] = "hit ratio of the L1D",
        [SMRF_QUANTITY_WRITES] = "cache writes / register writes",
        [SMRF_QUANTITY_ENERGY] = "energy, baseline = 1",
    };
    static const char *const groups[][2] = {
        {"rodinia", "mean Rodinia"}, {"deepbench", "mean DeepBench"}, {NULL, "mean"}};
    const char *columns[SMRF_TABLE_COLUMNS + 1] = {NULL};
    for (size_t i = 0; i < num; i++) {
        columns[i] = smrf_malekeh_run[variants[i]].name;
    }
    struct smrf_table *t = smrf_table_add(&s->tables, id, title, note, "benchmark", columns);
    for (size_t b = 0; b < s->num_bench; b++) {
        double *row = smrf_table_row(&s->tables, t, s->bench[b].name);
        for (size_t i = 0; i < num; i++) {
            row[i] =
                smrf_malekeh_value(&g->of[b][variants[i]], &g->of[b][SMRF_RUN_BASELINE], what, set);
        }
    }
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        double *mean = !groups[k][0] || has_group_(s, groups[k][0])
                           ? smrf_table_row(&s->tables, t, groups[k][1])
                           : NULL;
        for (size_t i = 0; mean && !s->tables.failed && i < num; i++) {
            mean[i] = mean_of_(s, t, i, groups[k][0],
                               what == SMRF_QUANTITY_IPC || what == SMRF_QUANTITY_ENERGY);
        }
    }
    if (t) {
        t->plot = SMRF_PLOT_BARS;
        t->y_label = labels[what];
    }
    return t;
}

/* Malekeh (long) I: the share of tensor-core instructions in conv_bench. */
static void claim_of_tensors_(struct smrf_study *s, const struct smrf_malekeh_grid *g)
{
    double sum = 0;
    size_t n = 0;
    for (size_t b = 0; b < s->num_bench; b++) {
        const struct smrf_study_result *base = &g->of[b][SMRF_RUN_BASELINE];
        if (base->ok && strncmp(s->bench[b].name, "conv_bench", 10) == 0) {
            sum += base->tensor_ratio;
            n++;
        }
    }
    smrf_study_claim(s, "tensor-core instructions, conv_bench, mean", SMRF_MALEKEH_LONG, "%", 65.6,
                     n ? 100 * sum / (double)n : NAN);
}

void smrf_malekeh_figures(struct smrf_study *s, const struct smrf_malekeh_grid *g)
{
    static const enum smrf_malekeh_run five[] = {SMRF_RUN_LONG, SMRF_RUN_SHORT, SMRF_RUN_PRIVATE,
                                                 SMRF_RUN_BOW_LONG, SMRF_RUN_BOW_SHORT};
    static const enum smrf_malekeh_run six[] = {SMRF_RUN_BASELINE, SMRF_RUN_LONG,
                                                SMRF_RUN_SHORT,    SMRF_RUN_PRIVATE,
                                                SMRF_RUN_BOW_LONG, SMRF_RUN_BOW_SHORT};
    static const enum smrf_malekeh_run traditional[] = {SMRF_RUN_GTO_LRU, SMRF_RUN_LONG};
    struct smrf_table *ipc, *hits, *l1d, *lru, *energy[SMRF_ENERGY_BUILT_IN];
    ipc = by_benchmark_(s, g, "fig12-ipc", "IPC, normalised to the baseline (Fig. 12)",
                        "Thread instructions a cycle. Means are geometric.", five, 5,
                        SMRF_QUANTITY_IPC, 0);
    hits = by_benchmark_(s, g, "fig13-hit-ratio", "Hit ratio of register reads (Fig. 13)",
                         "Distinct register sources that a collector held already, of all.", five,
                         5, SMRF_QUANTITY_HITS, 0);
    l1d = by_benchmark_(s, g, "fig14-l1d", "Hit ratio of the L1D (Fig. 14)",
                        "Sectors. It moves because warps are ordered otherwise.", six, 6,
                        SMRF_QUANTITY_L1D, 0);
    for (unsigned k = 0; k < SMRF_ENERGY_BUILT_IN; k++) {
        char id[64], title[96];
        const struct smrf_energy_set *set = smrf_energy_set_at(k);
        snprintf(id, sizeof id, "fig15-energy-%s", set->name);
        snprintf(title, sizeof title, "Register-file dynamic energy, normalised (Fig. 15), set %s",
                 set->name);
        energy[k] = by_benchmark_(s, g, id, title, set->summary, five, 5, SMRF_QUANTITY_ENERGY, k);
    }
    by_benchmark_(s, g, "fig16-cache-writes", "Results written to the cache, of all (Fig. 16)",
                  "The paper gives no numbers in its text.", five, 5, SMRF_QUANTITY_WRITES, 0);
    lru = by_benchmark_(s, g, "fig17-gto-lru", "Hit ratio under GTO and LRU (Fig. 17)",
                        "The same hardware under traditional policies.", traditional, 2,
                        SMRF_QUANTITY_HITS, 0);

    smrf_study_malekeh_claims(s, &(struct smrf_malekeh_figures){ipc, hits, l1d, lru, energy});
    claim_of_tensors_(s, g);
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
