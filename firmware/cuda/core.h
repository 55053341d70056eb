/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA device that programs see: one for a process, behind both the runtime's and the driver's
 * entry points. Every call runs to its end before it returns, so streams are in order by
 * construction. Functions return the API's error codes, which runtime and driver share. */
#ifndef SMRF_CUDA_CORE_H
#define SMRF_CUDA_CORE_H

#include "firmware/launch/device.h"

#define SMRF_CUDA_API __attribute__((visibility("default")))

/* Addresses that the device and the program share. Neither the program's own mappings nor its heap
 * lie there on x86-64, with address randomisation or without it. */
#define SMRF_CUDA_ARENA UINT64_C(0x200000000000)
#define SMRF_CUDA_ARENA_BYTES (UINT64_C(8) << 40)

enum smrf_cuda_error {
    CUDA_OK = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_NO_MEMORY = 2,
    CUDA_NOT_INITIALIZED = 3,
    CUDA_INVALID_CONFIGURATION = 9, /* the runtime's */
    CUDA_INVALID_PITCH = 12,        /* the runtime's */
    CUDA_INVALID_SYMBOL = 13,       /* the runtime's */
    CUDA_INVALID_TEXTURE = 18,      /* the runtime's */
    CUDA_INVALID_CHANNEL = 20,      /* the runtime's */
    CUDA_INVALID_DIRECTION = 21,    /* the runtime's */
    CUDA_INVALID_FILTER = 26,       /* the runtime's */
    CUDA_INVALID_NORM = 27,         /* the runtime's */
    CUDA_INVALID_SURFACE = 37,      /* the runtime's */
    CUDA_MISSING_CONFIGURATION = 52,
    CUDA_INVALID_FUNCTION = 98, /* the runtime's */
    CUDA_INVALID_DEVICE = 101,
    CUDA_INVALID_IMAGE = 200,
    CUDA_INVALID_CONTEXT = 201,
    CUDA_NO_BINARY = 209,
    CUDA_PEER_UNSUPPORTED = 217,
    CUDA_INVALID_SOURCE = 300,
    CUDA_FILE_NOT_FOUND = 301,
    CUDA_INVALID_HANDLE = 400,
    CUDA_NOT_FOUND = 500,
    CUDA_NOT_READY = 600,
    CUDA_ILLEGAL_ADDRESS = 700,
    CUDA_OUT_OF_RESOURCES = 701,
    CUDA_TIMEOUT = 702,
    CUDA_PEER_ENABLED = 704,
    CUDA_PEER_NOT_ENABLED = 705,
    CUDA_ASSERT = 710,
    CUDA_HOST_REGISTERED = 712,
    CUDA_HOST_NOT_REGISTERED = 713,
    CUDA_MISALIGNED = 716,
    CUDA_LAUNCH_FAILED = 719,
    CUDA_COOPERATIVE_TOO_LARGE = 720,
    CUDA_NOT_SUPPORTED = 801,
    CUDA_CAPTURE_UNSUPPORTED = 900,
    CUDA_CAPTURE_INVALIDATED = 901,
    CUDA_CAPTURE_MERGE = 902,
    CUDA_CAPTURE_UNMATCHED = 903,
    CUDA_CAPTURE_UNJOINED = 904,
    CUDA_CAPTURE_ISOLATION = 905,
    CUDA_CAPTURE_IMPLICIT = 906,
    CUDA_CAPTURED_EVENT = 907,
    CUDA_UPDATE_FAILED = 910,
    CUDA_UNKNOWN = 999
};

/* ---- the process (core.c) -------------------------------------------------------------------- */

/* Takes the lock and starts the device on the first call. Returns the error that a failed launch
 * left behind, which every later call returns as well; the lock is held in any case. */
