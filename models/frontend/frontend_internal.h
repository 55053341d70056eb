/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the front end. */
#ifndef SMRF_FRONTEND_INTERNAL_H
#define SMRF_FRONTEND_INTERNAL_H

#include "frontend.h"

#include "models/common/smrf_assert.h"

/* The last instruction of a warp has been taken. */
void smrf_frontend_ended(struct smrf_frontend *fe, unsigned warp);
/* A warp that has drained leaves; so does its block with the last of them. */
void smrf_frontend_exit(struct smrf_frontend *fe, unsigned warp, uint64_t cycle);

#endif
