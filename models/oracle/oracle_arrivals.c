/* SPDX-License-Identifier: Apache-2.0 */
/* In which order loads, stores and fences of an SM reach its load/store unit: a register that was
 * loaded before a store does not hold what a load after it must bring. */
#include "oracle_internal.h"

static void note_(struct smrf_oracle_arrival *at, const struct smrf_oracle *o, uint64_t key,
                  uint64_t cycle)
{
    *at = (struct smrf_oracle_arrival){key, cycle, o->doubts->order};
}

static uint32_t place_of_(uint64_t word)
{
    return (uint32_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> 32) % SMRF_ORACLE_WORDS;
}

static const struct smrf_oracle_arrival *known_(const struct smrf_oracle_arrival *at, uint64_t key)
{
    return at->order && at->key == key ? at : NULL;
}

const struct smrf_oracle_arrival *smrf_oracle_loaded_(const struct smrf_oracle *o, uint32_t version)
{
    return known_(&o->doubts->load[version % SMRF_ORACLE_LOADS], version);
}

const struct smrf_oracle_arrival *smrf_oracle_word_(const struct smrf_oracle *o, uint64_t at)
{
    return known_(&o->doubts->word[place_of_(at / 4)], at / 4);
}

static void note_store_(struct smrf_oracle *o, const struct smrf_inst *inst, uint64_t cycle)
{
    for (uint32_t m = inst->mask; m; m &= m - 1) {
        const uint64_t at = smrf_inst_address(inst, (unsigned)__builtin_ctz(m));
        for (uint64_t w = at / 4; w <= (at + inst->op->access_bytes - 1) / 4; w++) {
            note_(&o->doubts->word[place_of_(w)], o, w, cycle);
        }
    }
}

void smrf_oracle_arrived(struct smrf_oracle *o, uint32_t number, const struct smrf_flight *f,
                         const struct smrf_inst *inst, uint64_t cycle)
{
    o->flight[number].order = ++o->doubts->order;
    o->flight[number].fenced = o->warp[f->warp].fenced;
    switch (f->op->op_class) {
    case SMRF_CLASS_MEMBAR:
        o->warp[f->warp].fenced = cycle;
        break;
    case SMRF_CLASS_LOAD:
        note_(&o->doubts->load[f->version % SMRF_ORACLE_LOADS], o, f->version, cycle);
        break;
    case SMRF_CLASS_STORE:
    case SMRF_CLASS_ATOMIC:
        if (smrf_oracle_stores_(inst)) {
            note_store_(o, inst, cycle);
        }
        break;
    default:
        break;
    }
}
