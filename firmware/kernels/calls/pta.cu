// SPDX-License-Identifier: Apache-2.0
// Points-to analysis, Andersen's: what every pointer of a program may point to (LoneStar's PTA).
// Deep chains of small functions. Sets only grow, so that the order of threads does not matter.
#include "pta.cuh"

#ifdef INLINED
#include "pta_lib.cu"
#endif

extern "C" __global__ void propagate(Element *elements, const int *sets, const int *first,
                                     const int *kind, const int *from, int *changed,
                                     int variables)
{
    Program program = {elements, sets, first, kind, from, changed};
    int variable = thread_index();
    if (variable < variables)
        visit(program, variable);
}