SMRF_CUDA_API int smrf_cuda_enter(void);
SMRF_CUDA_API int smrf_cuda_leave(int rc); /* returns rc */
/* Like enter, where an error that a launch left is no obstacle. */
SMRF_CUDA_API void smrf_cuda_lock(void);
SMRF_CUDA_API void smrf_cuda_unlock(void);
SMRF_CUDA_API struct smrf_device *smrf_cuda_device(void);
/* Waits for all work: what printf wrote becomes visible. */
SMRF_CUDA_API int smrf_cuda_synchronize(void);
/* Limits of the device by the API's numbers: 0 the stack, 1 printf's buffer, 2 the heap. */
SMRF_CUDA_API int smrf_cuda_limit_set(int limit, uint64_t value);
SMRF_CUDA_API int smrf_cuda_limit_get(int limit, uint64_t *value);
/* As cudaDeviceReset: memory and modules stay, the error of a failed launch goes. */
SMRF_CUDA_API int smrf_cuda_reset(void);
/* The program calls the runtime, which starts the driver and makes its own context current. */
SMRF_CUDA_API void smrf_cuda_use_runtime(void);
SMRF_CUDA_API bool smrf_cuda_uses_runtime(void);
/* Notes a call that is not provided, for the list at the end; returns code. */
SMRF_CUDA_API int smrf_cuda_missing(const char *call, int code);
SMRF_CUDA_API const char *smrf_cuda_error_name(int code); /* NULL: no such code */
SMRF_CUDA_API const char *smrf_cuda_error_text(int code);
void smrf_cuda_print_flush(void); /* with the lock held */
void smrf_cuda_fault(int code);   /* records that a launch has failed */

#define SMRF_CUDA_BUS "0000:01:00.0"         /* where the device is */
#define SMRF_MOST_LINEAR (UINT64_C(1) << 28) /* texels of linear memory, of a texture */

/* ---- the device's properties (properties.c) -------------------------------------------------- */

struct smrf_cuda_properties {
    char name[64];
    uint32_t major, minor;
    uint32_t sms;
    uint32_t core_khz, memory_khz, memory_bits;
    uint64_t memory_bytes;
    uint32_t l2_bytes;
    uint32_t sm_threads, sm_blocks, sm_shared_bytes, block_shared_optin, reserved_shared;
};
SMRF_CUDA_API const struct smrf_cuda_properties *smrf_cuda_properties(void);
/* An image has machine code for these architectures. Unless the user has chosen a device, the
 * images offered before the program's first question decide. */
void smrf_cuda_properties_offer(const unsigned *sm, unsigned num);
SMRF_CUDA_API int smrf_cuda_attribute(int *value, int attribute);

/* ---- memory (memory.c) ----------------------------------------------------------------------- */

enum smrf_cuda_memory {
    SMRF_MEMORY_UNKNOWN, /* the host's own */
    SMRF_MEMORY_HOST,    /* page-locked: from cudaMallocHost, or registered */
    SMRF_MEMORY_DEVICE,
    SMRF_MEMORY_MANAGED
};

SMRF_CUDA_API int smrf_cuda_alloc(void **address, uint64_t bytes, enum smrf_cuda_memory kind,
                                  unsigned flags);
/* Frees what smrf_cuda_alloc gave, if it is of that kind (managed memory counts as the device's).
 * NULL is allowed. */
SMRF_CUDA_API int smrf_cuda_free(void *address, enum smrf_cuda_memory kind);
SMRF_CUDA_API int smrf_cuda_register(void *address, uint64_t bytes, unsigned flags);
SMRF_CUDA_API int smrf_cuda_unregister(void *address);
/* What lies at the address; base and bytes of its allocation, its flags. */
SMRF_CUDA_API enum smrf_cuda_memory smrf_cuda_memory_at(const void *address, void **base,
                                                        uint64_t *bytes, unsigned *flags);
SMRF_CUDA_API void smrf_cuda_memory_sizes(uint64_t *free_bytes, uint64_t *total);
/* Memory of a graph: there until the program ends, in use from the node that allocates it to the
 * one that frees it, or to the program's own call. */
SMRF_CUDA_API int smrf_cuda_graph_alloc(void **address, uint64_t bytes);
void smrf_cuda_graph_use(const void *address, bool used);
/* cudaGraphMemAttributeType: 0 used, 1 the most of it, 2 reserved, 3 the most of it. `set` is for
 * the highs alone, to 0. */
SMRF_CUDA_API int smrf_cuda_graph_memory(int attribute, uint64_t *value, bool set);

/* Pools of it (pools.c). */
SMRF_CUDA_API void *smrf_cuda_pool_default(void);
SMRF_CUDA_API int smrf_cuda_pool_create(void **pool);
SMRF_CUDA_API int smrf_cuda_pool_destroy(void *pool);
SMRF_CUDA_API int smrf_cuda_pool_check(void *pool); /* is it one? */
SMRF_CUDA_API int smrf_cuda_pool_current(void **pool);
SMRF_CUDA_API int smrf_cuda_pool_choose(void *pool); /* becomes the current one */
SMRF_CUDA_API int smrf_cuda_pool_attribute(void *pool, int attribute, void *value, bool set);
/* cudaMemLocation, cudaMemAccessDesc. */
struct smrf_cuda_location {
    int type, number;
};
struct smrf_cuda_access {
    struct smrf_cuda_location location;
    int flags;
};
SMRF_CUDA_API int smrf_cuda_pool_access(void *pool, const struct smrf_cuda_access *list,
                                        size_t number);
