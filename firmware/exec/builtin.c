/* SPDX-License-Identifier: Apache-2.0 */
/* What device code calls that the driver supplies: the device heap, printf, assert. The ABI's
 * registers: arguments from R4 on, 64-bit ones in even pairs, result in R4:R5. */
#include "firmware/exec/builtin.h"
#include "firmware/exec/flow.h"
#include "firmware/exec/space.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_HEAP (UINT64_C(8) << 20) /* the driver's default */

static uint64_t pair_(const struct smrf_exec_warp *w, unsigned row, unsigned lane)
{
    return w->r[row][lane] | (uint64_t)w->r[row + 1][lane] << 32;
}

static void set_pair_(struct smrf_exec_warp *w, unsigned lane, uint64_t value)
{
    w->r[4][lane] = (uint32_t)value;
    w->r[5][lane] = (uint32_t)(value >> 32);
}

static int heap_alloc_(struct smrf_exec_warp *w, unsigned lane)
{
    uint64_t limit = w->block->launch->heap_bytes;
    set_pair_(w, lane,
              smrf_space_heap_alloc(w->block->space, pair_(w, 4, lane),
                                    limit != 0 ? limit : DEFAULT_HEAP));
    return 0;
}

static int heap_free_(struct smrf_exec_warp *w, unsigned lane)
{
    uint64_t address = pair_(w, 4, lane);
    if (address == 0 || smrf_space_heap_free(w->block->space, address) == 0) {
        return 0;
    }
    w->fault = SMRF_FAULT_TRAP;
    return smrf_exec_fail(w, (int)lane, SMRF_ERR_LIMIT,
                          "free of 0x%llx, which is not on the device heap",
                          (unsigned long long)address);
}

static int print_(struct smrf_exec_warp *w, unsigned lane)
{
    w->r[4][lane] = smrf_exec_print(w, lane, pair_(w, 4, lane), pair_(w, 6, lane));
    return 0;
}

/* The message has the form of the CUDA runtime's. */
static int assert_failed_(struct smrf_exec_warp *w, unsigned lane)
{
    const struct smrf_exec_block *b = w->block;
    const struct smrf_exec_dim id = b->id, d = b->launch->block;
    const uint32_t thread = w->index * SMRF_EXEC_LANES + lane;
    char expression[64], file[64], function[256], text[512];
    smrf_exec_peek_text(w, lane, pair_(w, 4, lane), expression, sizeof expression);
    smrf_exec_peek_text(w, lane, pair_(w, 6, lane), file, sizeof file);
    smrf_exec_peek_text(w, lane, pair_(w, 10, lane), function, sizeof function);
    const int n = snprintf(text, sizeof text,
                           "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` "
                           "failed.\n",
                           file, w->r[8][lane], function, id.x, id.y, id.z, thread % d.x,
                           thread / d.x % d.y, thread / d.x / d.y, expression);
    if (b->launch->print != NULL && n > 0) {
        b->launch->print(b->launch->print_ctx, true, text, (size_t)n);
    }
    w->fault = SMRF_FAULT_ASSERT;
    return smrf_exec_fail(w, (int)lane, SMRF_ERR_CHECK, "assertion failed: %s (%s:%u)", expression,
                          file, w->r[8][lane]);
}

/* heap: of the device heap, whose addresses depend on the order of calls; else the call's output
 * does. */
static const struct {
    const char *name;
    int (*fn)(struct smrf_exec_warp *w, unsigned lane);
    bool heap;
} builtins[] = {
    {"malloc", heap_alloc_, true},
    {"free", heap_free_, true},
    {"vprintf", print_, false},
    {"__assertfail", assert_failed_, false},
};

bool smrf_exec_builtin_known(const char *name)
{
    for (unsigned i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
        if (strcmp(builtins[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

int smrf_exec_builtin(struct smrf_exec_warp *w, const char *name, uint32_t mask)
{
    for (unsigned i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
        if (strcmp(builtins[i].name, name) != 0) {
            continue;
        }
        int rc = 0;
        if (!(builtins[i].heap ? smrf_claims_alone(w->block) : smrf_claims_settle(w->block))) {
            return smrf_exec_fail(w, -1, SMRF_ERR_STATE, SMRF_EXEC_UNDONE);
        }
        for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            rc = builtins[i].fn(w, (unsigned)__builtin_ctz(rest));
            if (rc < 0 && w->fault != SMRF_FAULT_ASSERT) { /* every lane's assert reports */
                return rc;
            }
        }
        return rc;
    }
    return SMRF_ERR_UNKNOWN;
}
