/* SPDX-License-Identifier: Apache-2.0 */
/* cuobjdump -sass prints code only. What .nv.info says elsewhere is read from the code and from the
 * mangled name (Itanium C++ ABI, 5.1.5 "Type encodings") as far as they say it. */
#include "firmware/sass/internal.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PARAMS 256

#define MAX_KNOWN 64

/* A mangled name, and the sizes of the types that S_, S0_, S1_, .. name again. */
struct reader {
    const char *at;
    unsigned depth, num_known;
    bool lost; /* count of them, after a part that is only skipped */
    uint16_t known[MAX_KNOWN];
};

static uint16_t skip_type_(struct reader *r);

/* <length><name>: the length, 0 = none. */
static size_t source_name_(struct reader *r, const char **name)
{
    char *stop;
    if (*r->at < '1' || *r->at > '9') {
        return 0;
    }
    unsigned long length = strtoul(r->at, &stop, 10);
    if (length > strlen(stop)) {
        return 0;
    }
    *name = stop;
    r->at = stop + length;
    return length;
}

/* Types whose size follows from the name alone. */
static uint16_t named_size_(const char *name, size_t length)
{
    static const struct {
        const char *name;
        uint16_t bytes;
    } known[] = {{"__half", 2}, {"__half2", 4},    {"int2", 8},    {"int4", 16},    {"uint2", 8},
                 {"uint4", 16}, {"float2", 8},     {"float4", 16}, {"double2", 16}, {"char4", 4},
                 {"uchar4", 4}, {"longlong2", 16}, {"short2", 4},  {"dim3", 12}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].name) == length && memcmp(known[i].name, name, length) == 0) {
            return known[i].bytes;
        }
    }
    return 0;
}

/* N..E, I..E: up to the E that closes it. False if there is none. */
static bool skip_nested_(struct reader *r)
{
    unsigned open = 1;
    const char *name;
    for (r->at++; open && *r->at;) {
        if (source_name_(r, &name)) {
            continue;
        }
        open += *r->at == 'I' || *r->at == 'N' || *r->at == 'L';
        open -= *r->at == 'E';
        r->at++;
    }
    return open == 0;
}

/* S_, S0_: a type met before. T_: a template's argument, which is not looked up. */
static uint16_t skip_reference_(struct reader *r)
{
    bool of_type = *r->at++ == 'S';
    unsigned index = 0;
    if (*r->at != '_') {
        char *stop;
        unsigned long value = strtoul(r->at, &stop, 36);
        index = value < MAX_KNOWN ? (unsigned)value + 1 : MAX_KNOWN;
        r->at = stop;
    }
    if (*r->at != '_') {
        r->lost = true;
        return 0;
    }
    r->at++;
    return of_type && !r->lost && index < r->num_known ? r->known[index] : 0;
}

static uint16_t remember_(struct reader *r, uint16_t bytes)
{
    if (r->num_known < MAX_KNOWN) {
        r->known[r->num_known++] = bytes;
    }
    return bytes;
}

static uint16_t builtin_(char c)
{
    static const struct {
        char code;
        uint8_t bytes;
    } types[] = {{'b', 1}, {'c', 1}, {'a', 1}, {'h', 1}, {'s', 2}, {'t', 2}, {'w', 4}, {'i', 4},
                 {'j', 4}, {'l', 8}, {'m', 8}, {'x', 8}, {'y', 8}, {'f', 4}, {'d', 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].code == c) {
            return types[i].bytes;
        }
    }
    return 0;
}

/* Reads one type; its size as a parameter, 0 = not known. */
static uint16_t skip_type_(struct reader *r)
{
    const char *name;
    uint16_t bytes = 0;
    char c = *r->at;
    if (r->depth >= 64) {
        return 0;
    }
    r->depth++;
    if (c == 'K' || c == 'V' || c == 'r') {
        r->at++;
        bytes = remember_(r, skip_type_(r));
    } else if (c == 'P' || c == 'R' || c == 'O') {
        r->at++;
        skip_type_(r);
        bytes = remember_(r, 8);
    } else if (c >= '1' && c <= '9') {
        size_t length = source_name_(r, &name);
        bytes = remember_(r, length ? named_size_(name, length) : 0);
        if (*r->at == 'I') {
            r->lost = true;
            bytes = 0;
            skip_nested_(r);
        }
    } else if (c == 'S' || c == 'T') {
        bytes = skip_reference_(r);
    } else if (c == 'N' || c == 'F') {
        r->lost = true;
        skip_nested_(r);
    } else if (c) {
        r->at++;
        bytes = builtin_(c);
    }
    r->depth--;
    return bytes;
}

