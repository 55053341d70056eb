/* SPDX-License-Identifier: Apache-2.0 */
/* The watchdog: finds an SM that has work and makes no progress, and says what waits for what. */
#include "platform_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define CHAIN 8  /* links of a chain that are printed */
#define OTHERS 6 /* further warps that are printed */

struct text {
    char *at;
    size_t left;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say_(struct text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(t->at, t->left, fmt, args);
    va_end(args);
    size_t used = n < 0 ? 0 : (size_t)n < t->left ? (size_t)n : t->left ? t->left - 1 : 0;
    t->at += used;
    t->left -= used;
}

static void say_register_(struct text *t, uint32_t reg)
{
    if (reg >= 256) {
        say_(t, "UR%u", reg - 256);
    } else {
        say_(t, "R%u", reg);
    }
}

static void say_reason_(struct text *t, const struct smrf_wait_info *w)
{
    switch (w->wait) {
    case SMRF_WAIT_NONE:
        say_(t, "could issue");
        break;
    case SMRF_WAIT_NO_WARP:
        say_(t, "is not resident");
        break;
    case SMRF_WAIT_FETCH:
        say_(t, "waits for instructions");
        break;
    case SMRF_WAIT_REGISTER:
        say_(t, "waits for the result in ");
        say_register_(t, w->reg);
        break;
    case SMRF_WAIT_READERS:
        say_(t, "waits for readers of ");
        say_register_(t, w->reg);
        break;
    case SMRF_WAIT_BARRIER:
        say_(t, "waits at a thread-block barrier");
        break;
    case SMRF_WAIT_MEMBAR:
        say_(t, "waits at a memory barrier (%d write answers outstanding)", (int)w->stores);
        break;
    case SMRF_WAIT_UNIT:
        say_(t, "waits for the latch of its execution unit");
        break;
    case SMRF_WAIT_COLLECTOR:
        say_(t, "waits for a collector unit");
        break;
    case SMRF_WAIT_POLICY:
        say_(t, "is not considered by the scheduling policy");
        break;
    case SMRF_WAIT_MECHANISM:
        say_(t, "is held back by the mechanism or by a refill of the instruction cache");
        break;
    case SMRF_WAIT_DRAIN:
        say_(t,
             "has issued everything and waits for what is in flight (%d write answers "
             "outstanding)",
             (int)w->stores);
        break;
    }
}

/* Who holds what the warp waits for. */
static void say_holder_(struct text *t, const struct smrf_wait_info *w)
{
    if (w->flight == SMRF_NO_FLIGHT) {
        return;
    }
    say_(t, ", held by warp %u's %s at pc 0x%04x", w->holder_warp,
         w->holder_text ? w->holder_text : "instruction", w->holder_pc);
    if (w->holder_place) {
        say_(t, " in %s", w->holder_place);
    }
    if (w->holder_collector >= 0) {
        say_(t, ", collector unit %d", (int)w->holder_collector);
    }
    if (w->holder_bank >= 0) {
        say_(t, ", queued at bank %d", (int)w->holder_bank);
    }
}

static void say_warp_(struct text *t, unsigned warp, const struct smrf_wait_info *w)
{
    say_(t, "\n  warp %u", warp);
    if (w->text) {
        say_(t, ", %s at pc 0x%04x,", w->text, w->pc);
    }
    say_(t, " ");
    say_reason_(t, w);
    say_holder_(t, w);
}

/* Print a warp, then the warp that holds what it waits for, and so on. Returns the warps printed.
 */
static uint64_t say_chain_(struct text *t, const struct smrf_sm *sm, unsigned warp)
{
    uint64_t told = 0;
    for (int link = 0; link < CHAIN; link++) {
        struct smrf_wait_info w;
        smrf_sm_explain(sm, warp, &w);
        say_warp_(t, warp, &w);
        told |= UINT64_C(1) << warp;
        if (w.flight == SMRF_NO_FLIGHT || w.holder_warp >= SMRF_MAX_WARPS) {
            break;
        }
        if (told >> w.holder_warp & 1) {
            if (w.holder_warp != warp) {
                say_(t, " (see above: a cycle)");
            }
            break;
        }
        warp = w.holder_warp;
    }
    return told;
}

static void say_sm_(struct text *t, const struct smrf_machine *machine, uint32_t i)
{
    const struct smrf_sm *sm = machine->sm[i];
    uint64_t told = 0;
    unsigned others = 0, more = 0;
    for (unsigned warp = 0; warp < machine->cfg->sm.warps; warp++) {
        struct smrf_wait_info w;
        smrf_sm_explain(sm, warp, &w);
        if (w.wait == SMRF_WAIT_NO_WARP || (told >> warp & 1)) {
            continue;
        }
        if (told == 0) {
            told = say_chain_(t, sm, warp);
        } else if (others < OTHERS) {
            say_warp_(t, warp, &w);
            others++;
        } else {
            more++;
        }
    }
    if (more) {
        say_(t, "\n  and %u further warps", more);
    }
}

/* The latest cycle in which anything happens that is known, in an SM or in the memory. A slow
 * memory is no deadlock: while a request is under way in it, a warp that waits for an answer is
 * not stuck. */
static uint64_t last_event_(const struct smrf_machine *machine)
{
    const struct smrf_memory *memory = machine->memory;
    if (memory && !smrf_memory_idle(memory)) {
        return machine->cycle;
    }
    uint64_t last = memory ? smrf_memory_last_event(memory) : 0;
    for (uint32_t i = 0; i < machine->cfg->gpu.sms; i++) {
        uint64_t there = smrf_sm_last_progress(machine->sm[i]);
        last = there > last ? there : last;
    }
    return last;
}

bool smrf_watchdog_bites(const struct smrf_machine *machine, char *text, size_t size)
{
    uint64_t limit = machine->cfg->sim.watchdog;
    uint64_t last = last_event_(machine);
    if (machine->cycle <= last || machine->cycle - last <= limit) {
        return false;
    }
    for (uint32_t i = 0; i < machine->cfg->gpu.sms; i++) {
        if (smrf_sm_idle(machine->sm[i])) {
            continue;
        }
        struct text t = {text, size};
        say_(&t,
             "no progress: SM %" PRIu32 " has work, and no SM has issued or completed an "
             "instruction and nothing has moved in the memory since cycle %" PRIu64 " (now %" PRIu64
             "; sim.watchdog is %" PRIu64 ")",
             i, last, machine->cycle, limit);
        say_sm_(&t, machine, i);
        return true;
    }
    return false;
}
