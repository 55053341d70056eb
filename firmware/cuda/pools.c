/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of device memory. Every allocation comes from the same memory and is freed at once, so a
 * pool is a handle with its attributes. */
#include "core.h"

#include <stdlib.h>

/* Numbers of cudaMemPoolAttr and CU_MEMPOOL_ATTR_: three switches, then bytes. */
enum { SWITCHES = 3, THRESHOLD = 4, ATTRIBUTES = 5 };

struct pool {
    struct pool *next;
    uint64_t attribute[ATTRIBUTES]; /* [1..] */
};

static struct pool default_ = {.attribute = {0, 1, 1, 1, 0}};
static struct pool *pools_, *current_ = &default_;

static struct pool *find_(void *pool)
{
    struct pool *p = pool == &default_ ? &default_ : pools_;
    while (p != NULL && p != pool) {
        p = p->next;
    }
    return p;
}

void *smrf_cuda_pool_default(void)
{
    return &default_;
}

int smrf_cuda_pool_create(void **pool)
{
    struct pool *p = calloc(1, sizeof *p);
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK && pool == NULL ? (int)CUDA_INVALID_VALUE : rc;
    rc = rc == CUDA_OK && p == NULL ? (int)CUDA_NO_MEMORY : rc;
    if (rc != CUDA_OK) {
        free(p);
        return smrf_cuda_leave(rc);
    }
    *p = (struct pool){.next = pools_, .attribute = {0, 1, 1, 1, 0}};
    pools_ = p;
    *pool = p;
    return smrf_cuda_leave(CUDA_OK);
}

int smrf_cuda_pool_destroy(void *pool)
{
    int rc = smrf_cuda_enter();
    struct pool **at = &pools_;
    while (*at != NULL && *at != pool) {
        at = &(*at)->next;
    }
    struct pool *p = *at; /* not the default one, which stays */
    rc = rc == CUDA_OK && p == NULL ? (int)CUDA_INVALID_VALUE : rc;
    if (rc == CUDA_OK) {
        *at = p->next;
        current_ = current_ == p ? &default_ : current_;
        free(p);
    }
    return smrf_cuda_leave(rc);
}

int smrf_cuda_pool_check(void *pool)
{
    int rc = smrf_cuda_enter();
    return smrf_cuda_leave(rc == CUDA_OK && find_(pool) == NULL ? (int)CUDA_INVALID_VALUE : rc);
}

int smrf_cuda_pool_current(void **pool)
{
    int rc = smrf_cuda_enter();
    *pool = current_;
    return smrf_cuda_leave(rc);
}

int smrf_cuda_pool_choose(void *pool)
{
    int rc = smrf_cuda_enter();
    struct pool *p = find_(pool);
    rc = rc == CUDA_OK && p == NULL ? (int)CUDA_INVALID_VALUE : rc;
    current_ = rc == CUDA_OK ? p : current_;
    return smrf_cuda_leave(rc);
}

/* A switch is an int, the threshold 64 bits. How much memory a pool has is not known. */
int smrf_cuda_pool_attribute(void *pool, int attribute, void *value, bool set)
{
    int rc = smrf_cuda_enter();
    struct pool *p = find_(pool);
    if (rc == CUDA_OK && (p == NULL || value == NULL || attribute < 1)) {
        rc = CUDA_INVALID_VALUE;
    }
    if (rc == CUDA_OK && attribute >= ATTRIBUTES) {
        rc = smrf_cuda_missing("memory pools: how much is reserved or used", CUDA_NOT_SUPPORTED);
    }
    if (rc == CUDA_OK && attribute <= SWITCHES) {
        int *on = value;
        p->attribute[attribute] = set ? (uint64_t)(*on != 0) : p->attribute[attribute];
        *on = set ? *on : (int)p->attribute[attribute];
    } else if (rc == CUDA_OK) {
        uint64_t *bytes = value;
        p->attribute[THRESHOLD] = set ? *bytes : p->attribute[THRESHOLD];
        *bytes = p->attribute[THRESHOLD];
    }
    return smrf_cuda_leave(rc);
}

#define LOCATION_DEVICE 1
#define ACCESS_ALL 3 /* to read and to write, which the device always may */

int smrf_cuda_pool_access_of(int *flags, void *pool, const struct smrf_cuda_location *location)
{
    int rc = smrf_cuda_pool_check(pool);
    rc = rc == CUDA_OK && (flags == NULL || location == NULL || location->type != LOCATION_DEVICE)
             ? (int)CUDA_INVALID_VALUE
             : rc;
    rc = rc == CUDA_OK && location->number != 0 ? (int)CUDA_INVALID_DEVICE : rc;
    if (rc == CUDA_OK) {
        *flags = ACCESS_ALL;
    }
    return rc;
}

int smrf_cuda_pool_access(void *pool, const struct smrf_cuda_access *list, size_t number)
{
    int rc = smrf_cuda_pool_check(pool), flags;
    rc = rc == CUDA_OK && list == NULL && number != 0 ? (int)CUDA_INVALID_VALUE : rc;
    for (size_t i = 0; rc == CUDA_OK && i < number; i++) {
        rc = smrf_cuda_pool_access_of(&flags, pool, &list[i].location);
        rc = rc == CUDA_OK && list[i].flags != ACCESS_ALL ? (int)CUDA_INVALID_VALUE : rc;
    }
    return rc;
}
