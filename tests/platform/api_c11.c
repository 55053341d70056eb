/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled as C11 with every warning: the C API needs nothing but its own header. A program with a
 * main() of its own replays a trace on both engines, without an sc_main. */
#include "platform/platform.h"

#include <stdio.h>

/* Warp instructions, or 0 after a message. */
static unsigned long long replay_(const char *engine, const char *trace)
{
    struct smrf_platform *p = NULL;
    uint64_t insts = 0;
    int end = smrf_platform_create(&p);
    end = end ? end : smrf_platform_engine(p, engine);
    end = end ? end : smrf_platform_add_trace(p, trace);
    end = end ? end : smrf_platform_run(p, SMRF_NO_LIMIT);
    end = end ? end : smrf_platform_count(p, "instructions.warp", &insts);
    if (end != SMRF_RUN_DONE) {
        fprintf(stderr, "%s: %d %s\n", engine, end, smrf_platform_error(p));
        insts = 0;
    }
    smrf_platform_destroy(p);
    return insts;
}

int main(int argc, char *argv[])
{
    struct smrf_stat_info info;
    if (argc < 2 || smrf_stat_at(0, &info) != SMRF_OK) {
        return 1;
    }
    const unsigned long long direct = replay_("direct", argv[1]);
    const unsigned long long systemc = replay_("systemc", argv[1]);
    printf("%llu %llu\n", direct, systemc);
    return direct == 0 || direct != systemc;
}
