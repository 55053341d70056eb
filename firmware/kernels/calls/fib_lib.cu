// SPDX-License-Identifier: Apache-2.0
#include "calls.cuh"

FUNCTION int fibonacci(int n)
{
    if (n < 2)
        return n;
    return fibonacci(n - 1) + fibonacci(n - 2);
}
