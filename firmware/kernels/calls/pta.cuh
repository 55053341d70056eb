// SPDX-License-Identifier: Apache-2.0
#ifndef PTA_CUH
#define PTA_CUH

#include "calls.cuh"

// A points-to set is a list of elements, each one word of the set; which word is its base.
struct Element {
    int base, next; // next: index of an element, -1 ends the list
    unsigned bits;
};

struct Program {
    Element *elements;
    const int *sets;        // [variable] first element
    const int *first;       // [variable + 1] its statements
    const int *kind, *from; // of a statement: variable = from, = *from, *variable = from
    int *changed;
};

enum { COPY, LOAD, STORE };

#ifndef INLINED
extern __device__ void visit(const Program &program, int variable);
#endif

#endif
