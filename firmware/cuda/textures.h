/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA arrays, textures and surfaces, behind the runtime's and the driver's entry points. An array
 * is pitched memory that programs reach through copies, textures and surfaces only. */
#ifndef SMRF_CUDA_TEXTURES_H
#define SMRF_CUDA_TEXTURES_H

#include "core.h"

#include "firmware/exec/texture.h"

/* Bits of each channel, and their kind (enum smrf_texel). */
struct smrf_cuda_channels {
    int bits[4];
    int kind;
};

enum { SMRF_ARRAY_LAYERED = 1, SMRF_ARRAY_SURFACE = 2, SMRF_ARRAY_CUBE = 4, SMRF_ARRAY_GATHER = 8 };

struct smrf_cuda_array {
    struct smrf_cuda_array *next;
    struct smrf_cuda_channels channels;
    uint64_t width, height, depth; /* as they were asked for */
    unsigned flags;
    const struct smrf_cuda_array *whole; /* the mipmap that this is a level of; NULL: none */
    unsigned level;
    struct smrf_exec_texture shape;
};

SMRF_CUDA_API int smrf_cuda_array_create(void **array, const struct smrf_cuda_channels *channels,
                                         const uint64_t size[3], unsigned flags);
SMRF_CUDA_API int smrf_cuda_mipmap_create(void **array, const struct smrf_cuda_channels *channels,
                                          const uint64_t size[3], unsigned levels, unsigned flags);
/* A level as an array; it lives as long as the mipmap. */
SMRF_CUDA_API int smrf_cuda_mipmap_level(void **array, const void *mipmap, unsigned level);
/* Arrays and mipmaps. */
SMRF_CUDA_API int smrf_cuda_array_destroy(void *array);
/* NULL: it is none. */
SMRF_CUDA_API const struct smrf_cuda_array *smrf_cuda_array(const void *array);
/* Where a copy begins: x in bytes. */
SMRF_CUDA_API struct smrf_cuda_place smrf_cuda_array_place(const struct smrf_cuda_array *a,
                                                           uint64_t x, uint64_t y, uint64_t z);
SMRF_CUDA_API unsigned smrf_cuda_texel_bytes(const struct smrf_cuda_array *a);
/* array_copy.c: where a box of an array begins; x and width in bytes. It has to lie in the array.
 */
SMRF_CUDA_API int smrf_cuda_array_box(const void *array, const uint64_t at[3],
                                      const uint64_t size[3], struct smrf_cuda_place *place);
/* Copies the bytes of an array row by row, `count` of them from (x, y) on; to_array: which way. */
SMRF_CUDA_API int smrf_cuda_array_run(const void *array, uint64_t x, uint64_t y, void *memory,
                                      uint64_t count, int direction, bool to_array, void *stream);

/* The same from (x, y) of an array to (to_x, to_y) of another. */
SMRF_CUDA_API int smrf_cuda_array_to_array(const void *to, uint64_t to_x, uint64_t to_y,
                                           const void *from, uint64_t x, uint64_t y,
                                           uint64_t count);

/* cudaResourceViewDesc, and what CUDA_RESOURCE_VIEW_DESC begins with. */
struct smrf_cuda_view {
    int format;
    size_t width, height, depth; /* as of the array */
    unsigned first_level, last_level, first_layer, last_layer;
};

/* What a texture reads: an array, or memory (at; height 0: a row that is read by number). */
struct smrf_cuda_source {
    const struct smrf_cuda_array *array;
    const struct smrf_cuda_view *view; /* of the array; NULL: all of it */
    void *at;
    struct smrf_cuda_channels channels;
    uint64_t width, height, pitch; /* texels, rows, bytes */
};
struct smrf_cuda_sampler {
    int mode[3];
    bool linear, normalized, fraction, between_levels;
    float border[4];
    float level[3]; /* bias, least, most */
};
SMRF_CUDA_API int smrf_cuda_texture_create(uint32_t *handle, const struct smrf_cuda_source *source,
                                           const struct smrf_cuda_sampler *sampler);
SMRF_CUDA_API int smrf_cuda_surface_create(uint32_t *handle, const struct smrf_cuda_array *array);
/* texture_views.c: the format that a view gives to an array's texels, and its part of the array.
 * view NULL: the array's own. */
int smrf_cuda_view_channels(const struct smrf_cuda_array *array, const struct smrf_cuda_view *view,
                            struct smrf_cuda_channels *channels);
int smrf_cuda_view(const struct smrf_cuda_array *array, const struct smrf_cuda_view *view,
                   struct smrf_exec_texture *part);
/* texture_objects.c: objects, with the structures of the API that they were made of. */
enum smrf_cuda_part {
    SMRF_OBJECT_RESOURCE,
    SMRF_OBJECT_SAMPLER,
    SMRF_OBJECT_VIEW,
    SMRF_OBJECT_PARTS
};
struct smrf_cuda_made_of {
    struct {
        const void *at;
        size_t bytes; /* 0: there is none */
    } part[SMRF_OBJECT_PARTS];
};
/* Destroys the handle if there is no memory. */
SMRF_CUDA_API int smrf_cuda_object_keep(uint64_t *object, uint32_t handle, bool surface,
                                        const struct smrf_cuda_made_of *of);
SMRF_CUDA_API int smrf_cuda_object_destroy(uint64_t object, bool surface);
/* bytes: of the structure, which the runtime and the driver have differently. */
SMRF_CUDA_API int smrf_cuda_object_part(uint64_t object, bool surface, enum smrf_cuda_part part,
                                        void *out, size_t bytes);
/* handle 0 is allowed. */
SMRF_CUDA_API int smrf_cuda_texture_destroy(uint32_t handle);
/* A module's reference has the handle from now on. */
SMRF_CUDA_API int smrf_cuda_texture_bind(struct smrf_cuda_module *module, const char *name,
                                         uint32_t handle);

#endif
