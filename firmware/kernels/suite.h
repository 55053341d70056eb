/* SPDX-License-Identifier: Apache-2.0 */
/* The suite of kernels: each program prepares input, launches its kernels and checks their results
 * against a plain C reference. */
#ifndef SMRF_SUITE_H
#define SMRF_SUITE_H

#include "firmware/launch/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum smrf_size { SMRF_SMALL, SMRF_MEDIUM, SMRF_LARGE, SMRF_SIZES };

/* One run of a program. */
struct smrf_suite_run {
    struct smrf_device *device;
    struct smrf_device_module *module; /* the program's SASS, loaded */
    enum smrf_size size;
    uint32_t depth;    /* programs with a selectable call depth: 0 = the size's default */
    uint32_t scale;    /* programs with a selectable size, log2 of it: 0 = the size's default */
    uint64_t compared; /* values compared with the reference so far */
    char error[SMRF_SASS_ERROR_BYTES]; /* of a failed check: which value, got, wanted */
};

struct smrf_suite_program {
    const char *name;    /* "hotspot" */
    const char *group;   /* "rodinia", "deepbench", "locality", "tensor", "calls", "micro",
                            "desktop" */
    const char *summary; /* one line */
    const char *sass;    /* stem of the SASS file in its folder: "hotspot", "ray-inlined" */
    const char *size_text[SMRF_SIZES];      /* "64 x 64, 2 steps", ... */
    int (*run)(struct smrf_suite_run *run); /* 0 or a negative enum smrf_err */
    bool has_scale;                         /* run->scale may take the place of a size */
};

/* index from 0; NULL past the last. In order of group, then name. */
const struct smrf_suite_program *smrf_suite_at(unsigned index);
const struct smrf_suite_program *smrf_suite_find(const char *name);
/* The SASS text of a program, which the library holds compressed: *text ends with NUL and is to be
 * freed. Returns 0, or SMRF_ERR_UNKNOWN (not in this build), SMRF_ERR_NOMEM, SMRF_ERR_CORRUPT. */
int smrf_suite_text(const struct smrf_suite_program *program, char **text, size_t *size,
                    char error[SMRF_SASS_ERROR_BYTES]);

/* The groups' tables, each in its folder's group.c; NULL ends them. */
extern const struct smrf_suite_program *const smrf_suite_rodinia[];
extern const struct smrf_suite_program *const smrf_suite_deepbench[];
extern const struct smrf_suite_program *const smrf_suite_locality[];
extern const struct smrf_suite_program *const smrf_suite_tensor[];
extern const struct smrf_suite_program *const smrf_suite_calls[];
extern const struct smrf_suite_program *const smrf_suite_micro[];
extern const struct smrf_suite_program *const smrf_suite_desktop[];

/* --- for the programs ------------------------------------------------------------------------- */

/* Every call returns 0 or a negative error with run->error (or the device's error) set. */
#define SMRF_TRY(call)                                                                             \
    do {                                                                                           \
        int smrf_try_ = (call);                                                                    \
        if (smrf_try_ < 0) {                                                                       \
            return smrf_try_;                                                                      \
        }                                                                                          \
    } while (0)

/* Allocate on the device; with from != NULL also copy. */
int smrf_suite_buffer(struct smrf_suite_run *run, smrf_dptr *address, const void *from,
                      uint64_t bytes);
/* Launch by name with a flat argument list of pointers. */
int smrf_suite_launch(struct smrf_suite_run *run, const char *kernel, struct smrf_exec_dim grid,
                      struct smrf_exec_dim block, uint32_t dynamic_shared, void *const *args,
                      unsigned num_args);
/* Compare got[i] with want[i]: |got - want| <= absolute + relative * |want|, NaN equals NaN. */
int smrf_suite_check_f32(struct smrf_suite_run *run, const char *what, const float *got,
                         const float *want, size_t count, double absolute, double relative);
int smrf_suite_check_i32(struct smrf_suite_run *run, const char *what, const int32_t *got,
                         const int32_t *want, size_t count);
/* The suite's random numbers: reproducible on every machine. */
struct smrf_suite_rng {
    uint64_t state;
};
uint32_t smrf_suite_u32(struct smrf_suite_rng *rng);
float smrf_suite_f32(struct smrf_suite_rng *rng, float min, float max);
/* IEEE half, round to nearest even. */
uint16_t smrf_suite_half(float value);
float smrf_suite_from_half(uint16_t value);

#ifdef __cplusplus
}
#endif

#endif
