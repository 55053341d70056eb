/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the register file cache that the compiler manages. */
#ifndef SMRF_RFC_SOFTWARE_PARAMS_H
#define SMRF_RFC_SOFTWARE_PARAMS_H

#include "models/common/smrf_param.h"

#define SMRF_RFC_SOFTWARE_PARAMS(X)                                                                \
    X(rfc_software, entries, NUM, 3, 0, 14, "registers/thread",                                    \
      "proposed; Gebhart MICRO 2011 names the file, no number at hand",                            \
      "entries of an active warp's operand file; 0 = no operand file")                             \
    X(rfc_software, last_result, FLAG, 1, 0, 1, "", "Gebhart MICRO 2011",                          \
      "1 = a last-result file of one entry in front of it, for the private units alone")           \
    X(rfc_software, read_operands, FLAG, 1, 0, 1, "", "Gebhart MICRO 2011: read operands",         \
      "1 = what a strand reads several times and did not make comes to the operand file, too, at " \
      "its first read")

struct smrf_rfc_software_params {
    SMRF_RFC_SOFTWARE_PARAMS(SMRF_PARAM_FIELD)
};

#endif
