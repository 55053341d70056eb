/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of an SM with plain calls between them. Over SystemC, whoever looks inside finds them
 * as modules, between which there are sockets (sm_blocks.h). */
#ifndef SMRF_SM_PLAIN_H
#define SMRF_SM_PLAIN_H

#include "sm.h"

#include "models/ldst/merge.h"
#include "models/seam/mapping.h"
#include "models/seam/operand_cache.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_plain_sub {
    struct smrf_issue issue;
    struct smrf_collectors collectors;
    struct smrf_reading reading;
    struct smrf_operand_cache cache;
    struct smrf_arbiter arbiter;
    struct smrf_xbar xbar;
    struct smrf_bank bank[SMRF_MAX_BANKS];
};

/* What few runs use much of, apart: the rest of an SM lies close together then. Behind it the rows
 * of the register banks and the SM's own store. */
struct smrf_plain_store {
    struct smrf_flights flights;
    struct smrf_simt_stacks simt;
    struct smrf_writeback_store writeback;
    struct smrf_collectors_store collectors[SMRF_MAX_SUBCORES];
    struct smrf_arbiter_store arbiter[SMRF_MAX_SUBCORES];
    struct smrf_issue_store issue[SMRF_MAX_SUBCORES];
};

struct smrf_plain_sm {
    struct smrf_sm *sm;
    struct smrf_sm_config cfg;
    const struct smrf_issue_parts *issue_parts; /* one a sub-core, set before; NULL: the usual */
    const struct smrf_reading *reading;         /* the same */
    struct smrf_wires wires;                    /* an end may be replaced before a launch */
    struct smrf_wires ends; /* the same with plain calls: how a module's target reaches its core */
    void *modules;          /* of whoever replaces ends: the modules around these blocks */
    struct smrf_plain_sub sub[SMRF_MAX_SUBCORES];
    struct smrf_units units;
    struct smrf_writeback writeback;
    struct smrf_merges merges;
    struct smrf_mapping mapping;
    struct smrf_flights *flights; /* of the store */
    struct smrf_simt_stacks *simt;
};

/* Bytes of the store with all that lies behind it. */
size_t smrf_plain_store_bytes(const struct smrf_sm_config *cfg);

/* Build the blocks and put them into links, whose mechanism is set, and the SM's store. store: of
 * smrf_plain_store_bytes, zeroed, 64-byte aligned. sm: of smrf_sm_bytes, initialised by the caller
 * afterwards, with these links. The SIMT stacks are the caller's to initialise. Returns 0 or
 * SMRF_ERR_INVAL. */
int smrf_plain_build(struct smrf_plain_sm *p, struct smrf_plain_store *store,
                     const struct smrf_sm_config *cfg, struct smrf_sm *sm,
                     struct smrf_sm_links *links);

#ifdef __cplusplus
}
#endif

#endif
