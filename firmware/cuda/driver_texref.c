/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface references of modules. */
#include "driver.h"
#include "driver_texture.h"

#include <stdlib.h>
#include <string.h>

/* A texture or surface variable of a module. What it reads and how is set in any order. */
struct reference {
    struct reference *next;
    struct smrf_cuda_module *module;
    struct smrf_cuda_source source;
    struct smrf_driver_sampler sampler;
    struct smrf_cuda_channels channels; /* of linear memory */
    bool has_source;
    uint32_t handle; /* 0 = not bound */
    char name[];
};

static struct reference *references_;

static int reference_(struct reference **out, struct smrf_cuda_module *module, const char *name)
{
    int rc = smrf_driver_ready();
    if (rc != CUDA_OK || out == NULL || module == NULL || name == NULL) {
        return rc != CUDA_OK ? rc : CUDA_INVALID_VALUE;
    }
    smrf_cuda_lock();
    struct reference *r = references_;
    while (r != NULL && (r->module != module || strcmp(r->name, name) != 0)) {
        r = r->next;
    }
    if (r == NULL && !smrf_cuda_module_names(module, name)) {
        rc = CUDA_NOT_FOUND;
    } else if (r == NULL) {
        const size_t bytes = strlen(name) + 1;
        r = calloc(1, sizeof *r + bytes);
        if (r == NULL) {
            rc = CUDA_NO_MEMORY;
        } else {
            memcpy(r->name, name, bytes);
            r->module = module;
            r->sampler.mode[0] = r->sampler.mode[1] = r->sampler.mode[2] = SMRF_TEXTURE_CLAMP;
            r->channels = (struct smrf_cuda_channels){{32, 0, 0, 0}, SMRF_TEXEL_FLOAT};
            r->next = references_;
            references_ = r;
        }
    }
    smrf_cuda_unlock();
    *out = r;
    return rc;
}

void smrf_driver_forget_references(const struct smrf_cuda_module *module)
{
    smrf_cuda_lock();
    for (struct reference **at = &references_, *r; (r = *at) != NULL;) {
        if (r->module == module) {
            *at = r->next;
            (void)smrf_cuda_texture_destroy(r->handle);
            free(r);
        } else {
            at = &r->next;
        }
    }
    smrf_cuda_unlock();
}

SMRF_CUDA_API int cuModuleGetTexRef(struct reference **r, struct smrf_cuda_module *module,
                                    const char *name)
{
    return reference_(r, module, name);
}
SMRF_ALSO(cuModuleGetTexRef, cuModuleGetSurfRef);

static int bind_(struct reference *r, uint32_t handle)
{
    const int rc = smrf_cuda_texture_bind(r->module, r->name, handle);
    (void)smrf_cuda_texture_destroy(r->handle);
    r->handle = handle;
    return rc;
}

/* What does not fit together yet is bound once it does. */
static int renew_(struct reference *r)
{
    uint32_t handle = 0;
    if (!r->has_source) {
        return CUDA_OK;
    }
    (void)smrf_driver_texture(&handle, &r->source, &r->sampler);
    return bind_(r, handle);
}

static int set_source_(struct reference *r, const struct smrf_cuda_source *source)
{
    r->source = *source;
    r->has_source = true;
    return renew_(r);
}

SMRF_CUDA_API int cuTexRefSetArray(struct reference *r, void *array, unsigned flags)
{
    const struct smrf_cuda_source source = {.array = smrf_cuda_array(array)};
    (void)flags; /* the array has its own format */
    if (r == NULL || source.array == NULL) {
        return r == NULL ? CUDA_INVALID_VALUE : CUDA_INVALID_HANDLE;
    }
    return set_source_(r, &source);
}
SMRF_ALSO(cuTexRefSetArray, cuTexRefSetMipmappedArray);