SMRF_CUDA_API int smrf_cuda_pool_access_of(int *flags, void *pool,
                                           const struct smrf_cuda_location *location);

enum smrf_cuda_direction {
    SMRF_HOST_TO_HOST,
    SMRF_HOST_TO_DEVICE,
    SMRF_DEVICE_TO_HOST,
    SMRF_DEVICE_TO_DEVICE,
    SMRF_COPY_ANY /* the addresses decide which */
};

/* A box of bytes: rows of a slice, slices of a volume. Pitches count bytes; slice_rows counts the
 * rows from one slice to the next. */
struct smrf_cuda_place {
    uint8_t *at;
    uint64_t pitch, slice_rows;
};
SMRF_CUDA_API int smrf_cuda_copy(void *to, const void *from, uint64_t bytes, int direction);
SMRF_CUDA_API int smrf_cuda_copy_box(struct smrf_cuda_place to, struct smrf_cuda_place from,
                                     uint64_t width, uint64_t height, uint64_t depth,
                                     int direction);
/* Fills a box with a value of `size` bytes (1, 2, 4); width counts bytes. */
SMRF_CUDA_API int smrf_cuda_fill(struct smrf_cuda_place to, uint32_t value, unsigned size,
                                 uint64_t width, uint64_t height, uint64_t depth);

/* ---- modules and launches (modules.c, launch.c) ---------------------------------------------- */

struct smrf_cuda_module;
struct smrf_cuda_kernel;

/* An image: a fat binary, a cubin or a listing. It is read when something of it is first needed;
 * the image must stay until then. bytes 0: not known. */
SMRF_CUDA_API int smrf_cuda_module_add(struct smrf_cuda_module **module, const void *image,
                                       uint64_t bytes);
SMRF_CUDA_API int smrf_cuda_module_load(struct smrf_cuda_module *module);
SMRF_CUDA_API void smrf_cuda_module_remove(struct smrf_cuda_module *module);
SMRF_CUDA_API struct smrf_device_module *smrf_cuda_module_device(struct smrf_cuda_module *module);
/* The same name gives the same kernel. */
SMRF_CUDA_API int smrf_cuda_module_kernel(struct smrf_cuda_module *module,
                                          struct smrf_cuda_kernel **kernel, const char *name);
SMRF_CUDA_API int smrf_cuda_module_symbol(struct smrf_cuda_module *module, const char *name,
                                          void **address, uint64_t *bytes);

/* Whether a kernel uses a texture or surface reference of that name. */
SMRF_CUDA_API bool smrf_cuda_module_names(struct smrf_cuda_module *module, const char *name);

struct smrf_cuda_kernel {
    struct smrf_cuda_kernel *next;
    struct smrf_cuda_module *module;
    const struct smrf_sass_function *entry;
    struct smrf_device_function *function; /* NULL: not decoded yet */
    int refused;                           /* error of the decoding, 0 = none */
    uint32_t max_dynamic_shared;
    int carveout;
    bool told_past[2]; /* that it reads, that it writes past the end of an allocation */
};

struct smrf_cuda_launch {
    struct smrf_cuda_kernel *kernel;
    struct smrf_exec_dim grid, block;
    uint64_t shared; /* dynamic, bytes */
    void *const *args;
    const void *params; /* instead of args: the parameter block, */
    uint64_t param_bytes;
    bool cooperative;
};
SMRF_CUDA_API int smrf_cuda_launch(const struct smrf_cuda_launch *launch);
/* cudaFuncAttribute..., CU_FUNC_ATTRIBUTE_... of those that can be set. */
SMRF_CUDA_API int smrf_cuda_kernel_set(struct smrf_cuda_kernel *kernel, int attribute, int value);
/* Bytes of the module's __constant__ variables. */
SMRF_CUDA_API uint32_t smrf_cuda_kernel_const_bytes(const struct smrf_cuda_kernel *kernel);
/* Bytes of its static shared memory without those that the system has for itself. */
SMRF_CUDA_API uint32_t smrf_cuda_kernel_shared(const struct smrf_cuda_kernel *kernel);
SMRF_CUDA_API uint32_t smrf_cuda_kernel_max_threads(const struct smrf_cuda_kernel *kernel);
/* Resident blocks of an SM. */
SMRF_CUDA_API uint32_t smrf_cuda_occupancy(const struct smrf_cuda_kernel *kernel, uint32_t threads,
                                           uint64_t dynamic_shared);

