/* SPDX-License-Identifier: Apache-2.0 */
#include "early_reads.h"

#include "models/issue/control_bits.h"
#include "models/issue/issue.h"
#include "models/sm/sm.h"
#include "models/subcore/subcore.h"

#include <stdio.h>

static void name_(unsigned reg, char *text, size_t room)
{
    if (reg >= SMRF_TRACKED_PRED) {
        const unsigned p = reg - SMRF_TRACKED_PRED;
        snprintf(text, room, "%sP%u", p < 8 ? "" : "U", p % 8);
    } else {
        const bool uniform = reg >= SMRF_DEPEND_UNIFORM;
        snprintf(text, room, "%sR%u", uniform ? "U" : "",
                 reg - (uniform ? SMRF_DEPEND_UNIFORM : 0));
    }
}

void smrf_first_early_read(const struct smrf_machine *machine, char *text, size_t room)
{
    const unsigned subs = machine->cfg->sm.subcores;
    const struct smrf_early_read *first = NULL;
    unsigned at = 0;
    for (unsigned i = 0; i < machine->cfg->gpu.sms * subs; i++) {
        const struct smrf_issue *issue = smrf_sm_blocks(machine->sm[i / subs], i % subs)->issue;
        const struct smrf_early_read *e = smrf_issue_early_read(issue);
        if (e && (!first || e->cycle < first->cycle)) {
            first = e;
            at = i;
        }
    }
    text[0] = '\0';
    if (first) {
        char name[16];
        name_(first->reg, name, sizeof name);
        snprintf(text, room, "cycle %llu, SM %u, warp %u, PC 0x%04llx, %s",
                 (unsigned long long)first->cycle, at / subs, first->k * subs + at % subs,
                 (unsigned long long)first->pc, name);
    }
}
