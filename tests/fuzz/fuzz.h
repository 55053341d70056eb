// SPDX-License-Identifier: Apache-2.0
// A fuzz target: a file <name>_target.cpp with the function that libFuzzer calls. With it, or with
// the plain driver of this folder, it is a program. It returns for every input, error or not; what
// the target itself demands is FUZZ_DEMAND.
#ifndef SMRF_TESTS_FUZZ_H
#define SMRF_TESTS_FUZZ_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_DEMAND(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: demanded: %s\n", __FILE__, __LINE__, #condition);         \
            std::abort();                                                                          \
        }                                                                                          \
    } while (false)

// The input as a file, for what reads files: a name that lasts as long as the object.
class memory_file
{
  public:
    memory_file(const void *data, size_t size) : fd_(memfd_create("fuzz", MFD_CLOEXEC))
    {
        FUZZ_DEMAND(fd_ >= 0 && write(fd_, data, size) == ssize_t(size) &&
                    lseek(fd_, 0, SEEK_SET) == 0);
        path_ = "/proc/self/fd/" + std::to_string(fd_);
    }
    ~memory_file()
    {
        close(fd_);
    }
    memory_file(const memory_file &) = delete;
    memory_file &operator=(const memory_file &) = delete;
    const char *path() const
    {
        return path_.c_str();
    }

  private:
    int fd_;
    std::string path_;
};

#endif
