/* SPDX-License-Identifier: Apache-2.0 */
/* How to use smrf from C: replay a trace on a changed machine, look at a register on the way, read
 * statistics by name, keep everything as JSON.
 *
 *     replay TRACE [RESULT.json]
 *
 * Link with smrf_platform. SystemC's library has a main() that calls sc_main; a main() of your own
 * works as well (tests/platform/api_c11.c). */
#include "platform/platform.h"

#include <inttypes.h>
#include <stdio.h>

int sc_main(int argc, char *argv[]);

static int fail_(struct smrf_platform *p)
{
    fprintf(stderr, "replay: %s\n", smrf_platform_error(p));
    smrf_platform_destroy(p);
    return 1;
}

/* Register R4 of the first warp of the first SM, if it is resident. */
static void show_register_(struct smrf_platform *p)
{
    uint32_t lanes[32];
    if (smrf_platform_read_register(p, 0, 0, 4, lanes) == 0) {
        printf("R4 of warp 0 on SM 0, lane 0: 0x%08" PRIx32 "\n", lanes[0]);
    }
}

static void show_(struct smrf_platform *p, const char *name)
{
    double value;
    if (smrf_platform_stat(p, name, &value) == 0) {
        printf("%-24s %.6g\n", name, value);
    }
}

int sc_main(int argc, char *argv[])
{
    struct smrf_platform *p;
    if (argc < 2) {
        fprintf(stderr, "usage: replay TRACE [RESULT.json]\n");
        return 2;
    }
    if (smrf_platform_create(&p) != 0) {
        return 1;
    }
    /* Two SMs of the papers' machine, with four banks a sub-core instead of two. */
    if (smrf_platform_preset(p, "rtx2060-paper") || smrf_platform_set(p, "gpu.sms=2") ||
        smrf_platform_set(p, "rf.banks=4") || smrf_platform_add_trace(p, argv[1])) {
        return fail_(p);
    }

    /* The first cycles, a look inside, then the rest. */
    int end = smrf_platform_run(p, 200);
    if (end == SMRF_RUN_MORE) {
        show_register_(p);
        end = smrf_platform_run(p, SMRF_NO_LIMIT);
    }
    if (end < 0) {
        return fail_(p);
    }

    show_(p, "cycles");
    show_(p, "ipc");
    show_(p, "rf.bank_conflict_cycles");
    show_(p, "l1d.hit_ratio");
    for (size_t i = 0; i < smrf_platform_launches(p); i++) {
        double cycles;
        smrf_platform_launch_stat(p, i, "cycles", &cycles);
        printf("launch %zu: %.0f cycles, %s\n", i + 1, cycles, smrf_platform_launch_name(p, i));
    }
    if (argc > 2 && smrf_platform_write_json(p, argv[2]) != 0) {
        return fail_(p);
    }
    smrf_platform_destroy(p);
    return 0;
}
