// SPDX-License-Identifier: Apache-2.0
#ifndef RAY_CUH
#define RAY_CUH

#include "calls.cuh"

#define NOTHING 1e30f // no hit: farther than anything

struct Ray {
    Vec from, to; // to: direction, not normalised
};

enum { SPHERE, PLANE, BOX };

struct Shape {
    int kind;
    float mirror, albedo;

    __device__ Shape(int k, float m, float a) : kind(k), mirror(m), albedo(a) {}
    VIRTUAL METHOD float hit(const Ray &ray) const;
    VIRTUAL METHOD Vec normal(const Vec &point) const;
};

struct Sphere : Shape {
    Vec centre;
    float radius;

    __device__ Sphere(float m, float a, Vec c, float r)
        : Shape(SPHERE, m, a), centre(c), radius(r)
    {
    }
    METHOD float hit(const Ray &ray) const;
    METHOD Vec normal(const Vec &point) const;
};

struct Plane : Shape {
    Vec up;
    float height;

    __device__ Plane(float m, float a, Vec u, float h) : Shape(PLANE, m, a), up(u), height(h) {}
    METHOD float hit(const Ray &ray) const;
    METHOD Vec normal(const Vec &point) const;
};

struct Box : Shape {
    Vec low, high;

    __device__ Box(float m, float a, Vec l, Vec h) : Shape(BOX, m, a), low(l), high(h) {}
    METHOD float hit(const Ray &ray) const;
    METHOD Vec normal(const Vec &point) const;
};

struct Scene {
    const Shape *const *shapes;
    int count;
    Vec light;
};

#ifndef INLINED
// Light that comes along the ray; the ray becomes its reflection, weight that reflection's share.
extern __device__ float trace(const Scene &scene, Ray &ray, float &weight);
#endif

#endif
