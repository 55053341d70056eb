/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of buffers: zero, one value, a sequence, random numbers, a file. */
#include "firmware/launch/launch_plan.h"
#include "models/common/smrf_rng.h"
#include "traces/files/input_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *smrf_launch_resolve(const struct smrf_launch_plan *plan, const char *file)
{
    const char *slash = strrchr(plan->path, '/');
    size_t folder = *file == '/' || !slash ? 0 : (size_t)(slash - plan->path) + 1;
    size_t length = strlen(file);
    char *name = malloc(folder + length + 1);
    if (!name) {
        return NULL;
    }
    memcpy(name, plan->path, folder);
    memcpy(name + folder, file, length + 1);
    return name;
}

static uint64_t bytes_of_(const struct smrf_launch_buffer *b)
{
    return b->count * b->type->bytes;
}

static int check_file_(const struct smrf_launch_plan *plan, const struct smrf_launch_buffer *b)
{
    char *name = smrf_launch_resolve(plan, b->file);
    if (!name) {
        return smrf_launch_no_memory(plan);
    }
    struct smrf_input in;
    char text[256];
    int rc = smrf_input_open(&in, name, UINT64_MAX, text, sizeof text);
    if (rc != 0 || fseek(in.file, 0, SEEK_END) != 0) {
        rc = smrf_launch_fail(plan, SMRF_ERR_IO, b->init_line,
                              "buffer '%.60s': file '%.150s' cannot be opened%s%.100s", b->name,
                              name, rc != 0 ? ": " : "", rc != 0 ? text : "");
    } else {
        long size = ftell(in.file);
        if (size < 0 || (uint64_t)size != bytes_of_(b)) {
            rc = smrf_launch_fail(
                plan, SMRF_ERR_CORRUPT, b->init_line,
                "buffer '%.60s': file '%.120s' has %ld bytes, but %llu %s take %llu: "
                "give a file of raw little-endian values of that type",
                b->name, name, size, (unsigned long long)b->count, b->type->name,
                (unsigned long long)bytes_of_(b));
        }
    }
    smrf_input_close(&in);
    free(name);
    return rc;
}

/* The last value of a sequence must fit, too. Worked out in 64 signed bits. */
static int check_iota_(const struct smrf_launch_plan *plan, const struct smrf_launch_buffer *b)
{
    int64_t start = (int64_t)b->a.bits, step = (int64_t)b->b.bits, last = 0;
    if (b->type->kind == LAUNCH_FLOAT) {
        return 0;
    }
    bool fits = b->type->kind == LAUNCH_SIGNED || b->a.bits <= INT64_MAX;
    fits = fits && !__builtin_mul_overflow((int64_t)(b->count - 1), step, &last) &&
           !__builtin_add_overflow(start, last, &last) && last >= b->type->min &&
           (last < 0 || (uint64_t)last <= b->type->max);
    return fits
               ? 0
               : smrf_launch_fail(plan, SMRF_ERR_INVAL, b->init_line,
                                  "buffer '%.60s': the last value of the sequence does not fit %s: "
                                  "take a wider type or a smaller step",
                                  b->name, b->type->name);
}

int smrf_launch_check_contents(const struct smrf_launch_plan *plan,
                               const struct smrf_launch_buffer *b)
{
    bool reversed = b->type->kind == LAUNCH_FLOAT    ? !(b->a.number <= b->b.number)
                    : b->type->kind == LAUNCH_SIGNED ? (int64_t)b->a.bits > (int64_t)b->b.bits
                                                     : b->a.bits > b->b.bits;
    if (b->init == LAUNCH_RANDOM && reversed) {
        return smrf_launch_fail(plan, SMRF_ERR_INVAL, b->init_line,
                                "buffer '%.60s': min must not be above max", b->name);
    }
    if (b->init == LAUNCH_IOTA) {
        return check_iota_(plan, b);
    }
    return b->init == LAUNCH_FILE ? check_file_(plan, b) : 0;
}

/* Uniform from a to b: floats of 53 random bits; integers by rejection, without bias. */
static struct smrf_launch_value random_value_(const struct smrf_launch_buffer *b,
                                              struct smrf_rng *rng)
{
    uint64_t bits = (uint64_t)smrf_rng_next(rng) << 32;
    bits |= smrf_rng_next(rng);
    if (b->type->kind == LAUNCH_FLOAT) {
        double unit = (double)(bits >> 11) * 0x1p-53;
        return (struct smrf_launch_value){.number = b->a.number * (1 - unit) + b->b.number * unit};
    }
    uint64_t span = b->b.bits - b->a.bits, mask = UINT64_MAX;
    if (span < UINT64_MAX) {
        mask = span;
        for (unsigned shift = 1; shift < 64; shift *= 2) {
            mask |= mask >> shift;
        }
    }
    while ((bits & mask) > span) {
        bits = (uint64_t)smrf_rng_next(rng) << 32;
        bits |= smrf_rng_next(rng);
    }
    return (struct smrf_launch_value){.bits = b->a.bits + (bits & mask)};
}

static int fill_from_file_(const struct smrf_launch_plan *plan, const struct smrf_launch_buffer *b,
                           uint8_t *bytes)
{
    char *name = smrf_launch_resolve(plan, b->file);
    if (!name) {
        return smrf_launch_no_memory(plan);
    }
    struct smrf_input in;
    char text[256];
    int opened = smrf_input_open(&in, name, UINT64_MAX, text, sizeof text);
    size_t got = opened == 0 ? fread(bytes, 1, bytes_of_(b), in.file) : 0;
    smrf_input_close(&in);
    int rc = got == bytes_of_(b)
                 ? 0
                 : smrf_launch_fail(plan, SMRF_ERR_IO, b->init_line,
                                    "buffer '%.60s': file '%.150s' cannot be read", b->name, name);
    free(name);
    return rc;
}

int smrf_launch_fill(const struct smrf_launch_plan *plan, const struct smrf_launch_buffer *b,
                     uint8_t *bytes)
{
    struct smrf_rng rng;
    if (b->init == LAUNCH_FILE) {
        return fill_from_file_(plan, b, bytes);
    }
    if (b->init == LAUNCH_ZERO) {
        memset(bytes, 0, bytes_of_(b));
        return 0;
    }
    smrf_rng_seed(&rng, b->seed, 0);
    for (uint64_t i = 0; i < b->count; i++) {
        struct smrf_launch_value value = b->a;
        if (b->init == LAUNCH_RANDOM) {
            value = random_value_(b, &rng);
        } else if (b->init == LAUNCH_IOTA) {
            value.bits += i * b->b.bits;
            value.number += (double)i * b->b.number;
        }
        smrf_launch_encode(b->type, &value, bytes + i * b->type->bytes);
    }
    return 0;
}
