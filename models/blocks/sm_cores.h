/* SPDX-License-Identifier: Apache-2.0 */
/* The cores of an SM's blocks, and where each wire between them ends. The direct engine has plain
 * calls between them. Over SystemC each stands in a module, and there are sockets between the
 * modules (models/blocks/sm_blocks.h). */
#ifndef SMRF_BLOCKS_SM_CORES_H
#define SMRF_BLOCKS_SM_CORES_H

#include "models/sm/sm.h"

#include "models/ldst/inlet.h"
#include "models/seam/mapping.h"
#include "models/seam/operand_cache.h"
#include "models/subcore/cores.h"
#include "models/values/values.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What few runs use much of, apart: the rest of an SM lies close together then. Behind it the rows
 * of the register banks and the SM's own store. */
struct smrf_sm_cores_store {
    struct smrf_flights flights;
    struct smrf_simt_stacks simt;
    struct smrf_writeback_store writeback;
    struct smrf_icache_line icache_line[SMRF_ICACHE_LINES];
    struct smrf_subcore_store sub[SMRF_MAX_SUBCORES];
};

struct smrf_sm_cores {
    struct smrf_sm_config cfg;
    uint32_t shift;                             /* log2(subcores) */
    const struct smrf_issue_parts *issue_parts; /* one a sub-core, set before; NULL: the usual */
    const struct smrf_reading *reading;         /* the same */
    struct smrf_wires wires;                    /* an end may be replaced before a launch */
    struct smrf_wires ends; /* the same with plain calls: how a module's target reaches its core */
    void *modules;          /* around these cores, if there are any: they replace ends */
    struct smrf_subcore_cores sub[SMRF_MAX_SUBCORES];
    struct smrf_icache icache;
    struct smrf_units units;
    struct smrf_writeback writeback;
    struct smrf_ldst_inlet inlet; /* to be initialised by the SM, as are: */
    struct smrf_register_values values;
    struct smrf_merges merges;
    struct smrf_mapping mapping;
    struct smrf_hooks hooks;
    struct smrf_flights *flights; /* of the store */
    struct smrf_simt_stacks *simt;
};

/* Bytes of the store with all that lies behind it. */
size_t smrf_sm_cores_bytes(const struct smrf_sm_config *cfg);

/* Build the blocks and put them into links, whose mechanism is set, and the SM's store. store: of
 * smrf_sm_cores_bytes, zeroed, 64-byte aligned. sm: of smrf_sm_bytes, initialised by the caller
 * afterwards, with these links. The SIMT stacks are the caller's to initialise. Returns 0 or
 * SMRF_ERR_INVAL. */
int smrf_sm_cores_build(struct smrf_sm_cores *p, struct smrf_sm_cores_store *store,
                        const struct smrf_sm_config *cfg, struct smrf_sm *sm,
                        struct smrf_sm_links *links);

#ifdef __cplusplus
}
#endif

#endif