/* At the parameters of _Z<name>..; false for names that are not functions with such. */
static bool to_params_(struct reader *r)
{
    const char *name;
    if (strncmp(r->at, "_Z", 2) != 0) {
        return false;
    }
    r->at += 2;
    while (*r->at == 'L') {
        r->at++;
    }
    if (*r->at == 'N') {
        const char *start = r->at;
        r->lost = true; /* its parts count too */
        if (!skip_nested_(r)) {
            return false;
        }
        if (r->at - start < 3 || r->at[-2] != 'E') { /* no template arguments at its end */
            return true;
        }
    } else {
        if (!source_name_(r, &name)) {
            return false;
        }
        if (*r->at != 'I') {
            return true;
        }
        r->lost = true;
        if (!skip_nested_(r)) {
            return false;
        }
    }
    skip_type_(r); /* a template's name carries the type it returns */
    return true;
}

static int params_of_name_(struct smrf_sass_parser *p, struct smrf_sass_function *f)
{
    struct smrf_sass_param param[MAX_PARAMS];
    struct reader r = {.at = f->name};
    uint32_t count = 0, end = 0;
    if (!to_params_(&r) || strcmp(r.at, "v") == 0) {
        return 0;
    }
    while (*r.at && count < MAX_PARAMS) {
        uint16_t bytes = skip_type_(&r);
        if (bytes == 0) {
            return 0;
        }
        uint32_t align = bytes == 12 ? 4 : bytes;
        end = (end + align - 1) & ~(align - 1);
        param[count] = (struct smrf_sass_param){(uint16_t)count, (uint16_t)end, bytes};
        end += bytes;
        count++;
    }
    f->param = smrf_sass_alloc(p->store, (count + (size_t)1) * sizeof *f->param);
    if (!f->param) {
        return smrf_sass_nomem(p);
    }
    memcpy(f->param, param, count * sizeof *param);
    f->num_params = count;
    f->param_bytes = end;
    return 0;
}

/* Registers: one more than the highest that is named, and the partner it may have. Parameters: up
 * to the last word that is read. */
static void read_code_(const struct smrf_sass_module *module, struct smrf_sass_function *f,
                       bool registers, bool params)
{
    uint32_t highest = 0, param_end = 0;
    for (uint32_t i = f->first; i < f->first + f->count; i++) {
        const struct smrf_sass_inst *inst = &module->inst[i];
        for (unsigned k = 0; k < inst->num_operands; k++) {
            const struct smrf_sass_operand *o = &inst->operand[k];
            bool has =
                o->kind == SMRF_SASS_REG || o->kind == SMRF_SASS_MEM || o->kind == SMRF_SASS_CONST;
            if (has && o->reg != 255 && o->reg + 1u > highest) {
                highest = o->reg + 1u;
            }
            if (o->kind == SMRF_SASS_CONST && o->bank == 0 && o->imm >= f->param_base &&
                o->imm < f->param_base + 4096 && (uint32_t)o->imm - f->param_base + 4 > param_end) {
                param_end = (uint32_t)o->imm - f->param_base + 4;
            }
        }
    }
    if (registers) {
        f->registers = highest + (highest & 1);
    }
    if (params) {
        f->param_bytes = (param_end + 7) & ~UINT32_C(7);
    }
}

int smrf_sass_infer(struct smrf_sass_parser *p)
{
    struct smrf_sass_module *module = &p->store->module;
    for (uint32_t i = 0; i < module->num_functions; i++) {
        struct smrf_sass_function *f = &module->function[i];
        if (f->external) {
            continue;
        }
        bool described = p->has_info || f->param_bytes != 0 || !f->entry;
        if (described && f->registers) {
            continue;
        }
        if (!described) {
            int rc = params_of_name_(p, f);
            if (rc < 0) {
                return rc;
            }
        }
        read_code_(module, f, f->registers == 0, !described && f->num_params == 0);
    }
    return 0;
}
