/* SPDX-License-Identifier: Apache-2.0 */
/* What the molecular-dynamics host and kernel share. */
#ifndef SMRF_RODINIA_LAVAMD_H
#define SMRF_RODINIA_LAVAMD_H

#define LAVAMD_PARTICLES 100 /* of a box */
#define LAVAMD_THREADS 128
#define LAVAMD_NEIGHBOURS 26

struct lavamd_vector {
    float v, x, y, z; /* v: half of the squared length, or the potential */
};

struct lavamd_box {
    int first;          /* of its particles */
    int num_neighbours; /* beside itself */
    int neighbours[LAVAMD_NEIGHBOURS];
};

struct lavamd_parameters {
    float alpha;
};

#endif
