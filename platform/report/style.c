/* SPDX-License-Identifier: Apache-2.0 */
#include "style.h"

#include "html.h"

void smrf_style_begin(FILE *out, const char *title)
{
    smrf_html(out, smrf_page_head_html, title, smrf_page_plot_css, smrf_page_page_css);
}

void smrf_style_end(FILE *out)
{
    smrf_html(out, "</main>\n<script>%r</script><script>%r</script></body></html>\n",
              smrf_page_plot_js, smrf_page_page_js);
}

const char *smrf_style_verdict(enum smrf_verdict verdict)
{
    static const char *const names[SMRF_VERDICTS] = {"ok", "trend", "no", "none", "none"};
    return names[verdict];
}

static void kind_cards_(FILE *out, enum smrf_claim_kind kind, const size_t count[SMRF_VERDICTS])
{
    static const char *const meaning[SMRF_VERDICTS] = {
        "within the tolerance", "same direction, other size",
        "no such effect, the opposite, or far more", "a run that it needs is missing",
        "no number of the paper"};
    static const char *const kinds[SMRF_CLAIM_KINDS] = {
        "Numbers of the paper, measured by replays",
        "Statements of the paper without a number: a direction or a bound",
        "Storage, computed from the configuration that ran", "Our own numbers: the paper has none"};
    fprintf(out, "<h3>%s</h3>\n<div class=\"cards\">", kinds[kind]);
    for (int i = 0; i < SMRF_VERDICTS; i++) {
        const enum smrf_verdict v = (enum smrf_verdict)i;
        if ((v == SMRF_SHOWN) != (kind == SMRF_CLAIM_OURS) && count[v] == 0) {
            continue;
        }
        fprintf(out, "<div class=\"card %s\"><b>%zu</b>%s<br><small>%s</small></div>",
                smrf_style_verdict(v), count[i], smrf_verdict_name(v), meaning[i]);
    }
    fputs("</div>\n", out);
}

void smrf_style_cards(FILE *out, smrf_claim_counts count)
{
    for (int k = 0; k < SMRF_CLAIM_KINDS; k++) {
        size_t all = 0;
        for (int v = 0; v < SMRF_VERDICTS; v++) {
            all += count[k][v];
        }
        if (all) {
            kind_cards_(out, (enum smrf_claim_kind)k, count[k]);
        }
    }
}
