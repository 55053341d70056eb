/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/kernels/suite.h"

#define DECLARE(name)                                                                              \
    extern const struct smrf_suite_program smrf_suite_##name, smrf_suite_##name##_inlined
#define DECLARE_ALL(name)                                                                          \
    DECLARE(name);                                                                                 \
    extern const struct smrf_suite_program smrf_suite_##name##_modules
#define PAIR(name) &smrf_suite_##name, &smrf_suite_##name##_inlined
#define ALL(name) PAIR(name), &smrf_suite_##name##_modules

DECLARE_ALL(bert_fc);
DECLARE_ALL(bert_op);
DECLARE_ALL(bert_score);
DECLARE_ALL(cfd);
DECLARE_ALL(collision);
DECLARE(fib);
DECLARE_ALL(forest);
DECLARE_ALL(functors);
DECLARE(gol);
DECLARE_ALL(hydro);
DECLARE_ALL(mst);
DECLARE_ALL(nbody);
DECLARE_ALL(pta);
DECLARE_ALL(ray);
DECLARE_ALL(resnet_fp);
DECLARE_ALL(resnet_wg);
DECLARE_ALL(sssp);

const struct smrf_suite_program *const smrf_suite_calls[] = {
    ALL(bert_fc), ALL(bert_op), ALL(bert_score), ALL(cfd),   ALL(collision), PAIR(fib),
    ALL(forest),  ALL(functors), PAIR(gol),      ALL(hydro), ALL(mst),       ALL(nbody),
    ALL(pta),     ALL(ray),      ALL(resnet_fp), ALL(resnet_wg), ALL(sssp),  NULL};
