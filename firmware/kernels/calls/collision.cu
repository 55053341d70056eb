// SPDX-License-Identifier: Apache-2.0
// Which of many things touch which: virtual functions with double dispatch (ParaPoly's COLI).
#include "collision.cuh"

#ifdef INLINED
#include "collision_lib.cu"
#endif

// A thing's numbers: kind, place, radius or half edges, reach.
#define FIELDS 8

extern "C" __global__ void create(Thing **things, unsigned char *slots, int slot_bytes,
                                  const float *fields, int count)
{
    int i = thread_index();
    if (i >= count)
        return;
    const float *f = fields + i * FIELDS;
    Vec at = vec(f[1], f[2], f[3]);
    void *slot = slots + i * slot_bytes;
    if (f[0] == 0.0f)
        things[i] = new (slot) Ball(at, f[4]);
    else
        things[i] = new (slot) Brick(at, vec(f[4], f[5], f[6]), f[7]);
}

// A thing meets those of its own neighbourhood: `near` things that follow each other.
extern "C" __global__ void collide(Thing *const *things, int *hits, float *deepest, int count,
                                   int near)
{
    int i = thread_index();
    if (i >= count)
        return;
    const Thing *mine = things[i];
    Vec at = mine->at;
    float reach = mine->reach, depth = 0.0f;
    int number = 0;
#pragma unroll 1
    for (int j = i / near * near, end = j + near; j < end; j++) {
        const Thing *other = things[j];
        Vec d = minus(other->at, at);
        float far = reach + other->reach;
        if (j != i && dot(d, d) < far * far) { // only what may touch
            float deep = mine->meets(*other);
            number += deep > 0.0f;
            depth = deep > depth ? deep : depth;
        }
    }
    hits[i] = number;
    deepest[i] = depth;
}
