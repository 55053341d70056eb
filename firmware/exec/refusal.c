/* SPDX-License-Identifier: Apache-2.0 */
/* What to do about instructions that nothing here executes. */
#include "firmware/exec/refusal.h"

#include <string.h>

static bool starts_(const char *opcode, const char *start)
{
    return strncmp(opcode, start, strlen(start)) == 0;
}

static bool starts_any_(const char *opcode, const char *const *starts)
{
    for (; *starts != NULL; starts++) {
        if (starts_(opcode, *starts)) {
            return true;
        }
    }
    return false;
}

const char *smrf_exec_advice(const char *opcode)
{
    static const struct {
        const char *starts[8], *advice;
    } families[] = {
        {{"TMML", "SU", NULL},
         ": a program cannot ask for the level of detail, and atomics on surfaces return no value"},
        {{"HGMMA", "IGMMA", "BGMMA", "QGMMA", "WARPGROUP", NULL},
         ": there are no matrix instructions of warp groups (wgmma); compile for sm_80, where "
         "libraries use mma, or choose that code with --arch sm_80"},
        {{"UTMA", "UBLK", NULL},
         ": there is no tensor memory accelerator (TMA); compile for sm_80, "
         "where libraries use cp.async, or choose that code with --arch sm_80"},
        {{"UCGABAR", NULL}, ": there are no clusters of thread blocks"},
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (starts_any_(opcode, families[i].starts)) {
            return families[i].advice;
        }
    }
    return "";
}
