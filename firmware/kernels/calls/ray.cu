// SPDX-License-Identifier: Apache-2.0
// A ray tracer: shapes with virtual functions (ParaPoly's RAY).
#include "ray.cuh"

#ifdef INLINED
#include "ray_lib.cu"
#endif

// Numbers of a shape: kind, mirror, albedo, then seven of its own.
#define FIELDS 10

extern "C" __global__ void create(Shape **shapes, unsigned char *slots, int slot_bytes,
                                  const float *fields, int count)
{
    int i = thread_index();
    if (i >= count)
        return;
    const float *f = fields + i * FIELDS;
    void *slot = slots + i * slot_bytes;
    Vec a = vec(f[3], f[4], f[5]);
    if (f[0] == 0.0f)
        shapes[i] = new (slot) Sphere(f[1], f[2], a, f[6]);
    else if (f[0] == 1.0f)
        shapes[i] = new (slot) Plane(f[1], f[2], a, f[6]);
    else
        shapes[i] = new (slot) Box(f[1], f[2], a, vec(f[6], f[7], f[8]));
}

extern "C" __global__ void render(float *image, int width, int height, int bounces,
                                  const Shape *const *shapes, int count)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    Scene scene;
    scene.shapes = shapes;
    scene.count = count;
    scene.light = vec(0.48f, 0.8f, -0.36f);
    Ray ray;
    ray.from = vec(0.0f, 1.0f, -4.0f);
    ray.to = vec(((float)x + 0.5f) / (float)width - 0.5f, 0.5f - ((float)y + 0.5f) / (float)height,
                 1.0f);
    float weight = 1.0f, light = 0.0f;
#pragma unroll 1
    for (int i = 0; i < bounces && weight > 0.0f; i++)
        light += trace(scene, ray, weight);
    image[y * width + x] = light;
}
