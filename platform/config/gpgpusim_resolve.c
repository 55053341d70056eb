/* SPDX-License-Identifier: Apache-2.0 */
/* Accel-Sim's options whose meaning depends on each other, combined once a file has been read. */
#include "gpgpusim.h"

#include "models/common/smrf_types.h"

/* The value of a deferred option, or what the configuration implies if the file has none. */
static uint64_t deferred_or_(const struct smrf_gs_reader *r, enum smrf_gs_deferred d,
                             uint64_t other)
{
    return r->deferred[d].item != NULL ? r->deferred[d].value : other;
}

/* The present item for messages: the first of the given options that the file has. */
static bool any_given_(struct smrf_gs_reader *r, enum smrf_gs_deferred first,
                       enum smrf_gs_deferred last)
{
    for (unsigned d = first; d <= (unsigned)last; d++) {
        if (r->deferred[d].item != NULL) {
            r->item = r->deferred[d].item;
            r->noted = false;
            return true;
        }
    }
    return false;
}

/* Totals of an SM to numbers of a sub-core. */
static int put_share_(struct smrf_gs_reader *r, enum smrf_gs_deferred d,
                      enum smrf_param_index param, uint32_t old_subcores)
{
    uint64_t total = deferred_or_(r, d, (uint64_t)smrf_config_get(&r->cfg, param) * old_subcores);
    if (r->deferred[d].item != NULL) {
        r->item = r->deferred[d].item;
    }
    if (total % r->cfg.sm.subcores != 0) {
        return smrf_gs_fail(r, "%u an SM do not divide among %u sub-cores", (unsigned)total,
                            r->cfg.sm.subcores);
    }
    return smrf_gs_put(r, param, total / r->cfg.sm.subcores);
}

/* Schedulers with their own register files become sub-cores; schedulers that share one become a
 * single, wider scheduler. A file that names schedulers but no model means sub-cores. */
static int resolve_schedulers_(struct smrf_gs_reader *r)
{
    if (!any_given_(r, SMRF_GS_SCHEDULERS, SMRF_GS_SUB_CORE_MODEL)) {
        return SMRF_OK;
    }
    uint32_t old = r->cfg.sm.subcores > 1 ? r->cfg.sm.subcores : r->cfg.issue.width;
    uint64_t schedulers = deferred_or_(r, SMRF_GS_SCHEDULERS, old);
    bool sub_cores = deferred_or_(r, SMRF_GS_SUB_CORE_MODEL, 1) != 0;
    int rc = smrf_gs_put(r, SMRF_P_sm_subcores, sub_cores ? schedulers : 1);
    rc = rc < 0 ? rc : smrf_gs_put(r, SMRF_P_issue_width, sub_cores ? 1 : schedulers);
    if (rc == SMRF_OK && !sub_cores && schedulers > 1) {
        r->item = r->deferred[SMRF_GS_SUB_CORE_MODEL].item;
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED,
                     "schedulers that share a register file: one scheduler of their total width");
    }
    return rc;
}

static int resolve_subcores_(struct smrf_gs_reader *r)
{
    uint32_t old = r->cfg.sm.subcores;
    int rc = resolve_schedulers_(r);
    if (rc == SMRF_OK && any_given_(r, SMRF_GS_SCHEDULERS, SMRF_GS_COLLECTORS)) {
        rc = put_share_(r, SMRF_GS_BANKS, SMRF_P_rf_banks, old);
        rc = rc < 0 ? rc : put_share_(r, SMRF_GS_COLLECTORS, SMRF_P_rf_collectors, old);
    }
    return rc;
}

static int resolve_l1d_(struct smrf_gs_reader *r)
{
    if (!any_given_(r, SMRF_GS_ADAPTIVE, SMRF_GS_UNIFIED_KIB)) {
        return SMRF_OK;
    }
    uint64_t bytes = deferred_or_(r, SMRF_GS_UNIFIED_KIB, r->cfg.l1d.unified_bytes / 1024) * 1024;
    if (deferred_or_(r, SMRF_GS_ADAPTIVE, 1) == 0) {
        bytes = 0;
    } else if (bytes == 0) {
        return smrf_gs_fail(r, "needs -gpgpu_unified_l1d_size");
    }
    return smrf_gs_put(r, SMRF_P_l1d_unified_bytes, bytes);
}

static int resolve_memory_(struct smrf_gs_reader *r)
{
    int rc = SMRF_OK;
    if (any_given_(r, SMRF_GS_MEMORIES, SMRF_GS_SUB_PARTITIONS)) {
        uint64_t per_channel = r->cfg.l2.slices / r->cfg.dram.channels;
        uint64_t channels = deferred_or_(r, SMRF_GS_MEMORIES, r->cfg.dram.channels);
        per_channel = deferred_or_(r, SMRF_GS_SUB_PARTITIONS, per_channel);
        rc = smrf_gs_put(r, SMRF_P_dram_channels, channels);
        rc = rc < 0 ? rc : smrf_gs_put(r, SMRF_P_l2_slices, channels * per_channel);
    }
    if (rc == SMRF_OK && any_given_(r, SMRF_GS_CHIPS, SMRF_GS_BUS_WIDTH)) {
        uint64_t width = deferred_or_(r, SMRF_GS_BUS_WIDTH, r->cfg.dram.bus_bytes);
        rc = smrf_gs_put(r, SMRF_P_dram_bus_bytes, width * deferred_or_(r, SMRF_GS_CHIPS, 1));
    }
    return rc;
}