/* The most dynamic shared memory of a block with which an SM holds `blocks` of them. */
SMRF_CUDA_API uint32_t smrf_cuda_available_shared(const struct smrf_cuda_kernel *kernel,
                                                  uint32_t blocks);

/* ---- streams and events (streams.c) ---------------------------------------------------------- */

/* A list's entry begins with its link. */
struct smrf_cuda_link {
    struct smrf_cuda_link *next;
};

static inline void smrf_cuda_link_add(struct smrf_cuda_link **list, struct smrf_cuda_link *entry)
{
    entry->next = *list;
    *list = entry;
}

/* What in the list has this address: the pointer that leads to it, to NULL if there is none. */
static inline struct smrf_cuda_link **smrf_cuda_link_find(struct smrf_cuda_link **list,
                                                          const void *entry)
{
    while (*list != NULL && (const void *)*list != entry) {
        list = &(*list)->next;
    }
    return list;
}

/* False: it is not in the list. */
static inline bool smrf_cuda_link_remove(struct smrf_cuda_link **list, const void *entry)
{
    struct smrf_cuda_link **at = smrf_cuda_link_find(list, entry);
    if (*at == NULL) {
        return false;
    }
    *at = (*at)->next;
    return true;
}

/* A place in a capture (graph.h): the nodes that the next one waits for. */
struct smrf_cuda_mark {
    struct smrf_cuda_capture *of; /* NULL = none */
    struct smrf_cuda_node **last;
    size_t num;
};
/* What streams and kernels may ask for that changes no result. */
struct smrf_cuda_hints {
    uint8_t window[32]; /* of addresses that L2 is to keep */
    int wait;           /* how the host waits */
    int priority;
};
struct smrf_cuda_stream {
    struct smrf_cuda_link link;
    unsigned flags;
    struct smrf_cuda_hints hints;
    struct smrf_cuda_mark mark;
};
struct smrf_cuda_event {
    struct smrf_cuda_link link;
    unsigned flags;
    bool recorded;
    double time;                /* seconds */
    struct smrf_cuda_mark mark; /* recorded by a stream that captures */
};
#define SMRF_EVENT_NO_TIMING 2U
#define SMRF_EVENT_EXTERNAL 1U /* recorded or waited for by a node of a graph */

struct smrf_cuda_link *smrf_cuda_streams(void);
struct smrf_cuda_link *smrf_cuda_events(void);

SMRF_CUDA_API int smrf_cuda_stream_create(void **stream, unsigned flags, int priority);
SMRF_CUDA_API int smrf_cuda_stream_destroy(void *stream);
/* 0, CUDA_INVALID_HANDLE; *found NULL for the default streams. */
SMRF_CUDA_API int smrf_cuda_stream_find(void *stream, struct smrf_cuda_stream **found);
/* With the lock held; NULL: there is no such stream. */
SMRF_CUDA_API struct smrf_cuda_hints *smrf_cuda_stream_hints(void *stream);
SMRF_CUDA_API int smrf_cuda_event_create(void **event, unsigned flags);
SMRF_CUDA_API int smrf_cuda_event_destroy(void *event);
SMRF_CUDA_API int smrf_cuda_event_record(void *event, void *stream);
SMRF_CUDA_API int smrf_cuda_event_wait(void *event, void *stream);
SMRF_CUDA_API int smrf_cuda_event_query(void *event);
SMRF_CUDA_API int smrf_cuda_event_find(void *event, struct smrf_cuda_event **found);
SMRF_CUDA_API int smrf_cuda_event_elapsed(float *milliseconds, void *start, void *end);

/* ---- options and the trace (options.c, session.c) -------------------------------------------- */

#define SMRF_CUDA_OPTIONS "SMRF_CUDA_OPTIONS" /* environment variable: lines of key=value */

/* NULL where there are none: the program runs without a command around it. */
const char *smrf_cuda_option(const char *key);
uint64_t smrf_cuda_option_number(const char *key, uint64_t unset);

/* Begin to listen to the device; called with the lock held. */
int smrf_cuda_session_start(struct smrf_device *device);
void smrf_cuda_session_print(bool is_error, const char *text, size_t bytes);

#endif
