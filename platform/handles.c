/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "handles.h"

#include <pthread.h>
#include <stddef.h>

/* Platforms of all threads. A program has few. */
static pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
static struct smrf_handle *first_;

/* Where the platform's handle is linked, or the end of the list. With the lock. */
static struct smrf_handle **find_(const struct smrf_platform *p)
{
    struct smrf_handle **link = &first_;
    while (*link != NULL && (*link)->platform != p) {
        link = &(*link)->next;
    }
    return link;
}

void smrf_handle_add(struct smrf_handle *handle, const struct smrf_platform *p)
{
    pthread_mutex_lock(&lock_);
    *handle = (struct smrf_handle){p, first_};
    first_ = handle;
    pthread_mutex_unlock(&lock_);
}

bool smrf_handle_remove(const struct smrf_platform *p)
{
    pthread_mutex_lock(&lock_);
    struct smrf_handle **link = find_(p);
    const bool found = *link != NULL;
    if (found) {
        *link = (*link)->next;
    }
    pthread_mutex_unlock(&lock_);
    return found;
}

bool smrf_handle_exists(const struct smrf_platform *p)
{
    pthread_mutex_lock(&lock_);
    const bool found = *find_(p) != NULL;
    pthread_mutex_unlock(&lock_);
    return found;
}
