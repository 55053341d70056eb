/* SPDX-License-Identifier: Apache-2.0 */
/* The page: the verdict first, then how it comes about, then with what. */
#include "style.h"
#include "svg.h"
#include "write.h"

#include <math.h>
#include <string.h>

static void text_(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    smrf_html_text(out, text);
    fputs(after, out);
}

/* --- the verdict ------------------------------------------------------------------------------ */

static void gaps_(FILE *out, const struct smrf_data *d)
{
    const struct smrf_runner *r = d->runner;
    size_t told = 0;
    if (d->whole == d->planned) {
        return;
    }
    fprintf(
        out,
        "<div class=\"gap\"><b>%zu of %zu runs are missing.</b> What needs them is shown as a gap "
        "and left out of means.<ul>",
        d->planned - d->whole, d->planned);
    for (size_t i = 0; i < r->num_planned && told < 12; i++) {
        const struct smrf_planned *p = &r->planned[i];
        const char *why = p->why ? p->why : smrf_store_why(d->store, p->run.key);
        if (why[0]) {
            told++;
            text_(out, "<li>", d->x->variant[p->variant].name, " on ");
            text_(out, "", d->x->trace[p->trace].name, ": ");
            text_(out, "", why, "</li>");
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
    fputs("<nav><details open><summary>Contents</summary><ul>", out);
    if (r->d->x->num_claims) {
        fputs("<li><a href=\"#claims\">Claims</a></li>", out);
    }
    if (r->d->x->num_untried) {
        fputs("<li><a href=\"#untried\">Not tried</a></li>", out);
    }
    for (size_t i = 0; i < r->tables->count; i++) {
        const struct smrf_table *t = &r->tables->table[i];
        text_(out, "<li><a href=\"#", t->id, "\">");
        text_(out, "", t->title, "</a></li>");
    }
    fputs("<li><a href=\"#provenance\">Provenance</a></li></ul></details></nav>\n", out);
}

/* --- claims ----------------------------------------------------------------------------------- */

static void difference_(FILE *out, double difference)
{
    if (isnan(difference)) {
        fputs("<td data-of=\"differ\">&ndash;</td>", out);
    } else {
        fprintf(out, "<td data-of=\"differ\" class=\"%s\">%+.2f</td>",
                difference < 0 ? "less" : "more", difference);
    }
}

static void claims_(FILE *out, const struct smrf_data *d)
{
    static const char *const bounds[] = {"", "above ", "below "};
    if (d->x->num_claims == 0) {
        return;
    }
    fputs("<h2 id=\"claims\">Claims</h2>\n<div class=\"wide\"><table class=\"claims\"><tr>"
          "<th>verdict</th><th class=\"text\">kind</th><th "
          "class=\"text\">claim</th><th>paper</th><th>ours</th><th>ours &minus; "
          "paper</th><th>unit</th><th class=\"place\">place</th></tr>\n",
          out);
    for (size_t i = 0; i < d->x->num_claims; i++) {
        const struct smrf_claim *c = &d->x->claim[i];
        const struct smrf_spread spread = smrf_claim_ours(c, d);
        const double ours = spread.mean;
        const enum smrf_verdict v = smrf_claim_verdict(c, ours);
        fprintf(out, "<tr><td class=\"word %s\">%s</td>", smrf_style_verdict(v),
                smrf_verdict_name(v));
        text_(out, "<td>", smrf_claim_kind_name(c->kind), "</td>");
        text_(out, "<td class=\"text\">", c->what, "");
        if (c->num_notes) {
            text_(out, "<small>", smrf_claim_note(c, d), "</small>");
        }
        if (c->kind == SMRF_CLAIM_OURS) {
            fputs("</td><td data-of=\"paper\">&ndash;</td>", out);
        } else {
            fprintf(out, "</td><td data-of=\"paper\">%s%.2f</td>", bounds[c->bound], c->paper);
        }
        if (isnan(ours)) {
            fputs("<td data-of=\"ours\">&ndash;</td>", out);
        } else {
            fprintf(out, "<td data-of=\"ours\">%.2f", ours);
            if (smrf_spread_shows(&spread)) {
                fprintf(out, "<small>%.2f .. %.2f</small>", spread.least, spread.most);
            }
            fputs("</td>", out);
        }
        difference_(out, ours - c->paper);
        text_(out, "<td>", c->unit, "</td>");
        text_(out, "<td class=\"place\">", c->place, "</td></tr>\n");
    }
    fputs("</table></div>\n", out);
}

/* What the paper has and nobody measured here, with the reason. */
static void untried_(FILE *out, const struct smrf_experiment *x)
{
    if (x->num_untried == 0) {
        return;
    }
    fputs("<h2 id=\"untried\">Not tried</h2>\n<div class=\"wide\"><table class=\"claims\"><tr>"
          "<th class=\"text\">what</th><th class=\"text\">why not</th>"
          "<th class=\"place\">place</th></tr>\n",
          out);
    for (size_t i = 0; i < x->num_untried; i++) {
        text_(out, "<tr><td class=\"text\">", x->untried[i].what, "</td>");
        text_(out, "<td class=\"text\">", x->untried[i].why, "</td>");
        text_(out, "<td class=\"place\">", x->untried[i].place, "</td></tr>\n");
    }
    fputs("</table></div>\n", out);
}

/* --- figures ---------------------------------------------------------------------------------- */

#define ROWS 100 /* of a series; its CSV has all */

static void table_(FILE *out, const struct smrf_table *t)
{
    const size_t rows =
        t->figure->rows == SMRF_ROWS_SERIES && t->num_rows > ROWS ? ROWS : t->num_rows;
    text_(out, "<details><summary>numbers</summary><div class=\"wide\"><table><tr><th>",
          t->row_title, "</th>");
    for (size_t c = 0; c < t->num_columns; c++) {
        text_(out, "<th>", t->column[c], "</th>");
    }
    fputs("</tr>\n", out);
    for (size_t r = 0; r < rows; r++) {
        fputs(t->row[r].mean ? "<tr class=\"mean\">" : "<tr>", out);
        text_(out, "<th>", t->row[r].name, "</th>");
        for (size_t c = 0; c < t->num_columns; c++) {
            const double v = t->row[r].value[c].mean;
            if (isnan(v)) {
                fputs("<td>&ndash;</td>", out);
            } else {
                fprintf(out, "<td>%.*f</td>", (int)t->figure->digits, v);
            }
        }
        fputs("</tr>\n", out);
    }
    fputs("</table></div>", out);
    if (rows < t->num_rows) {
        fprintf(out, "<p>and %zu more in the CSV</p>", t->num_rows - rows);
    }
    fputs("</details>\n", out);
}

static void figure_(FILE *out, const struct smrf_table *t)
{
    text_(out, "<section class=\"figure\" id=\"", t->id, "\">");
    text_(out, "<h3>", t->title, "</h3>\n");
    if (smrf_svg_can(t)) {
        smrf_svg_write(t, out);
    }
    text_(out, "<p>", t->figure->note, " ");
    text_(out, "<a href=\"", t->id, ".csv\">CSV</a></p>\n");
    table_(out, t);
    fputs("</section>\n", out);
}

/* --- with what -------------------------------------------------------------------------------- */

static void provenance_(FILE *out, const struct smrf_report_parts *r)
{
    const struct smrf_data *d = r->d;
    const struct smrf_experiment *x = d->x;
    text_(out, "<h2 id=\"provenance\">Provenance</h2>\n<p>Made by <code>", r->command, "</code>, ");
    text_(out, "smrf ", r->version, ", ");
    fprintf(out, "from %zu runs of %zu traces under %zu variants", d->whole, x->num_traces,
            x->num_variants);
    text_(out, ", preset <code>", x->preset, "</code>");
    for (size_t i = 0; i < x->num_set; i++) {
        text_(out, ", <code>", x->set[i], "</code>");
    }
    fprintf(out, ", seed%s", x->num_seeds == 1 ? "" : "s");
    for (size_t i = 0; i < x->num_seeds; i++) {
        fprintf(out, "%s %u", i ? "," : "", x->seed[i]);
    }
    fputs(". Every number: <code>experiment.sqlite</code>, <code>results.csv</code>.</p>\n<details>"
          "<summary>variants</summary><div class=\"wide\"><table><tr><th>variant</th>"
          "<th class=\"text\">mechanism</th><th class=\"text\">settings</th></tr>\n",
          out);
    for (size_t v = 0; v < x->num_variants; v++) {
        text_(out, "<tr><th>", x->variant[v].name, "</th>");
        text_(out, "<td class=\"text\">",
              x->variant[v].mechanism[0] ? x->variant[v].mechanism : x->variant[v].tool, "</td>");
        text_(out, "<td class=\"text\">", x->variant[v].settings, "</td></tr>\n");
    }
    fputs("</table></div></details>\n<details><summary>traces</summary><div class=\"wide\"><table>"
          "<tr><th>trace</th><th class=\"text\">group</th><th class=\"text\">digest</th></tr>\n",
          out);
    for (size_t t = 0; t < x->num_traces; t++) {
        const struct smrf_planned *p = NULL;
        for (size_t i = 0; !p && i < d->runner->num_planned; i++) {
            p = d->runner->planned[i].trace == t ? &d->runner->planned[i] : NULL;
        }
        text_(out, "<tr><th>", x->trace[t].name, "</th>");
        text_(out, "<td class=\"text\">", x->trace[t].group, "</td>");
        text_(out, "<td class=\"text\"><code>", p && !p->why ? p->run.trace_digest : "-",
              "</code></td></tr>\n");
    }
    fputs("</table></div></details>\n", out);
}

int smrf_report_page(FILE *out, const void *parts)
{
    const struct smrf_report_parts *r = parts;
    const struct smrf_experiment *x = r->d->x;
    smrf_style_begin(out, x->title);
    text_(out, "<h1>", x->title, "</h1>\n");
    text_(out, "<p>", x->summary, "</p>\n");
    verdicts_(out, r->d);
    gaps_(out, r->d);
    contents_(out, r);
    claims_(out, r->d);
    untried_(out, x);
    fputs("<h2>Figures</h2>\n<div class=\"figures\">\n", out);
    for (size_t i = 0; i < r->tables->count; i++) {
        figure_(out, &r->tables->table[i]);
    }
    fputs("</div>\n", out);
    provenance_(out, r);
    fputs("</body></html>\n", out);
    return ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}
