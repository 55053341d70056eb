// SPDX-License-Identifier: Apache-2.0
#include "nbody.cuh"

// mass / distance^3, softened.
FUNCTION float strength(float mass, float distance2)
{
    float d = distance2 + 0.01f;
    return mass / (d * sqrtf(d));
}

METHOD void Star::pull(const Vec &point, Vec &sum) const
{
    Vec d = minus(at, point);
    sum = along(sum, strength(mass, dot(d, d)), d);
}

METHOD void Star::move(const Vec &acceleration, float step)
{
    velocity = along(velocity, step, acceleration);
    at = along(at, step, velocity);
}

METHOD void Cloud::pull(const Vec &point, Vec &sum) const
{
    Vec d = minus(at, point);
    float d2 = dot(d, d), r2 = radius * radius, inside = d2 < r2 ? (d2 + 0.01f) / (r2 + 0.01f) : 1.0f;
    sum = along(sum, strength(mass * inside, d2), d);
}

METHOD void Cloud::move(const Vec &acceleration, float step)
{
    velocity = along(velocity, step, acceleration);
    velocity = vec(velocity.x * 0.99f, velocity.y * 0.99f, velocity.z * 0.99f);
    at = along(at, step, velocity);
}

#ifdef INLINED
METHOD void Body::pull(const Vec &point, Vec &sum) const
{
    if (kind == STAR)
        static_cast<const Star *>(this)->pull(point, sum);
    else
        static_cast<const Cloud *>(this)->pull(point, sum);
}

METHOD void Body::move(const Vec &acceleration, float step)
{
    if (kind == STAR)
        static_cast<Star *>(this)->move(acceleration, step);
    else
        static_cast<Cloud *>(this)->move(acceleration, step);
}
#else
METHOD void Body::pull(const Vec &, Vec &) const
{
}

METHOD void Body::move(const Vec &, float)
{
}
#endif
