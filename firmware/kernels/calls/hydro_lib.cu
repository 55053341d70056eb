// SPDX-License-Identifier: Apache-2.0
#include "hydro.cuh"

// Adds a quarter of the face's area vector to each of its corners.
static __device__ __forceinline__ void add_face(const Corners &at, int a, int b, int c, int d,
                                                Corners &normal)
{
    double ux = 0.5 * (at.x[d] + at.x[c] - at.x[b] - at.x[a]);
    double uy = 0.5 * (at.y[d] + at.y[c] - at.y[b] - at.y[a]);
    double uz = 0.5 * (at.z[d] + at.z[c] - at.z[b] - at.z[a]);
    double vx = 0.5 * (at.x[b] + at.x[c] - at.x[d] - at.x[a]);
    double vy = 0.5 * (at.y[b] + at.y[c] - at.y[d] - at.y[a]);
    double vz = 0.5 * (at.z[b] + at.z[c] - at.z[d] - at.z[a]);
    double nx = 0.25 * fma(uy, vz, -(uz * vy));
    double ny = 0.25 * fma(uz, vx, -(ux * vz));
    double nz = 0.25 * fma(ux, vy, -(uy * vx));
    int corner[4] = {a, b, c, d};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        normal.x[corner[i]] += nx;
        normal.y[corner[i]] += ny;
        normal.z[corner[i]] += nz;
    }
}

FUNCTION void two_faces(const Corners &at, int a, int b, int c, int d, int e, int f, int g, int h,
                        Corners &normal)
{
    add_face(at, a, b, c, d, normal);
    add_face(at, e, f, g, h, normal);
}

FUNCTION void corner_normals(const Corners &at, Corners &normal)
{
    const int face[FACES][4] = {{0, 1, 2, 3}, {0, 4, 5, 1}, {1, 5, 6, 2},
                                {2, 6, 7, 3}, {3, 7, 4, 0}, {4, 7, 6, 5}};
#pragma unroll
    for (int i = 0; i < CORNERS; i++)
        normal.x[i] = normal.y[i] = normal.z[i] = 0.0;
#pragma unroll
    for (int f = 0; f < FACES; f += 2)
        two_faces(at, face[f][0], face[f][1], face[f][2], face[f][3], face[f + 1][0],
                  face[f + 1][1], face[f + 1][2], face[f + 1][3], normal);
}

// Holds the element back from the motions that keep its volume: the four hourglass modes.
static __device__ __forceinline__ void hold(const double *velocity, double *force)
{
    const double mode[4][CORNERS] = {{1, 1, -1, -1, -1, -1, 1, 1},
                                     {1, -1, -1, 1, -1, 1, 1, -1},
                                     {1, -1, 1, -1, 1, -1, 1, -1},
                                     {-1, 1, -1, 1, 1, -1, 1, -1}};
#pragma unroll
    for (int m = 0; m < 4; m++) {
        double sum = 0.0;
#pragma unroll
        for (int i = 0; i < CORNERS; i++)
            sum = fma(mode[m][i], velocity[i], sum);
#pragma unroll
        for (int i = 0; i < CORNERS; i++)
            force[i] = fma(-0.03125 * mode[m][i], sum, force[i]);
    }
}

FUNCTION void element_forces(const Corners &at, const Corners &velocity, double pressure,
                             Corners &force)
{
    Corners normal, f;
    corner_normals(at, normal);
#pragma unroll
    for (int i = 0; i < CORNERS; i++) {
        f.x[i] = pressure * normal.x[i];
        f.y[i] = pressure * normal.y[i];
        f.z[i] = pressure * normal.z[i];
    }
    hold(velocity.x, f.x);
    hold(velocity.y, f.y);
    hold(velocity.z, f.z);
    force = f;
}
