/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
/* Device memory as a sorted list of ranges. Addresses only ever grow, so that they are the same in
 * every run and a freed range stays invalid; gaps between ranges catch accesses past an end. */
#include "firmware/exec/space_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALLOC_BASE UINT64_C(0x00007f2000000000)
#define HEAP_BASE UINT64_C(0x00007f6000000000)
#define ALLOC_ALIGN UINT64_C(512)
#define HEAP_ALIGN UINT64_C(16)
#define RANGE_MAX (UINT64_C(1) << 36) /* 64 GiB: more than any Turing board has */

int smrf_space_create(struct smrf_memory_space **space)
{
    struct smrf_memory_space *s = calloc(1, sizeof *s);
    *space = s;
    if (s == NULL) {
        return SMRF_ERR_NOMEM;
    }
    s->next_alloc = ALLOC_BASE;
    s->next_heap = HEAP_BASE;
    return 0;
}

int smrf_space_create_mapped(struct smrf_memory_space **space, uint64_t base, uint64_t bytes)
{
    void *wanted = (void *)(uintptr_t)base;
    int rc = smrf_space_create(space);
    if (rc < 0) {
        return rc;
    }
    /* Pages get memory when they are first touched, so that the reservation costs nothing. */
    void *got = mmap(wanted, bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != wanted) {
        if (got != MAP_FAILED) {
            (void)munmap(got, bytes);
        }
        smrf_space_destroy(*space);
        *space = NULL;
        return SMRF_ERR_NOMEM;
    }
    (*space)->arena = base;
    (*space)->arena_bytes = bytes;
    return 0;
}

/* The part of an arena's range that makes up whole pages: outwards when it is opened, inwards when
 * it is given back, since neighbours may share a page. */
static void pages_(uint64_t address, uint64_t bytes, bool outwards, uint64_t *first, uint64_t *size)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), up = page - 1;
    uint64_t end = outwards ? (address + bytes + up) & ~up : (address + bytes) & ~up;
    *first = outwards ? address & ~up : (address + up) & ~up;
    *size = end > *first ? end - *first : 0;
}

static bool in_arena_(const struct smrf_memory_space *s, uint64_t address, uint64_t bytes)
{
    return address >= s->arena && address - s->arena < s->arena_bytes &&
           bytes <= s->arena_bytes - (address - s->arena);
}

static uint8_t *open_pages_(uint64_t address, uint64_t bytes)
{
    uint64_t first, size;
    pages_(address, bytes, true, &first, &size);
    return mprotect((void *)(uintptr_t)first, size, PROT_READ | PROT_WRITE) == 0
               ? (uint8_t *)(uintptr_t)address
               : NULL;
}

/* Gives the memory of a range back; a page that it shares with another keeps its content. */
static void drop_data_(struct smrf_space_range *r)
{
    if (r->own) {
        free(r->data);
    }
    free(r->claim);
    r->claim = NULL;
    r->data = NULL;
    r->bytes = 0;
}

void smrf_space_destroy(struct smrf_memory_space *space)
{
    if (space == NULL) {
        return;
    }
    for (size_t i = 0; i < space->count; i++) {
        drop_data_(&space->range[i]);
    }
    if (space->arena_bytes != 0) {
        (void)munmap((void *)(uintptr_t)space->arena, space->arena_bytes);
    }
    free(space->range);
    free(space);
}

/* Index of the first range that starts above address. */
static size_t first_above_(const struct smrf_memory_space *s, uint64_t address)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->range[middle].address > address) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static void drop_freed_(struct smrf_memory_space *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->range[i].bytes != 0) {
            s->range[kept++] = s->range[i];
        }
    }
    s->count = kept;
    s->freed = 0;
    s->last = 0;
}

