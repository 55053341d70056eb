/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the shock hydrodynamics: a block of n x n x n elements. */
#include "firmware/kernels/calls/calls.h"

#define MAX_SIDE 64
#define MAX_ELEMENTS (MAX_SIDE * MAX_SIDE * MAX_SIDE)
#define MAX_NODES ((MAX_SIDE + 1) * (MAX_SIDE + 1) * (MAX_SIDE + 1))
#define CORNERS 8
#define BLOCK 64

struct work {
    double place[3 * MAX_NODES], velocity[3 * MAX_NODES], pressure[MAX_ELEMENTS];
    double force[3 * CORNERS * MAX_ELEMENTS], got[3 * MAX_NODES];
    int32_t got_words[6 * MAX_NODES], want_words[6 * MAX_NODES];
    int32_t corner[CORNERS * MAX_ELEMENTS];
    int32_t first[MAX_NODES + 2], where[CORNERS * MAX_ELEMENTS];
};

static const struct {
    int side, steps;
} sizes[SMRF_SIZES] = {{4, 2}, {24, 1}, {64, 1}};

static const double step = 0.0078125;

static void make_(struct work *work, int side)
{
    struct smrf_suite_rng rng = {21};
    int row = side + 1, nodes = row * row * row, elements = side * side * side;
    for (int n = 0; n < nodes; n++) {
        int at[3] = {n % row, n / row % row, n / row / row};
        for (int axis = 0; axis < 3; axis++) {
            work->place[axis * nodes + n] = at[axis] + (double)smrf_suite_f32(&rng, -0.1f, 0.1f);
            work->velocity[axis * nodes + n] = (double)smrf_suite_f32(&rng, -1.0f, 1.0f);
        }
    }
    for (int e = 0; e < elements; e++) {
        work->pressure[e] = (double)smrf_suite_f32(&rng, 0.5f, 2.0f);
        for (int k = 0; k < CORNERS; k++) {
            int x = e % side + (k % 4 == 1 || k % 4 == 2), y = e / side % side + (k % 4 >= 2);
            int n = ((e / side / side + k / 4) * row + y) * row + x;
            work->corner[k * elements + e] = n;
            work->first[n + 2]++;
        }
    }
    for (int n = 0; n < nodes; n++) {
        work->first[n + 2] += work->first[n + 1];
    }
    for (int i = 0; i < CORNERS * elements; i++) {
        work->where[work->first[work->corner[i] + 1]++] = i;
    }
}

/* The area vector of each face is half the cross product of its diagonals, here from the middles
 * of its edges; forces: pressure, then resistance against the hourglass modes. */
static void element_(struct work *work, int e, int elements, int nodes)
{
    static const int face[6][4] = {{0, 1, 2, 3}, {0, 4, 5, 1}, {1, 5, 6, 2},
                                   {2, 6, 7, 3}, {3, 7, 4, 0}, {4, 7, 6, 5}};
    static const double mode[4][CORNERS] = {{1, 1, -1, -1, -1, -1, 1, 1},
                                            {1, -1, -1, 1, -1, 1, 1, -1},
                                            {1, -1, 1, -1, 1, -1, 1, -1},
                                            {-1, 1, -1, 1, 1, -1, 1, -1}};
    double at[3][CORNERS], speed[3][CORNERS], normal[3][CORNERS] = {{0}};
    for (int i = 0; i < 3 * CORNERS; i++) {
        int n = work->corner[i % CORNERS * elements + e];
        at[i / CORNERS][i % CORNERS] = work->place[i / CORNERS * nodes + n];
        speed[i / CORNERS][i % CORNERS] = work->velocity[i / CORNERS * nodes + n];
    }
    for (int f = 0; f < 6; f++) {
        const int *c = face[f];
        double u[3], v[3];
        for (int i = 0; i < 3; i++) {
            u[i] = 0.5 * (at[i][c[3]] + at[i][c[2]] - at[i][c[1]] - at[i][c[0]]);
            v[i] = 0.5 * (at[i][c[1]] + at[i][c[2]] - at[i][c[3]] - at[i][c[0]]);
        }
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            double area = 0.25 * fma(u[j], v[k], -(u[k] * v[j]));
            for (int n = 0; n < 4; n++) {
                normal[i][c[n]] += area;
            }
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        double force[CORNERS];
        for (int i = 0; i < CORNERS; i++) {
            force[i] = work->pressure[e] * normal[axis][i];
        }
        for (int m = 0; m < 4; m++) {
            double sum = 0.0;
            for (int i = 0; i < CORNERS; i++) {
                sum = fma(mode[m][i], speed[axis][i], sum);
            }
            for (int i = 0; i < CORNERS; i++) {
                force[i] = fma(-0.03125 * mode[m][i], sum, force[i]);
            }
        }
        for (int i = 0; i < CORNERS; i++) {
            work->force[(axis * CORNERS + i) * elements + e] = force[i];
        }
    }
}

