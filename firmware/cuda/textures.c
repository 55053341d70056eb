/* SPDX-License-Identifier: Apache-2.0 */
#include "textures.h"

#include "session.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SIZE 131072U /* texels in each direction */

static struct smrf_cuda_array *arrays_;

/* ---- texels ---------------------------------------------------------------------------------- */

/* 1, 2 or 4 channels of the same width. */
static int texel_(struct smrf_exec_texture *t, const struct smrf_cuda_channels *c)
{
    unsigned channels = 0;
    while (channels < 4 && c->bits[channels] != 0) {
        channels++;
    }
    for (unsigned i = 0; i < 4; i++) {
        if (c->bits[i] != (i < channels ? c->bits[0] : 0)) {
            return CUDA_INVALID_CHANNEL;
        }
    }
    const int bits = c->bits[0];
    const bool of_kind = c->kind == SMRF_TEXEL_FLOAT ? bits == 16 || bits == 32
                                                     : c->kind >= 0 && c->kind < SMRF_TEXEL_FLOAT &&
                                                           (bits == 8 || bits == 16 || bits == 32);
    if (channels == 0 || channels == 3 || !of_kind) {
        return CUDA_INVALID_CHANNEL;
    }
    t->channels = (uint8_t)channels;
    t->bits = (uint8_t)bits;
    t->kind = (uint8_t)c->kind;
    return CUDA_OK;
}

static unsigned bytes_of_(const struct smrf_exec_texture *t)
{
    return t->bits / 8U * t->channels;
}

