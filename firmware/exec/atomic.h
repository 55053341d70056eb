/* SPDX-License-Identifier: Apache-2.0 */
/* What atomics and reductions do, on memory and on surfaces. */
#ifndef SMRF_EXEC_ATOMIC_H
#define SMRF_EXEC_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

enum smrf_atomic_action {
    SMRF_ATOMIC_ADD,
    SMRF_ATOMIC_MIN,
    SMRF_ATOMIC_MAX,
    SMRF_ATOMIC_INC,
    SMRF_ATOMIC_DEC,
    SMRF_ATOMIC_AND,
    SMRF_ATOMIC_OR,
    SMRF_ATOMIC_XOR,
    SMRF_ATOMIC_EXCH,
    SMRF_ATOMIC_CAS,
    SMRF_ATOMIC_CAST
};

/* What memory holds after a reduction (ADD to XOR) of integers. is_signed: 32 bits with a sign; of
 * others the caller keeps as many bits as they have. */
uint64_t smrf_exec_reduced(enum smrf_atomic_action action, bool is_signed, uint64_t old,
                           uint64_t a);

#endif
