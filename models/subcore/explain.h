/* SPDX-License-Identifier: Apache-2.0 */
/* Why a warp makes no progress, for the watchdog's report. Never on the hot path. */
#ifndef SMRF_EXPLAIN_H
#define SMRF_EXPLAIN_H

#include "subcore.h"

#include "models/issue/warp_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One fact about a warp that waits. */
enum smrf_wait {
    SMRF_WAIT_NONE, /* it could issue */
    SMRF_WAIT_NO_WARP,
    SMRF_WAIT_FETCH,
    SMRF_WAIT_REGISTER, /* reg: the register it waits for; flight: its writer */
    SMRF_WAIT_READERS,  /* reg; flight: its reader */
    SMRF_WAIT_BARRIER,
    SMRF_WAIT_MEMBAR,
    SMRF_WAIT_UNIT,      /* unit latch; flight: its occupant */
    SMRF_WAIT_COLLECTOR, /* flight: occupant of a collector */
    SMRF_WAIT_POLICY,
    SMRF_WAIT_MECHANISM,
    SMRF_WAIT_DRAIN /* all issued; flight: one in flight, or stores */
};

struct smrf_wait_info {
    enum smrf_wait wait;
    uint32_t pc;      /* of the instruction that waits */
    const char *text; /* its opcode; NULL if there is none */
    uint32_t reg;     /* architectural register, 256 + n: uniform */
    uint32_t flight;  /* what it waits for; SMRF_NO_FLIGHT: unknown */
    uint32_t holder_warp, holder_pc;
    const char *holder_text;
    const char *holder_place; /* "collector", "bank queue", "unit", "memory", ... */
    int32_t holder_bank;      /* bank whose queue holds an operand; -1: none */
    int32_t holder_collector; /* -1: none */
    int32_t stores;           /* write answers awaited */
};
void smrf_subcores_explain(const struct smrf_subcores *s, unsigned warp,
                           struct smrf_wait_info *info);

#ifdef __cplusplus
}
#endif

#endif
