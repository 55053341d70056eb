/* SPDX-License-Identifier: Apache-2.0 */
/* Registry of the suite, and what its programs share. Every group brings a table. */
#include "suite.h"

#include "texts.h"

#include "traces/files/input_file.h"
#include "traces/whole_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct smrf_suite_program *const *const groups[] = {
    smrf_suite_rodinia, smrf_suite_deepbench, smrf_suite_locality, smrf_suite_tensor,
    smrf_suite_calls,   smrf_suite_micro,     smrf_suite_desktop,
};
#define NUM_GROUPS (sizeof groups / sizeof groups[0])

/* The program of a group that `rank` others precede by name. */
static const struct smrf_suite_program *by_rank_(const struct smrf_suite_program *const *group,
                                                 unsigned rank)
{
    for (unsigned i = 0; group[i] != NULL; i++) {
        unsigned before = 0;
        for (unsigned j = 0; group[j] != NULL; j++) {
            before += strcmp(group[j]->name, group[i]->name) < 0;
        }
        if (before == rank) {
            return group[i];
        }
    }
    return NULL;
}

const struct smrf_suite_program *smrf_suite_at(unsigned index)
{
    for (size_t g = 0; g < NUM_GROUPS; g++) {
        unsigned n = 0;
        while (groups[g][n] != NULL) {
            n++;
        }
        if (index < n) {
            return by_rank_(groups[g], index);
        }
        index -= n;
    }
    return NULL;
}

const struct smrf_suite_program *smrf_suite_find(const char *name)
{
    for (size_t g = 0; g < NUM_GROUPS; g++) {
        for (unsigned i = 0; groups[g][i] != NULL; i++) {
            if (strcmp(groups[g][i]->name, name) == 0) {
                return groups[g][i];
            }
        }
    }
    return NULL;
}

int smrf_suite_text(const struct smrf_suite_program *program, char **text, size_t *size,
                    char error[SMRF_SASS_ERROR_BYTES])
{
    struct smrf_trace_error_text fault = {0};
    const struct smrf_sass_text *t = smrf_sass_texts;
    while (t->stem != NULL && strcmp(t->stem, program->sass) != 0) {
        t++;
    }
    *text = NULL;
    *size = 0;
    if (t->stem == NULL) {
        snprintf(error, SMRF_SASS_ERROR_BYTES, "%s: its machine code %s.sass is not in this build",
                 program->name, program->sass);
        return SMRF_ERR_UNKNOWN;
    }
    const int rc = smrf_whole_text_of_bytes(t->stem, t->begin, (size_t)(t->end - t->begin),
                                            SMRF_INPUT_PROGRAM_MAX, text, size, &fault);
    if (rc < 0) {
        snprintf(error, SMRF_SASS_ERROR_BYTES, "%.*s", SMRF_SASS_ERROR_BYTES - 1, fault.text);
    }
    return rc;
}

/* ---- calls with the device's error ----------------------------------------------------------- */

static int from_device_(struct smrf_suite_run *run, int rc)
{
    if (rc < 0) {
        snprintf(run->error, sizeof run->error, "%s", smrf_device_error(run->device));
    }
    return rc;
}

int smrf_suite_buffer(struct smrf_suite_run *run, smrf_dptr *address, const void *from,
                      uint64_t bytes)
{
    int rc = smrf_device_alloc(run->device, address, bytes);
    if (rc >= 0 && from != NULL) {
        rc = smrf_device_write(run->device, *address, from, bytes);
    }
    return from_device_(run, rc);
}

int smrf_suite_launch(struct smrf_suite_run *run, const char *kernel, struct smrf_exec_dim grid,
                      struct smrf_exec_dim block, uint32_t dynamic_shared, void *const *args,
                      unsigned num_args)
{
    struct smrf_device_function *function;
    int rc = smrf_device_get_function(run->module, &function, kernel);
    if (rc >= 0) {
        rc = smrf_device_launch(function, grid, block, dynamic_shared, args, num_args);
    }
    return from_device_(run, rc);
}

/* ---- checks ---------------------------------------------------------------------------------- */

int smrf_suite_check_f32(struct smrf_suite_run *run, const char *what, const float *got,
                         const float *want, size_t count, double absolute, double relative)
{
    for (size_t i = 0; i < count; i++) {
        const double g = (double)got[i], w = (double)want[i];
        /* equal infinities have no difference to take */
        if (g == w || (isnan(g) && isnan(w))) {
            continue;
        }
        if (!(fabs(g - w) <= absolute + relative * fabs(w)) || isinf(g) || isinf(w)) {
            snprintf(run->error, sizeof run->error,
                     "%s[%zu] of %zu: got %.9g, the reference has %.9g (allowed difference %.3g)",
                     what, i, count, g, w, absolute + relative * fabs(w));
            return SMRF_ERR_CHECK;
        }
    }
    run->compared += count;
    return 0;
}

int smrf_suite_check_i32(struct smrf_suite_run *run, const char *what, const int32_t *got,
                         const int32_t *want, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (got[i] != want[i]) {
            snprintf(run->error, sizeof run->error,
                     "%s[%zu] of %zu: got %ld, the reference has %ld", what, i, count, (long)got[i],
                     (long)want[i]);
            return SMRF_ERR_CHECK;
        }
    }
    run->compared += count;
    return 0;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* splitmix64: any state is a good one, 0 included. */
uint32_t smrf_suite_u32(struct smrf_suite_rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

/* 24 bits, so that every step is exact in single precision. */
float smrf_suite_f32(struct smrf_suite_rng *rng, float min, float max)
{
    const float unit = (float)(smrf_suite_u32(rng) >> 8) * 0x1p-24f;
    return min + unit * (max - min);
}

uint16_t smrf_suite_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return 0x7fff; /* the hardware's NaN */
    }
    if (magnitude >= 0x47800000u) {
        return (uint16_t)(sign | 0x7c00u); /* 65536 and above */
    }
    if (magnitude < 0x33000000u) {
        return (uint16_t)sign; /* below half of the smallest subnormal */
    }
    /* shift: mantissa bits (with the hidden one) that half precision has no room for */
    const int exponent = (int)(magnitude >> 23) - 127;
    const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    const unsigned shift = exponent < -14 ? (unsigned)(-1 - exponent) : 13u;
    uint32_t half = mantissa >> shift;
    const uint32_t rest = mantissa & ((1u << shift) - 1u), tie = 1u << (shift - 1u);
    half += rest > tie || (rest == tie && (half & 1u) != 0);
    if (exponent >= -14) { /* the hidden one adds one to the exponent field */
        half += (uint32_t)(exponent + 14) << 10;
    }
    return (uint16_t)(sign | half);
}

float smrf_suite_from_half(uint16_t value)
{
    const uint32_t mantissa = value & 0x3ffu, exponent = value >> 10 & 31u;
    float magnitude;
    if (exponent == 31) {
        magnitude = mantissa != 0 ? NAN : INFINITY;
    } else if (exponent == 0) {
        magnitude = (float)mantissa * 0x1p-24f;
    } else {
        magnitude = ldexpf((float)(mantissa | 0x400u), (int)exponent - 25);
    }
    return (value & 0x8000u) != 0 ? -magnitude : magnitude;
}
