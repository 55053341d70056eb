/* SPDX-License-Identifier: Apache-2.0 */
/* The page: the verdict first, then how it comes about, then with what. */
#include "figure.h"
#include "html.h"
#include "runs.h"
#include "style.h"
#include "write.h"

#include <math.h>
#include <string.h>

/* --- the verdict ------------------------------------------------------------------------------ */

static void gaps_(FILE *out, const struct smrf_data *d)
{
    const struct smrf_runner *r = d->runner;
    size_t told = 0;
    if (d->whole == d->planned) {
        return;
    }
    smrf_html(out, smrf_page_missing_html, d->planned - d->whole, d->planned);
    for (size_t i = 0; i < r->num_planned && told < 12; i++) {
        const struct smrf_planned *p = &r->planned[i];
        const char *why = p->why ? p->why : smrf_store_why(d->store, p->run.key);
        if (why[0]) {
            told++;
            smrf_html(out, "<li>%s on %s: %s</li>", d->x->variant[p->variant].name,
                      d->x->trace[p->trace].name, why);
        }
    }
    fputs(told < d->planned - d->whole ? "<li>..</li></ul></div>\n" : "</ul></div>\n", out);
}

static void verdicts_(FILE *out, const struct smrf_data *d)
{
    smrf_claim_counts count = {{0}};
    smrf_claims_count(d, count);
    if (d->x->num_claims) {
        smrf_style_cards(out, count);
    }
}

static void contents_(FILE *out, const struct smrf_report_parts *r)
{
    fputs("<nav aria-label=\"Contents\"><details open><summary>Contents</summary><ul>", out);
    if (r->d->x->num_claims) {
        fputs("<li><a href=\"#claims\">Claims</a></li>", out);
    }
    if (r->d->x->num_untried) {
        fputs("<li><a href=\"#untried\">Not tried</a></li>", out);
    }
    for (size_t i = 0; i < r->tables->count; i++) {
        const struct smrf_table *t = &r->tables->table[i];
        smrf_html(out, "<li><a href=\"#%s\">%s</a></li>", t->id, t->title);
    }
    fputs("<li><a href=\"#runs\">Runs</a></li><li><a href=\"#provenance\">Provenance</a></li></ul>"
          "</details></nav>\n",
          out);
}

/* --- claims ----------------------------------------------------------------------------------- */

static void difference_(FILE *out, double difference)
{
    if (isnan(difference)) {
        fputs("<td data-of=\"difference\">&ndash;</td>", out);
    } else {
        smrf_html(out, "<td data-of=\"difference\" class=\"%r\">%+.2f</td>",
                  difference < 0 ? "less" : "more", difference);
    }
}

static void claim_(FILE *out, const struct smrf_claim *c, const struct smrf_data *d)
{
    static const char *const bounds[] = {"", "above ", "below "};
    const struct smrf_spread spread = smrf_claim_ours(c, d);
    const double ours = spread.mean;
    const enum smrf_verdict v = smrf_claim_verdict(c, ours);
    smrf_html(out, smrf_page_claim_html, smrf_style_verdict(v), smrf_verdict_name(v),
              smrf_claim_kind_name(c->kind), c->what);
    if (c->num_notes) {
        smrf_html(out, "<small>%s</small>", smrf_claim_note(c, d));
    }
    if (c->kind == SMRF_CLAIM_OURS) {
        fputs("</td><td data-of=\"paper\">&ndash;</td>", out);
    } else {
        smrf_html(out, "</td><td data-of=\"paper\">%r%.2f</td>", bounds[c->bound], c->paper);
    }
    if (isnan(ours)) {
        fputs("<td data-of=\"ours\">&ndash;</td>", out);
    } else {
        smrf_html(out, "<td data-of=\"ours\">%.2f", ours);
        if (smrf_spread_shows(&spread)) {
            smrf_html(out, "<small>%.2f .. %.2f</small>", spread.least, spread.most);
        }
        fputs("</td>", out);
    }
    difference_(out, ours - c->paper);
    smrf_html(out, "<td>%s</td><td class=\"place\">%s</td></tr>\n", c->unit, c->place);
}

