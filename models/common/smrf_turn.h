/* SPDX-License-Identifier: Apache-2.0 */
/* Whose turn it is: members of a group, a bit each, come in order from one of them on, around the
 * end. Who that is is as good as random, so that the host would guess a branch wrong: there is
 * none. */
#ifndef SMRF_TURN_H
#define SMRF_TURN_H

#include <stdint.h>

/* The first of some members, looked at from member `from` on. from: 64: as 0. */
static inline uint32_t smrf_turn_first(uint64_t members, uint32_t from)
{
    const uint64_t turned = members >> (from & 63) | members << (-from & 63);

    return ((uint32_t)__builtin_ctzll(turned) + from) & 63;
}

#endif
