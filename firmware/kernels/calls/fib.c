/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the Fibonacci numbers. */
#include "firmware/kernels/calls/calls.h"

#define MAX_THREADS 655360
#define DEFAULT_DEPTH 8 /* CARS, table I */
#define MAX_DEPTH 24    /* instructions grow by 1.6 a level */
#define INLINED_DEPTH 8 /* of the template in fib.cu */
#define BLOCK 128

struct work {
    int32_t got[MAX_THREADS], want[MAX_THREADS];
};

static const int thread_counts[SMRF_SIZES] = {64, 12288, 655360};

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int count = thread_counts[run->size];
    int depth = run->depth ? (int)run->depth : DEFAULT_DEPTH;
    size_t bytes = sizeof(int32_t) * (size_t)count;
    uint32_t modulus = 1009;
    smrf_dptr out;
    SMRF_TRY(smrf_suite_buffer(run, &out, NULL, bytes));
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "fib", smrf_work_grid(count, BLOCK), smrf_work_dim(BLOCK, 1),
                              &out, &depth, &modulus, &count));
    SMRF_TRY(smrf_device_read(run->device, work->got, out, bytes));
    int fibonacci[MAX_DEPTH + 1] = {0, 1};
    for (int i = 2; i <= depth; i++) {
        fibonacci[i] = (fibonacci[i - 1] + fibonacci[i - 2]) % (int)modulus;
    }
    for (int i = 0; i < count; i++) {
        work->want[i] = fibonacci[depth - (i & 1)] + i;
    }
    return smrf_suite_check_i32(run, "number", work->got, work->want, (size_t)count);
}

static int run_to_(struct smrf_suite_run *run, uint32_t limit)
{
    if (run->depth > limit) {
        snprintf(run->error, sizeof run->error, "depth %u: choose 1 to %u", run->depth, limit);
        return SMRF_ERR_INVAL;
    }
    return smrf_work(run, sizeof(struct work), body_);
}

static int run_calls_(struct smrf_suite_run *run)
{
    return run_to_(run, MAX_DEPTH);
}

static int run_inlined_(struct smrf_suite_run *run)
{
    return run_to_(run, INLINED_DEPTH);
}

const struct smrf_suite_program smrf_suite_fib = {
    "fib",
    "calls",
    "Fibonacci numbers by recursion, depth selectable",
    "fib",
    {"64 threads, depth 8", "12288 threads, depth 8", "655360 threads, depth 8"},
    .run = run_calls_};
const struct smrf_suite_program smrf_suite_fib_inlined = {
    "fib-inlined",
    "calls",
    "Fibonacci numbers by recursion, inlined to depth 8",
    "fib-inlined",
    {"64 threads, depth 8", "12288 threads, depth 8", "655360 threads, depth 8"},
    .run = run_inlined_};
/* Its library module has one function. */
const struct smrf_suite_program smrf_suite_fib_modules = {
    "fib-modules",
    "calls",
    "Fibonacci numbers by recursion, a function a module",
    "fib",
    {"64 threads, depth 8", "12288 threads, depth 8", "655360 threads, depth 8"},
    .run = run_calls_};
