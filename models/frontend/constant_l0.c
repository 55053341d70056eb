/* SPDX-License-Identifier: Apache-2.0 */
#include "constant_l0.h"

int smrf_constant_l0_init(struct smrf_icache *c, struct smrf_icache_line *line,
                          const struct smrf_frontend_params *params)
{
    const struct smrf_icache_shape shape = {params->constant_bytes, SMRF_CONSTANT_LINE_BYTES,
                                            params->constant_ways, params->constant_latency,
                                            SMRF_CONSTANT_LINES};
    return smrf_icache_build(c, line, &shape);
}
