/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's start, its devices and contexts. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 13000 /* of the newest runtime that is served */
#define MOST_CONTEXTS 64

static bool initialised_;
static struct smrf_driver_context primary_ = {.primary = true};
static unsigned primary_uses_;
static struct smrf_driver_context *contexts_;
static _Thread_local struct smrf_driver_context *stack_[MOST_CONTEXTS];
static _Thread_local unsigned depth_;
static _Thread_local bool chosen_; /* the current context */

static bool is_initialised_(void)
{
    return initialised_ || smrf_cuda_uses_runtime();
}

/* A thread that has not said otherwise has the runtime's context, if the program uses it. */
static void adopt_(void)
{
    if (!chosen_ && depth_ == 0 && smrf_cuda_uses_runtime()) {
        stack_[depth_++] = &primary_;
    }
    chosen_ = chosen_ || depth_ != 0;
}

struct smrf_driver_context *smrf_driver_current(void)
{
    adopt_();
    return depth_ != 0 ? stack_[depth_ - 1] : NULL;
}

struct smrf_driver_context *smrf_driver_primary(void)
{
    return &primary_;
}

int smrf_driver_ready(void)
{
    return !is_initialised_()              ? (int)CUDA_NOT_INITIALIZED
           : smrf_driver_current() == NULL ? (int)CUDA_INVALID_CONTEXT
                                           : CUDA_OK;
}

SMRF_CUDA_API int cuInit(unsigned flags)
{
    int rc = flags != 0 ? (int)CUDA_INVALID_VALUE : smrf_cuda_leave(smrf_cuda_enter());
    initialised_ = initialised_ || rc == CUDA_OK;
    return rc;
}

SMRF_CUDA_API int cuDriverGetVersion(int *version)
{
    if (version == NULL) {
        return CUDA_INVALID_VALUE;
    }
    *version = VERSION;
    return CUDA_OK;
}

/* ---- devices --------------------------------------------------------------------------------- */

static int device_(int device)
{
    return !is_initialised_() ? (int)CUDA_NOT_INITIALIZED
           : device != 0      ? (int)CUDA_INVALID_DEVICE
                              : CUDA_OK;
}

SMRF_CUDA_API int cuDeviceGetCount(int *count)
{
    if (!is_initialised_() || count == NULL) {
        return !is_initialised_() ? CUDA_NOT_INITIALIZED : CUDA_INVALID_VALUE;
    }
    *count = 1;
    return CUDA_OK;
}

SMRF_CUDA_API int cuDeviceGet(int *device, int ordinal)
{
    int rc = device_(ordinal);
    if (rc == CUDA_OK) {
        *device = ordinal;
    }
    return rc;
}

SMRF_CUDA_API int cuDeviceGetName(char *name, int room, int device)
{
    int rc = device_(device);
    if (rc == CUDA_OK) {
        (void)snprintf(name, (size_t)room, "%s", smrf_cuda_properties()->name);
    }
    return rc;
}

SMRF_CUDA_API int cuDeviceGetUuid(unsigned char uuid[16], int device)
{
    int rc = device_(device);
    if (rc == CUDA_OK) {
        memcpy(uuid, "smrf device no 0", 16);
    }
    return rc;
}
SMRF_ALSO(cuDeviceGetUuid, cuDeviceGetUuid_v2);

SMRF_CUDA_API int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    int rc = device_(device);
    if (rc == CUDA_OK) {
        *bytes = smrf_cuda_properties()->memory_bytes;
    }
    return rc;
}
SMRF_ALSO(cuDeviceTotalMem_v2, cuDeviceTotalMem);

SMRF_CUDA_API int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    int rc = device_(device);
    return rc == CUDA_OK ? smrf_cuda_attribute(value, attribute) : rc;
}

SMRF_CUDA_API int cuDeviceComputeCapability(int *major, int *minor, int device)
{
    int rc = cuDeviceGetAttribute(major, 75, device);
    return rc == CUDA_OK ? cuDeviceGetAttribute(minor, 76, device) : rc;
}

SMRF_CUDA_API int cuDeviceGetPCIBusId(char *text, int room, int device)
{
    int rc = device_(device);
    if (rc == CUDA_OK) {
        (void)snprintf(text, (size_t)room, SMRF_CUDA_BUS);
    }
    return rc;
}

SMRF_CUDA_API int cuDeviceGetByPCIBusId(int *device, const char *text)
{
    int rc = device_(0);
    rc = rc == CUDA_OK && (device == NULL || text == NULL) ? (int)CUDA_INVALID_VALUE : rc;
    rc = rc == CUDA_OK && strcmp(text, SMRF_CUDA_BUS) != 0 ? (int)CUDA_INVALID_DEVICE : rc;
    if (rc == CUDA_OK) {
        *device = 0;
    }
    return rc;
}

