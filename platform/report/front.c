/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "front.h"

#include "html.h"
#include "style.h"

#include "models/common/smrf_err.h"
#include "traces/files/output_file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *text_(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static enum smrf_verdict verdict_(const json_t *claim)
{
    int v = 0;
    while (v < SMRF_VERDICTS &&
           strcmp(smrf_verdict_name((enum smrf_verdict)v), text_(claim, "verdict")) != 0) {
        v++;
    }
    return v < SMRF_VERDICTS ? (enum smrf_verdict)v : SMRF_NOT_MEASURED;
}

static enum smrf_claim_kind kind_(const json_t *claim)
{
    const enum smrf_claim_kind kind = smrf_claim_kind_of(text_(claim, "kind"));
    return kind < SMRF_CLAIM_KINDS ? kind : SMRF_CLAIM_OURS;
}

static void cell_(FILE *out, const char *before, const char *text)
{
    fputs(before, out);
    smrf_html_text(out, text);
    fputs("</td>", out);
}

static void number_(FILE *out, const char *label, const json_t *value)
{
    if (json_is_number(value)) {
        fprintf(out, "<td data-of=\"%s\">%.2f</td>", label, json_number_value(value));
    } else {
        fprintf(out, "<td data-of=\"%s\">&ndash;</td>", label);
    }
}

/* The studies: what they are called, how much of each there is. */
static void study_(FILE *out, const json_t *study, const char *folder)
{
    fputs("<li><a href=\"", out);
    smrf_html_text(out, folder);
    fputs("/report.html\">", out);
    smrf_html_text(out, text_(study, "title"));
    fprintf(out, "</a>: %lld of %lld runs</li>\n",
            (long long)json_integer_value(json_object_get(study, "whole")),
            (long long)json_integer_value(json_object_get(study, "planned")));
}

/* "1", "1 to 3", "1, 5" */
static void seeds_(FILE *out, const json_t *study)
{
    const json_t *seeds = json_object_get(study, "seeds");
    const size_t count = json_array_size(seeds);
    const long long first = json_integer_value(json_array_get(seeds, 0)),
                    last = json_integer_value(json_array_get(seeds, count ? count - 1 : 0));
    fputs("<td data-of=\"seeds\">", out);
    if (count > 2 && last - first == (long long)count - 1) {
        fprintf(out, "%lld to %lld", first, last);
    } else {
        for (size_t i = 0; i < count; i++) {
            fprintf(out, "%s%lld", i ? ", " : "",
                    (long long)json_integer_value(json_array_get(seeds, i)));
        }
    }
    fputs("</td>", out);
}

static void claims_(FILE *out, const json_t *study, const char *folder)
{
    size_t i;
    json_t *claim;
    json_array_foreach(json_object_get(study, "claims"), i, claim)
    {
        const enum smrf_verdict v = verdict_(claim);
        fprintf(out, "<tr><td class=\"word %s\">%s</td><td class=\"text\"><a href=\"",
                smrf_style_verdict(v), smrf_verdict_name(v));
        smrf_html_text(out, folder);
        fputs("/report.html#claims\">", out);
        smrf_html_text(out, text_(study, "name"));
        fputs("</a></td>", out);
        seeds_(out, study);
        cell_(out, "<td>", smrf_claim_kind_name(kind_(claim)));
        cell_(out, "<td class=\"text\">", text_(claim, "place"));
        cell_(out, "<td class=\"text\">", text_(claim, "claim"));
        number_(out, "paper", json_object_get(claim, "paper"));
        number_(out, "ours", json_object_get(claim, "ours"));
        cell_(out, "<td>", text_(claim, "unit"));
        fputs("</tr>\n", out);
    }
}

static void page_(FILE *out, json_t *const *study, char *const *folders, size_t count)
{
    smrf_claim_counts verdicts = {{0}};
    size_t i;
    json_t *claim;
    for (size_t s = 0; s < count; s++) {
        json_array_foreach(json_object_get(study[s], "claims"), i, claim)
        {
            verdicts[kind_(claim)][verdict_(claim)]++;
        }
    }
    smrf_style_begin(out, "Studies");
    fputs("<h1>Studies</h1>\n", out);
    smrf_style_cards(out, verdicts);
    fputs("<ul>\n", out);
    for (size_t s = 0; s < count; s++) {
        study_(out, study[s], folders[s]);
    }
    fputs(smrf_page_studies_html, out);
    for (size_t s = 0; s < count; s++) {
        claims_(out, study[s], folders[s]);
    }
    fputs("</tbody></table></div>\n", out);
    smrf_style_end(out);
}

int smrf_front_write(const char *path, char *const *folders, size_t count, char *text, size_t size)
{
    struct smrf_output out;
    json_t **study = calloc(count + 1, sizeof(json_t *));
    int err = study ? SMRF_OK : SMRF_ERR_NOMEM;
    if (err) {
        snprintf(text, size, "out of memory");
    }
    for (size_t i = 0; !err && i < count; i++) {
        char file[4096];
        json_error_t error;
        snprintf(file, sizeof file, "%s/study.json", folders[i]);
        study[i] = json_load_file(file, 0, &error);
        if (!study[i]) {
            snprintf(text, size, "%s: %s; smrf study leaves it in its folder", file, error.text);
            err = SMRF_ERR_IO;
        }
    }
    err = err ? err : smrf_output_open(&out, path, text, size);
    if (!err) {
        page_(out.file, study, folders, count);
        err = smrf_output_close(&out, true, text, size);
    }
    for (size_t i = 0; study && i < count; i++) {
        json_decref(study[i]);
    }
    free(study);
    return err;
}
