/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the issue stage. */
#ifndef SMRF_ISSUE_INTERNAL_H
#define SMRF_ISSUE_INTERNAL_H

#include "issue.h"

#include "models/common/smrf_assert.h"

/* Timing of every class, from the configuration. */
/* Unit that executes a class. */
unsigned smrf_issue_unit_of(unsigned op_class);
/* The record of the head of warp k, which issues: a flight. */
uint32_t smrf_issue_record(struct smrf_issue *s, unsigned k);

static inline struct smrf_operands smrf_issue_operands(const struct smrf_issue *s,
                                                       const struct smrf_static_inst *op)
{
    return smrf_operands_of(op, s->cfg.rf.base_registers_only);
}

#endif
