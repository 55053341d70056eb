/* SPDX-License-Identifier: Apache-2.0 */
/* What is seldom gone through stands apart from its caller, which then needs fewer registers. */
#ifndef SMRF_APART_H
#define SMRF_APART_H

#if defined(__GNUC__)
#define SMRF_APART __attribute__((noinline))
#else
#define SMRF_APART
#endif

#endif