static void claims_(FILE *out, const struct smrf_data *d)
{
    if (d->x->num_claims == 0) {
        return;
    }
    fputs(smrf_page_claims_html, out);
    for (size_t i = 0; i < d->x->num_claims; i++) {
        claim_(out, &d->x->claim[i], d);
    }
    fputs("</tbody></table></div>\n", out);
}

/* Results of the paper that are not measured here, with the reason. */
static void untried_(FILE *out, const struct smrf_experiment *x)
{
    if (x->num_untried == 0) {
        return;
    }
    fputs(smrf_page_untried_html, out);
    for (size_t i = 0; i < x->num_untried; i++) {
        smrf_html(out,
                  "<tr><td class=\"text\">%s</td><td class=\"text\">%s</td>"
                  "<td class=\"place\">%s</td></tr>\n",
                  x->untried[i].what, x->untried[i].why, x->untried[i].place);
    }
    fputs("</tbody></table></div>\n", out);
}

/* --- figures ---------------------------------------------------------------------------------- */

#define ROWS 400 /* of a series; its CSV has all */

static void head_(FILE *out, const struct smrf_table *t, const struct smrf_experiment *x)
{
    smrf_html(out, smrf_page_numbers_html, t->title, t->row_title[0] ? t->row_title : "value");
    for (size_t c = 0; c < t->num_columns; c++) {
        const struct smrf_named *column =
            t->figure->rows == SMRF_ROWS_TRACES ? &t->figure->column[c] : NULL;
        if (column && column->variant >= 0 && t->figure->plot != SMRF_PLOT_ROOFLINE) {
            smrf_html(out, "<th scope=\"col\" data-variant=\"%z\">%s</th>", (size_t)column->variant,
                      x->variant[column->variant].name);
        } else {
            smrf_html(out, "<th scope=\"col\">%s</th>", t->column[c]);
        }
    }
    fputs("</tr></thead><tbody>\n", out);
}

/* The numbers: readers of screens have them in place of the picture, and the page's script takes
 * what it shows below the pointer from here. */
