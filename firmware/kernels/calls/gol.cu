// SPDX-License-Identifier: Apache-2.0
// Game of life on a torus, three rules as virtual functions (ParaPoly's GOL).
#include "gol.cuh"

#ifdef INLINED
#include "gol_lib.cu"
#endif

extern "C" __global__ void create(Agent **agents, unsigned char *slots, int slot_bytes,
                                  const int *kinds, int count)
{
    int i = thread_index();
    if (i >= count)
        return;
    void *slot = slots + i * slot_bytes;
    if (kinds[i] == CONWAY)
        agents[i] = new (slot) Conway();
    else if (kinds[i] == HIGH_LIFE)
        agents[i] = new (slot) HighLife();
    else
        agents[i] = new (slot) Seeds();
}

extern "C" __global__ void generation(Agent *const *agents, const int *before, int *after,
                                      int width, int height)
{
    int i = thread_index();
    if (i >= width * height)
        return;
    int x = i % width, y = i / width;
    int left = x ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
    int up = (y ? y - 1 : height - 1) * width, down = (y + 1 < height ? y + 1 : 0) * width;
    int row = y * width;
    int sum = before[up + left] + before[up + x] + before[up + right] + before[row + left] +
              before[row + right] + before[down + left] + before[down + x] + before[down + right];
    after[i] = agents[i]->next(before[i], sum);
}

extern "C" __global__ void ages(const Agent *const *agents, int *age, int count)
{
    int i = thread_index();
    if (i < count)
        age[i] = agents[i]->age;
}
