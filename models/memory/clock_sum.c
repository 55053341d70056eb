/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/clock_sum.h"

#include "models/common/smrf_assert.h"

#define TOP (UINT64_C(1) << 53) /* a value is less, and at least half of this */
#define LAST (UINT64_C(1) << 40)

struct number {
    uint64_t value;
    int32_t exponent;
};

/* `rest` of `whole` is rounded to the nearest, half to even. */
static uint64_t round_(uint64_t value, uint64_t rest, uint64_t whole)
{
    const uint64_t half = whole / 2;

    return value + (rest > half || (rest == half && whole > 1 && (value & 1)));
}

/* 1 / hz, by long division. */
static struct number reciprocal_(uint64_t hz)
{
    struct number r = {0, 0};
    uint64_t rest = 1;

    while (r.value < TOP / 2) {
        rest *= 2;
        r.value = 2 * r.value + (rest >= hz);
        rest -= rest >= hz ? hz : 0;
        r.exponent--;
    }
    r.value = round_(r.value, 2 * rest, 2 * hz);
    if (r.value == TOP) {
        r.value /= 2;
        r.exponent++;
    }
    return r;
}

/* sum + period, the sum being no less. */
static struct number add_(struct number sum, struct number period)
{
    const uint32_t shift = (uint32_t)(sum.exponent - period.exponent);
    const uint64_t low = period.value & ((UINT64_C(1) << shift) - 1);
    const uint64_t high = sum.value + (period.value >> shift);
    const bool carries = high >= TOP;
    struct number r = {high, sum.exponent};

    if (carries) {
        r.value = round_(high / 2, (high & 1) << shift | low, UINT64_C(2) << shift);
        r.exponent++;
    } else {
        r.value = round_(high, low, UINT64_C(1) << shift);
    }
    if (r.value == TOP) {
        r.value /= 2;
        r.exponent++;
    }
    return r;
}

/* What the next additions add to the sum, as long as it does not carry: all the same, but the
 * first where a half is rounded to an even sum. */
static uint64_t step_(struct number sum, struct number period)
{
    const struct number next = add_(sum, period);

    return next.exponent == sum.exponent ? next.value - sum.value : 0;
}

void smrf_clock_sum_init(struct smrf_clock_sum *c, uint32_t khz)
{
    const struct number period = reciprocal_(UINT64_C(1000) * khz);
    struct number sum = period;
    uint64_t n = 1;

    c->pieces = 0;
    while (n < LAST) {
        const uint64_t step = step_(sum, period);
        uint64_t more = step ? (TOP - 1 - sum.value) / step : 0;

        if (more > 1 && step_(add_(sum, period), period) != step) {
            more = 1;
        }
        SMRF_ASSERT(c->pieces < SMRF_CLOCK_PIECES);
        c->piece[c->pieces++] = (struct smrf_clock_piece){n, sum.value, step, sum.exponent};
        sum.value += more * step;
        n += more;
        if (more != 1) {
            sum = add_(sum, period);
            n++;
        }
    }
}

/* n is not 0. */
static struct number sum_(const struct smrf_clock_sum *c, uint64_t n)
{
    uint32_t i = c->pieces - 1;

    while (c->piece[i].from > n) {
        i--;
    }
    return (struct number){c->piece[i].value + (n - c->piece[i].from) * c->piece[i].step,
                           c->piece[i].exponent};
}

bool smrf_clock_sum_later(const struct smrf_clock_sum *a, uint64_t n,
                          const struct smrf_clock_sum *b, uint64_t m)
{
    struct number x, y;

    if (n == 0 || m == 0 || n >= LAST || m >= LAST) {
        return n != 0 && m == 0;
    }
    x = sum_(a, n);
    y = sum_(b, m);
    return x.exponent != y.exponent ? x.exponent > y.exponent : x.value > y.value;
}
