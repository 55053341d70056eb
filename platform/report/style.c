/* SPDX-License-Identifier: Apache-2.0 */
#include "style.h"

#include "svg.h"

static const char style[] =
    ":root{--ink:#1b1b1b;--soft:#5a5a5a;--line:#ddd}"
    "*{box-sizing:border-box}"
    "body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);margin:0 auto;max-width:80rem;"
    "padding:1rem;overflow-wrap:anywhere}"
    "h1{line-height:1.2;margin:.5rem 0}h2{margin:2.5rem 0 .5rem}h3{margin:0 0 .3rem;font-size:1rem}"
    "p{max-width:46rem}a{color:#0060a0}"
    ".cards{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0}"
    ".card{border:1px solid var(--line);border-left:.5rem solid var(--c);padding:.4rem .8rem;"
    "min-width:8.5rem}.card b{font-size:1.7rem;display:block;line-height:1.2}"
    ".ok{--c:#0072b2}.trend{--c:#e69f00}.no{--c:#d55e00}.none{--c:#999}"
    ".figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,23.5rem),1fr));"
    "gap:1.5rem;align-items:start}"
    ".figure{min-width:0;border-top:2px solid var(--line);padding-top:.6rem}"
    ".figure p{font-size:.85rem;color:var(--soft);margin:.2rem 0 .6rem}"
    "svg{display:block;max-width:100%;height:auto}"
    ".wide{overflow-x:auto;max-width:100%}"
    "table{border-collapse:collapse;font-size:.8rem;font-variant-numeric:tabular-nums}"
    "td,th{border-bottom:1px solid var(--line);padding:.15rem .5rem;text-align:right;"
    "overflow-wrap:normal;vertical-align:top}"
    "th:first-child,th.text,td.text{text-align:left}td.text{min-width:9rem}tr.mean{background:#"
    "f2f2f2;"
    "font-weight:bold}"
    ".claims td,.claims th{font-size:.85rem}.claims .word{border-left:.35rem solid var(--c);"
    "text-align:left;white-space:nowrap}.claims small{color:var(--soft);display:block}"
    ".more{color:#0072b2}.less{color:#b34700}.gap{background:#fff3e0;border-left:.5rem solid "
    "#d55e00;"
    "padding:.5rem .8rem}"
    "summary{cursor:pointer;font-size:.85rem}code,pre{font-size:.8rem;white-space:pre-wrap}"
    "@media(max-width:36rem){body{padding:.7rem}.claims th{display:none}.claims tr{display:flex;"
    "flex-wrap:wrap;gap:0 .8rem;border-bottom:1px solid var(--line);padding:.3rem 0}"
    ".claims td{border-bottom:0;padding:0 0 0 .4rem;text-align:left}.claims td.text{width:100%}"
    ".claims td[data-of]::before{content:attr(data-of) \" \";color:var(--soft)}}";

void smrf_style_begin(FILE *out, const char *title)
{
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>",
          out);
    smrf_html_text(out, title);
    fprintf(out, "</title><style>%s</style></head><body>\n", style);
}

const char *smrf_style_verdict(enum smrf_verdict verdict)
{
    static const char *const names[SMRF_VERDICTS] = {"ok", "trend", "no", "none", "none"};
    return names[verdict];
}

static void kind_cards_(FILE *out, enum smrf_claim_kind kind, const size_t count[SMRF_VERDICTS])
{
    static const char *const meaning[SMRF_VERDICTS] = {
        "within the tolerance", "same direction, other size", "no such effect, or the other way",
        "a run that it needs is missing", "no number of the paper"};
    static const char *const kinds[SMRF_CLAIM_KINDS] = {
        "Numbers of the paper, measured by replays",
        "Statements of the paper without a number: which way, or a bound",
        "Storage, computed from the configuration that ran",
        "Ours: no number of the paper, nothing to reproduce"};
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
