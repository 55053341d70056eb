/* SPDX-License-Identifier: Apache-2.0 */
#include "document.h"

#include "cli.h"
#include "traces/files/output_file.h"

int smrf_cli_document(json_t *root, const char *path)
{
    char text[1024];
    struct smrf_output out;
    int err = root ? smrf_output_open(&out, path, text, sizeof text) : SMRF_ERR_NOMEM;
    if (!err) {
        int left = json_dumpf(root, out.file, JSON_INDENT(2));
        fputc('\n', out.file);
        bool whole = left == 0 || ferror(out.file); /* of which the closing tells */
        err = smrf_output_close(&out, whole, text, sizeof text);
        err = err || whole ? err : SMRF_ERR_NOMEM;
    }
    if (err) {
        smrf_cli_error("smrf: %s", err == SMRF_ERR_NOMEM ? "out of memory" : text);
    }
    json_decref(root);
    return err ? smrf_cli_status(err) : SMRF_EXIT_OK;
}