static void table_(FILE *out, const struct smrf_table *t, const struct smrf_experiment *x)
{
    const size_t rows = t->num_rows > ROWS ? ROWS : t->num_rows;
    const bool traces = t->figure->rows == SMRF_ROWS_TRACES;
    head_(out, t, x);
    for (size_t r = 0; r < rows; r++) {
        const struct smrf_table_row *row = &t->row[r];
        if (traces && !row->mean) {
            smrf_html(out, "<tr data-trace=\"%z\"><th scope=\"row\">%s</th>", row->trace,
                      row->name);
        } else {
            smrf_html(out, "<tr%r><th scope=\"row\">%s</th>", row->mean ? " class=\"mean\"" : "",
                      row->name);
        }
        for (size_t c = 0; c < t->num_columns; c++) {
            if (isnan(row->value[c].mean)) {
                fputs("<td>&ndash;</td>", out);
            } else {
                fprintf(out, "<td>%.*f</td>", (int)t->figure->digits, row->value[c].mean);
            }
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>", out);
    if (rows < t->num_rows) {
        smrf_html(out, "<p>and %z more in the CSV</p>", t->num_rows - rows);
    }
    fputs("</details>\n", out);
}

/* Where the page's script draws the picture; or why there is none. */
static void picture_(FILE *out, const struct smrf_table *t)
{
    const char *why = smrf_figure_hindrance(t);
    if (why) {
        smrf_html(out, "<p class=\"gap\" role=\"note\">%s</p>\n", why);
    } else if (t->figure->plot != SMRF_PLOT_NONE) {
        fputs(smrf_page_picture_html, out);
    }
}

static void figure_(FILE *out, const struct smrf_table *whole, const struct smrf_report_parts *r)
{
    const struct smrf_table *t = whole->drawn;
    smrf_html(out, "<section class=\"figure\" id=\"%s\"><h3>%s</h3>\n", t->id, t->title);
    picture_(out, t);
    smrf_html(out, "<p>%s ", t->figure->note);
    for (size_t a = 0; a < t->num_axes; a++) {
        if (t->axis[a].meaning[0]) {
            smrf_html(out, "<br><code>%s</code>: %s", t->axis[a].title, t->axis[a].meaning);
        }
    }
    if (t->steps && t != whole) {
        smrf_html(out, "Means of %z intervals, each sampled value weighted by its cycles. ",
                  t->num_rows);
    }
    if (!r->alone) {
        smrf_html(out, " <a href=\"%s.csv\">CSV</a>", t->id);
    }
    fputs("</p>\n", out);
    table_(out, t, r->d->x);
    fputs("</section>\n", out);
}

/* --- with what -------------------------------------------------------------------------------- */

static void runs_(FILE *out, const struct smrf_report_parts *r)
{
    smrf_html(out, smrf_page_runs_html,
              r->alone ? "results.csv" : "<a href=\"results.csv\">results.csv</a>");
    smrf_runs_write(r->d->ask.ctx, r->tables, out);
}

static void variants_(FILE *out, const struct smrf_experiment *x)
{
    fputs(smrf_page_variants_html, out);
    for (size_t v = 0; v < x->num_variants; v++) {
        smrf_html(out,
                  "<tr><th scope=\"row\">%s</th><td class=\"text\">%s</td>"
                  "<td class=\"text\">%s</td></tr>\n",
                  x->variant[v].name,
                  x->variant[v].mechanism[0] ? x->variant[v].mechanism : x->variant[v].tool,
                  x->variant[v].settings);
    }
    fputs("</tbody></table></div></details>\n", out);
}

static void traces_(FILE *out, const struct smrf_data *d)
{
    const struct smrf_experiment *x = d->x;
    fputs(smrf_page_traces_html, out);
    for (size_t t = 0; t < x->num_traces; t++) {
        const struct smrf_planned *p = NULL;
        for (size_t i = 0; !p && i < d->runner->num_planned; i++) {
            p = d->runner->planned[i].trace == t ? &d->runner->planned[i] : NULL;
        }
        smrf_html(out,
                  "<tr><th scope=\"row\">%s</th><td class=\"text\">%s</td>"
                  "<td class=\"text\"><code>%s</code></td></tr>\n",
                  x->trace[t].name, x->trace[t].group, p && !p->why ? p->run.trace_digest : "-");
    }
    fputs("</tbody></table></div></details>\n", out);
}

static void provenance_(FILE *out, const struct smrf_report_parts *r)
{
    const struct smrf_data *d = r->d;
    const struct smrf_experiment *x = d->x;
    smrf_html(out, smrf_page_provenance_html, r->command, r->version, d->whole, x->num_traces,
              x->num_variants, x->preset);
    for (size_t i = 0; i < x->num_set; i++) {
        smrf_html(out, ", <code>%s</code>", x->set[i]);
    }
    fprintf(out, ", seed%s", x->num_seeds == 1 ? "" : "s");
    for (size_t i = 0; i < x->num_seeds; i++) {
        fprintf(out, "%s %u", i ? "," : "", x->seed[i]);
    }
    fputs(". Every number: <code>experiment.sqlite</code>, <code>results.csv</code>.</p>\n", out);
    variants_(out, x);
    traces_(out, d);
}

int smrf_report_page(FILE *out, const void *parts)
{
    const struct smrf_report_parts *r = parts;
    const struct smrf_experiment *x = r->d->x;
    smrf_style_begin(out, x->title);
    smrf_html(out, "<h1>%s</h1>\n<p>%s</p>\n", x->title, x->summary);
    verdicts_(out, r->d);
    gaps_(out, r->d);
    contents_(out, r);
    claims_(out, r->d);
    untried_(out, x);
    if (r->tables->count) {
        fputs("<h2 id=\"figures\">Figures</h2>\n<div class=\"figures\">\n", out);
        for (size_t i = 0; i < r->tables->count; i++) {
            figure_(out, &r->tables->table[i], r);
        }
        fputs("</div>\n", out);
    }
    runs_(out, r);
    provenance_(out, r);
    smrf_style_end(out);
    return ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}
