/* SPDX-License-Identifier: Apache-2.0 */
/* The device, limits and errors. */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

static _Thread_local int last_;
static _Thread_local int device_; /* set by cudaSetDevice: only 0 exists */

int smrf_runtime_done(int rc)
{
    smrf_cuda_use_runtime();
    if (rc != CUDA_OK && rc != CUDA_NOT_READY) {
        last_ = rc;
    }
    return rc;
}

static int done_(int rc)
{
    return smrf_runtime_done(rc);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* An error that a launch left is there for good; others go when they are asked for. */
SMRF_CUDA_API int cudaGetLastError(void)
{
    const int rc = last_;
    last_ = CUDA_OK;
    return rc;
}

SMRF_CUDA_API int cudaPeekAtLastError(void)
{
    return last_;
}

SMRF_CUDA_API const char *cudaGetErrorName(int code)
{
    const char *name = smrf_cuda_error_name(code);
    return name != NULL ? name : "unrecognized error code";
}

SMRF_CUDA_API const char *cudaGetErrorString(int code)
{
    const char *text = smrf_cuda_error_text(code);
    return text != NULL ? text : "unrecognized error code";
}

/* ---- the device ------------------------------------------------------------------------------ */

SMRF_CUDA_API int cudaGetDeviceCount(int *count)
{
    if (count == NULL) {
        return done_(CUDA_INVALID_VALUE);
    }
    *count = 1;
    return CUDA_OK;
}

SMRF_CUDA_API int cudaSetDevice(int device)
{
    if (device != 0) {
        return done_(CUDA_INVALID_DEVICE);
    }
    device_ = device;
    return done_(smrf_cuda_leave(smrf_cuda_enter()));
}

SMRF_CUDA_API int cudaGetDevice(int *device)
{
    if (device == NULL) {
        return done_(CUDA_INVALID_VALUE);
    }
    *device = device_;
    return CUDA_OK;
}

SMRF_CUDA_API int cudaSetDeviceFlags(unsigned flags)
{
    (void)flags;
    return CUDA_OK;
}

SMRF_CUDA_API int cudaGetDeviceFlags(unsigned *flags)
{
    if (flags == NULL) {
        return done_(CUDA_INVALID_VALUE);
    }
    *flags = 8; /* cudaDeviceMapHost */
    return CUDA_OK;
}

SMRF_CUDA_API int cudaSetValidDevices(int *devices, int count)
{
    (void)devices;
    (void)count;
    return CUDA_OK;
}

SMRF_CUDA_API int cudaDeviceSynchronize(void)
{
    return done_(smrf_cuda_synchronize());
}
SMRF_ALSO(cudaDeviceSynchronize, cudaThreadSynchronize);

SMRF_CUDA_API int cudaDeviceReset(void)
{
    last_ = CUDA_OK;
    return smrf_cuda_reset();
}
SMRF_ALSO(cudaDeviceReset, cudaThreadExit);

SMRF_CUDA_API int cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    return done_(device != 0 ? (int)CUDA_INVALID_DEVICE : smrf_cuda_attribute(value, attribute));
}

SMRF_CUDA_API int cudaChooseDevice(int *device, const void *properties)
{
    (void)properties;
    return cudaGetDevice(device);
}

SMRF_CUDA_API int cudaDeviceGetPCIBusId(char *text, int room, int device)
{
    if (device != 0 || text == NULL || room < 13) {
        return done_(device != 0 ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    }
    (void)snprintf(text, (size_t)room, SMRF_CUDA_BUS);
    return CUDA_OK;
}

SMRF_CUDA_API int cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    if (device == NULL || text == NULL) {
        return done_(CUDA_INVALID_VALUE);
    }
    *device = 0;
    return strcmp(text, SMRF_CUDA_BUS) == 0 ? (int)CUDA_OK : done_(CUDA_INVALID_DEVICE);
}

/* Texels of linear memory that a texture reads by number. */
SMRF_CUDA_API int cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const void *channels,
                                                       int device)
{
    if (width == NULL || channels == NULL || device != 0) {
        return done_(device != 0 ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    }
    *width = SMRF_MOST_LINEAR;
    return CUDA_OK;
}

/* Preferences, without effect on results. */
static int cache_config_, shared_config_;

SMRF_CUDA_API int cudaDeviceSetCacheConfig(int config)
{
    cache_config_ = config;
    return CUDA_OK;
}
SMRF_ALSO(cudaDeviceSetCacheConfig, cudaThreadSetCacheConfig);

SMRF_CUDA_API int cudaDeviceGetCacheConfig(int *config)
{
    *config = cache_config_;
    return CUDA_OK;
}
SMRF_ALSO(cudaDeviceGetCacheConfig, cudaThreadGetCacheConfig);

SMRF_CUDA_API int cudaDeviceSetSharedMemConfig(int config)
{
    shared_config_ = config;
    return CUDA_OK;
}

SMRF_CUDA_API int cudaDeviceGetSharedMemConfig(int *config)
{
    *config = shared_config_;
    return CUDA_OK;
}

SMRF_CUDA_API int cudaCtxResetPersistingL2Cache(void)
{
    return CUDA_OK;
}

SMRF_CUDA_API int cudaDeviceSetLimit(int limit, size_t value)
{
    return done_(smrf_cuda_limit_set(limit, value));
}
SMRF_ALSO(cudaDeviceSetLimit, cudaThreadSetLimit);

SMRF_CUDA_API int cudaDeviceGetLimit(size_t *value, int limit)
{
    uint64_t v = 0;
    int rc = value == NULL ? (int)CUDA_INVALID_VALUE : smrf_cuda_limit_get(limit, &v);
    if (rc == CUDA_OK) {
        *value = v;
    }
    return done_(rc);
}
SMRF_ALSO(cudaDeviceGetLimit, cudaThreadGetLimit);

SMRF_CUDA_API int cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least != NULL) {
        *least = 0;
    }
    if (greatest != NULL) {
        *greatest = -5;
    }
    return CUDA_OK;
}

