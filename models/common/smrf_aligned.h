/* SPDX-License-Identifier: Apache-2.0 */
/* A struct that begins a line of the data cache, so that what it has first lies in as few as can
 * be: `struct SMRF_LINE_ALIGNED name { .. };` */
#ifndef SMRF_ALIGNED_H
#define SMRF_ALIGNED_H

#if defined(__GNUC__)
#define SMRF_LINE_ALIGNED __attribute__((aligned(64)))
#else
#define SMRF_LINE_ALIGNED
#endif

#endif
