// SPDX-License-Identifier: Apache-2.0
// Nodes of a structure under the forces of their links, which are of materials with virtual functions
// (ParaPoly's STUT).
#include "structure.cuh"

#ifdef INLINED
#include "structure_lib.cu"
#endif

extern "C" __global__ void create(Material **materials, unsigned char *slots, int slot_bytes,
                                  const int *kinds, const float *stiff, int count)
{
    int i = thread_index();
    if (i >= count)
        return;
    void *slot = slots + i * slot_bytes;
    if (kinds[i] == STEEL)
        materials[i] = new (slot) Steel(stiff[i], 0.25f);
    else
        materials[i] = new (slot) Rope(stiff[i], 0.5f);
}

extern "C" __global__ void join(Link *links, const int *ends, const int *of, const float *length,
                                const Material *const *materials, int count)
{
    int i = thread_index();
    if (i >= count)
        return;
    Link link = {ends[2 * i], ends[2 * i + 1], length[i], materials[of[i]]};
    links[i] = link;
}

extern "C" __global__ void move(const Vec *place, const Vec *before, Vec *after, const Link *links,
                                const int *link_of, int links_each, const Vec *stones,
                                int num_stones, float step, int count)
{
    int i = thread_index();
    if (i >= count)
        return;
    Vec at = place[i], old = before[i], force = vec(0.0f, -0.01f, 0.0f);
    Vec speed = minus(at, old);
#pragma unroll 1
    for (int k = 0; k < links_each; k++) {
        int n = link_of[i * links_each + k];
        if (n < 0)
            continue;
        const Link &link = links[n];
        int other = link.from == i ? link.to : link.from;
        Vec there = place[other], was = before[other];
        Vec apart = minus(there, at);
        Vec drift = minus(minus(there, was), speed);
        float length = sqrtf(dot(apart, apart) + 1e-6f), inverse = 1.0f / length;
        float pull = tension(link, length) * inverse;
        float drag = 0.125f * dot(drift, apart) * inverse * inverse;
        force = along(force, pull + drag, apart);
    }
#pragma unroll 1
    for (int k = 0; k < num_stones; k++) { // in the way
        Vec off = minus(at, stones[2 * k]);
        float radius = stones[2 * k + 1].x, in = radius * radius - dot(off, off);
        force = along(force, in > 0.0f ? 0.5f * in : 0.0f, off);
    }
    Vec next = along(at, 0.98f, speed);
    next = along(next, step, force);
    next.y = next.y < 0.0f ? -0.5f * next.y : next.y; // the ground
    after[i] = next;
}
