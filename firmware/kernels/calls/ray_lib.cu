// SPDX-License-Identifier: Apache-2.0
#include "ray.cuh"

// Nearest positive root of t^2 a + 2 t b + c.
FUNCTION float nearest_root(float a, float b, float c)
{
    float d = fmaf(b, b, -(a * c));
    if (d < 0.0f)
        return NOTHING;
    float s = sqrtf(d);
    float t = (-b - s) / a;
    if (t > 1e-3f)
        return t;
    t = (s - b) / a;
    return t > 1e-3f ? t : NOTHING;
}

// Cuts [enter, leave] down to where the ray is between two planes.
FUNCTION void clip(float from, float to, float low, float high, float &enter, float &leave)
{
    float inverse = 1.0f / to;
    float t0 = (low - from) * inverse, t1 = (high - from) * inverse;
    float near = t0 < t1 ? t0 : t1, far = t0 < t1 ? t1 : t0;
    enter = near > enter ? near : enter;
    leave = far < leave ? far : leave;
}

METHOD float Sphere::hit(const Ray &ray) const
{
    Vec o = minus(ray.from, centre);
    return nearest_root(dot(ray.to, ray.to), dot(o, ray.to), fmaf(-radius, radius, dot(o, o)));
}

METHOD Vec Sphere::normal(const Vec &point) const
{
    float s = 1.0f / radius;
    Vec d = minus(point, centre);
    return vec(d.x * s, d.y * s, d.z * s);
}

METHOD float Plane::hit(const Ray &ray) const
{
    float slope = dot(up, ray.to);
    if (slope > -1e-6f)
        return NOTHING;
    float t = (height - dot(up, ray.from)) / slope;
    return t > 1e-3f ? t : NOTHING;
}

METHOD Vec Plane::normal(const Vec &) const
{
    return up;
}

METHOD float Box::hit(const Ray &ray) const
{
    float enter = -NOTHING, leave = NOTHING;
    clip(ray.from.x, ray.to.x, low.x, high.x, enter, leave);
    clip(ray.from.y, ray.to.y, low.y, high.y, enter, leave);
    clip(ray.from.z, ray.to.z, low.z, high.z, enter, leave);
    return enter <= leave && enter > 1e-3f ? enter : NOTHING;
}

METHOD Vec Box::normal(const Vec &p) const
{
    Vec middle = vec(0.5f * (low.x + high.x), 0.5f * (low.y + high.y), 0.5f * (low.z + high.z));
    float x = (p.x - middle.x) / (high.x - low.x), y = (p.y - middle.y) / (high.y - low.y),
          z = (p.z - middle.z) / (high.z - low.z);
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    if (ax >= ay && ax >= az)
        return vec(x < 0.0f ? -1.0f : 1.0f, 0.0f, 0.0f);
    if (ay >= az)
        return vec(0.0f, y < 0.0f ? -1.0f : 1.0f, 0.0f);
    return vec(0.0f, 0.0f, z < 0.0f ? -1.0f : 1.0f);
}

#ifdef INLINED
METHOD float Shape::hit(const Ray &ray) const
{
    if (kind == SPHERE)
        return static_cast<const Sphere *>(this)->hit(ray);
    if (kind == PLANE)
        return static_cast<const Plane *>(this)->hit(ray);
    return static_cast<const Box *>(this)->hit(ray);
}

METHOD Vec Shape::normal(const Vec &point) const
{
    if (kind == SPHERE)
        return static_cast<const Sphere *>(this)->normal(point);
    if (kind == PLANE)
        return static_cast<const Plane *>(this)->normal(point);
    return static_cast<const Box *>(this)->normal(point);
}
#else
METHOD float Shape::hit(const Ray &) const
{
    return NOTHING;
}

METHOD Vec Shape::normal(const Vec &) const
{
    return vec(0.0f, 1.0f, 0.0f);
}
#endif

FUNCTION int closest(const Scene &scene, const Ray &ray, float &distance)
{
    int found = -1;
    distance = NOTHING;
#pragma unroll 1
    for (int i = 0; i < scene.count; i++) {
        float t = scene.shapes[i]->hit(ray);
        if (t < distance) {
            distance = t;
            found = i;
        }
    }
    return found;
}

FUNCTION bool occluded(const Scene &scene, const Ray &ray)
{
#pragma unroll 1
    for (int i = 0; i < scene.count; i++)
        if (scene.shapes[i]->hit(ray) < NOTHING)
            return true;
    return false;
}

FUNCTION float trace(const Scene &scene, Ray &ray, float &weight)
{
    float distance, share = weight;
    int found = closest(scene, ray, distance);
    if (found < 0) { // the sky
        weight = 0.0f;
        float length = sqrtf(dot(ray.to, ray.to));
        return share * fmaf(0.5f, ray.to.y / length, 0.5f);
    }
    const Shape *shape = scene.shapes[found];
    Vec point = along(ray.from, distance, ray.to);
    Vec normal = shape->normal(point);
    Ray next;
    next.from = along(point, 2e-3f, normal);
    next.to = scene.light;
    float light = dot(normal, scene.light);
    if (light <= 0.0f || occluded(scene, next))
        light = 0.0f;
    float bounce = -2.0f * dot(ray.to, normal);
    next.to = along(ray.to, bounce, normal);
    ray = next;
    weight = share * shape->mirror;
    return share * (1.0f - shape->mirror) * fmaf(light, shape->albedo, 0.1f);
}
