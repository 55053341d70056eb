/* SPDX-License-Identifier: Apache-2.0 */
/* Device, page-locked and managed memory. All of it lies at the same address for the device and
 * for the program. Addresses only grow, so that they are the same in every run. */
#include "core.h"

#include "firmware/exec/space.h"

#include <stdlib.h>
#include <string.h>

/* Regions of the shared addresses; modules' data is below them. */
#define REGION_BASE UINT64_C(0x210000000000)
#define REGION_BYTES (UINT64_C(1) << 40)
#define ALIGN UINT64_C(512) /* as the driver's allocator */

/* Page-locked memory, which has flags; registered memory, which the program owns. */
struct host_range {
    struct host_range *next;
    uint8_t *base;
    uint64_t bytes;
    unsigned flags;
    bool registered;
};

/* Memory that a graph allocates. */
struct graph_range {
    struct smrf_cuda_link link;
    const void *base;
    uint64_t bytes;
    bool used;
};

static struct host_range *hosts_;
static struct smrf_cuda_link *graphs_;
static uint64_t next_[4], used_;
static uint64_t graph_bytes_[4]; /* as cudaGraphMemAttributeType numbers them */

static uint64_t region_(enum smrf_cuda_memory kind)
{
    return REGION_BASE + REGION_BYTES * (uint64_t)kind;
}

static struct host_range *host_at_(const void *address)
{
    struct host_range *h = hosts_;
    while (h != NULL && (uintptr_t)address - (uintptr_t)h->base >= (h->bytes != 0 ? h->bytes : 1)) {
        h = h->next;
    }
    return h;
}

enum smrf_cuda_memory smrf_cuda_memory_at(const void *address, void **base, uint64_t *bytes,
                                          unsigned *flags)
{
    const uint64_t at = (uint64_t)(uintptr_t)address;
    uint64_t start = 0;
    *flags = 0;
    const struct host_range *h = host_at_(address);
    if (h != NULL) {
        *base = h->base;
        *bytes = h->bytes;
        *flags = h->flags;
        return SMRF_MEMORY_HOST;
    }
    if (!smrf_space_near(smrf_device_space(smrf_cuda_device()), at, &start, bytes) ||
        at - start >= *bytes) {
        *base = NULL;
        *bytes = 0;
        return SMRF_MEMORY_UNKNOWN;
    }
    *base = (void *)(uintptr_t)start;
    return at - region_(SMRF_MEMORY_MANAGED) < REGION_BYTES ? SMRF_MEMORY_MANAGED
                                                            : SMRF_MEMORY_DEVICE;
}

void smrf_cuda_memory_sizes(uint64_t *free_bytes, uint64_t *total)
{
    *total = smrf_cuda_properties()->memory_bytes;
    *free_bytes = *total > used_ ? *total - used_ : 0;
}

static int add_host_(void *address, uint64_t bytes, unsigned flags, bool registered)
{
    struct host_range *h = calloc(1, sizeof *h);
    if (h == NULL) {
        return CUDA_NO_MEMORY;
    }
    *h = (struct host_range){hosts_, address, bytes, flags, registered};
    hosts_ = h;
    return CUDA_OK;
}

static int alloc_(void **address, uint64_t bytes, enum smrf_cuda_memory kind, unsigned flags)
{
    uint64_t *next = &next_[kind];
    *next = *next != 0 ? *next : region_(kind);
    if (bytes > REGION_BYTES - (*next - region_(kind)) - 2 * ALIGN ||
        (kind == SMRF_MEMORY_DEVICE && bytes > smrf_cuda_properties()->memory_bytes - used_)) {
        return CUDA_NO_MEMORY;
    }
    if (smrf_space_place(smrf_device_space(smrf_cuda_device()), *next, bytes) < 0) {
        return CUDA_NO_MEMORY;
    }
    *address = (void *)(uintptr_t)*next;
    int rc = kind == SMRF_MEMORY_HOST ? add_host_(*address, bytes, flags, false) : CUDA_OK;
    *next = (*next + bytes + 2 * ALIGN - 1) / ALIGN * ALIGN;
    used_ += kind == SMRF_MEMORY_DEVICE ? bytes : 0;
    return rc;
}

int smrf_cuda_alloc(void **address, uint64_t bytes, enum smrf_cuda_memory kind, unsigned flags)
{
    int rc = smrf_cuda_enter();
    if (rc == CUDA_OK && address == NULL) {
        rc = CUDA_INVALID_VALUE;
    }
    if (rc == CUDA_OK) {
        *address = NULL;
        rc = bytes == 0 ? CUDA_OK : alloc_(address, bytes, kind, flags);
    }
    return smrf_cuda_leave(rc);
}

/* ---- memory of graphs ------------------------------------------------------------------------ */

enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH };

static struct graph_range *graph_range_(const void *base)
{
    struct smrf_cuda_link *l = graphs_;
    while (l != NULL && ((struct graph_range *)(void *)l)->base != base) {
        l = l->next;
    }
    return (struct graph_range *)(void *)l;
}

