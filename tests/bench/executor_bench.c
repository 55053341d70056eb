/* SPDX-License-Identifier: Apache-2.0 */
/* Warp instructions per second of the executor, without a capture: a converged loop of loads and
 * arithmetic, a divergent loop, a loop of barriers and shared memory, calls. */
#include "firmware/exec/exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXT_BYTES 8192

struct program {
    const char *name;
    const char *lines;    /* of the kernel, one instruction or label a line */
    const char *function; /* called by it, or NULL */
};

/* Parameters: a buffer, the number of iterations. */
#define PROLOGUE                                                                                   \
    "MOV R1, c[0x0][0x28]\nS2R R0, SR_TID.X\nMOV R2, 0x4\n"                                        \
    "IMAD.WIDE.U32 R2, R0, R2, c[0x0][0x160]\nMOV R6, c[0x0][0x168]\nMOV R8, RZ\n"

static const struct program programs[] = {
    {"arithmetic",
     PROLOGUE ".L_x_1:\nFFMA R9, R8, R4, R9\nIMAD R10, R8, R4, R9\nFADD R11, R9, R10\n"
              "LOP3.LUT R8, R10, 0x3c, R8, 0x96, !PT\nFMUL R12, R11, R9\nIADD3 R13, R8, R10, R12\n"
              "IADD3 R6, R6, -0x1, RZ\nISETP.NE.AND P0, PT, R6, RZ, PT\n@P0 BRA `(.L_x_1)\n"
              "STG.E.SYS [R2], R13\nEXIT\n",
     NULL},
    {"memory",
     PROLOGUE ".L_x_1:\nLDG.E.SYS R4, [R2]\nIADD3 R8, R8, R4, RZ\nFFMA R9, R8, R4, R9\n"
              "IADD3 R6, R6, -0x1, RZ\nISETP.NE.AND P0, PT, R6, RZ, PT\nSTG.E.SYS [R2], R8\n"
              "@P0 BRA `(.L_x_1)\nEXIT\n",
     NULL},
    {"shared",
     PROLOGUE ".L_x_1:\nSTS [R0.X4], R8\nBAR.SYNC 0x0\nLDS.U R8, [R0.X4]\nIADD3 R8, R8, 0x1, RZ\n"
              "IADD3 R6, R6, -0x1, RZ\nISETP.NE.AND P0, PT, R6, RZ, PT\nBAR.SYNC 0x0\n"
              "@P0 BRA `(.L_x_1)\nSTG.E.SYS [R2], R8\nEXIT\n",
     NULL},
    {"divergent",
     PROLOGUE "LOP3.LUT R7, R0, 0x3, RZ, 0xc0, !PT\n.L_x_1:\nBSSY B0, `(.L_x_4)\n"
              "ISETP.EQ.AND P1, PT, R7, RZ, PT\n@P1 BRA `(.L_x_2)\nIMAD R8, R8, 0x3, R7\n"
              "IADD3 R8, R8, 0x7, RZ\nBRA `(.L_x_3)\n.L_x_2:\nIADD3 R8, R8, 0x1, RZ\n.L_x_3:\n"
              "BSYNC B0\n.L_x_4:\nIADD3 R6, R6, -0x1, RZ\nISETP.NE.AND P0, PT, R6, RZ, PT\n"
              "@P0 BRA `(.L_x_1)\nSTG.E.SYS [R2], R8\nEXIT\n",
     NULL},
    {"calls",
     PROLOGUE "MOV R4, R0\n.L_x_1:\nMOV R20, 32@lo((k + .L_x_2@srel))\n"
              "MOV R21, 32@hi((k + .L_x_2@srel))\nCALL.REL.NOINC `(f)\n.L_x_2:\n"
              "IADD3 R6, R6, -0x1, RZ\nISETP.NE.AND P0, PT, R6, RZ, PT\n@P0 BRA `(.L_x_1)\n"
              "STG.E.SYS [R2], R4\nEXIT\n",
     "IADD3 R1, R1, -0x10, RZ\nSTL [R1], R20\nSTL [R1+0x4], R21\nIMAD R4, R4, 0x3, R4\n"
     "LDL R20, [R1]\nLDL R21, [R1+0x4]\nIADD3 R1, R1, 0x10, RZ\nRET.ABS.NODEC R20 0x0\n"},
};

static void add_function_(char *text, const char *name, const char *lines, bool entry)
{
    size_t used = strlen(text);
    unsigned offset = 0;
    int n =
        snprintf(text + used, TEXT_BYTES - used,
                 "\t.section\t.text.%s,\"ax\",@progbits\n\t.sectioninfo\t@\"SHI_REGISTERS=24\"\n"
                 "\t.align\t128\n        .global         %s\n        .type           %s,@function\n"
                 "%s%s%s%s:\n.text.%s:\n",
                 name, name, name, entry ? "        .other          " : "", entry ? name : "",
                 entry ? ",@\"STO_CUDA_ENTRY STV_DEFAULT\"\n" : "", name, name);
    used += (size_t)n;
    while (*lines != '\0') {
        int length = (int)strcspn(lines, "\n");
        if (lines[length - 1] == ':') {
            n = snprintf(text + used, TEXT_BYTES - used, "%.*s\n", length, lines);
        } else {
            n = snprintf(text + used, TEXT_BYTES - used, "        /*%04x*/ %.*s ;\n", offset,
                         length, lines);
            offset += SMRF_SASS_INST_BYTES;
        }
        used += (size_t)n;
        lines += length + 1;
    }
}

static int bench_(const struct program *p, uint32_t iterations)
{
    char text[TEXT_BYTES] = "", error[SMRF_SASS_ERROR_BYTES] = "";
    struct smrf_sass_module *module = NULL;
    struct smrf_exec_code code = {0};
    struct smrf_memory_space *space = NULL;
    struct smrf_exec_totals totals = {0};
    uint8_t params[12];
    add_function_(text, "k", p->lines, true);
    if (p->function != NULL) {
        add_function_(text, "f", p->function, false);
    }
    int rc = smrf_sass_parse(&module, p->name, text, strlen(text), error);
    if (rc == 0) {
        rc = smrf_exec_decode(&code, module, smrf_sass_find(module, "k"), error);
    }
    if (rc == 0) {
        rc = smrf_space_create(&space);
    }
    if (rc == 0) {
        uint64_t buffer = smrf_space_alloc(space, 4096);
        memcpy(params, &buffer, 8);
        memcpy(params + 8, &iterations, 4);
        struct smrf_exec_launch launch = {.code = &code,
                                          .entry = smrf_sass_find(module, "k"),
                                          .space = space,
                                          .grid = {2, 1, 1},
                                          .block = {256, 1, 1},
                                          .dynamic_shared = 4096,
                                          .params = params,
                                          .param_bytes = sizeof params};
        clock_t start = clock();
        rc = smrf_exec_run(&launch, &totals, error);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        printf("%-12s %10.2f M warp instructions in %6.3f s: %7.2f M/s\n", p->name,
               (double)totals.warp_insts * 1e-6, seconds,
               (double)totals.warp_insts / seconds * 1e-6);
    }
    if (rc < 0) {
        fprintf(stderr, "%s: %s\n", p->name, error);
    }
    smrf_space_destroy(space);
    smrf_exec_code_free(&code);
    smrf_sass_free(module);
    return rc;
}

int main(int argc, char **argv)
{
    uint32_t iterations = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 50000;
    int rc = 0;
    for (unsigned i = 0; i < sizeof programs / sizeof programs[0] && rc == 0; i++) {
        rc = bench_(&programs[i], iterations);
    }
    return rc < 0 ? 1 : 0;
}
