/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of this folder. */
#ifndef SMRF_SUBCORE_INTERNAL_H
#define SMRF_SUBCORE_INTERNAL_H

#include "subcore.h"

/* connect.c: the issue stages' links. readers: counters of a sub-core. */
void smrf_subcores_connect_issue(struct smrf_subcores *s, size_t readers);

#endif
