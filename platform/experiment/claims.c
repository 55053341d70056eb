/* SPDX-License-Identifier: Apache-2.0 */
/* What a paper says beside what was measured, and what was not measured. */
#define _GNU_SOURCE
#include "experiment.h"

#include <math.h>
#include <string.h>

static const char *const kind_names[SMRF_CLAIM_KINDS] = {"measured", "statement", "storage",
                                                         "ours"};

const char *smrf_claim_kind_name(enum smrf_claim_kind kind)
{
    return kind_names[kind];
}

enum smrf_claim_kind smrf_claim_kind_of(const char *name)
{
    int k = 0;
    while (k < SMRF_CLAIM_KINDS && strcmp(kind_names[k], name) != 0) {
        k++;
    }
    return (enum smrf_claim_kind)k;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* paper: 6.1, or ">40": more than, "<2": less than. */
static int paper_(struct smrf_experiment *x, const struct smrf_tree *item, struct smrf_claim *c)
{
    struct smrf_tree number = *item;
    if (item->kind == SMRF_TREE_TEXT && (item->text[0] == '>' || item->text[0] == '<')) {
        c->bound = item->text[0] == '>' ? SMRF_BOUND_ABOVE : SMRF_BOUND_BELOW;
        number.text++;
    }
    return smrf_tree_number(&x->source, &number, "paper", &c->paper);
}

/* tolerance: 2 (in the claim's unit), or 10% of the paper's effect. A wide one shows nothing. */
static int tolerance_(struct smrf_experiment *x, const struct smrf_tree *item, struct smrf_claim *c)
{
    struct smrf_tree number = *item;
    const size_t length = item->kind == SMRF_TREE_TEXT ? strlen(item->text) : 0;
    const bool share = length && item->text[length - 1] == '%';
    if (share) {
        number.text = smrf_pool_text(&x->pool, "%.*s", (int)length - 1, item->text);
    }
    int err = smrf_tree_number(&x->source, &number, "tolerance", &c->tolerance);
    if (err) {
        return err;
    }
    if (c->tolerance < 0) {
        return smrf_tree_fail(&x->source, item->line, "tolerance: at least 0");
    }
    c->tolerance *= share ? c->effect / 100 : 1;
    if (c->bound != SMRF_BOUND_EQUAL && c->tolerance != 0) {
        return smrf_tree_fail(&x->source, item->line, "tolerance: a bound has none");
    }
    if (c->tolerance > c->effect / 2 * (1 + 1e-9)) {
        return smrf_tree_fail(&x->source, item->line,
                              "tolerance: %g is more than half of the paper's effect, %g%s",
                              c->tolerance, c->effect,
                              c->effect == 0 ? ": say with effect: beside what it is none" : "");
    }
    return SMRF_OK;
}

static int number_(struct smrf_experiment *x, const struct smrf_tree *tree, const char *key,
                   double *number)
{
    const struct smrf_tree *item = smrf_tree_get(tree, key);
    return item ? smrf_tree_number(&x->source, item, key, number) : SMRF_OK;
}

static int numbers_(struct smrf_experiment *x, const struct smrf_tree *tree, struct smrf_claim *c)
{
    const struct smrf_tree *paper = smrf_tree_get(tree, "paper"),
                           *tolerance = smrf_tree_get(tree, "tolerance");
    if (c->kind == SMRF_CLAIM_OURS) {
        c->paper = c->tolerance = c->effect = NAN;
        return paper || tolerance ? smrf_tree_fail(&x->source, tree->line,
                                                   "kind: ours: there is no number of the paper, "
                                                   "and no tolerance")
                                  : SMRF_OK;
    }
    int err = paper ? paper_(x, paper, c)
                    : smrf_tree_fail(&x->source, tree->line,
                                     "a claim has claim: (what), paper: (its number) and value: "
                                     "(ours); with kind: ours no paper:");
    err = err ? err : number_(x, tree, "neutral", &c->neutral);
    c->effect = fabs(c->paper - c->neutral);
    err = err ? err : number_(x, tree, "effect", &c->effect);
    if (!err && c->bound != SMRF_BOUND_EQUAL) {
        c->kind = c->kind == SMRF_CLAIM_MEASURED ? SMRF_CLAIM_STATEMENT : c->kind;
    }
    c->tolerance = c->bound == SMRF_BOUND_EQUAL ? c->effect / 10 : 0;
    return err || !tolerance ? err : tolerance_(x, tolerance, c);
}

/* --- what was measured ------------------------------------------------------------------------ */

/* A number that no run can change is no result. */
static int check_value_(struct smrf_experiment *x, unsigned line, const struct smrf_claim *c,
                        const char *text)
{
    const bool storage = smrf_expression_asks(c->ours, "mechanism.storage_*");
    if (smrf_expression_of_trace(c->ours) || smrf_expression_of_variant(c->ours)) {
        return smrf_tree_fail(
            &x->source, line,
            "'%.200s' is not one number: say of which variant (ipc@NAME) and over "
            "which traces (mean(..), at(.., \"NAME\"))",
            text);
    }
    if (!smrf_expression_asks(c->ours, "*")) {
        return smrf_tree_fail(&x->source, line, "'%.200s' asks for no statistic of a run", text);
    }
    if (storage != (c->kind == SMRF_CLAIM_STORAGE) && c->kind != SMRF_CLAIM_OURS) {
        return smrf_tree_fail(&x->source, line,
                              "kind: storage is what mechanism.storage_* tells, and no other");
    }
    return SMRF_OK;
}

/* "without it {100 * mean(x) - 100} % are gained": numbers are worked out when the text is printed.
 */
static int note_(struct smrf_experiment *x, unsigned line, const char *text, struct smrf_claim *c)
{
    const struct smrf_expression_names names = smrf_experiment_names(x);
    while (*text) {
        const size_t before = strcspn(text, "{"), inside = strcspn(text + before, "}");
        struct smrf_note_part part = {smrf_pool_text(&x->pool, "%.*s", (int)before, text), NULL};
        text += before;
        if (*text && !text[inside]) {
            return smrf_tree_fail(&x->source, line, "note: '%.60s' has no }", text);
        }
        if (*text) {
            const char *own = smrf_pool_text(&x->pool, "%.*s", (int)inside - 1, text + 1);
            part.value = smrf_expression_parse(&x->source, line, own, &names);
            if (!part.value) {
                return SMRF_ERR_INVAL;
            }
            if (smrf_expression_of_trace(part.value) || smrf_expression_of_variant(part.value)) {
                return smrf_tree_fail(&x->source, line, "note: '%.200s' is not one number", own);
            }
            text += inside + 1;
        }
        SMRF_POOL_ADD(&x->pool, c->note, c->num_notes, part);
    }
    return SMRF_OK;
}

static int kind_(struct smrf_experiment *x, const struct smrf_tree *tree, struct smrf_claim *c)
{
    const char *kind = kind_names[SMRF_CLAIM_MEASURED];
    const int err = smrf_tree_part(&x->source, tree, "kind", &kind);
    if (err) {
        return err;
    }
    c->kind = smrf_claim_kind_of(kind);
    if (c->kind == SMRF_CLAIM_KINDS) {
        return smrf_tree_fail(&x->source, tree->line,
                              "kind: measured, statement, storage or ours, not '%s'", kind);
    }
    return SMRF_OK;
}

static int read_claim_(struct smrf_experiment *x, const struct smrf_tree *tree)
{
    static const char *const keys[] = {"claim", "place",     "paper",   "unit",   "value", "note",
                                       "kind",  "tolerance", "neutral", "effect", NULL};
    const struct smrf_expression_names names = smrf_experiment_names(x);
    const struct smrf_tree *value;
    const char *note = "";
    struct smrf_claim c = {.what = "", .place = "", .unit = ""};
    int err = smrf_tree_keys(&x->source, tree, "a claim", keys);
    err = err ? err : smrf_tree_part(&x->source, tree, "claim", &c.what);
    err = err ? err : smrf_tree_part(&x->source, tree, "place", &c.place);
    err = err ? err : smrf_tree_part(&x->source, tree, "unit", &c.unit);
    err = err ? err : smrf_tree_part(&x->source, tree, "note", &note);
    err = err ? err : kind_(x, tree, &c);
    if (err) {
        return err;
    }
    value = smrf_tree_get(tree, "value");
    if (!c.what[0] || !value) {
        return smrf_tree_fail(&x->source, tree->line,
                              "a claim has claim: (what), paper: (its number) and value: (ours)");
    }
    err = numbers_(x, tree, &c);
    const char *text = err ? NULL : smrf_tree_text(&x->source, value, "value");
    c.ours = text ? smrf_expression_parse(&x->source, value->line, text, &names) : NULL;
    err = c.ours ? check_value_(x, value->line, &c, text) : SMRF_ERR_INVAL;
    err = err ? err : note_(x, tree->line, note, &c);
    if (!err) {
        SMRF_POOL_ADD(&x->pool, x->claim, x->num_claims, c);
    }
    return err;
}

/* --- what was not ----------------------------------------------------------------------------- */

static int read_untried_(struct smrf_experiment *x, const struct smrf_tree *tree)
{
    static const char *const keys[] = {"what", "place", "why", NULL};
    struct smrf_untried u = {"", "", ""};
    int err = smrf_tree_keys(&x->source, tree, "what is untried", keys);
    err = err ? err : smrf_tree_part(&x->source, tree, "what", &u.what);
    err = err ? err : smrf_tree_part(&x->source, tree, "place", &u.place);
    err = err ? err : smrf_tree_part(&x->source, tree, "why", &u.why);
    if (!err && (!u.what[0] || !u.why[0])) {
        return smrf_tree_fail(&x->source, tree->line, "what is untried has what: and why:");
    }
    SMRF_POOL_ADD(&x->pool, x->untried, x->num_untried, u);
    return err;
}

int smrf_experiment_load_claims(struct smrf_experiment *x, const struct smrf_tree *root)
{
    const struct smrf_tree *all = smrf_tree_get(root, "claims"), *one;
    int err = SMRF_OK;
    for (size_t k = 0; !err && all && (one = smrf_tree_each(all, k)) != NULL; k++) {
        err = read_claim_(x, one);
    }
    all = smrf_tree_get(root, "untried");
    for (size_t k = 0; !err && all && (one = smrf_tree_each(all, k)) != NULL; k++) {
        err = read_untried_(x, one);
    }
    return err;
}
