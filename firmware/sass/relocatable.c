/* SPDX-License-Identifier: Apache-2.0 */
/* Text of an object that was not linked (nvcc -rdc=true without -dlink). What the linker would do
 * for the kernels it finds is done here once for all of them: the constant banks of all functions
 * become one, and static shared memory is laid out so that no device function's overlaps a
 * kernel's. Dynamic shared memory begins behind it. */
#include "firmware/sass/internal.h"

#include <string.h>

#define PART_ALIGN UINT64_C(16)

static uint64_t align_up_(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

static bool of_kernel_(const struct smrf_sass_parser *p, const struct smrf_sass_section *s)
{
    uint32_t symbol =
        s->owner ? smrf_sass_symbol_find(p, s->owner, strlen(s->owner)) : SMRF_SASS_NO_INDEX;
    return symbol != SMRF_SASS_NO_INDEX && p->symbols[symbol].entry;
}

static void place_shared_(struct smrf_sass_parser *p)
{
    uint64_t end = 0;
    for (unsigned pass = 0; pass < 2; pass++) { /* kernels' side by side, then all others */
        for (uint32_t i = 0; i < p->num_sections; i++) {
            struct smrf_sass_section *s = &p->sections[i];
            if (s->kind != SASS_SHARED || of_kernel_(p, s) != (pass == 0)) {
                continue;
            }
            if (pass == 1) {
                end = s->base = align_up_(end, s->align > PART_ALIGN ? s->align : PART_ALIGN);
            }
            if (s->base + s->size > end) {
                end = s->base + s->size;
            }
        }
    }
    p->shared_bytes = align_up_(end, PART_ALIGN);
}

int smrf_sass_place_relocatable(struct smrf_sass_parser *p)
{
    uint64_t end[SMRF_SASS_CONST_BANKS] = {0};
    place_shared_(p);
    if (p->shared_bytes > SMRF_SASS_MAX_BANK_BYTES) {
        return smrf_sass_fail(p, SMRF_ERR_LIMIT, 0,
                              "the functions have more static shared memory than a block: link the "
                              "object (nvcc -dlink) before nvdisasm");
    }
    for (unsigned pass = 0; pass < 2; pass++) { /* the module's banks stay at 0 */
        for (uint32_t i = 0; i < p->num_sections; i++) {
            struct smrf_sass_section *s = &p->sections[i];
            if (s->kind != SASS_CONST || s->bank == 0 || (s->owner != NULL) != (pass == 1)) {
                continue;
            }
            s->base = align_up_(end[s->bank], s->align > PART_ALIGN ? s->align : PART_ALIGN);
            end[s->bank] = s->base + s->size;
            p->merged[s->bank] |= pass == 1;
            if (end[s->bank] > SMRF_SASS_MAX_BANK_BYTES) {
                return smrf_sass_fail(p, SMRF_ERR_LIMIT, s->line,
                                      "the functions' constants together exceed bank %u: link the "
                                      "object (nvcc -dlink) before nvdisasm",
                                      s->bank);
            }
        }
    }
    for (unsigned bank = 0; bank < SMRF_SASS_CONST_BANKS; bank++) {
        p->merged_bytes[bank] = end[bank];
    }
    return 0;
}

/* After the sections have their bytes and the functions their own banks. */
int smrf_sass_merge_relocatable(struct smrf_sass_parser *p)
{
    struct smrf_sass_module *module = &p->store->module;
    uint8_t *bytes[SMRF_SASS_CONST_BANKS] = {NULL};
    for (unsigned bank = 1; bank < SMRF_SASS_CONST_BANKS; bank++) {
        if (p->merged[bank] &&
            !(bytes[bank] = smrf_sass_alloc(p->store, p->merged_bytes[bank] + 1))) {
            return smrf_sass_nomem(p);
        }
    }
    for (uint32_t i = 0; i < p->num_sections; i++) {
        const struct smrf_sass_section *s = &p->sections[i];
        if (s->kind == SASS_CONST && bytes[s->bank] && s->size) {
            memcpy(bytes[s->bank] + s->base, s->bytes, s->size);
        }
    }
    for (uint32_t i = 0; i < module->num_functions; i++) {
        struct smrf_sass_function *f = &module->function[i];
        f->shared_bytes = f->entry ? (uint32_t)p->shared_bytes : 0;
        for (unsigned bank = 1; bank < SMRF_SASS_CONST_BANKS; bank++) {
            if (bytes[bank]) {
                f->const_data[bank] = bytes[bank];
                f->const_bytes[bank] = (uint32_t)p->merged_bytes[bank];
            }
        }
    }
    return 0;
}
