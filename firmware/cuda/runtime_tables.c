/* SPDX-License-Identifier: Apache-2.0 */
/* What libraries of NVIDIA ask the runtime for beside the documented calls: the driver's entry
 * points, and tables of functions, which have names of 16 bytes. Two of the tables are known from
 * what cuBLAS does with them: the context of the calling thread, and the numbers of a context and
 * of a stream. */
#include "runtime.h"

#include <string.h>

int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags);

#define ENTRIES 64

static int not_provided_(void)
{
    return smrf_cuda_missing("an entry of a table that cudaGetExportTable gives",
                             CUDA_NOT_SUPPORTED);
}

static char context_; /* all of the runtime's contexts are one */

static int thread_context_(void **context)
{
    *context = &context_;
    return CUDA_OK;
}

static int context_number_(const void *context, uint64_t *number)
{
    *number = 1;
    return context == &context_ || context == NULL ? CUDA_OK : CUDA_INVALID_CONTEXT;
}

/* The stream that a handle of the runtime stands for; per_thread: it is the thread's default one.
 */
static int stream_of_(const void *context, void *handle, void **stream, int per_thread)
{
    (void)context;
    (void)per_thread;
    *stream = handle;
    return CUDA_OK;
}

static int stream_number_(const void *context, const void *stream, uint64_t *number)
{
    (void)context;
    *number = (uint64_t)(uintptr_t)stream + 1;
    return CUDA_OK;
}

typedef void (*entry)(void); /* any function */

struct table {
    size_t bytes;
    entry entry[ENTRIES - 1];
};

#define KNOWN 3U /* entries of a table that are */

static const struct {
    unsigned char id[16];
    struct {
        unsigned place;
        entry entry;
    } known[KNOWN]; /* place 0: none */
} known_[] = {
    {{0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47, 0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec,
      0xdc},
     {{2, (entry)thread_context_}}},
    {{0x21, 0x31, 0x8c, 0x60, 0x97, 0x14, 0x32, 0x48, 0x8c, 0xa6, 0x41, 0xff, 0x73, 0x24, 0xc8,
      0xf2},
     {{4, (entry)context_number_}, {39, (entry)stream_number_}, {51, (entry)stream_of_}}},
};
#define TABLES (sizeof known_ / sizeof *known_)

static void fill_(struct table *table, size_t t)
{
    table->bytes = sizeof *table;
    for (unsigned i = 1; i < ENTRIES; i++) {
        table->entry[i - 1] = (entry)not_provided_;
    }
    for (unsigned k = 0; k < KNOWN && known_[t].known[k].place != 0; k++) {
        table->entry[known_[t].known[k].place - 1] = known_[t].known[k].entry;
    }
}

SMRF_CUDA_API int cudaGetExportTable(const void **table, const unsigned char id[16])
{
    static struct table tables[TABLES];
    if (table == NULL || id == NULL) {
        return smrf_runtime_done(CUDA_INVALID_VALUE);
    }
    *table = NULL;
    for (size_t t = 0; t < TABLES; t++) {
        if (memcmp(id, known_[t].id, sizeof known_[t].id) == 0) {
            smrf_cuda_lock();
            fill_(&tables[t], t);
            smrf_cuda_unlock();
            *table = &tables[t];
            return CUDA_OK;
        }
    }
    return smrf_runtime_done(smrf_cuda_missing("cudaGetExportTable", CUDA_NOT_SUPPORTED));
}

/* *status: 0 found, 1 there is none of that name. */
static int find_(const char *name, void **function, int version, int *status)
{
    const int rc = cuGetProcAddress(name, function, version, 0);
    if (status != NULL && (rc == CUDA_OK || rc == CUDA_NOT_FOUND)) {
        *status = rc == CUDA_OK ? 0 : 1;
        return CUDA_OK;
    }
    return smrf_runtime_done(rc);
}

#if SMRF_CUDART_VERSION >= 12000
SMRF_CUDA_API int cudaGetDriverEntryPoint(const char *name, void **function, uint64_t flags,
                                          int *status)
{
    (void)flags;
    return find_(name, function, SMRF_CUDART_VERSION, status);
}

SMRF_CUDA_API int cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                                   unsigned version, uint64_t flags, int *status)
{
    (void)flags;
    return find_(name, function, (int)version, status);
}
SMRF_ALSO(cudaGetDriverEntryPointByVersion, cudaGetDriverEntryPointByVersion_ptsz);
#else
SMRF_CUDA_API int cudaGetDriverEntryPoint(const char *name, void **function, uint64_t flags)
{
    (void)flags;
    return find_(name, function, SMRF_CUDART_VERSION, NULL);
}
#endif
SMRF_ALSO(cudaGetDriverEntryPoint, cudaGetDriverEntryPoint_ptsz);