static void reference_(struct work *work, int elements, int nodes)
{
    for (int e = 0; e < elements; e++) {
        element_(work, e, elements, nodes);
    }
    for (int i = 0; i < 3 * nodes; i++) {
        double sum = 0.0;
        for (int k = work->first[i % nodes]; k < work->first[i % nodes + 1]; k++) {
            sum += work->force[i / nodes * CORNERS * elements + work->where[k]];
        }
        work->velocity[i] = fma(step, sum, work->velocity[i]);
        work->place[i] = fma(step, work->velocity[i], work->place[i]);
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int side = sizes[run->size].side, elements = side * side * side;
    int nodes = (side + 1) * (side + 1) * (side + 1);
    double time_step = step;
    make_(work, side);
    size_t node_bytes = 3 * sizeof(double) * (size_t)nodes, word = sizeof(int32_t);
    size_t corners = CORNERS * (size_t)elements;
    smrf_dptr place, velocity, pressure, corner, force, first, where;
    SMRF_TRY(smrf_suite_buffer(run, &place, work->place, node_bytes));
    SMRF_TRY(smrf_suite_buffer(run, &velocity, work->velocity, node_bytes));
    SMRF_TRY(smrf_suite_buffer(run, &pressure, work->pressure, sizeof(double) * (size_t)elements));
    SMRF_TRY(smrf_suite_buffer(run, &corner, work->corner, word * corners));
    SMRF_TRY(smrf_suite_buffer(run, &force, NULL, 3 * sizeof(double) * corners));
    SMRF_TRY(smrf_suite_buffer(run, &first, work->first, word * (size_t)(nodes + 1)));
    SMRF_TRY(smrf_suite_buffer(run, &where, work->where, word * corners));
    struct smrf_exec_dim block = smrf_work_dim(BLOCK, 1);
    for (int i = 0; i < sizes[run->size].steps; i++) {
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "forces", smrf_work_grid(elements, BLOCK), block, &place,
                                  &velocity, &pressure, &corner, &force, &elements, &nodes));
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "move", smrf_work_grid(3 * nodes, BLOCK), block, &place,
                                  &velocity, &force, &first, &where, &elements, &nodes,
                                  &time_step));
        reference_(work, elements, nodes);
    }
    SMRF_TRY(smrf_device_read(run->device, work->got, place, node_bytes));
    memcpy(work->got_words, work->got, node_bytes); /* bit for bit */
    memcpy(work->want_words, work->place, node_bytes);
    return smrf_suite_check_i32(run, "half of a coordinate", work->got_words, work->want_words,
                                6 * (size_t)nodes);
}

static int run_hydro_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILDS(hydro, "hydro", "hydro", "shock hydrodynamics on hexahedra, double precision",
                 "64 elements, 2 steps", "13824 elements, 1 step", "262144 elements, 1 step",
                 run_hydro_);
