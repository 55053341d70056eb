/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of a trace, by the C API of the installed library: replay TRACE [ENGINE].
 * main() is its own. */
#include <smrf/smrf.h>

#include <stdio.h>

int main(int argc, char *argv[])
{
    struct smrf_platform *p;
    double cycles = 0;
    if (argc < 2 || smrf_platform_create(&p) != 0) {
        return 2;
    }
    int err = smrf_platform_engine(p, argc > 2 ? argv[2] : "direct") ||
              smrf_platform_set(p, "gpu.sms=2") || smrf_platform_add_trace(p, argv[1]) ||
              smrf_platform_run(p, SMRF_NO_LIMIT) != SMRF_RUN_DONE ||
              smrf_platform_stat(p, "cycles", &cycles);
    printf("%s: %.0f cycles\n", err ? smrf_platform_error(p) : smrf_platform_version(), cycles);
    smrf_platform_destroy(p);
    return err || cycles <= 0;
}
