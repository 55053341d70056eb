// SPDX-License-Identifier: Apache-2.0
// Refinement of a triangulation, one round: which triangles are thin, and which of those around a new
// point have to go (LoneStar's DMR).
#include "dmr.cuh"

#ifdef INLINED
#include "dmr_lib.cu"
#endif

extern "C" __global__ void mark(const float2 *point, const int *corner, int *bad, int count)
{
    int t = thread_index();
    if (t >= count)
        return;
    float2 a = point[corner[3 * t]], b = point[corner[3 * t + 1]], c = point[corner[3 * t + 2]];
    bad[t] = thin(a.x, a.y, b.x, b.y, c.x, c.y);
}

// The new point is the middle of the thin triangle; the cavity is looked for two triangles far.
extern "C" __global__ void cavity(const float2 *point, const int *corner, const int *across,
                                  const int *bad, float2 *fresh, int *size, float *depth, int count)
{
    int t = thread_index();
    if (t >= count || !bad[t])
        return;
    float2 a = point[corner[3 * t]], b = point[corner[3 * t + 1]], c = point[corner[3 * t + 2]];
    float x = (a.x + b.x + c.x) * 0.333333343f, y = (a.y + b.y + c.y) * 0.333333343f;
    float deepest = 0.0f;
    int gone = 1;
#pragma unroll 1
    for (int k = 0; k < 9; k++) {
        int n = across[3 * t + k % 3]; // the neighbour, then those behind it
        if (k >= 3 && n >= 0)
            n = across[3 * n + (k / 3 + k) % 3];
        if (n < 0 || n == t)
            continue;
        float2 p = point[corner[3 * n]], q = point[corner[3 * n + 1]], r = point[corner[3 * n + 2]];
        float in = inside(p.x - x, p.y - y, q.x - x, q.y - y, r.x - x, r.y - y);
        gone += in > 0.0f;
        deepest = in > deepest ? in : deepest;
    }
    fresh[t] = make_float2(x, y);
    size[t] = gone;
    depth[t] = deepest;
}