unsigned smrf_cuda_texel_bytes(const struct smrf_cuda_array *a)
{
    return bytes_of_(&a->shape);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Faces are layers: six, or six a layer. */
static bool is_cube_(const struct smrf_cuda_array *a)
{
    const bool layered = (a->flags & SMRF_ARRAY_LAYERED) != 0;
    return a->width == a->height && a->depth != 0 && a->depth % SMRF_TEXTURE_FACES == 0 &&
           (layered || a->depth == SMRF_TEXTURE_FACES);
}

static int shape_(struct smrf_cuda_array *a)
{
    struct smrf_exec_texture *t = &a->shape;
    t->cube = (a->flags & SMRF_ARRAY_CUBE) != 0;
    const bool layered = (a->flags & SMRF_ARRAY_LAYERED) != 0 || t->cube;
    if (a->width == 0 || a->width > MOST_SIZE || a->height > MOST_SIZE || a->depth > MOST_SIZE ||
        (a->height == 0 && a->depth != 0 && !layered) || (layered && a->depth == 0) ||
        (t->cube && !is_cube_(a))) {
        return CUDA_INVALID_VALUE;
    }
    t->width = (uint32_t)a->width;
    t->height = a->height != 0 ? (uint32_t)a->height : 1;
    t->depth = a->depth != 0 && !layered ? (uint32_t)a->depth : 1;
    t->layers = layered ? (uint32_t)a->depth : 0;
    t->dims = a->height == 0 ? 1 : a->depth == 0 || layered ? 2 : 3;
    return texel_(t, &a->channels);
}

static uint64_t bytes_(struct smrf_exec_texture *t)
{
    return smrf_texture_lay(t, t->layers != 0 ? t->layers : t->depth);
}

/* Levels behind one another; as many as sizes can be halved. Returns their bytes. */
static uint64_t levels_(struct smrf_exec_texture *t, unsigned levels)
{
    uint64_t bytes = 0, most = t->width > t->height ? t->width : t->height;
    most = most > t->depth ? most : t->depth;
    for (unsigned k = 0; k < levels && k < SMRF_TEXTURE_LEVELS && most >> k != 0; k++) {
        struct smrf_exec_texture level = smrf_texture_level(t, k);
        t->level[k] = bytes;
        bytes += bytes_(&level);
        t->num_levels = (uint8_t)(k + 1);
    }
    return bytes;
}

static void keep_(struct smrf_cuda_array *a)
{
    smrf_cuda_lock();
    a->next = arrays_;
    arrays_ = a;
    smrf_cuda_unlock();
}

/* levels 0: an array, else a mipmap. */
static int create_(void **array, const struct smrf_cuda_channels *channels, const uint64_t size[3],
                   unsigned levels, unsigned flags)
{
    void *memory = NULL;
    if (array == NULL || channels == NULL) {
        return CUDA_INVALID_VALUE;
    }
    struct smrf_cuda_array *a = calloc(1, sizeof *a);
    if (a == NULL) {
        return CUDA_NO_MEMORY;
    }
    *a = (struct smrf_cuda_array){.channels = *channels,
                                  .width = size[0],
                                  .height = size[1],
                                  .depth = size[2],
                                  .flags = flags};
    int rc = shape_(a);
    if (rc == CUDA_OK) {
        const uint64_t bytes = bytes_(&a->shape);
        rc = smrf_cuda_alloc(&memory, levels != 0 ? levels_(&a->shape, levels) : bytes,
                             SMRF_MEMORY_DEVICE, 0);
    }
    if (rc != CUDA_OK) {
        free(a);
        return rc;
    }
    a->shape.address = (uint64_t)(uintptr_t)memory;
    keep_(a);
    *array = a;
    return CUDA_OK;
}

int smrf_cuda_array_create(void **array, const struct smrf_cuda_channels *channels,
                           const uint64_t size[3], unsigned flags)
{
    return create_(array, channels, size, 0, flags);
}

int smrf_cuda_mipmap_create(void **array, const struct smrf_cuda_channels *channels,
                            const uint64_t size[3], unsigned levels, unsigned flags)
{
    return levels == 0 ? (int)CUDA_INVALID_VALUE : create_(array, channels, size, levels, flags);
}

/* The array that is a level of the mipmap already, or NULL. */
static struct smrf_cuda_array *part_(const struct smrf_cuda_array *whole, unsigned level)
{
    smrf_cuda_lock();
    struct smrf_cuda_array *a = arrays_;
    while (a != NULL && (a->whole != whole || a->level != level)) {
        a = a->next;
    }
    smrf_cuda_unlock();
    return a;
}

int smrf_cuda_mipmap_level(void **array, const void *mipmap, unsigned level)
{
    const struct smrf_cuda_array *whole = smrf_cuda_array(mipmap);
    if (whole == NULL || array == NULL || level >= whole->shape.num_levels) {
        return whole == NULL ? CUDA_INVALID_HANDLE : CUDA_INVALID_VALUE;
    }
    struct smrf_cuda_array *a = part_(whole, level);
    if (a == NULL) {
        a = malloc(sizeof *a);
        if (a == NULL) {
            return CUDA_NO_MEMORY;
        }
        *a = *whole;
        a->whole = whole;
        a->level = level;
        a->shape = smrf_texture_level(&whole->shape, level);
        a->width = a->shape.width;
        a->height = whole->height != 0 ? a->shape.height : 0;
        a->depth = whole->depth != 0 && whole->shape.layers == 0 ? a->shape.depth : whole->depth;
        keep_(a);
    }
    *array = a;
    return CUDA_OK;
}

const struct smrf_cuda_array *smrf_cuda_array(const void *array)
{
    smrf_cuda_lock();
    const struct smrf_cuda_array *a = arrays_;
    while (a != NULL && a != array) {
        a = a->next;
    }
    smrf_cuda_unlock();
    return a;
}

/* Takes the array and what is a level of it out of the list; NULL: it is none, or a level. */
static struct smrf_cuda_array *take_(void *array)
{
    struct smrf_cuda_array *found = NULL;
    smrf_cuda_lock();
    for (struct smrf_cuda_array **at = &arrays_, *a; (a = *at) != NULL;) {
        const bool is_it = a == array && a->whole == NULL;
        if (!is_it && (a->whole == NULL || a->whole != array)) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        if (is_it) {
            found = a;
        } else {
            free(a);
        }
    }
    smrf_cuda_unlock();
    return found;
}

int smrf_cuda_array_destroy(void *array)
{
    if (array == NULL) {
        return CUDA_OK;
    }
    struct smrf_cuda_array *a = take_(array);
    if (a == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    const int rc = smrf_cuda_free((void *)(uintptr_t)a->shape.address, SMRF_MEMORY_DEVICE);
    free(a);
    return rc;
}

struct smrf_cuda_place smrf_cuda_array_place(const struct smrf_cuda_array *a, uint64_t x,
                                             uint64_t y, uint64_t z)
{
    const struct smrf_exec_texture *t = &a->shape;
    const uint64_t address = t->address + z * t->slice + y * t->pitch + x;
    return (struct smrf_cuda_place){(uint8_t *)(uintptr_t)address, t->pitch, t->height};
}

/* ---- textures and surfaces ------------------------------------------------------------------- */

static int memory_shape_(struct smrf_exec_texture *t, const struct smrf_cuda_source *s)
{
    const int rc = texel_(t, &s->channels);
    if (rc != CUDA_OK) {
        return rc;
    }
    if (s->at == NULL || s->width == 0 ||
        (s->height != 0 &&
         (s->width > MOST_SIZE || s->height > MOST_SIZE || s->width * bytes_of_(t) > s->pitch)) ||
        (s->height == 0 && s->width > SMRF_MOST_LINEAR)) {
        return CUDA_INVALID_VALUE;
    }
    t->address = (uint64_t)(uintptr_t)s->at;
    t->width = (uint32_t)s->width;
    t->height = s->height != 0 ? (uint32_t)s->height : 1;
    t->depth = 1;
    t->pitch = s->pitch;
    t->dims = s->height != 0 ? 2 : 1;
    t->buffer = s->height == 0;
    return CUDA_OK;
}

static int sampler_(struct smrf_exec_texture *t, const struct smrf_cuda_sampler *s)
{
    const bool integers = t->kind != SMRF_TEXEL_FLOAT;
    if (s->fraction && integers && t->bits == 32) {
        return CUDA_INVALID_NORM;
    }
    t->fraction = s->fraction && integers;
    t->linear = s->linear;
    t->normalized = s->normalized || t->cube;
    t->between_levels = s->between_levels && (!integers || t->fraction);
    t->bias = s->level[0];
    t->least = s->level[1];
    t->most = s->level[2];
    if (s->linear && integers && !t->fraction) {
        return CUDA_INVALID_FILTER;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (s->mode[i] < SMRF_TEXTURE_WRAP || s->mode[i] > SMRF_TEXTURE_BORDER) {
            return CUDA_INVALID_VALUE;
        }
        t->mode[i] = (uint8_t)s->mode[i];
    }
    memcpy(t->border, s->border, sizeof t->border);
    return CUDA_OK;
}

static int add_(uint32_t *handle, const struct smrf_exec_texture *t)
{
    int rc = smrf_cuda_enter();
    if (rc == CUDA_OK && smrf_device_texture_add(smrf_cuda_device(), t, handle) < 0) {
        rc = CUDA_NO_MEMORY;
    }
    return smrf_cuda_leave(rc);
}

int smrf_cuda_texture_create(uint32_t *handle, const struct smrf_cuda_source *source,
                             const struct smrf_cuda_sampler *sampler)
{
    struct smrf_exec_texture t = {0};
    int rc = CUDA_OK;
    if (source->array != NULL) {
        struct smrf_cuda_channels channels;
        rc = smrf_cuda_view_channels(source->array, source->view, &channels);
        rc = rc == CUDA_OK ? smrf_cuda_view(source->array, source->view, &t) : rc;
        rc = rc == CUDA_OK ? texel_(&t, &channels) : rc;
    } else {
        rc = source->view == NULL ? memory_shape_(&t, source) : (int)CUDA_INVALID_VALUE;
    }
    rc = rc == CUDA_OK ? sampler_(&t, sampler) : rc;
    return rc == CUDA_OK ? add_(handle, &t) : rc;
}

int smrf_cuda_surface_create(uint32_t *handle, const struct smrf_cuda_array *array)
{
    if (array == NULL || (array->flags & SMRF_ARRAY_SURFACE) == 0) {
        return CUDA_INVALID_VALUE;
    }
    return add_(handle, &array->shape);
}

int smrf_cuda_texture_destroy(uint32_t handle)
{
    int rc = smrf_cuda_enter();
    if (rc == CUDA_OK && handle != 0 &&
        smrf_device_texture_remove(smrf_cuda_device(), handle) < 0) {
        rc = CUDA_INVALID_VALUE;
    }
    return smrf_cuda_leave(rc);
}

int smrf_cuda_texture_bind(struct smrf_cuda_module *module, const char *name, uint32_t handle)
{
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_cuda_module_load(module) : rc;
    if (rc == CUDA_OK && smrf_device_bind(smrf_cuda_module_device(module), name, handle) < 0) {
        rc = CUDA_NO_MEMORY;
    }
    return smrf_cuda_leave(rc);
}
