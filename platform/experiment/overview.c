/* SPDX-License-Identifier: Apache-2.0 */
/* What a comparison that was put together on the command line shows, as a file would ask for it. */
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

int smrf_experiment_add_overview(struct smrf_experiment *x)
{
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
    const struct smrf_tree *root = smrf_tree_read(&x->source, text, strlen(text));
    return root ? smrf_experiment_load_figures(x, root) : SMRF_ERR_INVAL;
}
