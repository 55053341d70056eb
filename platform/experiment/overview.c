/* SPDX-License-Identifier: Apache-2.0 */
/* What a comparison or a sweep that was put together on the command line shows, as a file would ask
 * for it. */
#include "experiment.h"

#include <string.h>

#define MOST 8 /* variants that a picture can distinguish */

/* A name in the double quotes of YAML. */
static const char *quoted_(struct smrf_pool *pool, const char *name)
{
    const char *text = "\"";
    for (; *name; name++) {
        text =
            smrf_pool_text(pool, "%s%s%c", text, *name == '"' || *name == '\\' ? "\\" : "", *name);
    }
    return smrf_pool_text(pool, "%s\"", text);
}

static int add_(struct smrf_experiment *x, const char *text)
{
    const struct smrf_tree *root = smrf_tree_read(&x->source, text, strlen(text));
    return root ? smrf_experiment_load_figures(x, root) : SMRF_ERR_INVAL;
}

/* A sweep over one axis is a line, over two a map; points of more have no order. By trace, too,
 * where these are few. */
static const char *sweep_(struct smrf_experiment *x, size_t index)
{
    const struct smrf_sweep *s = &x->sweep[index];
    struct smrf_pool *pool = &x->pool;
    const char *first = quoted_(pool, x->variant[s->first].name), *name = quoted_(pool, s->name);
    const char *ratio =
        quoted_(pool, smrf_pool_text(pool, "IPC, %s = 1", x->variant[s->first].name));
    const char *hits = "      hit ratio of register reads: mean(rf.hit_ratio)\n";
    const char *plot = s->num_axes == 2 ? "map" : s->num_axes > 2 ? "dots" : "lines";
    const char *title = quoted_(pool, smrf_pool_text(pool, "Sweep of %s", s->name));
    const char *by_trace = quoted_(pool, smrf_pool_text(pool, "Sweep of %s, by trace", s->name));
    const char *text =
        smrf_pool_text(pool,
                       "  sweep-%zu:\n    title: %s\n    rows: %s\n    columns:\n"
                       "      %s: >-\n        geomean(ipc / ipc@%s)\n%s"
                       "    plot: %s\n",
                       index + 1, title, name, ratio, first, s->num_axes > 2 ? "" : hits, plot);
    if (x->num_traces > 1 && x->num_traces <= MOST) {
        text = smrf_pool_text(pool,
                              "%s  sweep-%zu-traces:\n    title: %s\n    rows: %s\n"
                              "    columns: traces\n    value: >-\n      ipc / ipc@%s\n"
                              "    axis: %s\n    plot: %s\n",
                              text, index + 1, by_trace, name, first, ratio, plot);
    }
    return text;
}

int smrf_experiment_add_overview(struct smrf_experiment *x)
{
    if (x->num_sweeps) {
        const char *figures = "figures:\n";
        for (size_t i = 0; i < x->num_sweeps; i++) {
            figures = smrf_pool_text(&x->pool, "%s%s", figures, sweep_(x, i));
        }
        return add_(x, figures);
    }
    const char *all = "";
    const size_t shown = x->num_variants < MOST ? x->num_variants : MOST;
    for (size_t v = 0; v < shown; v++) {
        all = smrf_pool_text(&x->pool, "%s%s%s", all, v ? ", " : "",
                             quoted_(&x->pool, x->variant[v].name));
    }
    const char *first = x->variant[0].name;
    const char *title = smrf_pool_text(&x->pool, "IPC, %s = 1", first);
    const char *text = smrf_pool_text(&x->pool,
                                      "figures:\n"
                                      "  ipc:\n"
                                      "    title: %s\n"
                                      "    columns: [%s]\n"
                                      "    value: >-\n      ipc / ipc@%s\n"
                                      "    mean: geometric\n    plot: dots\n    neutral: 1\n"
                                      "  roofline:\n"
                                      "    title: Roofline of the register file\n"
                                      "    columns: [%s]\n"
                                      "    plot: roofline\n",
                                      quoted_(&x->pool, title), all, quoted_(&x->pool, first), all);
    if (shown < 2) {
        return SMRF_OK;
    }
    return add_(x, text);
}
