/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct smrf_choice_kernel {
    struct smrf_choice_kernel *next;
    uint64_t count;
    char name[];
};

int smrf_choice_open(struct smrf_choice *c, const struct smrf_capture_launches *wanted, char *error,
                     size_t room)
{
    *c = (struct smrf_choice){.wanted = wanted};
    if (wanted->kernel == NULL) {
        return 0;
    }
    int rc = regcomp(&c->kernel, wanted->kernel, REG_EXTENDED | REG_NOSUB);
    if (rc != 0) {
        char reason[128];
        (void)regerror(rc, &c->kernel, reason, sizeof reason);
        (void)snprintf(error, room, "--kernel %s: %s", wanted->kernel, reason);
        return SMRF_ERR_INVAL;
    }
    c->has_kernel = true;
    return 0;
}

void smrf_choice_close(struct smrf_choice *c)
{
    if (c->has_kernel) {
        regfree(&c->kernel);
        c->has_kernel = false;
    }
    while (c->counts != NULL) {
        struct smrf_choice_kernel *next = c->counts->next;
        free(c->counts);
        c->counts = next;
    }
}

/* Counts a launch of the kernel; true while there are no more of it than wanted. */
static int count_(struct smrf_choice *c, const char *name)
{
    struct smrf_choice_kernel *k = c->counts;
    while (k != NULL && strcmp(k->name, name) != 0) {
        k = k->next;
    }
    if (k == NULL) {
        k = calloc(1, sizeof *k + strlen(name) + 1);
        if (k == NULL) {
            return SMRF_ERR_NOMEM;
        }
        memcpy(k->name, name, strlen(name) + 1);
        k->next = c->counts;
        c->counts = k;
    }
    return ++k->count <= c->wanted->first;
}

int smrf_choice_has(struct smrf_choice *c, uint64_t number, const struct smrf_sass_function *kernel)
{
    const struct smrf_capture_launches *w = c->wanted;
    if (!smrf_capture_ranges_has(&w->numbers, number) ||
        (c->has_kernel && regexec(&c->kernel, kernel->name, 0, NULL, 0) != 0)) {
        return 0;
    }
    if (++c->matching <= w->skip) {
        return 0;
    }
    return w->first == 0 ? 1 : count_(c, kernel->name);
}
