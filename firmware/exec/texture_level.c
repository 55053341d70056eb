/* SPDX-License-Identifier: Apache-2.0 */
/* Cube maps and mipmaps (CUDA programming guide, cubemap textures and texture fetching): the face
 * that a direction meets; levels, each half as large as the one before, and how they are chosen. */
#include "firmware/exec/texture.h"

#include <math.h>
#include <string.h>

#define ROW_ALIGN 64U
#define LEVEL_STEPS 256.0 /* of the weight between two levels */

uint64_t smrf_texture_lay(struct smrf_exec_texture *t, uint64_t slices)
{
    const uint64_t row = (uint64_t)t->width * (t->bits / 8U) * t->channels;
    t->pitch = (row + ROW_ALIGN - 1) / ROW_ALIGN * (uint64_t)ROW_ALIGN;
    t->slice = t->pitch * t->height;
    return t->slice * slices;
}

static uint32_t half_(uint32_t size, unsigned times)
{
    return size >> times != 0 ? size >> times : 1;
}

struct smrf_exec_texture smrf_texture_level(const struct smrf_exec_texture *t, unsigned level)
{
    struct smrf_exec_texture one = *t;
    one.address += t->level[level];
    one.width = half_(t->width, level);
    one.height = half_(t->height, level);
    one.depth = half_(t->depth, level);
    one.num_levels = 0;
    (void)smrf_texture_lay(&one, 1);
    return one;
}

struct smrf_texture_at smrf_texture_face(const struct smrf_exec_texture *t,
                                         const struct smrf_texture_at *at)
{
    const float x = at->x[0], y = at->x[1], z = at->x[2];
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    const uint32_t cubes = t->layers / SMRF_TEXTURE_FACES, last = cubes != 0 ? cubes - 1 : 0;
    struct smrf_texture_at p = *at;
    float major = az, s = z < 0 ? -x : x, down = -y;
    uint32_t face = z < 0 ? 5 : 4;
    if (ax >= ay && ax >= az) {
        major = ax;
        s = x < 0 ? z : -z;
        face = x < 0 ? 1 : 0;
    } else if (ay >= az) {
        major = ay;
        s = x;
        down = y < 0 ? -z : z;
        face = y < 0 ? 3 : 2;
    }
    p.x[0] = (s / major + 1) / 2;
    p.x[1] = (down / major + 1) / 2;
    p.x[2] = 0;
    p.dims = 2;
    p.layer = SMRF_TEXTURE_FACES * (at->layer < last ? at->layer : last) + face;
    return p;
}

float smrf_texture_detail(const struct smrf_exec_texture *t, float derivative[2][3])
{
    const float size[3] = {(float)t->width, (float)t->height, (float)t->depth};
    float longest = 0;
    for (unsigned k = 0; k < 2; k++) {
        float sum = 0;
        for (unsigned i = 0; i < t->dims; i++) {
            const float texels = derivative[k][i] * (t->normalized ? size[i] : 1);
            sum += texels * texels;
        }
        longest = sum > longest ? sum : longest;
    }
    return 0.5F * log2f(longest);
}

static float clamp_(float value, float least, float most)
{
    return value > most ? most : value > least ? value : least;
}

static int mipmap_(struct smrf_memory_space *space, const struct smrf_exec_texture *t,
                   const struct smrf_texture_at *at, uint32_t out[4])
{
    const float last = (float)(t->num_levels - 1);
    const float detail = clamp_(clamp_(at->level + t->bias, t->least, t->most), 0, last);
    const double fixed = floor((double)detail * LEVEL_STEPS + 0.5);
    const double whole =
        t->between_levels ? floor(fixed / LEVEL_STEPS) : ceil((double)detail - 0.5);
    const double weight = t->between_levels ? fixed - whole * LEVEL_STEPS : 0;
    const struct smrf_exec_texture fine = smrf_texture_level(t, (unsigned)whole);
    uint32_t upper[4];
    int rc = smrf_texture_sample_level(space, &fine, at, out);
    if (rc < 0 || weight == 0) {
        return rc;
    }
    const struct smrf_exec_texture coarse = smrf_texture_level(t, (unsigned)whole + 1);
    rc = smrf_texture_sample_level(space, &coarse, at, upper);
    for (unsigned c = 0; c < 4; c++) {
        float a, b;
        memcpy(&a, &out[c], sizeof a);
        memcpy(&b, &upper[c], sizeof b);
        a = (float)(((double)a * (LEVEL_STEPS - weight) + (double)b * weight) / LEVEL_STEPS);
        memcpy(&out[c], &a, sizeof a);
    }
    return rc;
}

int smrf_texture_sample(struct smrf_memory_space *space, const struct smrf_exec_texture *t,
                        const struct smrf_texture_at *at, uint32_t out[4])
{
    const struct smrf_texture_at place = t->cube ? smrf_texture_face(t, at) : *at;
    return t->num_levels > 1 ? mipmap_(space, t, &place, out)
                             : smrf_texture_sample_level(space, t, &place, out);
}
