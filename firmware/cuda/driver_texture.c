/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface objects, and the references of modules. */
#include "driver_texture.h"
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#define FLAG_INTEGERS 1U   /* CU_TRSF_READ_AS_INTEGER */
#define FLAG_NORMALIZED 2U /* CU_TRSF_NORMALIZED_COORDINATES */
#define MOST_LINE (UINT64_C(1) << 27)

/* The driver has one code for what the runtime has several for. */
static int code_(int rc)
{
    return rc == CUDA_INVALID_CHANNEL || rc == CUDA_INVALID_FILTER || rc == CUDA_INVALID_NORM
               ? (int)CUDA_INVALID_VALUE
               : rc;
}

/* ---- objects --------------------------------------------------------------------------------- */

enum { RESOURCE_ARRAY, RESOURCE_MIPMAPPED, RESOURCE_LINEAR, RESOURCE_PITCH };

struct resource { /* CUDA_RESOURCE_DESC */
    int type;
    union {
        void *array;
        struct {
            uint64_t at;
            int format;
            unsigned channels;
            size_t width; /* linear: bytes */
            size_t height, pitch;
        } memory;
        int reserved[32];
    };
    unsigned flags;
};

struct sampler { /* CUDA_TEXTURE_DESC */
    int mode[3];
    int filter;
    unsigned flags, anisotropy;
    int level_filter;
    float level[3];
    float border[4];
    int reserved[12];
};

static int line_(struct smrf_cuda_source *s, uint64_t bytes)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < 4; i++) {
        bits += (uint64_t)s->channels.bits[i];
    }
    if (bits < 8) {
        return CUDA_INVALID_VALUE;
    }
    s->width = bytes / (bits / 8);
    s->width = s->width < MOST_LINE ? s->width : MOST_LINE;
    return CUDA_OK;
}

static int source_(const struct resource *r, struct smrf_cuda_source *s)
{
    *s = (struct smrf_cuda_source){0};
    if (r->type == RESOURCE_ARRAY || r->type == RESOURCE_MIPMAPPED) {
        s->array = smrf_cuda_array(r->array);
        return s->array != NULL ? CUDA_OK : CUDA_INVALID_HANDLE;
    }
    if (r->type != RESOURCE_LINEAR && r->type != RESOURCE_PITCH) {
        return CUDA_INVALID_VALUE;
    }
    int rc = smrf_driver_channels(&s->channels, r->memory.format, r->memory.channels);
    s->at = (void *)(uintptr_t)r->memory.at;
    if (rc == CUDA_OK && r->type == RESOURCE_LINEAR) {
        return line_(s, r->memory.width);
    }
    s->width = r->memory.width;
    s->height = r->memory.height;
    s->pitch = r->memory.pitch;
    return rc == CUDA_OK && s->height == 0 ? (int)CUDA_INVALID_VALUE : rc;
}

static bool has_32_bits_(const struct smrf_cuda_source *s)
{
    return (s->array != NULL ? s->array->channels.bits[0] : s->channels.bits[0]) == 32;
}

/* Integers of 32 bits are read as they are, whatever the flags say. */
static int create_(uint32_t *handle, const struct smrf_cuda_source *source, const struct sampler *s)
{
    const struct smrf_cuda_sampler sampler = {
        .mode = {s->mode[0], s->mode[1], s->mode[2]},
        .linear = s->filter == 1,
        .normalized = (s->flags & FLAG_NORMALIZED) != 0,
        .fraction = (s->flags & FLAG_INTEGERS) == 0 && !has_32_bits_(source),
        .between_levels = s->level_filter == 1,
        .border = {s->border[0], s->border[1], s->border[2], s->border[3]},
        .level = {s->level[0], s->level[1], s->level[2]}};
    return code_(smrf_cuda_texture_create(handle, source, &sampler));
}

static int keep_(uint64_t *object, uint32_t handle, bool surface, const struct resource *r,
                 const struct sampler *s)
{
    const struct smrf_cuda_made_of of = {r, s, sizeof *r, s != NULL ? sizeof *s : 0};
    return smrf_cuda_object_keep(object, handle, surface, &of);
}

SMRF_CUDA_API int cuTexObjectCreate(uint64_t *object, const struct resource *r,
                                    const struct sampler *s, const void *view)
{
    struct smrf_cuda_source source;
    uint32_t handle;
    int rc = smrf_driver_ready();
    if (rc != CUDA_OK || object == NULL || r == NULL || s == NULL) {
        return rc != CUDA_OK ? rc : CUDA_INVALID_VALUE;
    }
    if (view != NULL) {
        return smrf_cuda_missing("textures with a view", CUDA_NOT_SUPPORTED);
    }
    rc = source_(r, &source);
    rc = rc == CUDA_OK ? create_(&handle, &source, s) : rc;
    return rc == CUDA_OK ? keep_(object, handle, false, r, s) : rc;
}

SMRF_CUDA_API int cuSurfObjectCreate(uint64_t *object, const struct resource *r)
{
    uint32_t handle;
    int rc = smrf_driver_ready();
    if (rc != CUDA_OK || object == NULL || r == NULL || r->type != RESOURCE_ARRAY) {
        return rc != CUDA_OK ? rc : CUDA_INVALID_VALUE;
    }
    rc = smrf_cuda_surface_create(&handle, smrf_cuda_array(r->array));
    return rc == CUDA_OK ? keep_(object, handle, true, r, NULL) : rc;
}

SMRF_CUDA_API int cuTexObjectDestroy(uint64_t object)
{
    return smrf_cuda_object_destroy(object, false);
}

SMRF_CUDA_API int cuSurfObjectDestroy(uint64_t object)
{
    return smrf_cuda_object_destroy(object, true);
}

SMRF_CUDA_API int cuTexObjectGetResourceDesc(struct resource *r, uint64_t object)
{
    return smrf_cuda_object_resource(object, false, r, sizeof *r);
}

SMRF_CUDA_API int cuTexObjectGetTextureDesc(struct sampler *s, uint64_t object)
{
    return smrf_cuda_object_sampler(object, s, sizeof *s);
}

SMRF_CUDA_API int cuSurfObjectGetResourceDesc(struct resource *r, uint64_t object)
{
    return smrf_cuda_object_resource(object, true, r, sizeof *r);
}

/* ---- references ------------------------------------------------------------------------------ */

/* A texture or surface variable of a module. What it reads and how is set in any order. */
struct reference {
    struct reference *next;
    struct smrf_cuda_module *module;
    struct smrf_cuda_source source;
    struct sampler sampler;
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
    (void)create_(&handle, &r->source, &r->sampler);
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
    const int rc = line_(&source, bytes);
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
    (void)most;
    return r != NULL ? CUDA_OK : CUDA_INVALID_VALUE;
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
    (void)flags;
    const int rc = r == NULL ? (int)CUDA_INVALID_VALUE
                             : smrf_cuda_surface_create(&handle, smrf_cuda_array(array));
    return rc == CUDA_OK ? bind_(r, handle) : rc;
}
