// SPDX-License-Identifier: Apache-2.0
#include "pta.cuh"

FUNCTION int base_of(const Program &program, int element)
{
    return program.elements[element].base;
}

FUNCTION int next_of(const Program &program, int element)
{
    return program.elements[element].next;
}

FUNCTION bool is_at(const Program &program, int element, int base)
{
    return element < 0 || base_of(program, element) == base;
}

FUNCTION int find(const Program &program, int set, int base)
{
    int element = program.sets[set];
    while (!is_at(program, element, base))
        element = next_of(program, element);
    return element;
}

FUNCTION void add_bits(const Program &program, int set, int base, unsigned bits)
{
    unsigned *word = &program.elements[find(program, set, base)].bits;
    if (bits & ~*word) {
        atomicOr(word, bits);
        *program.changed = 1;
    }
}

FUNCTION void merge_element(const Program &program, int to, int element)
{
    unsigned bits = program.elements[element].bits;
    if (bits)
        add_bits(program, to, base_of(program, element), bits);
}

FUNCTION void merge(const Program &program, int to, int from)
{
    if (to == from)
        return;
    for (int e = program.sets[from]; e >= 0; e = next_of(program, e))
        merge_element(program, to, e);
}

// from, or where its set points to, into to, or what to points to.
FUNCTION void merge_all(const Program &program, int pointer, int other, bool store)
{
    for (int e = program.sets[pointer]; e >= 0; e = next_of(program, e)) {
        unsigned bits = program.elements[e].bits;
        for (; bits; bits &= bits - 1) {
            int object = 32 * base_of(program, e) + __ffs((int)bits) - 1;
            merge(program, store ? object : other, store ? other : object);
        }
    }
}

FUNCTION void statement(const Program &program, int variable, int s)
{
    int kind = program.kind[s], from = program.from[s];
    if (kind == COPY)
        merge(program, variable, from);
    else if (kind == LOAD)
        merge_all(program, from, variable, false);
    else
        merge_all(program, variable, from, true);
}

FUNCTION void visit(const Program &program, int variable)
{
    int end = program.first[variable + 1];
    for (int s = program.first[variable]; s < end; s++)
        statement(program, variable, s);
}
