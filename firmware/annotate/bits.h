/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of the static bits, shared by the table and the side file; not for other users. */
#ifndef SMRF_REUSE_BITS_H
#define SMRF_REUSE_BITS_H

#include "reuse_file.h"

#include <stdio.h>

/* PC, opcode of at most 80 characters and every register. */
#define SMRF_REUSE_KEY (8 + 1 + 80 + 5 * (SMRF_MAX_SRC + SMRF_MAX_DST) + 3)

void smrf_reuse_key(char key[SMRF_REUSE_KEY], const struct smrf_static_inst *op);
int smrf_reuse_bits_add_key(struct smrf_reuse_bits *bits, const char *key, uint32_t near_src,
                            uint32_t near_dst);

#endif
