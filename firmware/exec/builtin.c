/* SPDX-License-Identifier: Apache-2.0 */
/* What device code calls that the driver supplies: the device heap, printf, assert. The ABI's
 * registers: arguments from R4 on, 64-bit ones in even pairs, result in R4:R5. */
#include "firmware/exec/flow.h"
#include "firmware/exec/space.h"

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
    return smrf_exec_fail(w, (int)lane, SMRF_ERR_LIMIT,
                          "free of 0x%llx, which is not on the device heap",
                          (unsigned long long)address);
}

/* printf is accepted and prints nothing: a trace has no output. */
static int print_(struct smrf_exec_warp *w, unsigned lane)
{
    w->r[4][lane] = 0;
    return 0;
}

static void copy_text_(struct smrf_exec_warp *w, uint64_t address, char text[64])
{
    unsigned n = 0;
    for (; n < 63; n++) {
        const char *at = smrf_space_at(w->block->space, address + n, 1);
        if (at == NULL || *at == '\0') {
            break;
        }
        text[n] = *at >= ' ' && *at <= '~' ? *at : '?';
    }
    text[n] = '\0';
}

static int assert_failed_(struct smrf_exec_warp *w, unsigned lane)
{
    char expression[64], file[64];
    copy_text_(w, pair_(w, 4, lane), expression);
    copy_text_(w, pair_(w, 6, lane), file);
    return smrf_exec_fail(w, (int)lane, SMRF_ERR_CHECK, "assertion failed: %s (%s:%u)", expression,
                          file, w->r[8][lane]);
}

static const struct {
    const char *name;
    int (*fn)(struct smrf_exec_warp *w, unsigned lane);
} builtins[] = {
    {"malloc", heap_alloc_},
    {"free", heap_free_},
    {"vprintf", print_},
    {"__assertfail", assert_failed_},
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
        for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            int rc = builtins[i].fn(w, (unsigned)__builtin_ctz(rest));
            if (rc < 0) {
                return rc;
            }
        }
        return 0;
    }
    return SMRF_ERR_UNKNOWN;
}
