/* SPDX-License-Identifier: Apache-2.0 */
/* A 64-bit digest of a byte stream, fed in pieces of any size. It tells two traces apart; it is not
 * cryptographic. Blocks of 4 KiB are hashed each by itself by xxHash's XXH3, and their hashes are
 * the digits of a number modulo 2^64. XXH3's own stream would need a state that is aligned to 64
 * bytes; this one can be copied and lie anywhere. */
#ifndef SMRF_DIGEST_H
#define SMRF_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <xxhash.h>
/* A libxxhash that was built for it chooses among vector instructions when it runs. */
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif

#define SMRF_DIGEST_BLOCK ((size_t)4096)

struct smrf_digest {
    uint64_t whole; /* of the whole blocks so far */
    size_t filled;  /* bytes of the next one */
    unsigned char block[SMRF_DIGEST_BLOCK];
};

/* Two numbers in one. */
static inline uint64_t smrf_digest_mix(uint64_t h, uint64_t v)
{
    return XXH64(&v, sizeof v, h);
}

static inline void smrf_digest_init(struct smrf_digest *d)
{
    d->whole = 0;
    d->filled = 0;
}

static inline void smrf_digest_add_block(struct smrf_digest *d, const unsigned char *block)
{
    d->whole = d->whole * UINT64_C(0x9e3779b185ebca87) + XXH3_64bits(block, SMRF_DIGEST_BLOCK);
}

static inline void smrf_digest_add(struct smrf_digest *d, const void *data, size_t size)
{
    const unsigned char *p = (const unsigned char *)data;
    while (size != 0) {
        const size_t room = SMRF_DIGEST_BLOCK - d->filled, n = size < room ? size : room;
        if (n == SMRF_DIGEST_BLOCK) {
            smrf_digest_add_block(d, p);
        } else {
            memcpy(d->block + d->filled, p, n);
            d->filled += n;
        }
        if (d->filled == SMRF_DIGEST_BLOCK) {
            smrf_digest_add_block(d, d->block);
            d->filled = 0;
        }
        p += n;
        size -= n;
    }
}

/* The digest of everything added so far; adding may go on afterwards. */
static inline uint64_t smrf_digest_value(const struct smrf_digest *d)
{
    return XXH3_64bits_withSeed(d->block, d->filled, d->whole);
}

#endif