SMRF_CUDA_API int cuDeviceGetTexture1DLinearMaxWidth(size_t *width, int format, unsigned channels,
                                                     int device)
{
    int rc = device_(device);
    (void)format;
    rc = rc == CUDA_OK && (width == NULL || channels == 0) ? (int)CUDA_INVALID_VALUE : rc;
    if (rc == CUDA_OK) {
        *width = SMRF_MOST_LINEAR;
    }
    return rc;
}

/* ---- contexts -------------------------------------------------------------------------------- */

static int push_(struct smrf_driver_context *c)
{
    adopt_();
    if (depth_ == MOST_CONTEXTS) {
        return CUDA_UNKNOWN;
    }
    stack_[depth_++] = c;
    return CUDA_OK;
}

SMRF_CUDA_API int cuCtxCreate_v2(struct smrf_driver_context **context, unsigned flags, int device)
{
    int rc = device_(device);
    struct smrf_driver_context *c = rc == CUDA_OK ? calloc(1, sizeof *c) : NULL;
    if (c == NULL) {
        return rc == CUDA_OK ? (int)CUDA_NO_MEMORY : rc;
    }
    c->flags = flags;
    smrf_cuda_lock();
    c->next = contexts_;
    contexts_ = c;
    smrf_cuda_unlock();
    *context = c;
    return push_(c);
}

SMRF_CUDA_API int cuCtxCreate_v3(struct smrf_driver_context **context, void *affinity, int number,
                                 unsigned flags, int device)
{
    (void)affinity;
    (void)number;
    return cuCtxCreate_v2(context, flags, device);
}

SMRF_CUDA_API int cuCtxDestroy_v2(struct smrf_driver_context *context)
{
    smrf_cuda_lock();
    struct smrf_driver_context **at = &contexts_;
    while (*at != NULL && *at != context) {
        at = &(*at)->next;
    }
    const bool found = *at != NULL;
    if (found) {
        smrf_cuda_print_flush();
        *at = context->next;
        depth_ -= smrf_driver_current() == context;
        free(context);
    }
    smrf_cuda_unlock();
    return found ? CUDA_OK : CUDA_INVALID_CONTEXT;
}

/* Contexts are not counted: who has attached to one has it. */
SMRF_CUDA_API int cuCtxDetach(struct smrf_driver_context *context)
{
    return cuCtxDestroy_v2(context);
}

SMRF_CUDA_API int cuCtxSetCurrent(struct smrf_driver_context *context)
{
    adopt_();
    chosen_ = true;
    if (context == NULL) {
        depth_ -= depth_ != 0;
    } else if (depth_ == 0) {
        return push_(context);
    } else {
        stack_[depth_ - 1] = context;
    }
    return CUDA_OK;
}

SMRF_CUDA_API int cuCtxGetCurrent(struct smrf_driver_context **context)
{
    if (!is_initialised_()) {
        return CUDA_NOT_INITIALIZED;
    }
    *context = smrf_driver_current();
    return CUDA_OK;
}

SMRF_CUDA_API int cuCtxPushCurrent_v2(struct smrf_driver_context *context)
{
    return context == NULL ? (int)CUDA_INVALID_CONTEXT : push_(context);
}

SMRF_CUDA_API int cuCtxPopCurrent_v2(struct smrf_driver_context **context)
{
    if (smrf_driver_current() == NULL) {
        return CUDA_INVALID_CONTEXT;
    }
    depth_--;
    if (context != NULL) {
        *context = stack_[depth_];
    }
    return CUDA_OK;
}

SMRF_CUDA_API int cuCtxGetDevice(int *device)
{
    int rc = smrf_driver_ready();
    if (rc == CUDA_OK) {
        *device = 0;
    }
    return rc;
}

SMRF_CUDA_API int cuCtxGetFlags(unsigned *flags)
{
    int rc = smrf_driver_ready();
    if (rc == CUDA_OK) {
        *flags = smrf_driver_current()->flags;
    }
    return rc;
}

SMRF_CUDA_API int cuCtxGetApiVersion(struct smrf_driver_context *context, unsigned *version)
{
    (void)context;
    *version = 3020;
    return CUDA_OK;
}

SMRF_CUDA_API int cuCtxSynchronize(void)
{
    int rc = smrf_driver_ready();
    return rc == CUDA_OK ? smrf_cuda_synchronize() : rc;
}

SMRF_CUDA_API int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    if (least != NULL) {
        *least = 0;
    }
    if (greatest != NULL) {
        *greatest = -5;
    }
    return CUDA_OK;
}

