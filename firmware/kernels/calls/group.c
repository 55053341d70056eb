/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/kernels/suite.h"

#define DECLARE(name)                                                                              \
    extern const struct smrf_suite_program smrf_suite_##name, smrf_suite_##name##_inlined,         \
        smrf_suite_##name##_modules
#define ALL(name) &smrf_suite_##name, &smrf_suite_##name##_inlined, &smrf_suite_##name##_modules

DECLARE(bert_fc);
DECLARE(bert_op);
DECLARE(bert_score);
DECLARE(cfd);
DECLARE(clusters);
DECLARE(collision);
extern const struct smrf_suite_program smrf_suite_dispatch;
DECLARE(dmr);
DECLARE(fib);
DECLARE(forest);
DECLARE(functors);
DECLARE(gol);
DECLARE(hydro);
DECLARE(mst);
DECLARE(nbody);
DECLARE(pta);
extern const struct smrf_suite_program smrf_suite_pta_together;
DECLARE(ray);
DECLARE(resnet_fp);
DECLARE(resnet_wg);
DECLARE(sssp);
DECLARE(structure);
DECLARE(svr);
DECLARE(traffic);
DECLARE(vcycle);

const struct smrf_suite_program *const smrf_suite_calls[] = {ALL(bert_fc),
                                                             ALL(bert_op),
                                                             ALL(bert_score),
                                                             ALL(cfd),
                                                             ALL(clusters),
                                                             ALL(collision),
                                                             &smrf_suite_dispatch,
                                                             ALL(dmr),
                                                             ALL(fib),
                                                             ALL(forest),
                                                             ALL(functors),
                                                             ALL(gol),
                                                             ALL(hydro),
                                                             ALL(mst),
                                                             ALL(nbody),
                                                             ALL(pta),
                                                             &smrf_suite_pta_together,
                                                             ALL(ray),
                                                             ALL(resnet_fp),
                                                             ALL(resnet_wg),
                                                             ALL(sssp),
                                                             ALL(structure),
                                                             ALL(svr),
                                                             ALL(traffic),
                                                             ALL(vcycle),
                                                             NULL};