static void raise_(int now, int high)
{
    graph_bytes_[high] =
        graph_bytes_[now] > graph_bytes_[high] ? graph_bytes_[now] : graph_bytes_[high];
}

int smrf_cuda_graph_alloc(void **address, uint64_t bytes)
{
    struct graph_range *g = calloc(1, sizeof *g);
    if (g == NULL || address == NULL || bytes == 0) {
        const bool valid = address != NULL && bytes != 0;
        free(g);
        return valid ? CUDA_NO_MEMORY : CUDA_INVALID_VALUE;
    }
    const int rc = smrf_cuda_alloc(address, bytes, SMRF_MEMORY_DEVICE, 0);
    if (rc != CUDA_OK) {
        free(g);
        return rc;
    }
    smrf_cuda_lock();
    g->base = *address;
    g->bytes = bytes;
    smrf_cuda_link_add(&graphs_, &g->link);
    graph_bytes_[RESERVED] += bytes;
    raise_(RESERVED, RESERVED_HIGH);
    smrf_cuda_unlock();
    return CUDA_OK;
}

void smrf_cuda_graph_use(const void *address, bool used)
{
    struct graph_range *g = graph_range_(address);
    if (g != NULL && g->used != used) {
        graph_bytes_[USED] += used ? g->bytes : -g->bytes;
        raise_(USED, USED_HIGH);
        g->used = used;
    }
}

int smrf_cuda_graph_memory(int attribute, uint64_t *value, bool set)
{
    const int rc = smrf_cuda_enter();
    if (rc != CUDA_OK || value == NULL || attribute < USED || attribute > RESERVED_HIGH ||
        (set && ((attribute != USED_HIGH && attribute != RESERVED_HIGH) || *value != 0))) {
        return smrf_cuda_leave(rc != CUDA_OK ? rc : (int)CUDA_INVALID_VALUE);
    }
    if (set) {
        graph_bytes_[attribute] = graph_bytes_[attribute - 1];
    }
    *value = graph_bytes_[attribute];
    return smrf_cuda_leave(CUDA_OK);
}

/* ---- freeing and registering ----------------------------------------------------------------- */

static void remove_host_(struct host_range *gone)
{
    struct host_range **at = &hosts_;
    while (*at != gone) {
        at = &(*at)->next;
    }
    *at = gone->next;
    free(gone);
}

static int free_(void *address, enum smrf_cuda_memory kind)
{
    void *base;
    uint64_t bytes;
    unsigned flags;
    const enum smrf_cuda_memory is = smrf_cuda_memory_at(address, &base, &bytes, &flags);
    struct host_range *h = host_at_(address);
    const bool wanted = kind == SMRF_MEMORY_HOST
                            ? h != NULL && !h->registered
                            : is == SMRF_MEMORY_DEVICE || is == SMRF_MEMORY_MANAGED;
    if (!wanted || base != address || (uintptr_t)address < REGION_BASE) {
        return CUDA_INVALID_VALUE;
    }
    const struct graph_range *g = graph_range_(address);
    if (g != NULL) { /* the graph's next run uses it again */
        const int rc = g->used ? CUDA_OK : CUDA_INVALID_VALUE;
        smrf_cuda_graph_use(address, false);
        return rc;
    }
    if (smrf_space_free(smrf_device_space(smrf_cuda_device()), (uint64_t)(uintptr_t)address) < 0) {
        return CUDA_INVALID_VALUE;
    }
    if (h != NULL) {
        remove_host_(h);
    }
    used_ -= is == SMRF_MEMORY_DEVICE ? bytes : 0;
    return CUDA_OK;
}

int smrf_cuda_free(void *address, enum smrf_cuda_memory kind)
{
    int rc = smrf_cuda_enter();
    smrf_cuda_print_flush(); /* it waits for the device */
    if (rc == CUDA_OK && address != NULL) {
        rc = free_(address, kind);
    }
    return smrf_cuda_leave(rc);
}

int smrf_cuda_register(void *address, uint64_t bytes, unsigned flags)
{
    int rc = smrf_cuda_enter();
    if (rc == CUDA_OK && (address == NULL || bytes == 0)) {
        rc = CUDA_INVALID_VALUE;
    }
    if (rc == CUDA_OK) {
        rc = smrf_space_map(smrf_device_space(smrf_cuda_device()), address, bytes);
        rc = rc == SMRF_ERR_INVAL ? CUDA_HOST_REGISTERED : rc < 0 ? CUDA_NO_MEMORY : CUDA_OK;
    }
    if (rc == CUDA_OK) {
        rc = add_host_(address, bytes, flags, true);
    }
    return smrf_cuda_leave(rc);
}

