// SPDX-License-Identifier: Apache-2.0
// choice IMAGE..: prints the device that a program with these images finds. An image has code for
// the architectures that its name lists: 75+80.
#include "host.h"

#include <string>
#include <vector>

IMAGE(streams);

template <typename Number> static Number number_at(const unsigned char *p)
{
    Number n;
    std::memcpy(&n, p, sizeof n);
    return n;
}

// A fat binary has a header, 16 bytes with its size in the last eight, and entries: at 4 the size
// of the entry's header, at 8 that of what follows, at 28 the architecture.
static std::vector<unsigned char> image_of(const std::string &name)
{
    const unsigned char *whole = application_streams,
                        *end = whole + 16 + number_at<uint64_t>(whole + 8);
    std::vector<unsigned char> some(whole, whole + 16);
    for (const unsigned char *p = whole + 16; p < end;) {
        const unsigned char *next = p + number_at<uint32_t>(p + 4) + number_at<uint64_t>(p + 8);
        if (name.find(std::to_string(number_at<uint32_t>(p + 28))) != std::string::npos) {
            some.insert(some.end(), p, next);
        }
        p = next;
    }
    const uint64_t size = some.size() - 16;
    std::memcpy(&some[8], &size, sizeof size);
    return some;
}

int main(int argc, char **argv)
{
    int major, minor, *used, list[1];
    static std::vector<std::vector<unsigned char>> parts;
    static std::vector<char> kernels(static_cast<size_t>(argc));
    for (int i = 1; i < argc; i++) {
        parts.push_back(image_of(argv[i]));
    }
    for (size_t i = 0; i < parts.size(); i++) {
        const image *m = new image(parts[i].data());
        m->kernel(&kernels[i], "append");
        m->end();
    }
    OK(cudaDeviceGetAttribute(&major, 75, 0));
    OK(cudaDeviceGetAttribute(&minor, 76, 0));
    OK(cudaMalloc(reinterpret_cast<void **>(&used), 4096));
    OK(cudaMemset(used, 0, 4096));
    for (size_t i = 0; i < parts.size(); i++) {
        const int rc = launch(&kernels[i], 1, 1, 0, nullptr, used + 1, used, 5);
        std::printf("%s%s", i == 0 ? "" : ", ", cudaGetErrorName(rc));
    }
    std::printf(" on sm_%d%d\n", major, minor);
    OK(cudaMemcpy(list, used, sizeof list, to_host));
    return 0;
}