/* data: what the range consists of; NULL: the arena's pages there, or zeros from malloc. */
static int insert_(struct smrf_memory_space *s, uint64_t address, uint64_t bytes, uint8_t *data)
{
    if (bytes == 0 || bytes > RANGE_MAX || s->total > RANGE_MAX - bytes ||
        address > UINT64_MAX - bytes ||
        (data == NULL && address < HEAP_BASE && address + bytes > HEAP_BASE)) {
        return SMRF_ERR_LIMIT;
    }
    if (s->count == s->capacity) {
        size_t capacity = s->capacity == 0 ? 64 : s->capacity * 2;
        struct smrf_space_range *grown = realloc(s->range, capacity * sizeof *grown);
        if (grown == NULL) {
            return SMRF_ERR_NOMEM;
        }
        s->range = grown;
        s->capacity = capacity;
    }
    size_t at = first_above_(s, address);
    for (size_t i = at; i-- > 0;) { /* the range below must end before; freed ones do not count */
        if (s->range[i].bytes == 0) {
            continue;
        }
        if (s->range[i].address + s->range[i].bytes > address) {
            return SMRF_ERR_INVAL;
        }
        break;
    }
    for (size_t i = at; i < s->count; i++) {
        if (s->range[i].bytes == 0) {
            continue;
        }
        if (s->range[i].address < address + bytes) {
            return SMRF_ERR_INVAL;
        }
        break;
    }
    const bool host = data != NULL, own = !host && !in_arena_(s, address, bytes);
    if (data == NULL) {
        data = own ? calloc(1, (size_t)bytes) : open_pages_(address, bytes);
    }
    if (data == NULL) {
        return SMRF_ERR_NOMEM;
    }
    memmove(&s->range[at + 1], &s->range[at], (s->count - at) * sizeof s->range[0]);
    s->range[at] = (struct smrf_space_range){
        .address = address, .bytes = bytes, .data = data, .own = own, .host = host};
    s->count++;
    s->total += bytes;
    return 0;
}

uint64_t smrf_space_alloc(struct smrf_memory_space *space, uint64_t bytes)
{
    uint64_t address = space->next_alloc;
    uint64_t size = bytes == 0 ? 1 : bytes;
    if (insert_(space, address, size, NULL) != 0) {
        return 0;
    }
    space->next_alloc = (address + size + 2 * ALLOC_ALIGN - 1) / ALLOC_ALIGN * ALLOC_ALIGN;
    return address;
}

int smrf_space_place(struct smrf_memory_space *space, uint64_t address, uint64_t bytes)
{
    if (address >= ALLOC_BASE) { /* what smrf_space_alloc and the heap hand out */
        return SMRF_ERR_INVAL;
    }
    return insert_(space, address, bytes, NULL);
}

int smrf_space_map(struct smrf_memory_space *space, void *data, uint64_t bytes)
{
    return insert_(space, (uint64_t)(uintptr_t)data, bytes, data);
}

struct smrf_space_range *smrf_space_range_of(struct smrf_memory_space *s, uint64_t address)
{
    if (s->last < s->count) {
        struct smrf_space_range *r = &s->range[s->last];
        if (address - r->address < r->bytes) {
            return r;
        }
    }
    size_t above = first_above_(s, address);
    if (above == 0) {
        return NULL;
    }
    struct smrf_space_range *r = &s->range[above - 1];
    if (address - r->address >= r->bytes) {
        return NULL;
    }
    s->last = above - 1;
    return r;
}

static int release_(struct smrf_memory_space *space, uint64_t address, uint64_t *bytes)
{
    struct smrf_space_range *r = smrf_space_range_of(space, address);
    if (r == NULL || r->address != address) {
        return SMRF_ERR_INVAL;
    }
    *bytes = r->bytes;
    space->total -= r->bytes;
    if (in_arena_(space, r->address, r->bytes)) {
        uint64_t first, size;
        pages_(r->address, r->bytes, false, &first, &size);
        if (size != 0) {
            (void)madvise((void *)(uintptr_t)first, size, MADV_DONTNEED);
        }
    }
    drop_data_(r);
    if (++space->freed > 64 && space->freed > space->count / 2) {
        drop_freed_(space);
    }
    return 0;
}

int smrf_space_free(struct smrf_memory_space *space, uint64_t address)
{
    uint64_t bytes;
    return address >= HEAP_BASE ? (int)SMRF_ERR_INVAL : release_(space, address, &bytes);
}

int smrf_space_unmap(struct smrf_memory_space *space, const void *data)
{
    uint64_t bytes;
    return release_(space, (uint64_t)(uintptr_t)data, &bytes);
}

/* ---- the memory behind it -------------------------------------------------------------------- */

void smrf_space_back(struct smrf_memory_space *space, const struct smrf_space_backing *backing)
{
    space->backing = *backing;
}

/* The largest aligned part of address's page that is there. */
static struct smrf_space_range *page_in_(struct smrf_memory_space *s, uint64_t address)
{
    uint8_t *data = malloc(2 * SMRF_SPACE_PAGE);
    for (uint64_t bytes = SMRF_SPACE_PAGE; data != NULL && bytes >= SMRF_SPACE_PAGE_PART;
         bytes /= 2) {
        const uint64_t first = address & ~(bytes - 1);
        if (!s->backing.read(s->backing.ctx, first, data, bytes)) {
            continue;
        }
        memcpy(data + bytes, data, bytes);
        if (insert_(s, first, bytes, data) != 0) {
            break;
        }
        struct smrf_space_range *r = smrf_space_range_of(s, address);
        r->own = r->backed = true;
        return r;
    }
    free(data);
    return NULL;
}

