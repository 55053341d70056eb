/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "core.h"
#include "session.h"

#include "firmware/exec/space.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GIVE_WAY_US 20000

static pthread_mutex_t lock_ = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct smrf_device *device_;
static bool started_;
static int broken_; /* why there is no device */
static int fault_;  /* of a launch: every later call returns it */

/* What printf wrote since the last point at which the runtime shows it. */
static char *printed_;
static size_t printed_bytes_, printed_room_;

static void print_(void *ctx, bool is_error, const char *text, size_t bytes)
{
    (void)ctx;
    if (is_error) {
        (void)fwrite(text, 1, bytes, stderr);
        return;
    }
    if (printed_bytes_ + bytes > printed_room_) {
        size_t room = 2 * printed_room_ + bytes + 4096;
        char *grown = realloc(printed_, room);
        if (grown == NULL) {
            return;
        }
        printed_ = grown;
        printed_room_ = room;
    }
    memcpy(printed_ + printed_bytes_, text, bytes);
    printed_bytes_ += bytes;
}

void smrf_cuda_print_flush(void)
{
    if (printed_bytes_ != 0) {
        (void)fwrite(printed_, 1, printed_bytes_, stdout);
        (void)fflush(stdout);
        printed_bytes_ = 0;
    }
}

/* Numbers of cudaLimit... and CU_LIMIT_...; what the device's defaults are. */
enum { LIMIT_STACK, LIMIT_PRINT, LIMIT_HEAP, LIMITS = 7 };
static uint64_t limit_[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
static bool stack_set_;

static void apply_limits_(void)
{
    const uint64_t least_heap = smrf_cuda_option_number("heap", 0);
    const struct smrf_device_limits limits = {
        /* A kernel that states what it needs gets it, whatever the limit is. */
        .stack_bytes = stack_set_ && limit_[LIMIT_STACK] > 1024
                           ? (uint32_t)limit_[LIMIT_STACK]
                           : (uint32_t)smrf_cuda_option_number("stack", 0),
        .heap_bytes = limit_[LIMIT_HEAP] > least_heap ? limit_[LIMIT_HEAP] : least_heap,
        .max_insts_per_warp = smrf_cuda_option_number("runaway", 0),
        .threads = (unsigned)smrf_cuda_option_number("threads", 0),
        .stop = smrf_session_stop(),
        .print = print_,
    };
    smrf_device_limit(device_, &limits);
}

int smrf_cuda_limit_set(int limit, uint64_t value)
{
    int rc = smrf_cuda_enter();
    if (rc == CUDA_OK && (limit < 0 || limit >= LIMITS)) {
        rc = CUDA_NOT_SUPPORTED;
    }
    if (rc == CUDA_OK && limit == LIMIT_STACK && value > SMRF_EXEC_MAX_STACK) {
        rc = CUDA_INVALID_VALUE;
    }
    if (rc == CUDA_OK) {
        limit_[limit] = value;
        stack_set_ = stack_set_ || limit == LIMIT_STACK;
        apply_limits_();
    }
    return smrf_cuda_leave(rc);
}

int smrf_cuda_limit_get(int limit, uint64_t *value)
{
    if (limit < 0 || limit >= LIMITS) {
        return CUDA_NOT_SUPPORTED;
    }
    *value = limit_[limit];
    return CUDA_OK;
}

static void start_(void)
{
    started_ = true;
    int rc = smrf_device_create_mapped(&device_, SMRF_CUDA_ARENA, SMRF_CUDA_ARENA_BYTES);
    if (rc < 0) {
        fputs("smrf: no room in this process's address space for device memory\n", stderr);
        broken_ = CUDA_NO_MEMORY;
        return;
    }
    smrf_space_be_lenient(smrf_device_space(device_));
    apply_limits_();
    broken_ = smrf_cuda_session_start(device_) == 0 ? CUDA_OK : CUDA_NOT_INITIALIZED;
}

void smrf_cuda_lock(void)
{
    (void)pthread_mutex_lock(&lock_);
    if (!started_) {
        start_();
    }
}

void smrf_cuda_unlock(void)
{
    (void)pthread_mutex_unlock(&lock_);
    if (smrf_session_stopped()) { /* let the thread have it that completes the trace */
        (void)usleep(GIVE_WAY_US);
    }
}

int smrf_cuda_enter(void)
{
    smrf_cuda_lock();
    return broken_ != CUDA_OK ? broken_ : fault_;
}

int smrf_cuda_leave(int rc)
{
    smrf_cuda_unlock();
    return rc;
}

struct smrf_device *smrf_cuda_device(void)
{
    return device_;
}

void smrf_cuda_fault(int code)
{
    fault_ = fault_ == CUDA_OK ? code : fault_;
}

int smrf_cuda_synchronize(void)
{
    int rc = smrf_cuda_enter();
    smrf_cuda_print_flush();
    return smrf_cuda_leave(rc);
}

int smrf_cuda_reset(void)
{
    smrf_cuda_lock();
    smrf_cuda_print_flush();
    fault_ = CUDA_OK;
    smrf_cuda_unlock();
    return CUDA_OK;
}

static atomic_bool runtime_;

void smrf_cuda_use_runtime(void)
{
    atomic_store_explicit(&runtime_, true, memory_order_relaxed);
}

bool smrf_cuda_uses_runtime(void)
{
    return atomic_load_explicit(&runtime_, memory_order_relaxed);
}

int smrf_cuda_missing(const char *call, int code)
{
    smrf_cuda_lock();
    smrf_session_note(SMRF_NOTE_MISSING, call);
    smrf_cuda_unlock();
    return code;
}

/* ---- error codes ----------------------------------------------------------------------------- */

static const struct {
    int code;
    const char *name, *text;
} errors_[] = {
#define SMRF_CUDA_ERROR(code, name, text) {code, #name, text},
#include "errors.def"
#undef SMRF_CUDA_ERROR
};

const char *smrf_cuda_error_name(int code)
{
    for (size_t i = 0; i < sizeof errors_ / sizeof *errors_; i++) {
        if (errors_[i].code == code) {
            return errors_[i].name;
        }
    }
    return NULL;
}

const char *smrf_cuda_error_text(int code)
{
    for (size_t i = 0; i < sizeof errors_ / sizeof *errors_; i++) {
        if (errors_[i].code == code) {
            return errors_[i].text;
        }
    }
    return NULL;
}
