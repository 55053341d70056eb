// SPDX-License-Identifier: Apache-2.0
// Traffic by Nagel and Schreckenberg's rules, two kinds of vehicles with virtual functions (ParaPoly's TRAF).
#include "traffic.cuh"

#ifdef INLINED
#include "traffic_lib.cu"
#endif

extern "C" __global__ void create(Vehicle **vehicles, unsigned char *slots, int slot_bytes,
                                  const int *kinds, const int *places, int *road, int count)
{
    int i = thread_index();
    if (i >= count)
        return;
    void *slot = slots + i * slot_bytes;
    if (kinds[i] == CAR)
        vehicles[i] = new (slot) Car(places[i]);
    else
        vehicles[i] = new (slot) Truck(places[i]);
    road[places[i]] = 1;
}

extern "C" __global__ void step(Vehicle *const *vehicles, const int *road, int *after, int length,
                                int sight, int time, int count)
{
    int i = thread_index();
    if (i >= count)
        return;
    Vehicle *mine = vehicles[i];
    int at = mine->at, gap = 0, ahead = at;
#pragma unroll 1
    for (int d = 0; d < sight; d++) {
        ahead = ahead + 1 < length ? ahead + 1 : 0;
        if (road[ahead])
            break;
        gap++;
    }
    unsigned draw = (i * 2654435761u + time) * 2246822519u;
    int v = mine->next(gap, (int)(draw >> 24));
    int to = at + v < length ? at + v : at + v - length;
    mine->speed = v;
    mine->at = to;
    after[to] = 1;
}

extern "C" __global__ void clear(int *road, int length)
{
    int i = thread_index();
    if (i < length)
        road[i] = 0;
}

extern "C" __global__ void places(const Vehicle *const *vehicles, int *at, int count)
{
    int i = thread_index();
    if (i < count)
        at[i] = vehicles[i]->at;
}
