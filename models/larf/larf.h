/* SPDX-License-Identifier: Apache-2.0 */
/* Mechanisms that rename registers: the virtual register file, and the sharing of loaded registers
 * between warps. */
#ifndef SMRF_LARF_H
#define SMRF_LARF_H

#include "renaming.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of the counters that are high-water marks. */
#define SMRF_VRF_INDEX_(name, unit, meaning) SMRF_VRF_INDEX_##name,
enum smrf_vrf_index { SMRF_VRF_STATS(SMRF_VRF_INDEX_) SMRF_VRF_COUNTERS };
#undef SMRF_VRF_INDEX_
#define SMRF_VRF_MARKS (UINT64_C(15) << SMRF_VRF_INDEX_peak_registers)

extern const struct smrf_allotment_seam smrf_vrf_allotment_seam;
extern const struct smrf_block_seam smrf_vrf_block_seam;
/* What a file cannot do; NULL: nothing. */
const char *smrf_larf_check_file(const struct smrf_mechanism_setup *setup);

extern const struct smrf_mechanism smrf_virtual_rf;
extern const struct smrf_family smrf_larf_family;

#ifdef __cplusplus
}
#endif

#endif
