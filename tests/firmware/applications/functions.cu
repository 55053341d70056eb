// SPDX-License-Identifier: Apache-2.0
typedef int operation(int, int);

__device__ int add(int a, int b)
{
    return a + b;
}
__device__ int subtract(int a, int b)
{
    return a - b;
}
__device__ operation *operations[2] = {add, subtract};

extern "C" __global__ void give(operation **to)
{
    to[0] = operations[1];
    to[1] = operations[0];
}

extern "C" __global__ void apply(operation **which, const int *a, const int *b, int *c)
{
    const int i = threadIdx.x;
    c[i] = which[i % 2](a[i], b[i]);
}

struct shape {
    __device__ virtual int area() const = 0;
};
struct square : shape {
    int side;
    __device__ square(int s) : side(s) {}
    __device__ int area() const override { return side * side; }
};
struct oblong : shape {
    int a, b;
    __device__ oblong(int x, int y) : a(x), b(y) {}
    __device__ int area() const override { return a * b; }
};

// Objects from the device's heap, called through their tables.
extern "C" __global__ void areas(int *to, int n)
{
    const int i = threadIdx.x;
    shape *s = i % 2 ? (shape *)new square(i) : (shape *)new oblong(i, 3);
    __syncthreads();
    if (i < n) {
        to[i] = s->area();
    }
    delete s;
}

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void recurse(int *to)
{
    to[threadIdx.x] = fibonacci(threadIdx.x % 12);
}
