/* SPDX-License-Identifier: Apache-2.0 */
#include "contradiction.h"

#include "barrier_check.h"
#include "trace_internal.h"

#include <stdarg.h>
#include <stdio.h>

/* Of each kind: its name in a warning. */
static const char *const name_[SMRF_CONTRADICTIONS] = {
    [SMRF_LINE_AFTER_EXIT] = "instructions after EXIT",
    [SMRF_LINE_MASK] = "lanes that the block does not have",
    [SMRF_LINE_OPCODE] = "a PC with two instructions",
    [SMRF_LINE_REGISTER] = "registers above the header's count",
    [SMRF_LINE_SHARED] = "addresses beyond the block's shared memory",
    [SMRF_LINE_PLACE] = "lines of another warp",
    [SMRF_LINE_FOLLOWS] = "lines that cannot follow the one before",
    [SMRF_WARP_NO_EXIT] = "warps that end without EXIT",
    [SMRF_BLOCK_WARPS] = "warps missing",
    [SMRF_BLOCK_BARRIERS] = "warps at different barriers",
};

static int count_(struct smrf_trace *t, unsigned kind, const char *place, const char *what)
{
    struct smrf_contradictions *c = &t->contradictions;
    t->totals.contradictions++;
    if (c->kind[kind].count++ == 0) {
        (void)snprintf(c->kind[kind].first, sizeof c->kind[kind].first, "%.383s: %.254s", place,
                       what);
    }
    return t->strict ? smrf_trace_fail(&t->error, SMRF_ERR_CORRUPT, "%s: %s (%s)", place, what,
                                       name_[kind])
                     : 0;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* What is wrong with the parser's last line. */
static void line_text_(const struct smrf_trace *t, enum smrf_line_contradiction kind, char *text,
                       size_t room)
{
    const struct smrf_line_check *k = &t->parser.check;
    const struct smrf_static_inst *i = &t->parser.exec.code->inst;
    const uint32_t mask = t->parser.exec.mask;
    const struct smrf_kernel_info *info = &t->header.info;
    switch (kind) {
    case SMRF_LINE_AFTER_EXIT:
        (void)snprintf(text, room, "%s at PC %04x: lanes %08x have ended by EXIT before", i->text,
                       i->pc, k->ended);
        break;
    case SMRF_LINE_MASK:
        (void)snprintf(
            text, room,
            "%s at PC %04x: mask %08x, but warp %u of a block of %ux%ux%u has lanes %08x", i->text,
            i->pc, mask, k->warp, info->block.x, info->block.y, info->block.z, k->lanes);
        break;
    case SMRF_LINE_OPCODE:
        (void)snprintf(text, room,
                       "%s at PC %04x: that PC has had another opcode or other registers", i->text,
                       i->pc);
        break;
    case SMRF_LINE_REGISTER:
        (void)snprintf(text, room, "%s at PC %04x names R%d: the header says %u registers", i->text,
                       i->pc, smrf_check_highest(i), k->num_regs);
        break;
    case SMRF_LINE_SHARED:
        (void)snprintf(text, room,
                       "%s at PC %04x: an address beyond the block's %llu bytes of shared memory",
                       i->text, i->pc, (unsigned long long)info->shared_bytes);
        break;
    case SMRF_LINE_FOLLOWS:
        (void)snprintf(text, room, "%s at PC %04x, mask %08x, after %s at PC %04x, mask %08x",
                       i->text, i->pc, mask, k->follows.code->inst.text, k->follows.code->inst.pc,
                       k->follows.mask);
        break;
    default:
        (void)snprintf(text, room,
                       "the ids before PC %04x are not those of block (%u,%u,%u), warp %u", i->pc,
                       k->block.x, k->block.y, k->block.z, k->warp);
        break;
    }
}

int smrf_contradict_line(struct smrf_trace *t, const char *place, ...)
{
    char at[384], what[256];
    va_list args;
    va_start(args, place);
    (void)vsnprintf(at, sizeof at, place, args);
    va_end(args);
    int rc = 0;
    for (unsigned kind = 0; rc == 0 && kind < SMRF_LINE_CONTRADICTIONS; kind++) {
        if (t->parser.check.found >> kind & 1) {
            line_text_(t, (enum smrf_line_contradiction)kind, what, sizeof what);
            rc = count_(t, kind, at, what);
        }
    }
    return rc;
}

/* ---- warps and blocks ----------------------------------------------------------------------- */

int smrf_contradict_warp(struct smrf_trace *t, const char *place, ...)
{
    const struct smrf_line_check *k = &t->parser.check;
    char at[384], what[256];
    if (k->dead == UINT32_MAX) {
        return 0;
    }
    va_list args;
    va_start(args, place);
    (void)vsnprintf(at, sizeof at, place, args);
    va_end(args);
    (void)snprintf(what, sizeof what,
                   "warp %u of block (%u,%u,%u) ends here and lanes %08x had no EXIT", k->warp,
                   k->block.x, k->block.y, k->block.z, ~k->dead);
    return count_(t, SMRF_WARP_NO_EXIT, at, what);
}

static int check_warps_(struct smrf_trace *t, const struct smrf_trace_block *b, const char *place)
{
    char what[256];
    uint32_t written = 0, missing = 0;
    for (uint32_t w = b->packed.num_warps; w-- > 0;) {
        const bool has = smrf_packed_written(&b->packed.warp[w]);
        written += has;
        missing = has ? missing : w;
    }
    if (written == b->packed.num_warps) {
        return 0;
    }
    (void)snprintf(what, sizeof what, "block (%u,%u,%u) has %u of %u warps, warp %u is missing",
                   b->id.x, b->id.y, b->id.z, written, b->packed.num_warps, missing);
    return count_(t, SMRF_BLOCK_WARPS, place, what);
}

static int check_barriers_(struct smrf_trace *t, const struct smrf_trace_block *b,
                           const char *place)
{
    struct smrf_barrier_conflict found;
    char what[256];
    if (!t->parser.check.several_barriers) {
        return 0;
    }
    int rc = smrf_barrier_check(&b->packed, &found);
    if (rc <= 0) {
        return rc;
    }
    (void)snprintf(what, sizeof what,
                   "in block (%u,%u,%u) warp %u waits at barrier %llu and warp %u at barrier %llu, "
                   "and nobody else comes to either",
                   b->id.x, b->id.y, b->id.z, found.warp[0], (unsigned long long)found.barrier[0],
                   found.warp[1], (unsigned long long)found.barrier[1]);
    return count_(t, SMRF_BLOCK_BARRIERS, place, what);
}

int smrf_contradict_block(struct smrf_trace *t, struct smrf_trace_block *b)
{
    char place[384];
    (void)snprintf(place, sizeof place, t->binary != NULL ? "%.340s: byte %llu" : "%.340s:%llu",
                   t->file, (unsigned long long)b->place);
    int rc = check_warps_(t, b, place);
    return rc != 0 ? rc : check_barriers_(t, b, place);
}

void smrf_contradictions_report(struct smrf_trace *t)
{
    for (unsigned i = 0; i < SMRF_CONTRADICTIONS; i++) {
        if (t->contradictions.kind[i].count != 0) {
            smrf_warn(&t->warnings, "%s: %llu, the first at %s", name_[i],
                      (unsigned long long)t->contradictions.kind[i].count,
                      t->contradictions.kind[i].first);
        }
    }
}
