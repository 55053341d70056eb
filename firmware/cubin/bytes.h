/* SPDX-License-Identifier: Apache-2.0 */
/* Private to firmware/cubin: little-endian numbers at any address, and messages. */
#ifndef SMRF_CUBIN_BYTES_H
#define SMRF_CUBIN_BYTES_H

#include "firmware/sass/sass.h"

static inline uint16_t smrf_get16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t smrf_get32(const uint8_t *at)
{
    return (uint32_t)smrf_get16(at) | (uint32_t)smrf_get16(at + 2) << 16;
}

static inline uint64_t smrf_get64(const uint8_t *at)
{
    return (uint64_t)smrf_get32(at) | (uint64_t)smrf_get32(at + 4) << 32;
}

/* Writes "name: reason" and returns code. */
int smrf_code_fail(char error[SMRF_SASS_ERROR_BYTES], int code, const char *name,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
