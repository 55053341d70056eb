/* SPDX-License-Identifier: Apache-2.0 */
/* An arbiter alone, by the library of the plain C cores: two reads of bank 0 and one of bank 1 take
 * two steps. */
#include <models/arbiter/arbiter.h>

#include <stdio.h>

static unsigned granted_;

static void grant_(void *ctx, unsigned sub, uint32_t flight, const uint32_t *words, unsigned count)
{
    (void)ctx;
    (void)sub;
    (void)words;
    for (unsigned i = 0; i < count; i++) {
        printf(" %u", (unsigned)flight);
    }
    granted_ += count;
}

int main(void)
{
    static struct smrf_arbiter arbiter;
    static struct smrf_arbiter_store store;
    const struct smrf_wires wires = {.grant = grant_};
    const struct smrf_arbiter_config cfg = {.banks = 2, .collectors = 3, .operands = 8, .slots = 1};
    if (smrf_arbiter_init(&arbiter, &store, &cfg, 0, &wires) != 0) {
        return 1;
    }
    for (unsigned i = 0; i < 3; i++) {
        const struct smrf_register_place at = {.bank = (uint8_t)(i == 2)};
        const uint32_t word = smrf_read_word(at, i, 0);
        smrf_arbiter_request(&arbiter, 7 + i, &word, 1);
    }
    printf("granted:");
    for (unsigned step = 0; step < 2; step++) {
        (void)smrf_arbiter_step(&arbiter);
        printf(" |");
    }
    printf("\n");
    return granted_ != 3;
}