static int changes_of_(const struct smrf_space_range *r, void *ctx,
                       int (*write)(void *ctx, uint64_t address, const uint8_t *data,
                                    uint64_t bytes))
{
    const uint8_t *before = r->data + r->bytes;
    int rc = 0;
    for (uint64_t at = 0, end; rc == 0 && at < r->bytes; at = end) {
        end = at + 1;
        if (r->data[at] == before[at]) {
            continue;
        }
        while (end < r->bytes && r->data[end] != before[end]) {
            end++;
        }
        rc = write(ctx, r->address + at, r->data + at, end - at);
    }
    return rc;
}

int smrf_space_changes(const struct smrf_memory_space *space, void *ctx,
                       int (*write)(void *ctx, uint64_t address, const uint8_t *data,
                                    uint64_t bytes))
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < space->count; i++) {
        rc = space->range[i].backed ? changes_of_(&space->range[i], ctx, write) : 0;
    }
    return rc;
}

void *smrf_space_at(struct smrf_memory_space *space, uint64_t address, uint64_t bytes)
{
    struct smrf_space_range *r = smrf_space_range_of(space, address);
    if (r == NULL && space->backing.read != NULL) {
        r = page_in_(space, address);
    }
    if (r == NULL || r->bytes - (address - r->address) < bytes) {
        return NULL;
    }
    return r->data + (address - r->address);
}

uint64_t smrf_space_heap_alloc(struct smrf_memory_space *space, uint64_t bytes, uint64_t limit)
{
    if (bytes == 0 || bytes > limit || space->heap_used > limit - bytes) {
        return 0;
    }
    uint64_t address = space->next_heap;
    if (insert_(space, address, bytes, NULL) != 0) {
        return 0;
    }
    space->heap_used += bytes;
    space->next_heap = (address + bytes + 2 * HEAP_ALIGN - 1) / HEAP_ALIGN * HEAP_ALIGN;
    return address;
}

int smrf_space_heap_free(struct smrf_memory_space *space, uint64_t address)
{
    uint64_t bytes;
    if (address < HEAP_BASE || release_(space, address, &bytes) != 0) {
        return SMRF_ERR_INVAL;
    }
    space->heap_used -= bytes;
    return 0;
}

bool smrf_space_near(struct smrf_memory_space *space, uint64_t address, uint64_t *start,
                     uint64_t *bytes)
{
    for (size_t i = first_above_(space, address); i-- > 0;) {
        if (space->range[i].bytes != 0) {
            *start = space->range[i].address;
            *bytes = space->range[i].bytes;
            return true;
        }
    }
    return false;
}

/* ---- accesses past an end -------------------------------------------------------------------- */

void smrf_space_be_lenient(struct smrf_memory_space *space)
{
    space->lenient = true;
}

static bool is_past_(struct smrf_memory_space *space, uint64_t address, uint32_t bytes)
{
    uint64_t start, size;
    return space->lenient && smrf_space_near(space, address, &start, &size) &&
           (address + bytes - 1) / SMRF_SPACE_GPU_PAGE == (start + size - 1) / SMRF_SPACE_GPU_PAGE;
}

static void count_(struct smrf_memory_space *space, uint64_t address, bool write)
{
    struct smrf_memory_space *counted = space->origin != NULL ? space->origin : space;
    struct smrf_space_past *past = write ? &counted->past_writes : &counted->past_reads;
    past->first = past->number == 0 ? address : past->first;
    past->number++;
}

bool smrf_space_read_past(struct smrf_memory_space *space, uint64_t address, uint8_t *data,
                          uint32_t bytes)
{
    if (!is_past_(space, address, bytes)) {
        return false;
    }
    for (uint32_t i = 0; i < bytes; i++) {
        const uint8_t *byte = smrf_space_use(space, address + i, 1, false);
        data[i] = byte != NULL ? *byte : 0;
    }
    count_(space, address, false);
    return true;
}

bool smrf_space_write_past(struct smrf_memory_space *space, uint64_t address, uint32_t bytes)
{
    if (!is_past_(space, address, bytes) || smrf_space_at(space, address, 1) != NULL ||
        smrf_space_at(space, address + bytes - 1, 1) != NULL) {
        return false;
    }
    count_(space, address, true);
    return true;
}

struct smrf_space_past smrf_space_past_of(const struct smrf_memory_space *space, bool write)
{
    return write ? space->past_writes : space->past_reads;
}