SMRF_CUDA_API int cuTexRefSetAddress_v2(size_t *offset, struct reference *r, uint64_t at,
                                        size_t bytes)
{
    if (r == NULL) {
        return CUDA_INVALID_VALUE;
    }
    struct smrf_cuda_source source = {.at = (void *)(uintptr_t)at, .channels = r->channels};
    const int rc = smrf_driver_line(&source, bytes);
    if (offset != NULL) {
        *offset = 0;
    }
    return rc == CUDA_OK ? set_source_(r, &source) : rc;
}

SMRF_CUDA_API int cuTexRefSetAddress2D_v3(struct reference *r, const struct smrf_driver_plane *d,
                                          uint64_t at, size_t pitch)
{
    if (r == NULL || d == NULL || d->height == 0) {
        return CUDA_INVALID_VALUE;
    }
    struct smrf_cuda_source source = {
        .at = (void *)(uintptr_t)at, .width = d->width, .height = d->height, .pitch = pitch};
    const int rc = smrf_driver_channels(&source.channels, d->format, d->channels);
    return rc == CUDA_OK ? set_source_(r, &source) : rc;
}

SMRF_ALSO(cuTexRefSetAddress2D_v3, cuTexRefSetAddress2D_v2);

SMRF_CUDA_API int cuTexRefSetFormat(struct reference *r, int format, int number)
{
    return r == NULL || number < 1 ? (int)CUDA_INVALID_VALUE
                                   : smrf_driver_channels(&r->channels, format, (unsigned)number);
}

SMRF_CUDA_API int cuTexRefSetAddressMode(struct reference *r, int dim, int mode)
{
    if (r == NULL || dim < 0 || dim > 2 || mode < SMRF_TEXTURE_WRAP || mode > SMRF_TEXTURE_BORDER) {
        return CUDA_INVALID_VALUE;
    }
    r->sampler.mode[dim] = mode;
    return renew_(r);
}

SMRF_CUDA_API int cuTexRefSetFilterMode(struct reference *r, int filter)
{
    if (r == NULL || filter < 0 || filter > 1) {
        return CUDA_INVALID_VALUE;
    }
    r->sampler.filter = filter;
    return renew_(r);
}

SMRF_CUDA_API int cuTexRefSetFlags(struct reference *r, unsigned flags)
{
    if (r == NULL) {
        return CUDA_INVALID_VALUE;
    }
    r->sampler.flags = flags;
    return renew_(r);
}

SMRF_CUDA_API int cuTexRefSetBorderColor(struct reference *r, const float *border)
{
    if (r == NULL || border == NULL) {
        return CUDA_INVALID_VALUE;
    }
    memcpy(r->sampler.border, border, sizeof r->sampler.border);
    return renew_(r);
}

SMRF_CUDA_API int cuTexRefSetMaxAnisotropy(struct reference *r, unsigned most)
{
    if (r == NULL) {
        return CUDA_INVALID_VALUE;
    }
    r->sampler.anisotropy = most;
    return CUDA_OK;
}

SMRF_CUDA_API int cuTexRefSetMipmapFilterMode(struct reference *r, int filter)
{
    if (r == NULL || filter < 0 || filter > 1) {
        return CUDA_INVALID_VALUE;
    }
    r->sampler.level_filter = filter;
    return renew_(r);
}

SMRF_CUDA_API int cuTexRefSetMipmapLevelBias(struct reference *r, float bias)
{
    if (r == NULL) {
        return CUDA_INVALID_VALUE;
    }
    r->sampler.level[0] = bias;
    return renew_(r);
}

SMRF_CUDA_API int cuTexRefSetMipmapLevelClamp(struct reference *r, float least, float most)
{
    if (r == NULL) {
        return CUDA_INVALID_VALUE;
    }
    r->sampler.level[1] = least;
    r->sampler.level[2] = most;
    return renew_(r);
}

