/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the model's own bugs, never of user input. Each assert has one rule; its argument has
 * no side effect. The platform or the test that links the cores supplies smrf_assert_fail. */
#ifndef SMRF_ASSERT_H
#define SMRF_ASSERT_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
__attribute__((noreturn, cold))
#endif
void smrf_assert_fail(const char *rule, const char *file, int line);

#define SMRF_ASSERT(rule) ((rule) ? (void)0 : smrf_assert_fail(#rule, __FILE__, __LINE__))

#ifdef __cplusplus
}
#endif

#endif
