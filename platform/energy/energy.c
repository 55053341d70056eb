/* SPDX-License-Identifier: Apache-2.0 */
#include "energy.h"

#define NAME(name, meaning) #name,
static const char *const constant_names[] = {SMRF_ENERGY_CONSTANTS(NAME)};
#undef NAME
#define MEANING(name, meaning) meaning,
static const char *const constant_meanings[] = {SMRF_ENERGY_CONSTANTS(MEANING)};
#undef MEANING
static const char *const component_names[SMRF_ENERGY_COMPONENTS] = {
    "banks", "crossbar", "arbiter", "collectors", "total", "execution",
    "l1d",   "l2",       "dram",    "static",     "gpu"};

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

/* What is not the register file's. */
static void gpu_(const double *v, const struct smrf_config *cfg, const struct smrf_counters *c,
                 double pj[SMRF_ENERGY_COMPONENTS])
{
    const struct smrf_ldst_stats *l = &c->ldst;
    const struct smrf_memory_stats *m = &c->memory;
    const uint64_t read_hits = l->l1d_global_load_hits + l->l1d_global_load_pending_hits +
                               l->l1d_local_load_hits + l->l1d_local_load_pending_hits;
    const uint64_t write_hits = l->l1d_global_store_hits + l->l1d_global_store_pending_hits +
                                l->l1d_local_store_hits + l->l1d_local_store_pending_hits;
    const uint64_t read_misses = l->l1d_global_load_misses + l->l1d_local_load_misses;
    const uint64_t write_misses = l->l1d_global_store_misses + l->l1d_local_store_misses;
    pj[SMRF_ENERGY_EXECUTION] = (double)c->sm.warp_insts * v[SMRF_ENERGY_instruction] +
                                (double)c->sm.thread_insts * v[SMRF_ENERGY_lane];
    pj[SMRF_ENERGY_L1D] = (double)read_hits * v[SMRF_ENERGY_l1d_read_hit] +
                          (double)read_misses * v[SMRF_ENERGY_l1d_read_miss] +
                          (double)write_hits * v[SMRF_ENERGY_l1d_write_hit] +
                          (double)write_misses * v[SMRF_ENERGY_l1d_write_miss];
    pj[SMRF_ENERGY_L2] = (double)m->l2_reads * v[SMRF_ENERGY_l2_read] +
                         (double)(m->l2_writes + m->l2_atomics) * v[SMRF_ENERGY_l2_write];
    pj[SMRF_ENERGY_DRAM] = (double)m->dram_reads * v[SMRF_ENERGY_dram_read] +
                           (double)m->dram_writes * v[SMRF_ENERGY_dram_write];
    pj[SMRF_ENERGY_STATIC] = (double)c->cycles * (double)cfg->gpu.sms * v[SMRF_ENERGY_sm_cycle];
    pj[SMRF_ENERGY_GPU] = 0;
    for (unsigned i = SMRF_ENERGY_TOTAL; i < SMRF_ENERGY_GPU; i++) {
        pj[SMRF_ENERGY_GPU] += pj[i];
    }
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
    const double fills = shape->fills ? (double)counters->mechanism[shape->fills - 1] : 0;
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
    pj[SMRF_ENERGY_COLLECTORS] = ((double)n->crossbar_transfers +
                                  (double)(n->cache_writes + n->copy_writes) + copies + fills) *
                                     write +
                                 ((double)(n->operand_reads + n->evictions) + copies) * read;
    if (shape->tags) {
        pj[SMRF_ENERGY_COLLECTORS] +=
            (double)(n->operand_reads + n->operand_writes) * v[SMRF_ENERGY_tag];
    }
    pj[SMRF_ENERGY_TOTAL] = 0;
    for (unsigned i = 0; i < SMRF_ENERGY_TOTAL; i++) {
        pj[SMRF_ENERGY_TOTAL] += pj[i];
    }
    gpu_(v, cfg, counters, pj);
}
