/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface objects, with what they were made of. */
#include "textures.h"

#include <stdlib.h>
#include <string.h>

struct object {
    struct object *next;
    uint32_t handle;
    bool surface;
    size_t bytes, sampler_bytes;
    uint8_t made_of[]; /* the resource, then the sampler */
};

static struct object *objects_;

int smrf_cuda_object_keep(uint64_t *object, uint32_t handle, bool surface,
                          const struct smrf_cuda_made_of *of)
{
    struct object *o = malloc(sizeof *o + of->bytes + of->sampler_bytes);
    if (o == NULL) {
        (void)smrf_cuda_texture_destroy(handle);
        return CUDA_NO_MEMORY;
    }
    *o = (struct object){.handle = handle,
                         .surface = surface,
                         .bytes = of->bytes,
                         .sampler_bytes = of->sampler_bytes};
    memcpy(o->made_of, of->resource, of->bytes);
    if (of->sampler_bytes != 0) {
        memcpy(o->made_of + of->bytes, of->sampler, of->sampler_bytes);
    }
    smrf_cuda_lock();
    o->next = objects_;
    objects_ = o;
    smrf_cuda_unlock();
    *object = handle;
    return CUDA_OK;
}

int smrf_cuda_object_destroy(uint64_t object, bool surface)
{
    smrf_cuda_lock();
    struct object **at = &objects_;
    while (*at != NULL && ((*at)->handle != object || (*at)->surface != surface)) {
        at = &(*at)->next;
    }
    struct object *o = *at;
    if (o != NULL) {
        *at = o->next;
    }
    smrf_cuda_unlock();
    free(o);
    return o != NULL ? smrf_cuda_texture_destroy((uint32_t)object) : (int)CUDA_INVALID_VALUE;
}

int smrf_cuda_object_resource(uint64_t object, bool surface, void *resource, size_t bytes)
{
    smrf_cuda_lock();
    const struct object *o = objects_;
    while (o != NULL && (o->handle != object || o->surface != surface || o->bytes != bytes)) {
        o = o->next;
    }
    if (o != NULL) {
        memcpy(resource, o->made_of, bytes);
    }
    smrf_cuda_unlock();
    return o != NULL ? CUDA_OK : CUDA_INVALID_VALUE;
}

int smrf_cuda_object_sampler(uint64_t object, void *sampler, size_t bytes)
{
    smrf_cuda_lock();
    const struct object *o = objects_;
    while (o != NULL && (o->handle != object || o->surface || o->sampler_bytes != bytes)) {
        o = o->next;
    }
    if (o != NULL) {
        memcpy(sampler, o->made_of + o->bytes, bytes);
    }
    smrf_cuda_unlock();
    return o != NULL ? CUDA_OK : CUDA_INVALID_VALUE;
}
