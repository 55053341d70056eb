/* SPDX-License-Identifier: Apache-2.0 */
/* A 64-bit digest of a byte stream, fed in pieces of any size: xxHash's XXH64. It tells two traces
 * apart; it is not cryptographic. XXH64 because its state is a plain structure that can be copied
 * and lies in allocated memory; XXH3's needs 64 bytes of alignment. */
#ifndef SMRF_DIGEST_H
#define SMRF_DIGEST_H

#define XXH_STATIC_LINKING_ONLY /* the state as a structure */
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

struct smrf_digest {
    XXH64_state_t xxh;
};

/* Two numbers in one. */
static inline uint64_t smrf_digest_mix(uint64_t h, uint64_t v)
{
    return XXH64(&v, sizeof v, h);
}

static inline void smrf_digest_init(struct smrf_digest *d)
{
    XXH64_reset(&d->xxh, 0);
}

static inline void smrf_digest_add(struct smrf_digest *d, const void *data, size_t size)
{
    if (size != 0) {
        XXH64_update(&d->xxh, data, size);
    }
}

/* The digest of everything added so far; adding may go on afterwards. */
static inline uint64_t smrf_digest_value(const struct smrf_digest *d)
{
    return XXH64_digest(&d->xxh);
}

#endif
