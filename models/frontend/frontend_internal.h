/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the front end. */
#ifndef SMRF_FRONTEND_INTERNAL_H
#define SMRF_FRONTEND_INTERNAL_H

#include "frontend.h"

#include "models/common/smrf_assert.h"

/* The last instruction of a warp has been taken. */
void smrf_frontend_ended(struct smrf_frontend *fe, unsigned warp);

#endif