SMRF_CUDA_API int cuSurfRefSetArray(struct reference *r, void *array, unsigned flags)
{
    uint32_t handle;
    const struct smrf_cuda_array *a = smrf_cuda_array(array);
    (void)flags;
    int rc = r == NULL ? (int)CUDA_INVALID_VALUE : smrf_cuda_surface_create(&handle, a);
    rc = rc == CUDA_OK ? bind_(r, handle) : rc;
    if (rc == CUDA_OK) {
        r->source = (struct smrf_cuda_source){.array = a};
        r->has_source = true;
    }
    return rc;
}

/* ---- what was set ---------------------------------------------------------------------------- */

SMRF_CUDA_API int cuTexRefGetAddress_v2(uint64_t *at, const struct reference *r)
{
    if (at == NULL || r == NULL || !r->has_source || r->source.array != NULL) {
        return CUDA_INVALID_VALUE;
    }
    *at = (uint64_t)(uintptr_t)r->source.at;
    return CUDA_OK;
}

static int array_of_(const void **array, const struct reference *r, bool mipmap)
{
    const bool is_bound = array != NULL && r != NULL && r->has_source && r->source.array != NULL;
    if (!is_bound || (r->source.array->shape.num_levels != 0) != mipmap) {
        return CUDA_INVALID_VALUE;
    }
    *array = r->source.array;
    return CUDA_OK;
}

SMRF_CUDA_API int cuTexRefGetArray(const void **array, const struct reference *r)
{
    return array_of_(array, r, false);
}

SMRF_CUDA_API int cuTexRefGetMipmappedArray(const void **mipmap, const struct reference *r)
{
    return array_of_(mipmap, r, true);
}

SMRF_CUDA_API int cuTexRefGetFormat(int *format, int *number, const struct reference *r)
{
    if (r == NULL) {
        return CUDA_INVALID_VALUE;
    }
    const struct smrf_cuda_channels *c = !r->has_source            ? &r->channels
                                         : r->source.array != NULL ? &r->source.array->channels
                                                                   : &r->source.channels;
    if (format != NULL) {
        *format = smrf_driver_format(c);
    }
    for (int i = 0; number != NULL && i < 4 && c->bits[i] != 0; i++) {
        *number = i + 1;
    }
    return CUDA_OK;
}

SMRF_CUDA_API int cuTexRefGetAddressMode(int *mode, const struct reference *r, int dim)
{
    if (mode == NULL || r == NULL || dim < 0 || dim > 2) {
        return CUDA_INVALID_VALUE;
    }
    *mode = r->sampler.mode[dim];
    return CUDA_OK;
}

SMRF_CUDA_API int cuTexRefGetBorderColor(float *border, const struct reference *r)
{
    if (border == NULL || r == NULL) {
        return CUDA_INVALID_VALUE;
    }
    memcpy(border, r->sampler.border, sizeof r->sampler.border);
    return CUDA_OK;
}

SMRF_CUDA_API int cuTexRefGetMipmapLevelClamp(float *least, float *most, const struct reference *r)
{
    if (least == NULL || most == NULL || r == NULL) {
        return CUDA_INVALID_VALUE;
    }
    *least = r->sampler.level[1];
    *most = r->sampler.level[2];
    return CUDA_OK;
}

/* X(name, type, member of the sampler) */
#define GETTERS(X)                                                                                 \
    X(FilterMode, int, filter)                                                                     \
    X(Flags, unsigned, flags)                                                                      \
    X(MaxAnisotropy, unsigned, anisotropy)                                                         \
    X(MipmapFilterMode, int, level_filter)                                                         \
    X(MipmapLevelBias, float, level[0])
#define GETTER(name, type, member)                                                                 \
    SMRF_CUDA_API int cuTexRefGet##name(type *value, const struct reference *r)                    \
    {                                                                                              \
        if (value == NULL || r == NULL) {                                                          \
            return CUDA_INVALID_VALUE;                                                             \
        }                                                                                          \
        *value = r->sampler.member;                                                                \
        return CUDA_OK;                                                                            \
    }
GETTERS(GETTER)

SMRF_CUDA_API int cuSurfRefGetArray(const void **array, const struct reference *r)
{
    return array_of_(array, r, false);
}
