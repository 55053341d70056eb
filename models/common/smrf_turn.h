/* SPDX-License-Identifier: Apache-2.0 */
/* Round robin: the members of a group, one bit each, follow in order from one of them on, around
 * the end. The next member is hard to predict, so the code has no branch. */
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
