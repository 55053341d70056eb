// SPDX-License-Identifier: Apache-2.0
#include "gol.cuh"

// Bit n of born, stay: what n neighbours do.
static __device__ __forceinline__ int decide(Agent &agent, int alive, int neighbours, int born,
                                             int stay)
{
    int then = (alive ? stay : born) >> neighbours & 1;
    agent.age = then == alive ? agent.age + 1 : 0;
    return then;
}

METHOD int Conway::next(int alive, int neighbours)
{
    return decide(*this, alive, neighbours, 1 << 3, 1 << 2 | 1 << 3);
}

METHOD int HighLife::next(int alive, int neighbours)
{
    return decide(*this, alive, neighbours, 1 << 3 | 1 << 6, 1 << 2 | 1 << 3);
}

METHOD int Seeds::next(int alive, int neighbours)
{
    return decide(*this, alive, neighbours, 1 << 2, 0);
}

#ifdef INLINED
METHOD int Agent::next(int alive, int neighbours)
{
    if (kind == CONWAY)
        return static_cast<Conway *>(this)->next(alive, neighbours);
    if (kind == HIGH_LIFE)
        return static_cast<HighLife *>(this)->next(alive, neighbours);
    return static_cast<Seeds *>(this)->next(alive, neighbours);
}
#else
METHOD int Agent::next(int alive, int)
{
    return alive;
}
#endif
