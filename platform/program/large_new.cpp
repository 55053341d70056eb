// SPDX-License-Identifier: Apache-2.0
// Part of the program, not of the library: large arrays come on huge pages, where the system has
// them. libsystemc clears 3 MB when it is loaded, which took a quarter of the time of a short run,
// page by page.
#include <cstdlib>
#include <new>
#include <sys/mman.h>

#if defined(MADV_HUGEPAGE) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace
{

constexpr std::size_t huge_page = std::size_t{2} * 1024 * 1024;

// The standard library's delete[] gives to free() what it does not know.
void *on_huge_pages(std::size_t bytes)
{
    const std::size_t all = (bytes + huge_page - 1) / huge_page * huge_page;
    void *p = all < bytes ? nullptr : std::aligned_alloc(huge_page, all);
    if (p == nullptr) {
        throw std::bad_alloc();
    }
    (void)madvise(p, all, MADV_HUGEPAGE);
    return p;
}

} // namespace

void *operator new[](std::size_t bytes)
{
    return bytes < huge_page ? ::operator new(bytes) : on_huge_pages(bytes);
}

#endif
