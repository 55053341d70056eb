/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the read stages. */
#ifndef SMRF_READ_STAGE_INTERNAL_H
#define SMRF_READ_STAGE_INTERNAL_H

#include "read_stage.h"

#include "models/common/smrf_assert.h"
#include "models/units/intervals.h"

/* Cycles in which an instruction reads: the window, or more where a bank holds more operands. */
unsigned smrf_read_stage_length(const struct smrf_read_stage *r, const struct smrf_flight *f,
                                uint32_t sources);

/* Reserves the ports for these sources (bit i) in the `length` cycles behind `cycle`. Returns
 * false, with nothing reserved: there is no room. */
bool smrf_read_stage_plan(struct smrf_read_stage *r, struct smrf_read_entry *entry,
                          uint32_t sources, uint64_t cycle, unsigned length);

/* Reserves the first free cycles behind `cycle`, however far, for all sources of an instruction of
 * variable latency. Returns the cycle of the last. */
uint64_t smrf_read_stage_reserve(struct smrf_read_stage *r, struct smrf_read_entry *entry,
                                 uint64_t cycle);

/* An operand cache in the Allocate stage. It is asked once, when an instruction comes there. */
void smrf_read_stage_look_up(struct smrf_read_stage *r, unsigned e);

/* It gets the operands of instructions that have read them all in this cycle. So do younger
 * instructions that hit them before they were there. */
void smrf_read_stage_fill_cache(struct smrf_read_stage *r, uint64_t cycle);

#endif