int smrf_cuda_unregister(void *address)
{
    int rc = smrf_cuda_enter();
    struct host_range *h = rc == CUDA_OK ? host_at_(address) : NULL;
    if (rc == CUDA_OK && (h == NULL || !h->registered || h->base != address)) {
        rc = CUDA_HOST_NOT_REGISTERED;
    }
    if (rc == CUDA_OK) {
        (void)smrf_space_unmap(smrf_device_space(smrf_cuda_device()), address);
        remove_host_(h);
    }
    return smrf_cuda_leave(rc);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Where the program finds [address, address + bytes); *is_device: it is memory of the device. NULL:
 * it begins in device memory and is not all of one allocation. */
static uint8_t *resolve_(const void *address, uint64_t bytes, bool *is_device)
{
    struct smrf_memory_space *space = smrf_device_space(smrf_cuda_device());
    const uint64_t at = (uint64_t)(uintptr_t)address;
    uint8_t *data = smrf_space_at(space, at, bytes);
    uint64_t start, size;
    *is_device = data != NULL;
    if (data != NULL) {
        return data;
    }
    const bool begins = smrf_space_near(space, at, &start, &size) && at - start < size;
    if (begins && host_at_(address) == NULL) {
        return NULL;
    }
    return at - SMRF_CUDA_ARENA < SMRF_CUDA_ARENA_BYTES ? NULL : (uint8_t *)(uintptr_t)address;
}

static bool direction_fits_(int direction, bool to_device, bool from_device)
{
    const bool needs_to = direction == SMRF_HOST_TO_DEVICE || direction == SMRF_DEVICE_TO_DEVICE;
    const bool needs_from = direction == SMRF_DEVICE_TO_HOST || direction == SMRF_DEVICE_TO_DEVICE;
    return (to_device || !needs_to) && (from_device || !needs_from);
}

static int copy_row_(void *to, const void *from, uint64_t bytes, int direction)
{
    bool to_device, from_device;
    uint8_t *target = resolve_(to, bytes, &to_device);
    const uint8_t *source = resolve_(from, bytes, &from_device);
    if (target == NULL || source == NULL || !direction_fits_(direction, to_device, from_device)) {
        return CUDA_INVALID_VALUE;
    }
    memmove(target, source, bytes);
    return CUDA_OK;
}

int smrf_cuda_copy_box(struct smrf_cuda_place to, struct smrf_cuda_place from, uint64_t width,
                       uint64_t height, uint64_t depth, int direction)
{
    int rc = smrf_cuda_enter();
    smrf_cuda_print_flush();
    if (rc == CUDA_OK && (direction < SMRF_HOST_TO_HOST || direction > SMRF_COPY_ANY)) {
        rc = CUDA_INVALID_DIRECTION;
    }
    if (rc == CUDA_OK && height * depth > 1 && (width > to.pitch || width > from.pitch)) {
        rc = CUDA_INVALID_PITCH;
    }
    for (uint64_t z = 0; rc == CUDA_OK && z < depth && width != 0; z++) {
        for (uint64_t y = 0; rc == CUDA_OK && y < height; y++) {
            rc = copy_row_(to.at + (z * to.slice_rows + y) * to.pitch,
                           from.at + (z * from.slice_rows + y) * from.pitch, width, direction);
        }
    }
    if (rc == CUDA_OK && width * height * depth != 0 && direction == SMRF_HOST_TO_DEVICE &&
        smrf_device_copied(smrf_cuda_device(), (uint64_t)(uintptr_t)to.at, width * height * depth) <
            0) {
        rc = CUDA_UNKNOWN;
    }
    return smrf_cuda_leave(rc);
}

int smrf_cuda_copy(void *to, const void *from, uint64_t bytes, int direction)
{
    const struct smrf_cuda_place a = {to, 0, 0}, b = {(uint8_t *)(uintptr_t)from, 0, 0};
    return smrf_cuda_copy_box(a, b, bytes, 1, 1, direction);
}

static void fill_row_(uint8_t *at, uint32_t value, unsigned size, uint64_t bytes)
{
    if (size == 1) {
        memset(at, (int)(value & 0xff), bytes);
        return;
    }
    for (uint64_t i = 0; i + size <= bytes; i += size) {
        memcpy(at + i, &value, size);
    }
}

int smrf_cuda_fill(struct smrf_cuda_place to, uint32_t value, unsigned size, uint64_t width,
                   uint64_t height, uint64_t depth)
{
    int rc = smrf_cuda_enter();
    if (rc == CUDA_OK && height * depth > 1 && width > to.pitch) {
        rc = CUDA_INVALID_VALUE;
    }
    for (uint64_t z = 0; rc == CUDA_OK && z < depth && width != 0; z++) {
        for (uint64_t y = 0; rc == CUDA_OK && y < height; y++) {
            bool is_device;
            uint8_t *at = resolve_(to.at + (z * to.slice_rows + y) * to.pitch, width, &is_device);
            if (at == NULL || !is_device) {
                rc = CUDA_INVALID_VALUE;
            } else {
                fill_row_(at, value, size, width);
            }
        }
    }
    return smrf_cuda_leave(rc);
}
