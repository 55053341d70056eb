// SPDX-License-Identifier: Apache-2.0
#include "heap.h"

#include <cstdint>
#include <cstdlib>
#include <new>
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#endif

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE) && !defined(__SANITIZE_ADDRESS__) &&              \
    !defined(__SANITIZE_THREAD__)

namespace
{

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t heap_bytes = 6 * huge_page; // what most runs take, libsystemc's 3 MB included

// The heap's next bytes are those behind the first boundary of a huge page.
void put_on_huge_pages()
{
    // stays, so that nothing small comes to lie on pages of its own there
    [[maybe_unused]] static void *volatile gap;
    char *heap = static_cast<char *>(std::malloc(heap_bytes + huge_page));
    if (heap == nullptr) {
        return;
    }
    const std::size_t before = huge_page - reinterpret_cast<std::uintptr_t>(heap) % huge_page;
    const std::size_t header = 64; // of the next block, at most
    (void)madvise(heap + before, heap_bytes, MADV_HUGEPAGE);
    std::free(heap);
    gap = before > header ? std::malloc(before - header) : nullptr;
}

} // namespace

void smrf_heap_prepare(void)
{
    static bool prepared;
    if (!prepared) {
        prepared = true;
        (void)mallopt(M_TRIM_THRESHOLD, 1 << 28);
        (void)mallopt(M_MMAP_THRESHOLD, 1 << 25);
        put_on_huge_pages();
    }
}

// libsystemc's own large array is the first, made while the library is loaded.
void *operator new[](std::size_t bytes)
{
    if (bytes >= huge_page) {
        smrf_heap_prepare();
    }
    return ::operator new(bytes);
}

#else

void smrf_heap_prepare(void) {}

#endif
