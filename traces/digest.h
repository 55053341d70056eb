/* SPDX-License-Identifier: Apache-2.0 */
/* A 64-bit digest of a byte stream, fed in pieces of any size. Not cryptographic: it distinguishes
 * two traces apart and costs well under a nanosecond a byte-octet. */
#ifndef SMRF_DIGEST_H
#define SMRF_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SMRF_DIGEST_BLOCK 32 /* four independent lanes of eight bytes */

struct smrf_digest {
    uint64_t lane[4];
    uint64_t bytes;
    uint8_t tail[SMRF_DIGEST_BLOCK]; /* the last bytes % 32 bytes */
};

static inline uint64_t smrf_digest_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9FB21C651E98DF25);
    return h ^ (h >> 32);
}

static inline void smrf_digest_init(struct smrf_digest *d)
{
    memset(d, 0, sizeof *d);
    for (unsigned i = 0; i < 4; i++) {
        d->lane[i] = UINT64_C(0x9E3779B97F4A7C15) * (i + 1);
    }
}

/* Whole blocks; the lanes stay in registers meanwhile. */
static inline void smrf_digest_blocks(struct smrf_digest *d, const uint8_t *p, size_t blocks)
{
    uint64_t a = d->lane[0], b = d->lane[1], c = d->lane[2], e = d->lane[3], v[4];
    for (const uint8_t *end = p + blocks * SMRF_DIGEST_BLOCK; p != end; p += SMRF_DIGEST_BLOCK) {
        memcpy(v, p, sizeof v);
        a = smrf_digest_mix(a, v[0]);
        b = smrf_digest_mix(b, v[1]);
        c = smrf_digest_mix(c, v[2]);
        e = smrf_digest_mix(e, v[3]);
    }
    d->lane[0] = a;
    d->lane[1] = b;
    d->lane[2] = c;
    d->lane[3] = e;
}

static inline void smrf_digest_add(struct smrf_digest *d, const void *data, size_t size)
{
    const uint8_t *p = (const uint8_t *)data; /* also compiled as C++ */
    size_t have = (size_t)(d->bytes % SMRF_DIGEST_BLOCK);
    d->bytes += size;
    if (have != 0) {
        size_t n = SMRF_DIGEST_BLOCK - have;
        n = n < size ? n : size;
        memcpy(d->tail + have, p, n);
        p += n;
        size -= n;
        if (have + n < SMRF_DIGEST_BLOCK) {
            return;
        }
        smrf_digest_blocks(d, d->tail, 1);
    }
    smrf_digest_blocks(d, p, size / SMRF_DIGEST_BLOCK);
    if (size % SMRF_DIGEST_BLOCK != 0) {
        memcpy(d->tail, p + size - size % SMRF_DIGEST_BLOCK, size % SMRF_DIGEST_BLOCK);
    }
}

/* The digest of everything added so far; adding may go on afterwards. */
static inline uint64_t smrf_digest_value(const struct smrf_digest *d)
{
    struct smrf_digest c = *d;
    size_t have = (size_t)(c.bytes % SMRF_DIGEST_BLOCK);
    memset(c.tail + have, 0, SMRF_DIGEST_BLOCK - have);
    smrf_digest_blocks(&c, c.tail, 1);
    uint64_t h = c.bytes;
    for (unsigned i = 0; i < 4; i++) {
        h = smrf_digest_mix(h, c.lane[i]);
    }
    return smrf_digest_mix(h, h >> 29);
}

#endif
