/* SPDX-License-Identifier: Apache-2.0 */
/* Text of pages: templates whose values are escaped. */
#ifndef SMRF_REPORT_HTML_H
#define SMRF_REPORT_HTML_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A text with what HTML and XML want escaped. */
void smrf_html_text(FILE *out, const char *text);

/* A template with its values: %s a text, escaped; %r a text as it is; %z a size_t; %.2f and %+.2f a
 * double (the digit is the number of decimals); %% a percent sign. */
void smrf_html(FILE *out, const char *form, ...);

/* The page's own files, embedded by the build: platform/report/page. */
extern const char smrf_page_head_html[], smrf_page_page_css[], smrf_page_plot_css[],
    smrf_page_plot_js[], smrf_page_page_js[];
/* Templates of its parts. */
extern const char smrf_page_missing_html[], smrf_page_claims_html[], smrf_page_claim_html[],
    smrf_page_untried_html[], smrf_page_numbers_html[], smrf_page_runs_html[],
    smrf_page_provenance_html[], smrf_page_variants_html[], smrf_page_traces_html[],
    smrf_page_studies_html[], smrf_page_picture_html[];

#ifdef __cplusplus
}
#endif

#endif
