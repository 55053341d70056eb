/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface objects. */
#include "driver_texture.h"
#include "driver.h"

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

int smrf_driver_line(struct smrf_cuda_source *s, uint64_t bytes)
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
        return smrf_driver_line(s, r->memory.width);
    }
    s->width = r->memory.width;
    s->height = r->memory.height;
    s->pitch = r->memory.pitch;
    return rc == CUDA_OK && s->height == 0 ? (int)CUDA_INVALID_VALUE : rc;
}

static bool has_32_bits_(const struct smrf_cuda_source *s)
{
    struct smrf_cuda_channels channels = s->channels;
    return (s->array == NULL || smrf_cuda_view_channels(s->array, s->view, &channels) == CUDA_OK) &&
           channels.bits[0] == 32;
}

int smrf_driver_texture(uint32_t *handle, const struct smrf_cuda_source *source,
                        const struct smrf_driver_sampler *s)
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

struct view { /* CUDA_RESOURCE_VIEW_DESC */
    struct smrf_cuda_view view;
    unsigned reserved[16];
};

static int keep_(uint64_t *object, uint32_t handle, bool surface, const struct resource *r,
                 const struct smrf_driver_sampler *s, const struct view *v)
{
    const struct smrf_cuda_made_of of = {
        {{r, sizeof *r}, {s, s != NULL ? sizeof *s : 0}, {v, v != NULL ? sizeof *v : 0}}};
    return smrf_cuda_object_keep(object, handle, surface, &of);
}

SMRF_CUDA_API int cuTexObjectCreate(uint64_t *object, const struct resource *r,
                                    const struct smrf_driver_sampler *s, const struct view *view)
{
    struct smrf_cuda_source source;
    uint32_t handle;
    int rc = smrf_driver_ready();
    if (rc != CUDA_OK || object == NULL || r == NULL || s == NULL) {
        return rc != CUDA_OK ? rc : CUDA_INVALID_VALUE;
    }
    rc = source_(r, &source);
    source.view = view != NULL ? &view->view : NULL;
    rc = rc == CUDA_OK ? smrf_driver_texture(&handle, &source, s) : rc;
    return rc == CUDA_OK ? keep_(object, handle, false, r, s, view) : rc;
}

SMRF_CUDA_API int cuSurfObjectCreate(uint64_t *object, const struct resource *r)
{
    uint32_t handle;
    int rc = smrf_driver_ready();
    if (rc != CUDA_OK || object == NULL || r == NULL || r->type != RESOURCE_ARRAY) {
        return rc != CUDA_OK ? rc : CUDA_INVALID_VALUE;
    }
    rc = smrf_cuda_surface_create(&handle, smrf_cuda_array(r->array));
    return rc == CUDA_OK ? keep_(object, handle, true, r, NULL, NULL) : rc;
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
    return smrf_cuda_object_part(object, false, SMRF_OBJECT_RESOURCE, r, sizeof *r);
}

SMRF_CUDA_API int cuTexObjectGetTextureDesc(struct smrf_driver_sampler *s, uint64_t object)
{
    return smrf_cuda_object_part(object, false, SMRF_OBJECT_SAMPLER, s, sizeof *s);
}

SMRF_CUDA_API int cuTexObjectGetResourceViewDesc(struct view *v, uint64_t object)
{
    return smrf_cuda_object_part(object, false, SMRF_OBJECT_VIEW, v, sizeof *v);
}

SMRF_CUDA_API int cuSurfObjectGetResourceDesc(struct resource *r, uint64_t object)
{
    return smrf_cuda_object_part(object, true, SMRF_OBJECT_RESOURCE, r, sizeof *r);
}
