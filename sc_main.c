/* SPDX-License-Identifier: Apache-2.0 */
/* The program's entry. SystemC's library owns main() and calls sc_main. */
#define _DEFAULT_SOURCE
#include "platform/cli/cli.h"

#include <stdint.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#endif

#define HUGE_PAGE ((size_t)2 << 20)
#define HEAP_BYTES (4 * HUGE_PAGE) /* what most runs take */

int sc_main(int argc, char *argv[]);

/* SystemC prints a banner before it calls sc_main, unless the environment says otherwise. */
__attribute__((constructor)) static void silence_banner_(void)
{
    setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
}

/* Memory that is freed is used again: each launch's decoder and buffers take megabytes, and pages
 * that went back to the system between launches would be cleared each time. The first of it lies on
 * huge pages, which come in one step and not in thousands. */
static void prepare_heap_(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 28);
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 25);
#ifdef MADV_HUGEPAGE
    char *heap = malloc(HEAP_BYTES + HUGE_PAGE);
    if (heap) {
        const size_t before = HUGE_PAGE - (uintptr_t)heap % HUGE_PAGE;
        (void)madvise(heap + before, HEAP_BYTES, MADV_HUGEPAGE);
        free(heap);
    }
#endif
#endif
}

int sc_main(int argc, char *argv[])
{
    prepare_heap_();
    return smrf_cli_main(argc, argv);
}
