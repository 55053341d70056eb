/* SPDX-License-Identifier: Apache-2.0 */
/* The program's entry. SystemC's library owns main() and calls sc_main. */
#define _POSIX_C_SOURCE 200809L
#include "platform/cli/cli.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

int sc_main(int argc, char *argv[]);

/* SystemC prints a banner before it calls sc_main, unless the environment says otherwise. */
__attribute__((constructor)) static void silence_banner_(void)
{
    setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
}

/* Memory that is freed is used again: each launch's decoder and buffers take megabytes, and pages
 * that went back to the system between launches would be cleared each time. */
static void keep_freed_memory_(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 28);
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 25);
#endif
}

int sc_main(int argc, char *argv[])
{
    keep_freed_memory_();
    return smrf_cli_main(argc, argv);
}
