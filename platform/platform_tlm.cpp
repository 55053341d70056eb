// SPDX-License-Identifier: Apache-2.0
#include "platform/platform_tlm.h"

#include "platform/binder.h"

#include <new>

namespace smrf
{

static void drop_binder(void *binder)
{
    delete static_cast<memory_binder *>(binder);
}

int bind_memory(struct smrf_platform *p, memory_binder binder)
{
    if (!p || !binder) {
        return smrf_platform_set_binder(p, nullptr, drop_binder); // which says so
    }
    auto *copy = new (std::nothrow) memory_binder(std::move(binder));
    if (!copy) {
        return SMRF_ERR_NOMEM;
    }
    int err = smrf_platform_set_binder(p, copy, drop_binder);
    if (err) {
        drop_binder(copy);
    }
    return err;
}

} // namespace smrf
