/* SPDX-License-Identifier: Apache-2.0 */
#include "malekeh_claims.h"

#include <math.h>
#include <string.h>

#define LONG SMRF_MALEKEH_LONG
#define SHORT SMRF_MALEKEH_SHORT

static double mean_(const struct smrf_table *t, size_t column)
{
    return t && t->num_rows ? t->row[t->num_rows - 1].value[column] : NAN;
}

static double extreme_(const struct smrf_study *s, const struct smrf_table *t, size_t column,
                       bool largest)
{
    double best = NAN;
    for (size_t r = 0; t && r < t->num_rows && r < s->num_bench; r++) {
        double v = t->row[r].value[column];
        if (!isnan(v) && (isnan(best) || (largest ? v > best : v < best))) {
            best = v;
        }
    }
    return best;
}

/* The value of a benchmark that the papers name; NAN if it is not among ours. */
static double of_(const struct smrf_study *s, const struct smrf_table *t, const char *bench,
                  size_t column)
{
    for (size_t r = 0; t && r < t->num_rows && r < s->num_bench; r++) {
        if (strcmp(t->row[r].name, bench) == 0) {
            return t->row[r].value[column];
        }
    }
    return NAN;
}

/* What the papers say of single benchmarks. */
static void claims_of_benchmarks_(struct smrf_study *s, const struct smrf_table *ipc,
                                  const struct smrf_table *hits, const struct smrf_table *l1d)
{
    /* Columns of the tables. */
    enum { M_LONG, M_SHORT, M_PRIVATE, B_LONG, B_SHORT };
    static const struct {
        const char *what, *source, *bench;
        bool of_ipc; /* gain over the other in per cent; else hit ratios in points */
        int own, other;
        double paper;
    } claims[] = {
        {"IPC gain, rnn_bench_i2", LONG, "rnn_bench_i2", true, M_LONG, -1, 28.4},
        {"IPC gain, btree", LONG, "btree", true, M_LONG, -1, -0.8},
        {"IPC gain, conv_bench_t3", SHORT, "conv_bench_t3", true, M_SHORT, -1, 36},
        {"shared BOW's IPC gain, conv_bench_t3", SHORT, "conv_bench_t3", true, B_SHORT, -1, 14.9},
        {"BOW's IPC above Malekeh's, hotspot", LONG, "hotspot", true, B_LONG, M_LONG, 18.8},
        {"private's IPC above BOW's, rnn_bench_i2", LONG, "rnn_bench_i2", true, M_PRIVATE, B_LONG,
         12.7},
        {"private's IPC above BOW's, gemm_bench_t1", LONG, "gemm_bench_t1", true, M_PRIVATE, B_LONG,
         -1.7},
        {"private's IPC above BOW's, rnn_bench_t2", LONG, "rnn_bench_t2", true, M_PRIVATE, B_LONG,
         -1.2},
        {"Malekeh's IPC above shared BOW's, rnn_bench_i2", SHORT, "rnn_bench_i2", true, M_SHORT,
         B_SHORT, 46.3},
        {"hit ratio, gaussian", SHORT, "gaussian", false, M_SHORT, -1, 77},
        {"hit ratio, particlefilter-naive", SHORT, "particlefilter-naive", false, M_SHORT, -1,
         13.3},
        {"Malekeh's hits above BOW's, particlefilter-naive", LONG, "particlefilter-naive", false,
         M_LONG, B_LONG, -53.5},
        {"BOW's hits above Malekeh's, lud", LONG, "lud", false, B_LONG, M_LONG, 13},
        {"private's hits above BOW's, gaussian", LONG, "gaussian", false, M_PRIVATE, B_LONG, 45.8},
        {"Malekeh's hits above shared BOW's, kmeans", SHORT, "kmeans", false, M_SHORT, B_SHORT,
         51.1},
    };
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        const struct smrf_table *t = claims[i].of_ipc ? ipc : hits;
        double own = of_(s, t, claims[i].bench, (size_t)claims[i].own);
        double other = claims[i].other >= 0 ? of_(s, t, claims[i].bench, (size_t)claims[i].other)
                                            : (claims[i].of_ipc ? 1 : 0);
        smrf_study_claim(s, claims[i].what, claims[i].source,
                         claims[i].of_ipc       ? "%"
                         : claims[i].other >= 0 ? "points"
                                                : "%",
                         claims[i].paper, 100 * (claims[i].of_ipc ? own / other - 1 : own - other));
    }
    smrf_study_claim(s, "Malekeh's L1D hits above BOW's, lud", LONG, "points", 2,
                     100 * (of_(s, l1d, "lud", 1) - of_(s, l1d, "lud", 4)));
}

