/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/kernels/suite.h"

#define PAIR(name) &smrf_suite_##name, &smrf_suite_##name##_inlined
#define DECLARE(name)                                                                              \
    extern const struct smrf_suite_program smrf_suite_##name, smrf_suite_##name##_inlined

DECLARE(cfd);
DECLARE(collision);
DECLARE(fib);
DECLARE(forest);
DECLARE(functors);
DECLARE(gol);
DECLARE(hydro);
DECLARE(mst);
DECLARE(nbody);
DECLARE(pta);
DECLARE(ray);
DECLARE(sssp);

const struct smrf_suite_program *const smrf_suite_calls[] = {
    PAIR(cfd), PAIR(collision), PAIR(fib), PAIR(forest), PAIR(functors), PAIR(gol), PAIR(hydro),
    PAIR(mst), PAIR(nbody),     PAIR(pta), PAIR(ray),    PAIR(sssp),     NULL};
