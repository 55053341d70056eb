/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix.h"

#include "mma_shapes.def"
#include "opcode_text.h"

struct mma_shape {
    const char *root, *shape, *type;
    struct smrf_matrix registers;
};

struct gmma_shape {
    const char *root, *k, *type;
    uint8_t a, of_8;
};

struct tensor_memory_shape {
    const char *shape;
    uint8_t each;
};

#define MMA(root, shape, type, a, b, c, d, metadata)                                               \
    {#root, shape, type, {{(a), (b), (c)}, (d), (metadata)}},
static const struct mma_shape mma_shapes_[] = {SMRF_MMA_SHAPES(MMA)};
#undef MMA

#define GMMA(root, k, type, a, of_8) {#root, k, type, (a), (of_8)},
static const struct gmma_shape gmma_shapes_[] = {SMRF_GMMA_SHAPES(GMMA)};
#undef GMMA

#define TENSOR_MEMORY(shape, each) {shape, (each)},
static const struct tensor_memory_shape tensor_memory_shapes_[] = {
    SMRF_TENSOR_MEMORY_SHAPES(TENSOR_MEMORY)};
#undef TENSOR_MEMORY

/* True if one of the types, separated by '|', is a modifier; "": none is asked for. */
static bool has_any_(const char *opcode, const char *types)
{
    char type[8];
    while (*types != '\0') {
        const size_t n = strcspn(types, "|");
        memcpy(type, types, n);
        type[n] = '\0';
        if (smrf_opcode_has(opcode, type)) {
            return true;
        }
        types += n + (types[n] == '|');
        if (*types == '\0') {
            return false;
        }
    }
    return true;
}

/* True if one of the opcode's modifiers is the shape, its numbers run together or with x between
 * them: 1688, 16x8x8. */
static bool has_shape_(const char *opcode, const char *shape)
{
    for (const char *p = strchr(opcode, '.'); p != NULL; p = strchr(p, '.')) {
        const char *s = shape;
        const char *from = ++p;
        while (*s != '\0' && (*p == *s || (*p == 'x' && p > from))) {
            s += *p++ != 'x';
        }
        if (*s == '\0' && (*p == '.' || *p == '\0')) {
            return true;
        }
    }
    return false;
}

/* A row's shape without the mark of the sparse form. Returns whether the row is of that form. */
static bool sparse_row_(const char **shape)
{
    const bool sparse = strncmp(*shape, "SP.", 3) == 0;
    *shape += sparse ? 3 : 0;
    return sparse;
}

struct smrf_matrix smrf_matrix_of_warp(const char *opcode)
{
    const bool sparse = smrf_opcode_has(opcode, "SP");
    for (size_t i = 0; i < sizeof mma_shapes_ / sizeof mma_shapes_[0]; i++) {
        const struct mma_shape *m = &mma_shapes_[i];
        const char *shape = m->shape;
        if (sparse_row_(&shape) == sparse && smrf_opcode_root_is(opcode, m->root) &&
            has_shape_(opcode, shape) && has_any_(opcode, m->type)) {
            return m->registers;
        }
    }
    return (struct smrf_matrix){.accumulator = 0};
}

/* The modifier 64xNxk. Returns N, with *k where k begins; 0: there is none, or no such N. */
static unsigned columns_(const char *opcode, const char **k)
{
    const char *p = strstr(opcode, ".64x");
    unsigned n = 0;
    if (p == NULL) {
        return 0;
    }
    for (p += 4; *p >= '0' && *p <= '9' && n <= 256; p++) {
        n = 10 * n + (unsigned)(*p - '0');
    }
    *k = p + (*p == 'x');
    return *p == 'x' && n % 8 == 0 && n <= 256 ? n : 0;
}

struct smrf_matrix smrf_matrix_of_group(const char *opcode)
{
    const char *k = opcode;
    const unsigned n = columns_(opcode, &k);
    const bool sparse = smrf_opcode_has(opcode, "SP");
    for (size_t i = 0; n != 0 && i < sizeof gmma_shapes_ / sizeof gmma_shapes_[0]; i++) {
        const struct gmma_shape *g = &gmma_shapes_[i];
        const char *shape = g->k;
        const bool row_sparse = sparse_row_(&shape);
        const size_t digits = strlen(shape);
        if (row_sparse == sparse && smrf_opcode_root_is(opcode, g->root) &&
            strncmp(k, shape, digits) == 0 && (k[digits] == '.' || k[digits] == '\0') &&
            has_any_(opcode, g->type)) {
            const uint8_t accumulator = (uint8_t)(n / 8 * g->of_8);
            return (struct smrf_matrix){{g->a, 1, accumulator}, accumulator, row_sparse};
        }
    }
    return (struct smrf_matrix){.accumulator = 0};
}

uint8_t smrf_matrix_width(const struct smrf_matrix *matrix, bool dst, unsigned k)
{
    if (matrix->accumulator == 0) {
        return 1;
    }
    if (dst) {
        return matrix->accumulator;
    }
    return k < 3 ? matrix->src[k] : matrix->metadata != 0 ? matrix->metadata : 1;
}

uint8_t smrf_tensor_memory_width(const char *opcode)
{
    const char *p = strstr(opcode, ".x");
    unsigned count = 0;
    for (p = p != NULL ? p + 2 : ""; *p >= '0' && *p <= '9' && count < 128; p++) {
        count = 10 * count + (unsigned)(*p - '0');
    }
    count = count != 0 ? count : 1;
    const struct tensor_memory_shape *t = tensor_memory_shapes_;
    while (t->shape[0] != '\0' && strstr(opcode, t->shape) == NULL) {
        t++;
    }
    const unsigned width = count * t->each;
    return (uint8_t)(width < 128 ? width : 128);
}
