/* SPDX-License-Identifier: Apache-2.0 */
/* What is made for each of its callers, which know numbers that it asks for again and again; what
 * its callees are made a part of. */
#ifndef SMRF_INLINED_H
#define SMRF_INLINED_H

#if defined(__GNUC__)
#define SMRF_INLINED inline __attribute__((always_inline))
#define SMRF_FLAT __attribute__((flatten))
#else
#define SMRF_INLINED inline
#define SMRF_FLAT
#endif

#endif
