/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface objects, and references, which programs register. */
#include "runtime.h"

#include "textures.h"

#include <stdlib.h>
#include <string.h>

static int done_(int rc)
{
    return smrf_runtime_done(rc);
}

enum { RESOURCE_ARRAY, RESOURCE_MIPMAPPED, RESOURCE_LINEAR, RESOURCE_PITCH };

struct resource { /* cudaResourceDesc */
    int type;
    union {
        void *array;
        struct {
            void *at;
            struct smrf_cuda_channels channels;
            size_t width; /* linear: bytes */
            size_t height, pitch;
        } memory;
        int reserved[32];
    };
};

struct sampler { /* cudaTextureDesc */
    int mode[3];
    int filter, read, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int level_filter;
    float level[3];
    int rest[2];
};

static int source_(const struct resource *r, struct smrf_cuda_source *s)
{
    *s = (struct smrf_cuda_source){0};
    switch (r->type) {
    case RESOURCE_ARRAY:
    case RESOURCE_MIPMAPPED:
        s->array = smrf_cuda_array(r->array);
        return s->array != NULL ? CUDA_OK : CUDA_INVALID_HANDLE;
    case RESOURCE_LINEAR:
    case RESOURCE_PITCH:
        break;
    default:
        return CUDA_INVALID_VALUE;
    }
    s->at = r->memory.at;
    s->channels = r->memory.channels;
    s->width = r->memory.width;
    if (r->type == RESOURCE_PITCH) {
        s->height = r->memory.height;
        s->pitch = r->memory.pitch;
        return s->height != 0 ? CUDA_OK : CUDA_INVALID_VALUE;
    }
    unsigned bits = 0;
    for (unsigned i = 0; i < 4; i++) {
        bits += (unsigned)s->channels.bits[i];
    }
    s->width = bits >= 8 ? s->width / (bits / 8) : 0;
    return bits >= 8 ? CUDA_OK : CUDA_INVALID_CHANNEL;
}

static int keep_(uint64_t *object, uint32_t handle, bool surface, const struct resource *r,
                 const struct sampler *s, const struct smrf_cuda_view *v)
{
    const struct smrf_cuda_made_of of = {
        {{r, sizeof *r}, {s, s != NULL ? sizeof *s : 0}, {v, v != NULL ? sizeof *v : 0}}};
    return smrf_cuda_object_keep(object, handle, surface, &of);
}

SMRF_CUDA_API int cudaCreateTextureObject(uint64_t *object, const struct resource *r,
                                          const struct sampler *s,
                                          const struct smrf_cuda_view *view)
{
    struct smrf_cuda_source source;
    uint32_t handle;
    if (object == NULL || r == NULL || s == NULL) {
        return done_(CUDA_INVALID_VALUE);
    }
    const struct smrf_cuda_sampler sampler = {
        .mode = {s->mode[0], s->mode[1], s->mode[2]},
        .linear = s->filter == 1,
        .normalized = s->normalized != 0,
        .fraction = s->read == 1,
        .between_levels = s->level_filter == 1,
        .border = {s->border[0], s->border[1], s->border[2], s->border[3]},
        .level = {s->level[0], s->level[1], s->level[2]}};
    int rc = source_(r, &source);
    source.view = view;
    rc = rc == CUDA_OK ? smrf_cuda_texture_create(&handle, &source, &sampler) : rc;
    return done_(rc == CUDA_OK ? keep_(object, handle, false, r, s, view) : rc);
}
SMRF_ALSO(cudaCreateTextureObject, cudaCreateTextureObject_v2);

SMRF_CUDA_API int cudaDestroyTextureObject(uint64_t object)
{
    return done_(object != 0 ? smrf_cuda_object_destroy(object, false) : (int)CUDA_OK);
}

SMRF_CUDA_API int cudaGetTextureObjectResourceDesc(struct resource *r, uint64_t object)
{
    return done_(smrf_cuda_object_part(object, false, SMRF_OBJECT_RESOURCE, r, sizeof *r));
}

SMRF_CUDA_API int cudaGetTextureObjectTextureDesc(struct sampler *s, uint64_t object)
{
    return done_(smrf_cuda_object_part(object, false, SMRF_OBJECT_SAMPLER, s, sizeof *s));
}
SMRF_ALSO(cudaGetTextureObjectTextureDesc, cudaGetTextureObjectTextureDesc_v2);

SMRF_CUDA_API int cudaGetTextureObjectResourceViewDesc(struct smrf_cuda_view *v, uint64_t object)
{
    return done_(smrf_cuda_object_part(object, false, SMRF_OBJECT_VIEW, v, sizeof *v));
}

SMRF_CUDA_API int cudaCreateSurfaceObject(uint64_t *object, const struct resource *r)
{
    uint32_t handle;
    if (object == NULL || r == NULL || r->type != RESOURCE_ARRAY) {
        return done_(CUDA_INVALID_VALUE);
    }
    const int rc = smrf_cuda_surface_create(&handle, smrf_cuda_array(r->array));
    return done_(rc == CUDA_OK ? keep_(object, handle, true, r, NULL, NULL) : rc);
}

SMRF_CUDA_API int cudaDestroySurfaceObject(uint64_t object)
{
    return done_(object != 0 ? smrf_cuda_object_destroy(object, true) : (int)CUDA_OK);
}

SMRF_CUDA_API int cudaGetSurfaceObjectResourceDesc(struct resource *r, uint64_t object)
{
    return done_(smrf_cuda_object_part(object, true, SMRF_OBJECT_RESOURCE, r, sizeof *r));
}

