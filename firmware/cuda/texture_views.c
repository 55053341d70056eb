/* SPDX-License-Identifier: Apache-2.0 */
/* A view of an array or a mipmap: a part of its levels and layers, with texels of another format of
 * the same size. */
#include "textures.h"

#define FORMATS 24 /* with texels; behind them come compressed blocks */

/* Formats come in groups of one, two and four channels. */
static struct smrf_cuda_channels channels_(int format)
{
    static const struct {
        int bits, kind;
    } group[FORMATS / 3] = {{8, SMRF_TEXEL_UNSIGNED},  {8, SMRF_TEXEL_SIGNED},
                            {16, SMRF_TEXEL_UNSIGNED}, {16, SMRF_TEXEL_SIGNED},
                            {32, SMRF_TEXEL_UNSIGNED}, {32, SMRF_TEXEL_SIGNED},
                            {16, SMRF_TEXEL_FLOAT},    {32, SMRF_TEXEL_FLOAT}};
    struct smrf_cuda_channels c = {.kind = group[(format - 1) / 3].kind};
    for (int i = 0; i < 1 << (format - 1) % 3; i++) {
        c.bits[i] = group[(format - 1) / 3].bits;
    }
    return c;
}

static int bits_(const struct smrf_cuda_channels *c)
{
    return c->bits[0] + c->bits[1] + c->bits[2] + c->bits[3];
}

int smrf_cuda_view_channels(const struct smrf_cuda_array *a, const struct smrf_cuda_view *v,
                            struct smrf_cuda_channels *channels)
{
    *channels = a->channels;
    if (v == NULL || v->format == 0) {
        return CUDA_OK;
    }
    if (v->format < 0) {
        return CUDA_INVALID_VALUE;
    }
    if (v->format > FORMATS) {
        return smrf_cuda_missing("views of textures as compressed blocks", CUDA_NOT_SUPPORTED);
    }
    *channels = channels_(v->format);
    return bits_(channels) == bits_(&a->channels) ? CUDA_OK : CUDA_INVALID_VALUE;
}

/* Where a dimension is absent, its size is 0 or 1. */
static bool is_size_(uint64_t size, uint64_t of)
{
    return size == of || (size <= 1 && of <= 1);
}

static bool fits_(const struct smrf_cuda_array *a, const struct smrf_cuda_view *v)
{
    const struct smrf_exec_texture *t = &a->shape;
    const unsigned levels = t->num_levels != 0 ? t->num_levels : 1;
    const unsigned layers = t->layers != 0 ? t->layers : 1;
    return is_size_(v->width, a->width) && is_size_(v->height, a->height) &&
           (t->layers != 0 || is_size_(v->depth, a->depth)) && v->first_level <= v->last_level &&
           v->last_level < levels && v->first_layer <= v->last_layer && v->last_layer < layers &&
           (!t->cube || (v->last_layer - v->first_layer + 1) % SMRF_TEXTURE_FACES == 0);
}

/* Address of a layer of a level. */
static uint64_t address_(const struct smrf_exec_texture *t, unsigned level, unsigned layer)
{
    const struct smrf_exec_texture one = t->num_levels != 0 ? smrf_texture_level(t, level) : *t;
    return one.address + layer * one.slice;
}

int smrf_cuda_view(const struct smrf_cuda_array *a, const struct smrf_cuda_view *v,
                   struct smrf_exec_texture *out)
{
    const struct smrf_exec_texture *t = &a->shape;
    if (v == NULL) {
        *out = *t;
        return CUDA_OK;
    }
    if (!fits_(a, v)) {
        return CUDA_INVALID_VALUE;
    }
    *out = t->num_levels != 0 ? smrf_texture_level(t, v->first_level) : *t;
    out->address = address_(t, v->first_level, v->first_layer);
    out->layers = t->layers != 0 ? v->last_layer - v->first_layer + 1 : 0;
    for (unsigned k = v->first_level; t->num_levels != 0 && k <= v->last_level; k++) {
        out->level[k - v->first_level] = address_(t, k, v->first_layer) - out->address;
        out->num_levels = (uint8_t)(k - v->first_level + 1);
    }
    return CUDA_OK;
}
