/* SPDX-License-Identifier: Apache-2.0 */
/* Texels by coordinates (CUDA programming guide, texture fetching): address modes, the nearest
 * texel, linear filters with 8 bits of fraction. */
#include "firmware/exec/fp16.h"
#include "firmware/exec/space.h"
#include "firmware/exec/texture.h"

#include <math.h>
#include <string.h>

#define FRACTION_BITS 8
#define ONE (1 << FRACTION_BITS)
/* Steps of a coordinate that counts the whole texture: a GPU (H100) has 2^20 to 2^22. */
#define COORDINATE 0x1p21
#define FAR 1e9F /* texels; further coordinates are as good as these */

/* A channel's value, as it lies in memory. */
static uint32_t channel_(const struct smrf_exec_texture *t, const uint8_t *texel, unsigned c)
{
    uint32_t value = 0;
    memcpy(&value, texel + c * (t->bits / 8U), t->bits / 8U);
    if (t->kind == SMRF_TEXEL_SIGNED && t->bits < 32 && !t->fraction) {
        const unsigned shift = 32U - t->bits;
        value = (uint32_t)((int32_t)(value << shift) >> shift);
    }
    return value;
}

static float fraction_(const struct smrf_exec_texture *t, uint32_t value)
{
    const unsigned shift = 32U - t->bits;
    if (t->kind == SMRF_TEXEL_UNSIGNED) {
        return (float)value / (float)((UINT32_C(1) << t->bits) - 1);
    }
    const float most = (float)((UINT32_C(1) << (t->bits - 1)) - 1);
    const float f = (float)((int32_t)(value << shift) >> shift) / most;
    return f < -1.0F ? -1.0F : f;
}

