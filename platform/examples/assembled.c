/* SPDX-License-Identifier: Apache-2.0 */
/* How a register file is put together in C from smrf's blocks: an arbiter with a clock of its own,
 * a crossbar and two banks. A C function is the collectors: it requests operands, reads what is
 * granted, and adds registers up. Compared with plain C.
 *
 *     assembled */
#include "models/wires/wires.h"
#include "platform/ip/modules.h"

#include <stdio.h>
#include <string.h>

#define BANKS 2
#define ROWS 32
#define SUMS 200
#define PERIOD 1000

static struct smrf_module *arbiter, *crossbar, *bank[BANKS], *core, *grants;
static uint32_t registers[BANKS * ROWS][SMRF_LANES];
static uint32_t granted[SUMS]; /* sources of each instruction that have been granted, bit i */
static unsigned errors, done, grants_at[4096], most_at_once;

static int fail(struct smrf_module *m, const char *what)
{
    fprintf(stderr, "assembled: %s: %s\n", what, smrf_module_error(m));
    return 1;
}

/* Register r lies in bank r mod BANKS, row r / BANKS. */
static uint32_t read_of(unsigned source, unsigned r)
{
    const struct smrf_register_place at = {.row = (uint16_t)(r / BANKS),
                                           .bank = (uint8_t)(r % BANKS)};
    return smrf_read_word(at, 0, source);
}

/* A grant: at most one a bank and cycle. */
static int on_grant(void *ctx, unsigned socket, struct smrf_access *a, uint64_t *delay)
{
    const unsigned words = (unsigned)(a->bytes / sizeof(uint32_t));
    unsigned *count = &grants_at[smrf_simulation_time() / PERIOD % 4096];
    (void)ctx;
    (void)socket;
    *delay = 0;
    for (unsigned i = 0; i < words; i++) { /* a word for each read that may be made */
        uint32_t word;
        memcpy(&word, (const unsigned char *)a->data + i * sizeof word, sizeof word);
        granted[a->address] |= UINT32_C(1) << smrf_read_source(word);
    }
    *count += words;
    most_at_once = *count > most_at_once ? *count : most_at_once;
    return 0;
}

static void transfer(struct smrf_module *self, unsigned socket, bool write, uint64_t address,
                     void *data, uint32_t bytes)
{
    struct smrf_access a = {address, data, bytes, write, NULL, 0};
    errors += smrf_transfer(self, socket, &a) != 0;
}

/* out_0: the arbiter; out_1: the crossbar; out_2, ..: the banks' write ports. */
static void body(void *ctx, struct smrf_module *self)
{
    const uint64_t bank_span =
        (uint64_t)64 * SMRF_WARP_REG_BYTES; /* a power of two above the rows */
    (void)ctx;
    for (unsigned r = 0; r < BANKS * ROWS; r++) {
        for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
            registers[r][lane] = 1000 * r + lane;
        }
        transfer(self, 2 + r % BANKS, true, (uint64_t)(r / BANKS) * SMRF_WARP_REG_BYTES,
                 registers[r], sizeof registers[r]);
    }
    for (unsigned i = 0; i < SUMS; i++) {
        uint32_t sum[SMRF_LANES] = {0}, words[3];
        const unsigned reg[3] = {i % 64, (i * 7 + 2) % 64, (i * 5 + 1) % 64};
        for (unsigned s = 0; s < 3; s++) {
            words[s] = read_of(s, reg[s]);
        }
        transfer(self, 0, true, i, words, sizeof words);
        for (unsigned s = 0; s < 3; s++) {
            uint32_t row[SMRF_LANES];
            while (!(granted[i] >> s & 1)) {
                smrf_wait(PERIOD);
            }
            transfer(self, 1, false,
                     reg[s] % BANKS * bank_span + (uint64_t)(reg[s] / BANKS) * SMRF_WARP_REG_BYTES,
                     row, sizeof row);
            for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
                sum[lane] += row[lane];
                errors += row[lane] != registers[reg[s]][lane];
            }
        }
        for (unsigned lane = 0; lane < SMRF_LANES; lane++) {
            errors += sum[lane] != 1000 * (reg[0] + reg[1] + reg[2]) + 3 * lane;
        }
        done++;
    }
}

static int build(void)
{
    const char *const arbiter_options[] = {"banks=2", "collectors=1", "depth=8", NULL};
    const char *const crossbar_options[] = {"inputs=1", "banks=2", "rows=32", NULL};
    const char *const bank_options[] = {"rows=32", NULL};
    char name[16];
    if (smrf_module_create(&arbiter, "arbiter", "arbiter", arbiter_options)) {
        return fail(arbiter, "arbiter");
    }
    if (smrf_module_create(&crossbar, "crossbar", "crossbar", crossbar_options)) {
        return fail(crossbar, "crossbar");
    }
    if (smrf_module_process(&core, "core", 2 + BANKS, body, NULL) ||
        smrf_module_bind(core, "out_0", arbiter, "request_in_0") ||
        smrf_module_bind(core, "out_1", crossbar, "read_in_0")) {
        return fail(core, "core");
    }
    if (smrf_module_target(&grants, "grants", 1, on_grant, NULL) ||
        smrf_module_bind(arbiter, "grant_out", grants, "in_0")) {
        return fail(arbiter, "grants");
    }
    for (unsigned b = 0; b < BANKS; b++) {
        char out[16];
        snprintf(name, sizeof name, "bank_%u", b);
        snprintf(out, sizeof out, "bank_out_%u", b);
        if (smrf_module_create(&bank[b], "bank", name, bank_options) ||
            smrf_module_bind(crossbar, out, bank[b], "read_in")) {
            return fail(crossbar, name);
        }
        snprintf(out, sizeof out, "out_%u", 2 + b);
        if (smrf_module_bind(core, out, bank[b], "write_in")) {
            return fail(core, name);
        }
    }
    return 0;
}

int sc_main(int argc, char *argv[]);

int sc_main(int argc, char *argv[])
{
    char text[512] = "";
    struct smrf_socket_info info;
    (void)argc;
    (void)argv;
    if (build()) {
        return 1;
    }
    for (size_t i = 0; smrf_module_socket(core, i, &info) == 0; i++) {
        printf("core.%s: %s, %s\n", info.name, info.initiator ? "initiator" : "target",
               info.bound ? "bound" : "free");
    }
    if (smrf_simulation_elaborate(text, sizeof text) || smrf_simulation_run(0, text, sizeof text)) {
        fprintf(stderr, "assembled: %s\n", text);
        return 1;
    }
    printf("%u sums in %llu cycles, at most %u grants a cycle, %u errors\n", done,
           (unsigned long long)(smrf_simulation_time() / PERIOD), most_at_once, errors);
    smrf_module_destroy(core);
    smrf_module_destroy(grants);
    smrf_module_destroy(arbiter);
    smrf_module_destroy(crossbar);
    for (unsigned b = 0; b < BANKS; b++) {
        smrf_module_destroy(bank[b]);
    }
    return errors == 0 && done == SUMS && most_at_once == BANKS ? 0 : 1;
}