static void claims_of_energy_(struct smrf_study *s, const struct smrf_malekeh_figures *f)
{
    for (unsigned k = 0; k < SMRF_ENERGY_BUILT_IN; k++) {
        static const char *const means[] = {"energy saved, mean, set flat23",
                                            "energy saved, mean, set sliced23",
                                            "energy saved, mean, set aw"};
        static const char *const largest[] = {"energy saved, largest, set flat23",
                                              "energy saved, largest, set sliced23",
                                              "energy saved, largest, set aw"};
        static const char *const smallest[] = {"energy saved, smallest, set flat23",
                                               "energy saved, smallest, set sliced23",
                                               "energy saved, smallest, set aw"};
        static const char *const bow[] = {"BOW's energy above Malekeh's, set flat23",
                                          "BOW's energy above Malekeh's, set sliced23",
                                          "BOW's energy above Malekeh's, set aw"};
        smrf_study_claim(s, means[k], LONG, "%", 28.3, 100 - 100 * mean_(f->energy[k], 0));
        smrf_study_claim(s, largest[k], LONG, "%", 47.3,
                         100 - 100 * extreme_(s, f->energy[k], 0, false));
        smrf_study_claim(s, means[k], SHORT, "%", 29.1, 100 - 100 * mean_(f->energy[k], 1));
        smrf_study_claim(s, largest[k], SHORT, "%", 47.5,
                         100 - 100 * extreme_(s, f->energy[k], 1, false));
        smrf_study_claim(s, smallest[k], SHORT, "%", 5.9,
                         100 - 100 * extreme_(s, f->energy[k], 1, true));
        smrf_study_claim(s, bow[k], LONG, "%", 92.1,
                         100 * mean_(f->energy[k], 3) / mean_(f->energy[k], 0) - 100);
    }
}

void smrf_study_malekeh_claims(struct smrf_study *s, const struct smrf_malekeh_figures *f)
{
    smrf_study_claim(s, "reads served by the cache, mean", LONG, "%", 46.4,
                     100 * mean_(f->hits, 0));
    smrf_study_claim(s, "reads served by the cache, mean", SHORT, "%", 48.5,
                     100 * mean_(f->hits, 1));
    smrf_study_claim(s, "IPC gain, mean", LONG, "%", 6.1, 100 * mean_(f->ipc, 0) - 100);
    smrf_study_claim(s, "IPC gain, largest", LONG, "%", 28.4,
                     100 * extreme_(s, f->ipc, 0, true) - 100);
    smrf_study_claim(s, "IPC gain, smallest", LONG, "%", -0.8,
                     100 * extreme_(s, f->ipc, 0, false) - 100);
    smrf_study_claim(s, "IPC gain, mean", SHORT, "%", 9.6, 100 * mean_(f->ipc, 1) - 100);
    smrf_study_claim(s, "IPC gain, largest", SHORT, "%", 59.5,
                     100 * extreme_(s, f->ipc, 1, true) - 100);
    smrf_study_claim(s, "IPC gain, smallest (above)", SHORT, "%", -4,
                     100 * extreme_(s, f->ipc, 1, false) - 100);
    claims_of_energy_(s, f);
    smrf_study_claim(s, "hit ratio under GTO and LRU, mean", LONG, "%", 7.9,
                     100 * mean_(f->lru, 0));
    smrf_study_claim(s, "hit ratio under GTO and LRU, largest", LONG, "%", 18.4,
                     100 * extreme_(s, f->lru, 0, true));
    smrf_study_claim(s, "BOW's IPC above Malekeh's", LONG, "%", 2.43,
                     100 * mean_(f->ipc, 3) / mean_(f->ipc, 0) - 100);
    smrf_study_claim(s, "BOW's hit ratio above Malekeh's", LONG, "points", 1.9,
                     100 * (mean_(f->hits, 3) - mean_(f->hits, 0)));
    smrf_study_claim(s, "Malekeh's IPC above shared BOW's", SHORT, "%", 5.4,
                     100 * mean_(f->ipc, 1) / mean_(f->ipc, 4) - 100);
    smrf_study_claim(s, "Malekeh's hit ratio above shared BOW's", SHORT, "points", 28.1,
                     100 * (mean_(f->hits, 1) - mean_(f->hits, 4)));
    smrf_study_claim(s, "private Malekeh's hit ratio above BOW's", LONG, "points", 28.9,
                     100 * (mean_(f->hits, 2) - mean_(f->hits, 3)));
    smrf_study_claim(s, "private Malekeh's IPC above BOW's", LONG, "%", 3.3,
                     100 * mean_(f->ipc, 2) / mean_(f->ipc, 3) - 100);
    claims_of_benchmarks_(s, f->ipc, f->hits, f->l1d);
}
