/* SPDX-License-Identifier: Apache-2.0 */
/* smrf trace --kernels: what is in a file of machine code, as a launch file to fill in. */
#include "trace_kernels.h"

#include "cli.h"

#include "firmware/cubin/fatbin.h"
#include "firmware/exec/exec.h"

#include <stdlib.h>
#include <string.h>

/* A parameter as a launch file writes it. Of 8 bytes it is most often a buffer's address. */
static void print_param_(const struct smrf_sass_param *p, unsigned kernel)
{
    static const char *const types[] = {"u8", "u16", "u32", "u64"};
    if (p->bytes == 8) {
        printf("k%u_p%u", kernel, p->ordinal);
        return;
    }
    const unsigned type = p->bytes % 8 == 0 ? 3 : p->bytes % 4 == 0 ? 2 : p->bytes % 2 == 0 ? 1 : 0;
    const unsigned count = p->bytes >> type;
    printf("{%s: %s", types[type], count > 1 ? "[" : "");
    for (unsigned i = 0; i < count; i++) {
        printf("%s0", i != 0 ? ", " : "");
    }
    printf("%s}", count > 1 ? "]" : "");
}

static bool accepted_(const struct smrf_sass_module *m, const struct smrf_sass_function *f,
                      char error[SMRF_SASS_ERROR_BYTES])
{
    struct smrf_exec_code code;
    if (smrf_exec_decode(&code, m, f, error) < 0) {
        return false;
    }
    smrf_exec_code_free(&code);
    return true;
}

static void print_kernel_(const struct smrf_sass_module *m, const struct smrf_sass_function *f,
                          unsigned kernel)
{
    char error[SMRF_SASS_ERROR_BYTES];
    const bool accepted = accepted_(m, f, error);
    printf("  # sm_%u, %u registers, %u bytes of shared memory", m->arch, f->registers,
           f->shared_bytes);
    if (f->frame_bytes != 0) {
        printf(", %u bytes of stack", f->frame_bytes);
    }
    if (!accepted) {
        printf(".\n  # Not executed: %s\n  # ", error);
    } else {
        printf(".\n  ");
    }
    printf("- {kernel: \"%s\", grid: [1, 1, 1], block: [256, 1, 1], args: [", f->name);
    for (uint32_t i = 0; i < f->num_params; i++) {
        printf("%s", i != 0 ? ", " : "");
        print_param_(&f->param[i], kernel);
    }
    printf("]}\n");
}

static void print_buffers_(const struct smrf_sass_module *m, unsigned *kernel, bool *any)
{
    for (uint32_t i = 0; i < m->num_functions; i++) {
        const struct smrf_sass_function *f = &m->function[i];
        *kernel += f->entry;
        for (uint32_t n = 0; f->entry && n < f->num_params; n++) {
            if (f->param[n].bytes == 8) {
                printf("%s  k%u_p%u: {type: f32, count: 1024, init: zero}\n",
                       *any ? "" : "buffers:\n", *kernel, f->param[n].ordinal);
                *any = true;
            }
        }
    }
}

static int load_(const char *path, unsigned arch, struct smrf_code *code,
                 struct smrf_sass_module ***module)
{
    char error[SMRF_SASS_ERROR_BYTES];
    int rc = smrf_code_open(code, path, error);
    if (rc < 0) {
        smrf_cli_error("smrf trace: %s", error);
        return rc;
    }
    *module = calloc(smrf_code_modules(code) + 1U, sizeof **module);
    for (uint32_t i = 0; *module != NULL && i < smrf_code_modules(code); i++) {
        const int failed = smrf_code_load(code, i, arch, path, NULL, &(*module)[i], error);
        if (failed < 0) {
            smrf_cli_error("smrf trace: %s", error);
            rc = failed;
        }
    }
    return *module != NULL ? rc : SMRF_ERR_NOMEM;
}

int smrf_cli_trace_kernels(const char *path, unsigned arch)
{
    struct smrf_code code = {0};
    struct smrf_sass_module **module = NULL;
    const int rc = load_(path, arch, &code, &module);
    const uint32_t num = module != NULL ? smrf_code_modules(&code) : 0;
    unsigned kernel = 0;
    bool any = false;
    printf("# %s\nlaunches:\n", path);
    for (uint32_t i = 0; i < num; i++) {
        for (uint32_t f = 0; module[i] != NULL && f < module[i]->num_functions; f++) {
            if (module[i]->function[f].entry) {
                print_kernel_(module[i], &module[i]->function[f], ++kernel);
            }
        }
    }
    kernel = 0;
    for (uint32_t i = 0; i < num; i++) {
        if (module[i] != NULL) {
            print_buffers_(module[i], &kernel, &any);
        }
    }
    for (uint32_t i = 0; i < num; i++) {
        smrf_sass_free(module[i]);
    }
    free(module);
    smrf_code_close(&code);
    return rc < 0 ? smrf_cli_status(rc) : SMRF_EXIT_OK;
}
