/* SPDX-License-Identifier: Apache-2.0 */
/* The values behind the timing: what an instruction writes, and who reads what it collects. Values
 * are those of the trace or are made from the version of a result (models/oracle); a mechanism's
 * own operations read and write the mechanism's. */
#ifndef SMRF_REGISTER_VALUES_H
#define SMRF_REGISTER_VALUES_H

#include "models/bank/bank.h"
#include "models/collector/collector.h"
#include "models/hooks/hooks.h"
#include "models/oracle/oracle.h"
#include "models/seam/front_seams.h"
#include "models/wires/wires.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_register_values {
    const struct smrf_wires *wires;
    const struct smrf_flights *flights;
    const struct smrf_oracle *oracle;
    const struct smrf_micro_seam *micro; /* NULL: the mechanism has no operations of its own */
    void *mechanism_state;
    const struct smrf_hooks *hooks;
};

/* Destination i of an instruction, [32], and its version. scratch: [32], for its use. */
const uint32_t *smrf_register_values_result(const struct smrf_register_values *v, uint32_t flight,
                                            unsigned i, uint32_t *scratch, uint32_t *version);

/* Sources (bit i) are in the latches of their collector. */
void smrf_register_values_operands(const struct smrf_register_values *v, uint32_t flight,
                                   uint32_t sources, const struct smrf_operand_latches *latches,
                                   bool cached);

/* Destination i of a load is not written: its bank holds already what it loads. */
void smrf_register_values_shared(const struct smrf_register_values *v, uint32_t flight, unsigned i,
                                 const struct smrf_bank *bank);

#ifdef __cplusplus
}
#endif

#endif
