/* SPDX-License-Identifier: Apache-2.0 */
#include "energy.h"

#define NAME(name, meaning) #name,
static const char *const constant_names[] = {SMRF_ENERGY_CONSTANTS(NAME)};
#undef NAME
#define MEANING(name, meaning) meaning,
static const char *const constant_meanings[] = {SMRF_ENERGY_CONSTANTS(MEANING)};
#undef MEANING
static const char *const component_names[SMRF_ENERGY_COMPONENTS] = {"banks", "crossbar", "arbiter",
                                                                    "collectors", "total"};

const char *smrf_energy_constant_name(unsigned index)
{
    return index < SMRF_ENERGY_COUNT ? constant_names[index] : NULL;
}

const char *smrf_energy_constant_meaning(unsigned index)
{
    return index < SMRF_ENERGY_COUNT ? constant_meanings[index] : NULL;
}

const char *smrf_energy_component_name(unsigned index)
{
    return index < SMRF_ENERGY_COMPONENTS ? component_names[index] : NULL;
}

void smrf_energy_shape_of(const struct smrf_mechanism *mechanism, const struct smrf_config *cfg,
                          struct smrf_energy_shape *shape)
{
    *shape = (struct smrf_energy_shape){
        .store_words = 6, /* the six slots of an operand collector: Malekeh, long version, II */
        .crossbar_outputs = (uint16_t)cfg->rf.collectors,
    };
    if (mechanism && mechanism->energy_shape) {
        const struct smrf_mechanism_setup setup = smrf_mechanism_setup_of(cfg, mechanism);
        mechanism->energy_shape(&setup, shape);
    }
}

/* Of a row of the table: the segment that holds `outputs`, or the last one, extended. */
static double along_(const unsigned *outputs, const double *pj, unsigned points, unsigned at)
{
    unsigned k = 1;
    while (k + 1 < points && at > outputs[k]) {
        k++;
    }
    double slope = (pj[k] - pj[k - 1]) / (double)(outputs[k] - outputs[k - 1]);
    double value = pj[k - 1] + slope * ((double)at - (double)outputs[k - 1]);
    return value > 0 ? value : 0;
}

double smrf_energy_crossbar(const struct smrf_energy_set *set, unsigned inputs, unsigned outputs)
{
    static const unsigned one_outputs[] = {2, 8}, two_outputs[] = {2, 4, 8, 16};
    const double *v = set->value;
    const double one_pj[] = {v[SMRF_ENERGY_crossbar_1x2], v[SMRF_ENERGY_crossbar_1x8]};
    const double two_pj[] = {v[SMRF_ENERGY_crossbar_2x2], v[SMRF_ENERGY_crossbar_2x4],
                             v[SMRF_ENERGY_crossbar_2x8], v[SMRF_ENERGY_crossbar_2x16]};
    double one = along_(one_outputs, one_pj, 2, outputs);
    double two = along_(two_outputs, two_pj, 4, outputs);
    return one + (two - one) * ((double)inputs - 1.0);
}

void smrf_energy_of(const struct smrf_energy_set *set, const struct smrf_energy_shape *shape,
                    const struct smrf_config *cfg, const struct smrf_counters *counters,
                    double pj[SMRF_ENERGY_COMPONENTS])
{
    const struct smrf_sm_stats *n = &counters->sm;
    const double *v = set->value;
    double read = v[shape->store_words <= 16   ? SMRF_ENERGY_store_read_16
                    : shape->store_words <= 32 ? SMRF_ENERGY_store_read_32
                                               : SMRF_ENERGY_store_read_64];
    double write = v[shape->store_words <= 16   ? SMRF_ENERGY_store_write_16
                     : shape->store_words <= 32 ? SMRF_ENERGY_store_write_32
                                                : SMRF_ENERGY_store_write_64];
    double copies = shape->hit_copies ? (double)n->cache_hits : 0;
    double transfer = smrf_energy_crossbar(set, cfg->rf.banks, shape->crossbar_outputs);

    pj[SMRF_ENERGY_BANKS] = (double)n->bank_reads * v[SMRF_ENERGY_bank_read] +
                            (double)n->bank_writes * v[SMRF_ENERGY_bank_write];
    pj[SMRF_ENERGY_CROSSBAR] = (double)n->crossbar_transfers * transfer;
    if (shape->result_path) {
        pj[SMRF_ENERGY_CROSSBAR] *= v[SMRF_ENERGY_path_factor];
        pj[SMRF_ENERGY_CROSSBAR] +=
            (double)n->cache_writes * smrf_energy_crossbar(set, 1, shape->crossbar_outputs);
    }
    pj[SMRF_ENERGY_ARBITER] = (double)(n->bank_reads + n->bank_writes) * v[SMRF_ENERGY_arbiter];
    pj[SMRF_ENERGY_COLLECTORS] =
        ((double)n->crossbar_transfers + (double)(n->cache_writes + n->copy_writes) + copies) * write +
        ((double)(n->operand_reads + n->evictions) + copies) * read;
    if (shape->tags) {
        pj[SMRF_ENERGY_COLLECTORS] +=
            (double)(n->operand_reads + n->operand_writes) * v[SMRF_ENERGY_tag];
    }
    pj[SMRF_ENERGY_TOTAL] = 0;
    for (unsigned i = 0; i < SMRF_ENERGY_TOTAL; i++) {
        pj[SMRF_ENERGY_TOTAL] += pj[i];
    }
}
