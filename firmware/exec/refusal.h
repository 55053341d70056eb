/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SMRF_EXEC_REFUSAL_H
#define SMRF_EXEC_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>

/* The rest of a message that an opcode is not supported: which family it is of and what to do, ""
 * if nothing more is known. */
const char *smrf_exec_advice(const char *opcode);

#endif
