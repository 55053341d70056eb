// SPDX-License-Identifier: Apache-2.0
// What a runtime asks first that is linked into a program and cannot be replaced.
#include <cstdio>
#include <dlfcn.h>

int main()
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    const unsigned char id[16] = {1, 2, 3};
    const void *table = driver;
    if (driver == nullptr) {
        return 1;
    }
    const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
    const auto ask = reinterpret_cast<int (*)(const void **, const unsigned char *)>(
        dlsym(driver, "cuGetExportTable"));
    const bool passed = init(0) == 0 && ask(&table, id) == 500 && table == nullptr;
    puts(passed ? "passed" : "failed");
    return passed ? 0 : 1;
}
