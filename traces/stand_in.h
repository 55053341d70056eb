/* SPDX-License-Identifier: Apache-2.0 */
/* Opcodes of Turing at which Accel-Sim 1.x stops, and the nearest ones with which it goes on: same
 * unit, same kind of access. A trace may list a stand-in; its sidecar has the real opcode. */
#ifndef SMRF_STAND_IN_H
#define SMRF_STAND_IN_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Replace an opcode with modifiers by its stand-in, in place; room: of the array, which must hold
 * two characters more than the opcode has. Returns true if it was replaced. */
bool smrf_stand_in(char *opcode, size_t room);

#ifdef __cplusplus
}
#endif

#endif
