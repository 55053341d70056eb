/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface objects, with what they were made of. */
#include "textures.h"

#include <stdlib.h>
#include <string.h>

struct object {
    struct object *next;
    uint32_t handle;
    bool surface;
    size_t bytes[SMRF_OBJECT_PARTS];
    uint8_t made_of[]; /* the parts, one behind the other */
};

static struct object *objects_;

int smrf_cuda_object_keep(uint64_t *object, uint32_t handle, bool surface,
                          const struct smrf_cuda_made_of *of)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < SMRF_OBJECT_PARTS; i++) {
        bytes += of->part[i].bytes;
    }
    struct object *o = malloc(sizeof *o + bytes);
    if (o == NULL) {
        (void)smrf_cuda_texture_destroy(handle);
        return CUDA_NO_MEMORY;
    }
    *o = (struct object){.handle = handle, .surface = surface};
    uint8_t *to = o->made_of;
    for (unsigned i = 0; i < SMRF_OBJECT_PARTS; i++) {
        o->bytes[i] = of->part[i].bytes;
        if (of->part[i].bytes != 0) {
            memcpy(to, of->part[i].at, of->part[i].bytes);
        }
        to += of->part[i].bytes;
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

int smrf_cuda_object_part(uint64_t object, bool surface, enum smrf_cuda_part part, void *out,
                          size_t bytes)
{
    smrf_cuda_lock();
    const struct object *o = objects_;
    while (o != NULL && (o->handle != object || o->surface != surface || o->bytes[part] != bytes)) {
        o = o->next;
    }
    if (o != NULL) {
        const uint8_t *at = o->made_of;
        for (unsigned i = 0; i < (unsigned)part; i++) {
            at += o->bytes[i];
        }
        memcpy(out, at, bytes);
    }
    smrf_cuda_unlock();
    return o != NULL ? CUDA_OK : CUDA_INVALID_VALUE;
}
