/* SPDX-License-Identifier: Apache-2.0 */
/* A set of vector registers, R0 to R254. */
#ifndef SMRF_REGSET_H
#define SMRF_REGSET_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_REGSET_WORDS 4

struct smrf_regset {
    uint64_t w[SMRF_REGSET_WORDS];
};

static inline bool smrf_regset_has(const struct smrf_regset *s, unsigned reg)
{
    return (s->w[reg / 64] >> reg % 64 & 1) != 0;
}

static inline void smrf_regset_add(struct smrf_regset *s, unsigned reg)
{
    s->w[reg / 64] |= UINT64_C(1) << reg % 64;
}

static inline void smrf_regset_remove(struct smrf_regset *s, unsigned reg)
{
    s->w[reg / 64] &= ~(UINT64_C(1) << reg % 64);
}

static inline struct smrf_regset smrf_regset_all(void)
{
    const struct smrf_regset all = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX >> 1}};
    return all;
}

/* Returns whether *s has grown. */
static inline bool smrf_regset_unite(struct smrf_regset *s, const struct smrf_regset *t)
{
    uint64_t grown = 0;
    for (unsigned i = 0; i < SMRF_REGSET_WORDS; i++) {
        grown |= t->w[i] & ~s->w[i];
        s->w[i] |= t->w[i];
    }
    return grown != 0;
}

/* Returns whether *s has shrunk. */
static inline bool smrf_regset_meet(struct smrf_regset *s, const struct smrf_regset *t)
{
    uint64_t shrunk = 0;
    for (unsigned i = 0; i < SMRF_REGSET_WORDS; i++) {
        shrunk |= s->w[i] & ~t->w[i];
        s->w[i] &= t->w[i];
    }
    return shrunk != 0;
}

static inline void smrf_regset_subtract(struct smrf_regset *s, const struct smrf_regset *t)
{
    for (unsigned i = 0; i < SMRF_REGSET_WORDS; i++) {
        s->w[i] &= ~t->w[i];
    }
}

static inline bool smrf_regset_same(const struct smrf_regset *s, const struct smrf_regset *t)
{
    uint64_t differ = 0;
    for (unsigned i = 0; i < SMRF_REGSET_WORDS; i++) {
        differ |= s->w[i] ^ t->w[i];
    }
    return differ == 0;
}

static inline unsigned smrf_regset_count(const struct smrf_regset *s)
{
    unsigned n = 0;
    for (unsigned i = 0; i < SMRF_REGSET_WORDS; i++) {
        for (uint64_t w = s->w[i]; w != 0; w &= w - 1) {
            n++;
        }
    }
    return n;
}

#ifdef __cplusplus
}
#endif

#endif