/* ---- references ------------------------------------------------------------------------------ */

struct texture_reference { /* textureReference: what the program sets before it binds one */
    int normalized, filter;
    int mode[3];
    struct smrf_cuda_channels channels;
};

/* A texture or surface variable of the program. */
struct reference {
    struct reference *next;
    const void *host;
    struct smrf_cuda_module *module;
    const char *name;
    bool fraction;
    uint32_t handle; /* 0 = not bound */
};

static struct reference *references_;

SMRF_CUDA_API void __cudaRegisterTexture(void **handle, const void *host, const void **address,
                                         const char *name, int dim, int norm, int ext)
{
    struct reference *r = calloc(1, sizeof *r);
    (void)address;
    (void)dim;
    (void)ext;
    if (r == NULL) {
        return;
    }
    smrf_cuda_lock();
    *r = (struct reference){.next = references_,
                            .host = host,
                            .module = smrf_runtime_module(handle),
                            .name = name,
                            .fraction = norm != 0};
    references_ = r;
    smrf_cuda_unlock();
}

SMRF_CUDA_API void __cudaRegisterSurface(void **handle, const void *host, const void **address,
                                         const char *name, int dim, int ext)
{
    __cudaRegisterTexture(handle, host, address, name, dim, 0, ext);
}

static struct reference *reference_(const void *host)
{
    struct reference *r = references_;
    while (r != NULL && r->host != host) {
        r = r->next;
    }
    return r;
}

static int bind_(struct reference *r, uint32_t handle)
{
    const int rc = smrf_cuda_texture_bind(r->module, r->name, handle);
    (void)smrf_cuda_texture_destroy(r->handle);
    r->handle = handle;
    return rc;
}

static int bind_texture_(const struct texture_reference *t, const struct smrf_cuda_source *source)
{
    struct reference *r = reference_(t);
    uint32_t handle;
    if (r == NULL) {
        return CUDA_INVALID_TEXTURE;
    }
    const struct smrf_cuda_sampler sampler = {.mode = {t->mode[0], t->mode[1], t->mode[2]},
                                              .linear = t->filter == 1,
                                              .normalized = t->normalized != 0,
                                              .fraction = r->fraction};
    const int rc = smrf_cuda_texture_create(&handle, source, &sampler);
    return rc == CUDA_OK ? bind_(r, handle) : rc;
}

SMRF_CUDA_API int cudaBindTexture(size_t *offset, const struct texture_reference *t, const void *at,
                                  const struct smrf_cuda_channels *channels, size_t bytes)
{
    const struct resource r = {
        .type = RESOURCE_LINEAR,
        .memory = {.at = (void *)(uintptr_t)at, .channels = *channels, .width = bytes}};
    struct smrf_cuda_source source;
    const int rc = source_(&r, &source);
    if (offset != NULL) {
        *offset = 0;
    }
    /* Programs give the whole address space as the size where they do not care. */
    source.width = source.width > UINT64_C(1) << 27 ? UINT64_C(1) << 27 : source.width;
    return done_(rc == CUDA_OK ? bind_texture_(t, &source) : rc);
}

SMRF_CUDA_API int cudaBindTexture2D(size_t *offset, const struct texture_reference *t,
                                    const void *at, const struct smrf_cuda_channels *channels,
                                    size_t width, size_t height, size_t pitch)
{
    const struct smrf_cuda_source source = {.at = (void *)(uintptr_t)at,
                                            .channels = *channels,
                                            .width = width,
                                            .height = height,
                                            .pitch = pitch};
    if (offset != NULL) {
        *offset = 0;
    }
    return done_(height != 0 ? bind_texture_(t, &source) : (int)CUDA_INVALID_VALUE);
}

SMRF_CUDA_API int cudaBindTextureToArray(const struct texture_reference *t, const void *array,
                                         const struct smrf_cuda_channels *channels)
{
    const struct smrf_cuda_source source = {.array = smrf_cuda_array(array)};
    (void)channels; /* the array has its own */
    return done_(source.array != NULL ? bind_texture_(t, &source) : (int)CUDA_INVALID_HANDLE);
}

SMRF_CUDA_API int cudaUnbindTexture(const void *t)
{
    struct reference *r = reference_(t);
    return done_(r != NULL ? bind_(r, 0) : (int)CUDA_INVALID_TEXTURE);
}

SMRF_CUDA_API int cudaBindSurfaceToArray(const void *surface, const void *array,
                                         const struct smrf_cuda_channels *channels)
{
    struct reference *r = reference_(surface);
    uint32_t handle;
    (void)channels;
    if (r == NULL) {
        return done_(CUDA_INVALID_SURFACE);
    }
    const int rc = smrf_cuda_surface_create(&handle, smrf_cuda_array(array));
    return done_(rc == CUDA_OK ? bind_(r, handle) : rc);
}

SMRF_CUDA_API int cudaGetTextureReference(const void **t, const void *symbol)
{
    if (reference_(symbol) == NULL) {
        return done_(CUDA_INVALID_TEXTURE);
    }
    *t = symbol;
    return CUDA_OK;
}

SMRF_CUDA_API int cudaGetSurfaceReference(const void **s, const void *symbol)
{
    return cudaGetTextureReference(s, symbol);
}

SMRF_CUDA_API int cudaGetTextureAlignmentOffset(size_t *offset, const void *t)
{
    const struct reference *r = reference_(t);
    if (r == NULL || r->handle == 0 || offset == NULL) {
        return done_(CUDA_INVALID_TEXTURE);
    }
    *offset = 0;
    return CUDA_OK;
}
