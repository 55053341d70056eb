/* SPDX-License-Identifier: Apache-2.0 */
/* The claims of an experiment: what was measured of each, and how it stands. */
#include "claims.h"

#include <math.h>

const char *smrf_verdict_name(enum smrf_verdict verdict)
{
    static const char *const names[SMRF_VERDICTS] = {"reproduced", "trend", "not reproduced",
                                                     "not measured", "shown"};
    return names[verdict];
}

struct smrf_spread smrf_claim_ours(const struct smrf_claim *claim, const struct smrf_data *d)
{
    struct smrf_data_gaps gaps;
    const struct smrf_spread spread = smrf_data_value(d, claim->ours, -1, -1, &gaps);
    /* A verdict is not made of half of the runs. */
    return gaps.missing + gaps.failed == 0 ? spread : (struct smrf_spread){NAN, NAN, NAN};
}

bool smrf_spread_shows(const struct smrf_spread *spread)
{
    return spread->most - spread->least > 1e-9 * fabs(spread->mean); /* more than rounding */
}

enum smrf_verdict smrf_claim_verdict(const struct smrf_claim *claim, double ours)
{
    const double far = ours - claim->paper, effect = claim->paper - claim->neutral;
    if (isnan(ours)) {
        return SMRF_NOT_MEASURED;
    }
    if (claim->kind == SMRF_CLAIM_OURS) {
        return SMRF_SHOWN;
    }
    if (claim->bound == SMRF_BOUND_ABOVE   ? far > 0
        : claim->bound == SMRF_BOUND_BELOW ? far < 0
                                           : fabs(far) <= claim->tolerance) {
        return SMRF_REPRODUCED;
    }
    /* The same direction, by half of the paper's effect to twice. Less or more is another finding.
     * If the paper has no effect there is no direction; a bound holds or does not. */
    const double share = effect != 0 ? (ours - claim->neutral) / effect : 0;
    return claim->bound == SMRF_BOUND_EQUAL && claim->kind != SMRF_CLAIM_STORAGE && share >= 0.5 &&
                   share <= 2
               ? SMRF_TREND
               : SMRF_NOT_REPRODUCED;
}

const char *smrf_claim_note(const struct smrf_claim *claim, const struct smrf_data *d)
{
    struct smrf_pool *pool = &d->x->pool;
    const char *text = "";
    for (size_t i = 0; i < claim->num_notes; i++) {
        const struct smrf_note_part *part = &claim->note[i];
        struct smrf_data_gaps gaps = {0, 0};
        const double value =
            part->value ? smrf_data_value(d, part->value, -1, -1, &gaps).mean : NAN;
        const bool there = !isnan(value) && gaps.missing + gaps.failed == 0;
        text = smrf_pool_text(pool, "%s%s", text, part->text);
        if (part->value) {
            text = there ? smrf_pool_text(pool, "%s%.1f", text, value)
                         : smrf_pool_text(pool, "%s-", text);
        }
    }
    return text;
}

void smrf_claims_count(const struct smrf_data *d, smrf_claim_counts count)
{
    for (size_t i = 0; i < d->x->num_claims; i++) {
        const struct smrf_claim *c = &d->x->claim[i];
        count[c->kind][smrf_claim_verdict(c, smrf_claim_ours(c, d).mean)]++;
    }
}

static void number_(FILE *out, double number, const char *form)
{
    if (isnan(number)) {
        fprintf(out, " %9s", "-");
    } else {
        fprintf(out, form, number);
    }
}

/* "measured: 5 reproduced, 8 trend, .." */
static void counts_(FILE *out, const size_t count[SMRF_VERDICTS], enum smrf_claim_kind kind)
{
    const char *before = "";
    fprintf(out, "%-10s ", smrf_claim_kind_name(kind));
    for (unsigned v = 0; v < SMRF_VERDICTS; v++) {
        if (count[v]) {
            fprintf(out, "%s%zu %s", before, count[v], smrf_verdict_name((enum smrf_verdict)v));
            before = ", ";
        }
    }
    fputs(*before ? "\n" : "none\n", out);
}

void smrf_claims_print(FILE *out, const struct smrf_data *d)
{
    smrf_claim_counts count = {{0}};
    smrf_claims_count(d, count);
    fprintf(out, "%-52s %-6s %9s %9s %9s\n", "", "", "paper", "ours", "differ");
    for (size_t i = 0; i < d->x->num_claims; i++) {
        const struct smrf_claim *c = &d->x->claim[i];
        const struct smrf_spread spread = smrf_claim_ours(c, d);
        const double ours = spread.mean;
        fprintf(out, "%-52.52s %-6s", c->what, c->unit);
        number_(out, c->paper, " %9.2f");
        number_(out, ours, " %9.2f");
        number_(out, ours - c->paper, " %+9.2f");
        fprintf(out, "  %-9s %-14s %s", smrf_claim_kind_name(c->kind),
                smrf_verdict_name(smrf_claim_verdict(c, ours)), c->place);
        if (smrf_spread_shows(&spread)) {
            fprintf(out, "; seeds %.2f..%.2f", spread.least, spread.most);
        }
        fputs("\n", out);
    }
    fputs("\n", out);
    for (unsigned k = 0; k < SMRF_CLAIM_KINDS; k++) {
        counts_(out, count[k], (enum smrf_claim_kind)k);
    }
}
