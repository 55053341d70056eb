/* SPDX-License-Identifier: Apache-2.0 */
/* Textures and surfaces: what a header and its sampler say, and reading texels by coordinates. */
#ifndef SMRF_EXEC_TEXTURE_H
#define SMRF_EXEC_TEXTURE_H

#include "firmware/exec/operands.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A handle, as kernels hold it, has the header's number in these bits. */
#define SMRF_TEXTURE_NUMBER UINT32_C(0xfffff)

enum smrf_texel { SMRF_TEXEL_SIGNED, SMRF_TEXEL_UNSIGNED, SMRF_TEXEL_FLOAT }; /* as in CUDA */
enum smrf_texture_mode {
    SMRF_TEXTURE_WRAP,
    SMRF_TEXTURE_CLAMP,
    SMRF_TEXTURE_MIRROR,
    SMRF_TEXTURE_BORDER
};

#define SMRF_TEXTURE_LEVELS 18 /* of a mipmap, at most */
#define SMRF_TEXTURE_FACES 6U  /* of a cube */

struct smrf_exec_texture {
    uint64_t address;              /* of the first texel */
    uint64_t pitch, slice;         /* bytes from a row to the next, from a slice or layer */
    uint32_t width, height, depth; /* texels; what it does not have is 1 */
    uint32_t layers;               /* 0 = not layered; of a cube map: faces of all its cubes */
    uint8_t dims;                  /* 1 to 3, without the layers */
    bool buffer;                   /* linear memory, read by number */
    uint8_t kind, bits, channels;  /* enum smrf_texel; 8, 16, 32 bits; 1, 2, 4 channels */
    bool fraction;                 /* integers are read as fractions, 0 to 1 or -1 to 1 */
    bool linear, normalized;       /* the filter; coordinates from 0 to 1 */
    uint8_t mode[3];               /* enum smrf_texture_mode */
    float border[4];
    bool cube;                           /* six square layers a cube */
    bool between_levels;                 /* the filter between the levels of a mipmap */
    uint8_t num_levels;                  /* 0 and 1 = no mipmap */
    float bias, least, most;             /* of levels of detail */
    uint64_t level[SMRF_TEXTURE_LEVELS]; /* bytes from the address to each level */
};

/* Rows and slices as this build lays them out; returns the bytes of `slices` slices. */
uint64_t smrf_texture_lay(struct smrf_exec_texture *t, uint64_t slices);
/* A level of a mipmap as a texture of its own. */
struct smrf_exec_texture smrf_texture_level(const struct smrf_exec_texture *t, unsigned level);

/* Coordinates of one fetch. */
struct smrf_texture_at {
    float x[3];
    int32_t offset[3]; /* texels */
    unsigned dims;     /* of the coordinates that there are */
    uint32_t layer;
    float level; /* of detail; of a texture with one level it is ignored */
};

/* What a direction (x, y, z) of a cube map names: a layer and coordinates from 0 to 1. */
struct smrf_texture_at smrf_texture_face(const struct smrf_exec_texture *t,
                                         const struct smrf_texture_at *at);
/* The level of detail that belongs to derivatives of the coordinates: [0] along x, [1] along y. */
float smrf_texture_detail(const struct smrf_exec_texture *t, float derivative[2][3]);

/* Four results as bits of registers. Return 0, or SMRF_ERR_CHECK where the texel is in no memory.
 */
int smrf_texture_sample(struct smrf_memory_space *space, const struct smrf_exec_texture *t,
                        const struct smrf_texture_at *at, uint32_t out[4]);
/* The same of one level, with coordinates of a face. */
int smrf_texture_sample_level(struct smrf_memory_space *space, const struct smrf_exec_texture *t,
                              const struct smrf_texture_at *at, uint32_t out[4]);
/* Without a filter, by texel; what lies outside reads as zeros. */
int smrf_texture_load(struct smrf_memory_space *space, const struct smrf_exec_texture *t,
                      const int32_t at[3], uint32_t layer, uint32_t out[4]);
/* One channel of the four texels that a linear filter would take. */
int smrf_texture_gather(struct smrf_memory_space *space, const struct smrf_exec_texture *t,
                        const struct smrf_texture_at *at, unsigned channel, uint32_t out[4]);

/* The next operand: the first of up to four registers; RZ is row rz. */
unsigned smrf_exec_bind_vector(struct smrf_exec_binding *b, unsigned rz);
/* The operands that name a header: 0x0, 0x5c (a word of a constant bank); UR4, 0x0. */
void smrf_exec_bind_header(struct smrf_exec_binding *b, struct smrf_exec_src *handle);
/* The header that a handle names; NULL with the warp's error set. */
const struct smrf_exec_texture *smrf_exec_texture_of(struct smrf_exec_warp *w, unsigned lane,
                                                     uint32_t handle);

#ifdef __cplusplus
}
#endif

#endif