static uint32_t bits_of_(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of_(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_float_(const struct smrf_exec_texture *t)
{
    return t->kind == SMRF_TEXEL_FLOAT || t->fraction;
}

static void decode_(const struct smrf_exec_texture *t, const uint8_t *texel, uint32_t out[4])
{
    for (unsigned c = 0; c < 4; c++) {
        out[c] = c < t->channels ? channel_(t, texel, c) : 0;
        if (c >= t->channels) {
            continue;
        }
        if (t->fraction) {
            out[c] = bits_of_(fraction_(t, out[c]));
        } else if (t->kind == SMRF_TEXEL_FLOAT && t->bits == 16) {
            out[c] = bits_of_(smrf_exec_half_to_float(out[c]));
        }
    }
}

static int fetch_(struct smrf_memory_space *space, const struct smrf_exec_texture *t, uint32_t x,
                  uint32_t y, uint32_t z, uint32_t out[4])
{
    const uint32_t bytes = t->bits / 8U * t->channels;
    const uint8_t *texel = smrf_space_use(
        space, t->address + z * t->slice + y * t->pitch + (uint64_t)x * bytes, bytes, false);
    if (texel == NULL) {
        return SMRF_ERR_CHECK;
    }
    decode_(t, texel, out);
    return 0;
}

/* A border's channel in the texel's format: a fraction that the format has, the lower bits of an
 * integer. */
static uint32_t border_channel_(const struct smrf_exec_texture *t, float value)
{
    const uint32_t mask = t->bits < 32 ? (UINT32_C(1) << t->bits) - 1 : UINT32_MAX;
    if (t->kind == SMRF_TEXEL_FLOAT) {
        return bits_of_(t->bits == 16 ? smrf_exec_half_to_float(smrf_exec_float_to_half(value))
                                      : value);
    }
    if (!t->fraction) {
        return bits_of_(value) & mask;
    }
    const bool whole = t->kind == SMRF_TEXEL_UNSIGNED;
    const float least = whole ? 0.0F : -1.0F, most = (float)(whole ? mask : mask >> 1);
    value = value > 1.0F ? 1.0F : value > least ? value : least;
    return bits_of_(rintf(value * most) / most);
}

static void border_(const struct smrf_exec_texture *t, uint32_t out[4])
{
    for (unsigned c = 0; c < 4; c++) {
        out[c] = c < t->channels ? border_channel_(t, t->border[c]) : 0;
    }
}

/* The texel that stands for number i of n; -1: the border. */
static int32_t place_(unsigned mode, int64_t i, uint32_t n)
{
    const int64_t most = (int64_t)n - 1;
    if (i >= 0 && i <= most) {
        return (int32_t)i;
    }
    switch ((enum smrf_texture_mode)mode) {
    case SMRF_TEXTURE_WRAP:
        i %= (int64_t)n;
        return (int32_t)(i < 0 ? i + (int64_t)n : i);
    case SMRF_TEXTURE_MIRROR:
        i %= 2 * (int64_t)n;
        i = i < 0 ? i + 2 * (int64_t)n : i;
        return (int32_t)(i > most ? 2 * (int64_t)n - 1 - i : i);
    case SMRF_TEXTURE_CLAMP:
        return (int32_t)(i < 0 ? 0 : most);
    default:
        return -1;
    }
}

/* One direction of a fetch. The instruction says how many there are: a texture of one dimension may
 * be read as one of two, a texel high. */
struct axis {
    int64_t first;   /* number of the lower texel */
    uint32_t weight; /* of the upper one, of 256 */
    uint32_t size;
    unsigned mode;
};

static struct axis axis_(const struct smrf_exec_texture *t, unsigned i, float x, uint32_t n,
                         bool between)
{
    const bool repeats = t->mode[i] == SMRF_TEXTURE_WRAP || t->mode[i] == SMRF_TEXTURE_MIRROR;
    struct axis a = {.size = n,
                     .mode = repeats && !t->normalized ? SMRF_TEXTURE_CLAMP : t->mode[i]};
    double at = (double)x;
    if (t->normalized) {
        at = floor(at * COORDINATE) / COORDINATE * n;
    }
    at = at > FAR ? FAR : at < -FAR ? -FAR : at == at ? at : 0;
    if (!between) {
        a.first = (int64_t)floor(at);
        return a;
    }
    const int64_t fixed = (int64_t)floor(at * ONE + 0.5) - ONE / 2;
    a.first = fixed >> FRACTION_BITS;
    a.weight = (uint32_t)(fixed & (ONE - 1));
    if (a.mode == SMRF_TEXTURE_CLAMP && (a.first < 0 || a.first >= (int64_t)n - 1)) {
        a.weight = 0; /* both texels are the one at the edge */
    }
    return a;
}

static void axes_(const struct smrf_exec_texture *t, const struct smrf_texture_at *at, bool between,
                  struct axis axis[3])
{
    const uint32_t n[3] = {t->width, t->height, t->depth};
    for (unsigned i = 0; i < 3; i++) {
        axis[i] = (struct axis){.size = 1, .mode = SMRF_TEXTURE_CLAMP};
        if (i < at->dims) {
            axis[i] = axis_(t, i, at->x[i], n[i], between);
            axis[i].first += at->offset[i];
        }
    }
}

static uint32_t layer_(const struct smrf_exec_texture *t, uint32_t layer)
{
    const uint32_t most = t->layers != 0 ? t->layers - 1 : 0;
    return layer > most ? most : layer;
}

/* A corner of the eight around a place: bit i of `corner`, the upper one of axis i. */
static int corner_(struct smrf_memory_space *space, const struct smrf_exec_texture *t,
                   const struct axis axis[3], uint32_t layer, unsigned corner, uint32_t out[4])
{
    int32_t at[3];
    for (unsigned i = 0; i < 3; i++) {
        at[i] = place_(axis[i].mode, axis[i].first + (corner >> i & 1), axis[i].size);
        if (at[i] < 0) {
            border_(t, out);
            return 0;
        }
    }
    return fetch_(space, t, (uint32_t)at[0], (uint32_t)at[1],
                  t->layers != 0 ? layer_(t, layer) : (uint32_t)at[2], out);
}

/* A part of a weight, to the nearest. */
static uint32_t part_(uint32_t weight, uint32_t of_256)
{
    return (weight * of_256 + ONE / 2) >> FRACTION_BITS;
}

/* Weights of the corners, in 256ths: eight bits are all there are, so that they are parts of parts.
 * Which part is rounded is what a GPU (H100) was seen to do: z is divided first, then x, then y. */
static void weigh_(const struct axis axis[3], uint32_t weight[8])
{
    const uint32_t x = axis[0].weight, y = axis[1].weight, z = axis[2].weight;
    for (unsigned k = 0; k < 2; k++) {
        const uint32_t all = k != 0 ? z : ONE - z, right = part_(all, x);
        const uint32_t upper_right = part_(right, y);
        const uint32_t upper_left = z == 0 ? part_(ONE, y) - upper_right : part_(all - right, y);
        weight[4 * k] = all - right - (all != 0 ? upper_left : 0);
        weight[4 * k + 1] = right - upper_right;
        weight[4 * k + 2] = all != 0 ? upper_left : 0;
        weight[4 * k + 3] = upper_right;
    }
}

/* Filters of 16 bits and less work with 16 bits. */
static float filtered_(const struct smrf_exec_texture *t, double value)
{
    if (t->fraction) {
        const double most = t->kind == SMRF_TEXEL_UNSIGNED ? 65535.0 : 32767.0;
        return (float)(rint(value * most) / most);
    }
    return t->bits == 16 ? smrf_exec_half_to_float(smrf_exec_float_to_half((float)value))
                         : (float)value;
}

int smrf_texture_sample_level(struct smrf_memory_space *space, const struct smrf_exec_texture *t,
                              const struct smrf_texture_at *at, uint32_t out[4])
{
    struct axis axis[3];
    double sum[4] = {0};
    uint32_t weight[8];
    const bool between = t->linear && is_float_(t);
    axes_(t, at, between, axis);
    if (!between) {
        return corner_(space, t, axis, at->layer, 0, out);
    }
    weigh_(axis, weight);
    for (unsigned corner = 0; corner < 8; corner++) {
        uint32_t value[4];
        if (weight[corner] == 0) {
            continue;
        }
        const int rc = corner_(space, t, axis, at->layer, corner, value);
        if (rc < 0) {
            return rc;
        }
        for (unsigned c = 0; c < 4; c++) {
            sum[c] += (double)float_of_(value[c]) * weight[corner];
        }
    }
    for (unsigned c = 0; c < 4; c++) {
        out[c] = bits_of_(filtered_(t, sum[c] / ONE));
    }
    return 0;
}

int smrf_texture_load(struct smrf_memory_space *space, const struct smrf_exec_texture *t,
                      const int32_t at[3], uint32_t layer, uint32_t out[4])
{
    const uint32_t n[3] = {t->width, t->height, t->depth};
    for (unsigned i = 0; i < 3; i++) {
        if (at[i] < 0 || (uint32_t)at[i] >= n[i]) {
            memset(out, 0, 4 * sizeof out[0]);
            return 0;
        }
    }
    return fetch_(space, t, (uint32_t)at[0], (uint32_t)at[1],
                  t->layers != 0 ? layer_(t, layer) : (uint32_t)at[2], out);
}

int smrf_texture_gather(struct smrf_memory_space *space, const struct smrf_exec_texture *t,
                        const struct smrf_texture_at *at, unsigned channel, uint32_t out[4])
{
    static const uint8_t order[4] = {2, 3, 1, 0}; /* counter-clockwise from the lower left one */
    const struct smrf_texture_at place = t->cube ? smrf_texture_face(t, at) : *at;
    struct axis axis[3];
    axes_(t, &place, true, axis);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t value[4];
        const int rc = corner_(space, t, axis, place.layer, order[i], value);
        if (rc < 0) {
            return rc;
        }
        out[i] = value[channel];
    }
    return 0;
}