SMRF_CUDA_API int cuCtxSetLimit(int limit, size_t value)
{
    return smrf_cuda_limit_set(limit, value);
}

SMRF_CUDA_API int cuCtxGetLimit(size_t *value, int limit)
{
    uint64_t v = 0;
    int rc = smrf_cuda_limit_get(limit, &v);
    *value = v;
    return rc;
}

/* Preferences, without effect on results. */
SMRF_CUDA_API int cuCtxSetCacheConfig(int config)
{
    (void)config;
    return CUDA_OK;
}
SMRF_ALSO(cuCtxSetCacheConfig, cuCtxSetSharedMemConfig);

SMRF_CUDA_API int cuCtxGetCacheConfig(int *config)
{
    *config = 0;
    return CUDA_OK;
}
SMRF_ALSO(cuCtxGetCacheConfig, cuCtxGetSharedMemConfig);

SMRF_CUDA_API int cuCtxResetPersistingL2Cache(void)
{
    return CUDA_OK;
}

SMRF_CUDA_API int cuDevicePrimaryCtxRetain(struct smrf_driver_context **context, int device)
{
    int rc = device_(device);
    if (rc == CUDA_OK) {
        primary_uses_++;
        *context = &primary_;
    }
    return rc;
}

SMRF_CUDA_API int cuDevicePrimaryCtxRelease_v2(int device)
{
    int rc = device_(device);
    if (rc == CUDA_OK && primary_uses_ == 0) {
        rc = CUDA_INVALID_CONTEXT;
    }
    primary_uses_ -= rc == CUDA_OK;
    return rc;
}
SMRF_ALSO(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease);

SMRF_CUDA_API int cuDevicePrimaryCtxReset_v2(int device)
{
    int rc = device_(device);
    return rc == CUDA_OK ? smrf_cuda_reset() : rc;
}
SMRF_ALSO(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset);

SMRF_CUDA_API int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    int rc = device_(device);
    if (rc == CUDA_OK) {
        *flags = primary_.flags;
        *active = primary_uses_ != 0;
    }
    return rc;
}

SMRF_CUDA_API int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    int rc = device_(device);
    if (rc == CUDA_OK) {
        primary_.flags = flags;
    }
    return rc;
}
SMRF_ALSO(cuDevicePrimaryCtxSetFlags_v2, cuDevicePrimaryCtxSetFlags);

SMRF_CUDA_API int cuProfilerStart(void)
{
    return CUDA_OK;
}
SMRF_ALSO(cuProfilerStart, cuProfilerStop);

/* ---- errors ---------------------------------------------------------------------------------- */

/* The driver's names of those that programs print most; others bear the runtime's. */
static const struct {
    int code;
    const char *name;
} names_[] = {
    {0, "CUDA_SUCCESS"},
    {1, "CUDA_ERROR_INVALID_VALUE"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY"},
    {3, "CUDA_ERROR_NOT_INITIALIZED"},
    {4, "CUDA_ERROR_DEINITIALIZED"},
    {100, "CUDA_ERROR_NO_DEVICE"},
    {101, "CUDA_ERROR_INVALID_DEVICE"},
    {200, "CUDA_ERROR_INVALID_IMAGE"},
    {201, "CUDA_ERROR_INVALID_CONTEXT"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {218, "CUDA_ERROR_INVALID_PTX"},
    {300, "CUDA_ERROR_INVALID_SOURCE"},
    {301, "CUDA_ERROR_FILE_NOT_FOUND"},
    {400, "CUDA_ERROR_INVALID_HANDLE"},
    {500, "CUDA_ERROR_NOT_FOUND"},
    {600, "CUDA_ERROR_NOT_READY"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
    {710, "CUDA_ERROR_ASSERT"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {719, "CUDA_ERROR_LAUNCH_FAILED"},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
    {801, "CUDA_ERROR_NOT_SUPPORTED"},
    {999, "CUDA_ERROR_UNKNOWN"},
};

SMRF_CUDA_API int cuGetErrorName(int code, const char **name)
{
    *name = smrf_cuda_error_name(code);
    for (size_t i = 0; i < sizeof names_ / sizeof *names_; i++) {
        if (names_[i].code == code) {
            *name = names_[i].name;
        }
    }
    return *name != NULL ? CUDA_OK : CUDA_INVALID_VALUE;
}

SMRF_CUDA_API int cuGetErrorString(int code, const char **text)
{
    *text = smrf_cuda_error_text(code);
    return *text != NULL ? CUDA_OK : CUDA_INVALID_VALUE;
}
