/* SPDX-License-Identifier: Apache-2.0 */
#include "document.h"

#include "cli.h"
#include "traces/files/output_file.h"

int smrf_cli_file(const char *path, int (*fill)(void *ctx, FILE *out, char *text, size_t size),
                  void *ctx)
{
    struct smrf_output out;
    char text[1024] = "", closing[1024] = "";
    int err = smrf_output_open(&out, path, text, sizeof text);
    if (!err) {
        err = fill(ctx, out.file, text, sizeof text);
        const bool lost = ferror(out.file) != 0; /* closing the file reports it */
        const int closed = smrf_output_close(&out, !err || lost, closing, sizeof closing);
        if (lost && closed) {
            snprintf(text, sizeof text, "%s", closing);
        }
        err = err && !lost ? err : closed;
        if (err && !text[0]) {
            snprintf(text, sizeof text, "%s", closing[0] ? closing : "out of memory");
        }
    }
    if (err) {
        smrf_cli_error("smrf: %s", text);
    }
    return err ? smrf_cli_status(err) : SMRF_EXIT_OK;
}

static int json_(void *ctx, FILE *out, char *text, size_t size)
{
    const bool written = ctx && json_dumpf(ctx, out, JSON_INDENT(2)) == 0;
    fputc('\n', out);
    if (ctx && !written && !ferror(out)) {
        snprintf(text, size, "the document cannot be written as JSON");
    }
    return written ? SMRF_OK : SMRF_ERR_NOMEM;
}

int smrf_cli_document(json_t *root, const char *path)
{
    const int status = smrf_cli_file(path, json_, root);
    json_decref(root);
    return status;
}
