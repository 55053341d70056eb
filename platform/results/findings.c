/* SPDX-License-Identifier: Apache-2.0 */
#include "findings.h"

#include "report.h"

#include "models/bank/bank.h"

#include <inttypes.h>

/* --- gathering -------------------------------------------------------------------------------- */

/* Put f behind those of list[0, *count) that are as early or earlier; the last of `room` falls
 * out. */
static void insert_(struct smrf_finding *list, size_t *count, size_t room,
                    const struct smrf_finding *f)
{
    size_t at = *count;
    while (at > 0 && list[at - 1].cycle > f->cycle) {
        at--;
    }
    if (at == room) {
        return;
    }
    *count += *count < room;
    for (size_t i = *count - 1; i > at; i--) {
        list[i] = list[i - 1];
    }
    list[at] = *f;
}

static size_t gather_(struct smrf_finding *list, const struct smrf_machine *machine, bool trace)
{
    size_t count = 0;
    for (uint32_t s = 0; s < machine->cfg->gpu.sms; s++) {
        const struct smrf_oracle *o = smrf_sm_oracle(machine->sm[s]);
        const struct smrf_oracle_findings *own = trace ? &o->trace : &o->model;
        for (uint32_t i = 0; i < own->count; i++) {
            insert_(list, &count, SMRF_ORACLE_FINDINGS, &own->first[i]);
        }
    }
    return count;
}

void smrf_findings_gather(struct smrf_findings *all, const struct smrf_machine *machine)
{
    all->count = gather_(all->first, machine, false);
    all->count += gather_(all->first + all->count, machine, true);
}

/* --- reports ---------------------------------------------------------------------------------- */

const char *smrf_finding_kind_name(const struct smrf_finding *f)
{
    static const char *const names[] = {
        [SMRF_FINDING_OPERAND] = "operand", [SMRF_FINDING_FRAME] = "frame",
        [SMRF_FINDING_SHARE] = "share",     [SMRF_FINDING_COPY] = "copy",
        [SMRF_FINDING_TRACE] = "trace",
    };
    return names[f->kind];
}

struct smrf_dim3 smrf_finding_block(const struct smrf_finding *f, const struct smrf_launch *l)
{
    uint64_t x = l->grid.x ? l->grid.x : 1, y = l->grid.y ? l->grid.y : 1;
    return (struct smrf_dim3){(uint32_t)(f->block % x), (uint32_t)(f->block / x % y),
                              (uint32_t)(f->block / x / y)};
}

static void side_(const struct smrf_found_value *v, char *text, size_t size)
{
    size_t used = 0;
    if (v->version) {
        used =
            (size_t)snprintf(text, size, "version %" PRIu32 "%s", v->version, v->known ? ", " : "");
    }
    if (v->known && used < size) {
        snprintf(text + used, size - used, "0x%08" PRIx32, v->value);
    } else if (!used) {
        snprintf(text, size, "nothing");
    }
}

void smrf_finding_text(const struct smrf_finding *f, const struct smrf_launch *launches,
                       size_t num_launches, char *text, size_t size)
{
    const struct smrf_launch *l =
        f->launch && f->launch <= num_launches ? &launches[f->launch - 1] : NULL;
    struct smrf_dim3 block = l ? smrf_finding_block(f, l) : (struct smrf_dim3){0};
    char expected[64], found[64], place[96] = "";
    side_(&f->expected, expected, sizeof expected);
    side_(&f->found, found, sizeof found);
    if (f->kind != SMRF_FINDING_TRACE && f->row != SMRF_PHYS_NONE) {
        snprintf(place, sizeof place, " (sub-core %u, bank %u, row %" PRIu32 "%s)", f->sub, f->bank,
                 f->row, f->cached ? ", from the mechanism" : "");
    }
    snprintf(text, size,
             "%s: cycle %" PRIu64 ", SM %u, launch %" PRIu32 " %.60s, block %u,%u,%u, warp %" PRIu32
             ", lane %u, PC 0x%04" PRIx32 ", R%u%s: expected %s; found %s",
             smrf_finding_kind_name(f), f->cycle, f->sm, f->launch, l ? l->name : "?", block.x,
             block.y, block.z, f->block_warp, f->lane, f->pc, f->reg, place, expected, found);
}
