/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks.h"

#include "models/common/smrf_assert.h"

static void list_(struct smrf_hooks *h, enum smrf_hook at, const struct smrf_listener *listener,
                  bool listens)
{
    struct smrf_hook_list *list = &h->at[at];
    if (listens) {
        list->listener[list->count++] = listener;
        h->hooked |= UINT32_C(1) << at;
    }
}

void smrf_hooks_add(struct smrf_hooks *h, const struct smrf_listener *listener)
{
    const struct smrf_hook_list before = h->all;
    uint32_t at = 0;
    while (at < before.count && before.listener[at] != listener) {
        at++;
    }
    SMRF_ASSERT(at < SMRF_MAX_LISTENERS);
    *h = (struct smrf_hooks){.all = before};
    h->all.listener[at] = listener;
    h->all.count += at == before.count;
    for (uint32_t n = 0; n < h->all.count; n++) {
        const struct smrf_listener *l = h->all.listener[n];
#define SMRF_HOOK_LIST(position) list_(h, SMRF_HOOK_##position, l, l->position != NULL);
        SMRF_HOOKS(SMRF_HOOK_LIST)
#undef SMRF_HOOK_LIST
    }
}
