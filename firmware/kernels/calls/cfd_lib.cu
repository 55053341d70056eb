// SPDX-License-Identifier: Apache-2.0
#include "cfd.cuh"

FUNCTION float pressure_of(float density, float energy, float speed2)
{
    return 0.4f * fmaf(-0.5f * density, speed2, energy);
}

FUNCTION float sound_of(float density, float pressure)
{
    return sqrtf(1.4f * pressure / density);
}

FUNCTION void contribution(const State &state, Flow &flow)
{
    Vec m = state.momentum;
    Vec v = vec(m.x / state.density, m.y / state.density, m.z / state.density);
    float speed2 = dot(v, v), p = pressure_of(state.density, state.energy, speed2);
    float total = state.energy + p;
    flow.velocity = v;
    flow.x = vec(fmaf(v.x, m.x, p), v.x * m.y, v.x * m.z);
    flow.y = vec(v.y * m.x, fmaf(v.y, m.y, p), v.y * m.z);
    flow.z = vec(v.z * m.x, v.z * m.y, fmaf(v.z, m.z, p));
    flow.energy = vec(v.x * total, v.y * total, v.z * total);
    flow.speed = sqrtf(speed2);
    flow.sound = sound_of(state.density, p);
}

// s times a, and half the flow through the normal.
FUNCTION float blend(float sum, float s, float a, const Vec &normal, const Vec &f, const Vec &g)
{
    Vec both = vec(f.x + g.x, f.y + g.y, f.z + g.z);
    return fmaf(0.5f, dot(normal, both), fmaf(s, a, sum));
}

FUNCTION void face_flux(const State &mine, const Flow &own, const State &other, const Vec &normal,
                        State &flux)
{
    Flow theirs;
    contribution(other, theirs);
    float area = sqrtf(dot(normal, normal));
    float s = -0.15f * area * (own.speed + theirs.speed + own.sound + theirs.sound);
    Vec m = minus(mine.momentum, other.momentum);
    flux.density = blend(flux.density, s, mine.density - other.density, normal, mine.momentum,
                         other.momentum);
    flux.momentum.x = blend(flux.momentum.x, s, m.x, normal, own.x, theirs.x);
    flux.momentum.y = blend(flux.momentum.y, s, m.y, normal, own.y, theirs.y);
    flux.momentum.z = blend(flux.momentum.z, s, m.z, normal, own.z, theirs.z);
    flux.energy = blend(flux.energy, s, mine.energy - other.energy, normal, own.energy,
                        theirs.energy);
}