SMRF_CUDA_API int cudaProfilerStart(void)
{
    return CUDA_OK;
}

SMRF_CUDA_API int cudaProfilerStop(void)
{
    return CUDA_OK;
}

/* ---- struct cudaDeviceProp ------------------------------------------------------------------- */

/* Fields by their place in the structure of CUDA 10 to 12, whose beginning is the same. */
static void put_(char *at, size_t offset, size_t bytes, uint64_t value)
{
    memcpy(at + offset, &value, bytes);
}

static void fill_properties_(char *at, const struct smrf_cuda_properties *p)
{
    static const struct {
        uint16_t offset, attribute; /* of the same value */
    } same[] = {
        {304, 12}, {308, 10},  {312, 11},  {320, 1},   {324, 2},   {328, 3},   {332, 4},  {336, 5},
        {340, 6},  {344, 7},   {348, 13},  {360, 75},  {364, 76},  {384, 15},  {388, 16}, {392, 17},
        {396, 18}, {400, 19},  {404, 20},  {408, 21},  {420, 22},  {424, 23},  {576, 31}, {580, 32},
        {584, 33}, {588, 34},  {592, 50},  {596, 35},  {600, 40},  {604, 41},  {608, 36}, {612, 37},
        {616, 38}, {620, 108}, {624, 39},  {628, 78},  {632, 79},  {636, 80},  {648, 82}, {652, 83},
        {656, 84}, {660, 85},  {664, 86},  {668, 87},  {672, 88},  {676, 89},  {680, 90}, {684, 91},
        {688, 95}, {692, 96},  {704, 100}, {708, 101}, {712, 106}, {716, 109},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        int value = 0;
        (void)smrf_cuda_attribute(&value, same[i].attribute);
        put_(at, same[i].offset, 4, (uint32_t)value);
    }
    memcpy(at, p->name, sizeof p->name);
    put_(at, 288, 8, p->memory_bytes);
    put_(at, 296, 8, 49152); /* sharedMemPerBlock */
    put_(at, 352, 8, 65536); /* totalConstMem */
    put_(at, 368, 8, 512);   /* textureAlignment */
    put_(at, 376, 8, 32);    /* texturePitchAlignment */
    put_(at, 568, 8, 512);   /* surfaceAlignment */
    put_(at, 640, 8, p->sm_shared_bytes);
    put_(at, 696, 8, p->block_shared_optin);
    put_(at, 720, 8, p->reserved_shared);
}

#define BYTES_11 728  /* of CUDA 10 and 11 */
#define BYTES_12 1032 /* .. of CUDA 12 */
#define BYTES_13 784  /* .. of CUDA 13, without its reserve */

/* CUDA 13 leaves out the clocks, deviceOverlap, kernelExecTimeoutEnabled, computeMode,
 * maxTexture1DLinear, singleToDoublePrecisionPerfRatio and cooperativeMultiDeviceLaunch. What is
 * between two of them moves together. */
static void move_to_13_(char *to, const char *from)
{
    static const struct {
        uint16_t from, to, bytes;
    } parts[] = {{0, 0, 348},     {352, 352, 32}, {388, 384, 4},  {396, 388, 8},  {408, 396, 8},
                 {420, 404, 188}, {612, 592, 28}, {640, 624, 28}, {672, 652, 20}, {696, 672, 32}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memcpy(to + parts[i].to, from + parts[i].from, parts[i].bytes);
    }
}

static int properties_(char *properties, int device, size_t bytes)
{
    char whole[BYTES_12] = {0};
    if (properties == NULL || device != 0) {
        return done_(device != 0 ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    }
    smrf_cuda_lock();
    fill_properties_(whole, smrf_cuda_properties());
    smrf_cuda_unlock();
    if (bytes == BYTES_13) {
        memset(properties, 0, bytes);
        move_to_13_(properties, whole);
    } else {
        memcpy(properties, whole, bytes);
    }
    return CUDA_OK;
}

SMRF_CUDA_API int cudaGetDeviceProperties(char *properties, int device)
{
    return properties_(properties, device, SMRF_CUDART_VERSION >= 13000 ? BYTES_13 : BYTES_11);
}

SMRF_CUDA_API int cudaGetDeviceProperties_v2(char *properties, int device)
{
    return properties_(properties, device, BYTES_12);
}

/* Of devices without double precision: nothing is converted. */
SMRF_CUDA_API int cudaSetDoubleForDevice(double *value)
{
    return done_(value == NULL ? CUDA_INVALID_VALUE : CUDA_OK);
}
SMRF_ALSO(cudaSetDoubleForDevice, cudaSetDoubleForHost);
