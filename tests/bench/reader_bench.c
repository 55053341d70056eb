/* SPDX-License-Identifier: Apache-2.0 */
/* How fast traces are read: parses every block and takes every instruction, a few blocks resident
 * at a time as SMs would have them.  usage: bench-reader TRACE [resident blocks] */
#define _POSIX_C_SOURCE 200809L
#include "traces/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define RESIDENT_MAX 4096

static double seconds_(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One instruction of every warp in turn, until all are empty. Returns instructions or an error. */
static int64_t drain_(struct smrf_trace_block *block, uint64_t *check)
{
    static struct smrf_inst inst;
    int64_t taken = 0;
    uint32_t warps = smrf_trace_block_warps(block);
    for (int64_t before = -1; before != taken;) {
        before = taken;
        for (uint32_t w = 0; w < warps; w++) {
            int rc = smrf_trace_next_inst(block, w, &inst);
            if (rc < 0) {
                return rc;
            }
            if (rc == 0) {
                continue;
            }
            taken++;
            *check += inst.mask + inst.op->op_class;
        }
    }
    return taken;
}

int main(int argc, char **argv)
{
    static struct smrf_trace_block *resident[RESIDENT_MAX];
    struct smrf_kernel_info info;
    struct smrf_trace *trace;
    size_t room = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 16;
    uint64_t check = 0;
    int64_t taken = 0;
    if (argc < 2 || room == 0 || room > RESIDENT_MAX) {
        fprintf(stderr, "usage: bench-reader TRACE [resident blocks, 1 to %d]\n", RESIDENT_MAX);
        return 2;
    }
    double start = seconds_();
    double draining = 0;
    int rc = smrf_trace_open(&trace, argv[1], NULL);
    while (rc >= 0 && (rc = smrf_trace_next_kernel(trace, &info)) > 0) {
        size_t have = 0;
        for (;;) {
            while (have < room && (rc = smrf_trace_next_block(trace, &resident[have])) > 0) {
                have++;
            }
            if (have == 0 || rc < 0) {
                break;
            }
            double from = seconds_();
            while (have > 0) {
                int64_t n = drain_(resident[--have], &check);
                smrf_trace_release_block(trace, resident[have]);
                if (n < 0) {
                    rc = (int)n;
                }
                taken += n < 0 ? 0 : n;
            }
            draining += seconds_() - from;
            if (rc < 0) {
                break;
            }
        }
        while (have > 0) {
            smrf_trace_release_block(trace, resident[--have]);
        }
        if (rc < 0) {
            break;
        }
    }
    double wall = seconds_() - start;
    if (rc < 0) {
        fprintf(stderr, "%s\n", smrf_trace_error(trace));
        smrf_trace_close(trace);
        return 3;
    }
    const struct smrf_trace_totals *sum = smrf_trace_totals_get(trace);
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    printf("kernels %llu  blocks %llu  warps %llu  lines %llu  thread instructions %llu\n",
           (unsigned long long)sum->kernels, (unsigned long long)sum->blocks,
           (unsigned long long)sum->warps, (unsigned long long)sum->warp_insts,
           (unsigned long long)sum->thread_insts);
    printf("unknown opcodes %llu  digest %016llx  spilled %llu  peak memory %ld KiB  check %llx\n",
           (unsigned long long)sum->unknown_opcodes, (unsigned long long)sum->digest,
           (unsigned long long)sum->spilled_bytes, usage.ru_maxrss, (unsigned long long)check);
    printf("%.3f s: %.2f million lines/s (parsing %.2f, taking %.2f)\n", wall,
           1e-6 * (double)taken / wall, 1e-6 * (double)taken / (wall - draining),
           1e-6 * (double)taken / draining);
    double user = (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
    double system = (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
    printf("processor: user %.3f s, system %.3f s: %.2f million lines a processor second\n", user,
           system, 1e-6 * (double)taken / (user + system));
    for (size_t i = 0; smrf_trace_warning(trace, i) != NULL; i++) {
        printf("warning: %s\n", smrf_trace_warning(trace, i));
    }
    smrf_trace_close(trace);
    return 0;
}
