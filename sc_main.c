/* SPDX-License-Identifier: Apache-2.0 */
/* The program's entry. SystemC's library owns main() and calls sc_main. */
#define _DEFAULT_SOURCE /* setenv */
#include "platform/cli/cli.h"
#include "platform/program/heap.h"

#include <stdlib.h>

int sc_main(int argc, char *argv[]);

/* SystemC prints a banner before it calls sc_main, unless the environment says otherwise. */
__attribute__((constructor)) static void silence_banner_(void)
{
    setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
}

int sc_main(int argc, char *argv[])
{
    smrf_heap_prepare();
    return smrf_cli_main(argc, argv);
}
