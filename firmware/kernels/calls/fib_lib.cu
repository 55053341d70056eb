// SPDX-License-Identifier: Apache-2.0
#include "calls.cuh"

FUNCTION unsigned fibonacci(int n, unsigned modulus)
{
    unsigned sum = n;
    if (n >= 2)
        sum = fibonacci(n - 1, modulus) + fibonacci(n - 2, modulus);
    return sum % modulus;
}