static int resolve_icache_(struct smrf_gs_reader *r)
{
    if (!any_given_(r, SMRF_GS_PERFECT_ICACHE, SMRF_GS_PERFECT_ICACHE)) {
        return SMRF_OK;
    }
    if (r->deferred[SMRF_GS_PERFECT_ICACHE].value != 0) {
        r->cfg.frontend.icache_bytes = 0;
    } else if (!r->has_icache && r->cfg.frontend.icache_bytes == 0) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED,
                     "no -gpgpu_cache:il1 in this file: the instruction cache stays ideal");
    }
    return SMRF_OK;
}

int smrf_gs_resolve(struct smrf_gs_reader *r)
{
    int rc = SMRF_OK;
    if (any_given_(r, SMRF_GS_TENSOR_CORES, SMRF_GS_TENSOR_CORES)) {
        smrf_gs_note(r, SMRF_OPTION_NO_EFFECT,
                     "tensor instructions of traces run on specialized unit 3");
    }
    if (any_given_(r, SMRF_GS_CLUSTERS, SMRF_GS_CORES_PER_CLUSTER)) {
        uint64_t clusters = deferred_or_(r, SMRF_GS_CLUSTERS, r->cfg.gpu.sms);
        rc = smrf_gs_put(r, SMRF_P_gpu_sms,
                         clusters * deferred_or_(r, SMRF_GS_CORES_PER_CLUSTER, 1));
    }
    if (any_given_(r, SMRF_GS_CAPABILITY_MAJOR, SMRF_GS_CAPABILITY_MINOR)) {
        const uint64_t major = deferred_or_(r, SMRF_GS_CAPABILITY_MAJOR, 7);
        rc = rc < 0 ? rc
                    : smrf_gs_put(r, SMRF_P_gpu_architecture,
                                  10 * major + deferred_or_(r, SMRF_GS_CAPABILITY_MINOR, 0));
    }
    rc = rc < 0 ? rc : resolve_subcores_(r);
    rc = rc < 0 ? rc : resolve_l1d_(r);
    rc = rc < 0 ? rc : resolve_memory_(r);
    return rc < 0 ? rc : resolve_icache_(r);
}

/* Its hash of slices is known exactly for some numbers of slices, and where addresses are mapped as
 * here. */
static void resolve_hash_(struct smrf_gs_reader *r)
{
    struct smrf_config *c = &r->cfg;
    const uint32_t slices = c->l2.slices;
    if (c->l2.hash == SMRF_HASH_IPOLY && r->has_address_map &&
        (slices == 16 || slices == 32 || slices == 64) && slices / c->dram.channels <= 2) {
        c->l2.hash = SMRF_HASH_ACCELSIM;
    } else if (c->l2.hash == SMRF_HASH_IPOLY && r->hash_item != NULL) {
        r->item = r->hash_item;
        r->noted = false;
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED,
                     "Accel-Sim's hash is for 16, 32 or 64 slices, at most two a channel, and a "
                     "known -gpgpu_mem_addr_mapping: l2.hash = ipoly, smrf's own, takes its place");
    }
}

/* A share that leaves the L1D no way is never taken: GPGPU-Sim runs the kernels that need less. */
static void drop_large_shares_(struct smrf_gs_reader *r)
{
    struct smrf_config *c = &r->cfg;
    const uint64_t way = (uint64_t)c->l1d.sets * SMRF_LINE_BYTES, all = smrf_l1d_carveouts(&c->l1d);
    uint64_t fit = 0;
    uint32_t largest = 0;
    for (uint32_t k = 0; k < 64; k++) {
        if (all >> k & 1 && k * UINT64_C(4096) + way <= c->l1d.unified_bytes) {
            fit |= UINT64_C(1) << k;
            largest = k * 4096;
        }
    }
    if (r->shares_item == NULL || c->l1d.unified_bytes == 0 || fit == 0 || fit == all) {
        return;
    }
    c->l1d.carveouts = (uint32_t)fit;
    c->l1d.large_carveouts = (uint32_t)(fit >> 32);
    if (c->sm.shared_bytes > largest) {
        c->sm.shared_bytes = largest;
    }
    r->item = r->shares_item;
    r->noted = false;
    smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED,
                 "shares that leave nothing of -gpgpu_unified_l1d_size for the L1D: left out, and "
                 "-gpgpu_shmem_size is the largest of the others");
}

/* GPGPU-Sim's default of -gpgpu_shmem_option is a list of one 0: no kernel gets shared memory. The
 * carve-outs of the machine that the file is laid over are another card's. */
int smrf_gs_finish(struct smrf_gs_reader *r)
{
    resolve_hash_(r);
    drop_large_shares_(r);
    const uint64_t carveouts = smrf_l1d_carveouts(&r->cfg.l1d);
    const unsigned largest = carveouts ? 63 - (unsigned)__builtin_clzll(carveouts) : 0;
    if (r->shares_item != NULL || r->cfg.l1d.unified_bytes == 0 ||
        r->cfg.sm.shared_bytes <= largest * 4096) {
        return SMRF_OK;
    }
    if (!any_given_(r, SMRF_GS_ADAPTIVE, SMRF_GS_UNIFIED_KIB)) {
        r->cfg.l1d.unified_bytes = 0; /* GPGPU-Sim's default: they are apart */
        return SMRF_OK;
    }
    const uint32_t shared = r->cfg.sm.shared_bytes / 1024,
                   unified = r->cfg.l1d.unified_bytes / 1024;
    return smrf_gs_fail(r,
                        "shared memory and L1D share an array, but the file has no "
                        "-gpgpu_shmem_option (GPGPU-Sim's default, 0, leaves kernels no shared "
                        "memory). Add the card's sizes up to the %u KiB of -gpgpu_shmem_size, such "
                        "as -gpgpu_shmem_option 0,8,16,32,64,%u%s",
                        shared, shared,
                        unified > shared ? ""
                                         : ", and a larger -gpgpu_unified_l1d_size, which holds "
                                           "the L1D, too");
}
