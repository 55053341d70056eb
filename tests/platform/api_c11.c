/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled as C11 with every warning: the C API needs nothing but its own header. A program with a
 * main() of its own, on the plain engine. */
#include "platform/platform.h"

#include <stdio.h>

/* Never called: SystemC's library asks for it. */
int sc_main(int argc, char *argv[]);
int sc_main(int argc, char *argv[])
{
    (void)argc;
    (void)argv;
    return 1;
}

int main(int argc, char *argv[])
{
    struct smrf_platform *p = NULL;
    struct smrf_stat_info info;
    uint64_t insts = 0;
    if (argc < 2 || smrf_platform_create(&p) != SMRF_OK || smrf_stat_at(0, &info) != SMRF_OK) {
        return 1;
    }
    int end = smrf_platform_engine(p, "direct") ? -1 : 0;
    end = end ? end : smrf_platform_add_trace(p, argv[1]);
    end = end ? end : smrf_platform_run(p, SMRF_NO_LIMIT);
    end = end ? end : smrf_platform_count(p, "instructions.warp", &insts);
    printf("%d %llu %s\n", end, (unsigned long long)insts, end < 0 ? smrf_platform_error(p) : "");
    smrf_platform_destroy(p);
    return end != SMRF_RUN_DONE;
}
