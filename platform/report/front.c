/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "front.h"

#include "style.h"
#include "svg.h"

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
    while (v + 1 < SMRF_VERDICTS &&
           strcmp(smrf_verdict_name((enum smrf_verdict)v), text_(claim, "verdict")) != 0) {
        v++;
    }
    return (enum smrf_verdict)v;
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

static void study_(FILE *out, const json_t *study, const char *folder)
{
    size_t i, count[SMRF_VERDICTS] = {0};
    json_t *claim;
    fputs("<h2><a href=\"", out);
    smrf_html_text(out, folder);
    fputs("/report.html\">", out);
    smrf_html_text(out, text_(study, "title"));
    fputs("</a></h2>\n", out);
    json_array_foreach(json_object_get(study, "claims"), i, claim)
    {
        count[verdict_(claim)]++;
    }
    smrf_style_cards(out, count);
    fprintf(out, "<p>%lld of %lld runs</p>\n",
            (long long)json_integer_value(json_object_get(study, "whole")),
            (long long)json_integer_value(json_object_get(study, "planned")));
    fputs("<div class=\"wide\"><table class=\"claims\"><tr><th>verdict</th><th "
          "class=\"text\">place</th>"
          "<th class=\"text\">claim</th><th>paper</th><th>ours</th><th>unit</th></tr>\n",
          out);
    json_array_foreach(json_object_get(study, "claims"), i, claim)
    {
        const enum smrf_verdict v = verdict_(claim);
        fprintf(out, "<tr><td class=\"word %s\">%s</td>", smrf_style_verdict(v),
                smrf_verdict_name(v));
        cell_(out, "<td class=\"text\">", text_(claim, "place"));
        cell_(out, "<td class=\"text\">", text_(claim, "claim"));
        number_(out, "paper", json_object_get(claim, "paper"));
        number_(out, "ours", json_object_get(claim, "ours"));
        cell_(out, "<td>", text_(claim, "unit"));
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

int smrf_front_write(const char *path, char *const *folders, size_t count, char *text, size_t size)
{
    struct smrf_output out;
    int err = smrf_output_open(&out, path, text, size);
    if (err) {
        return err;
    }
    smrf_style_begin(out.file, "Studies");
    fputs("<h1>Studies</h1>\n", out.file);
    for (size_t i = 0; !err && i < count; i++) {
        char file[4096];
        json_error_t error;
        snprintf(file, sizeof file, "%s/study.json", folders[i]);
        json_t *study = json_load_file(file, 0, &error);
        if (study) {
            study_(out.file, study, folders[i]);
        } else {
            snprintf(text, size, "%s: %s; smrf study leaves it in its folder", file, error.text);
            err = SMRF_ERR_IO;
        }
        json_decref(study);
    }
    fputs("</body></html>\n", out.file);
    int closed = smrf_output_close(&out, !err, err ? (char[1]){0} : text, err ? 1 : size);
    return err ? err : closed;
}
