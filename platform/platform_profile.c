/* SPDX-License-Identifier: Apache-2.0 */
/* The C API: where time goes, by instruction. */
#include "platform_internal.h"

#include "platform/observe/profile_report.h"
#include "traces/files/output_file.h"

int smrf_platform_profile(struct smrf_platform *p)
{
    const int bad = smrf_platform_need(p, p, "the platform");
    if (bad) {
        return bad;
    }
    if (p->state != SMRF_PLATFORM_OPEN || p->observer.attach) {
        return smrf_platform_fail(p, SMRF_ERR_STATE, "%s",
                                  p->observer.attach ? "another observer is set already"
                                                     : "the platform has been built already");
    }
    p->profile = smrf_profile_create();
    if (!p->profile) {
        return smrf_platform_fail(p, SMRF_ERR_NOMEM, "out of memory for the profile");
    }
    p->observer = smrf_profile_observer(p->profile);
    return SMRF_OK;
}

static int write_(struct smrf_platform *p, const char *path, json_t *document)
{
    struct smrf_output out;
    char text[1024] = "";
    int err = smrf_output_open(&out, path, text, sizeof text);
    if (err) {
        return smrf_platform_fail(p, err, "%s", text);
    }
    const bool written = json_dumpf(document, out.file, JSON_INDENT(2)) == 0;
    const bool lost = ferror(out.file) != 0; /* closing the file reports it */
    err = smrf_output_close(&out, written || lost, text, sizeof text);
    if (!written && !lost) {
        return smrf_platform_fail(p, SMRF_ERR_NOMEM, "%s: out of memory", path);
    }
    return err ? smrf_platform_fail(p, err, "%s", text) : SMRF_OK;
}

int smrf_platform_write_profile(struct smrf_platform *p, const char *path)
{
    const int bad = smrf_platform_need(p, path, "the path of the profile");
    if (bad) {
        return bad;
    }
    if (!p->profile || !p->engine) {
        return smrf_platform_fail(p, SMRF_ERR_STATE, "%s",
                                  p->profile ? "build the platform first"
                                             : "no profile was requested before the build");
    }
    struct smrf_profile_run run = {.mechanism = p->mechanism->name};
    const int kernels = smrf_profile_get(p->profile, &run.kernel);
    if (kernels < 0) {
        return smrf_platform_fail(p, kernels, "out of memory for the profile");
    }
    run.num_kernels = (size_t)kernels;
    json_t *document = smrf_profile_json(&run, 1);
    if (!document) {
        return smrf_platform_fail(p, SMRF_ERR_NOMEM, "out of memory for the profile");
    }
    const int err = write_(p, path, document);
    json_decref(document);
    return err;
}
