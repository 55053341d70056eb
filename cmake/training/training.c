/* SPDX-License-Identifier: Apache-2.0 */
/* What a Release build learns from what is frequent in a replay: writes a few small traces, and
 * replays them and the bundled ones on both engines, without and with checks, and one with every
 * mechanism, so that most of what is learnt is what most replays do.
 *
 * usage: smrf-training BUNDLED_TRACES FOLDER   (FOLDER: for the traces that it writes, empty) */
#define _POSIX_C_SOURCE 200809L /* fork */
#include "models/common/smrf_assert.h"
#include "platform/config/config.h"
#include "platform/config/registry.h"
#include "platform/engine/engine.h"
#include "traces/generate/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

void smrf_assert_fail(const char *rule, const char *file, int line)
{
    fprintf(stderr, "%s:%d: a rule of the model is broken: %s\n", file, line, rule);
    abort();
}

/* --- traces ---------------------------------------------------------------------------------- */

struct pattern {
    const char *name;
    const char *inst[SMRF_PATTERN_INSTS];
};

/* Operands in equal and in different banks; loads that hit the L1, and loads and stores that do
 * not. */
static const struct pattern patterns_[] = {
    {"arithmetic",
     {"FFMA R40+8 R2 R3 R5", "FFMA R48+8 R4 R6 R40", "FFMA R40+8 R7 R9 R11",
      "FFMA R48+8 R12 R15 R48", "IADD3 R56+4 R13 R14 R56", "FFMA R40+8 R16 R16 R41",
      "FMUL R60+2 R17 R20", "IMAD R62+2 R18 R19 R60"}},
    {"cached",
     {"LDG.E.SYS R40+4 R2 @0x7f0a20000000,4,0,128", "FFMA R20+8 R20 R3 R40", "IADD3 R28+8 R29 R3",
      "FFMA R20+8 R21 R3 R41", "LOP3.LUT R28+8 R31 R3", "IMAD R28+8 R30 R3",
      "FFMA R20+8 R22 R3 R42", "IADD3 R28+8 R32 R3"}},
    {"streamed",
     {"LDG.E.SYS R40+4 R2 @0x7f0a20000000,4,1048576,128", "FFMA R20+8 R20 R3 R40",
      "IADD3 R28+8 R29 R3", "FFMA R20+8 R21 R3 R41",
      "STG.E.SYS R2 R20 @0x7f0b20000000,4,1048576,128", "IMAD R28+8 R30 R3",
      "FFMA R20+8 R22 R3 R42", "LOP3.LUT R28+8 R31 R3"}},
};

static int generate_pattern_(const struct smrf_gen_target *target, const struct pattern *p,
                             char error[256])
{
    struct smrf_gen_pattern made = {
        .blocks = 60, .warps = 8, .length = 80, .loop = 40, .num_regs = 64, .binary_version = 75};
    char opcode[SMRF_PATTERN_INSTS][64];
    for (; p->inst[made.num_insts]; made.num_insts++) {
        const uint32_t i = made.num_insts;
        if (smrf_generate_parse_inst(p->inst[i], &made.inst[i], opcode[i]) != 0) {
            snprintf(error, 256, "%s: no instruction", p->inst[i]);
            return -1;
        }
    }
    return smrf_generate_pattern(target, &made, error);
}

/* --- replays --------------------------------------------------------------------------------- */

static void kernel_(void *ctx, const struct smrf_gpu_kernel *kernel)
{
    (void)ctx;
    (void)kernel;
}

/* A mechanism may refuse a trace that lacks what it needs: then there is nothing to learn. */
static int replay_over_(const struct smrf_engine_ops *ops, const char *path, const char *preset,
                        const struct smrf_mechanism *mechanism, bool check, const char *view)
{
    const struct smrf_gpu_hooks hooks = {
        .kernel_begin = kernel_, .kernel_end = kernel_, .threads = 1};
    struct smrf_config cfg;
    struct smrf_config_error err;
    struct smrf_trace *trace = NULL;
    struct smrf_engine *engine = NULL;
    char text[256] = "";
    int status = -1;
    if (smrf_preset_apply(&cfg, preset, &err) == 0 &&
        smrf_config_set(&cfg, "sim.check", check ? "on" : "off", "training", &err) == 0 &&
        smrf_config_set(&cfg, "sim.view", view, "training", &err) == 0 &&
        smrf_trace_open(&trace, path, NULL) == 0 &&
        ops->create(&engine, &cfg, mechanism, &hooks, text, sizeof text) == 0 &&
        ops->load(engine, trace) == 0) {
        status = ops->run(engine, SMRF_NEVER);
    }
    ops->destroy(engine);
    smrf_trace_close(trace);
    return status;
}

/* Over SystemC, in a process of its own: it has room for one simulation. */
static int replay_systemc_(const char *path, const char *preset,
                           const struct smrf_mechanism *mechanism, bool check)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        exit(replay_over_(&smrf_engine_systemc, path, preset, mechanism, check, "at") ==
                     SMRF_RUN_FINISHED
                 ? 0
                 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? SMRF_RUN_FINISHED : -1;
}

static int replay_(const char *path, const char *preset, const struct smrf_mechanism *mechanism,
                   bool check)
{
    const int status = replay_over_(&smrf_engine_direct, path, preset, mechanism, check, "at");
    return status == SMRF_RUN_FINISHED ? replay_systemc_(path, preset, mechanism, check) : status;
}

/* As most replays are: the baseline, on the machine of Accel-Sim and on the papers'. Its estimate,
 * too, whose code would count as never run. */
static int replay_baseline_(const char *path)
{
    const struct smrf_mechanism *baseline = smrf_mechanism_at(0);
    if (replay_(path, "rtx2060-accelsim", baseline, false) == SMRF_RUN_FINISHED &&
        replay_(path, SMRF_DEFAULT_PRESET, baseline, true) == SMRF_RUN_FINISHED &&
        replay_over_(&smrf_engine_direct, path, SMRF_DEFAULT_PRESET, baseline, true,
                     "scoreboard") == SMRF_RUN_FINISHED) {
        return 0;
    }
    fprintf(stderr, "smrf-training: %s was not replayed to its end\n", path);
    return -1;
}

static void replay_mechanisms_(const char *path)
{
    const struct smrf_mechanism *m;
    for (unsigned i = 1; (m = smrf_mechanism_at(i)) != NULL; i++) {
        (void)replay_(path, SMRF_DEFAULT_PRESET, m, i % 2);
    }
}

int sc_main(int argc, char *argv[]);

int sc_main(int argc, char *argv[])
{
    static const char *const bundled[] = {"divergent", "gemm", "hotspot", "matmul", "ray"};
    char path[4096], error[256] = "";
    if (argc != 3) {
        fputs("usage: smrf-training BUNDLED_TRACES FOLDER\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < COUNT(patterns_); i++) {
        snprintf(path, sizeof path, "%s/%s", argv[2], patterns_[i].name);
        const struct smrf_gen_target target = {.dir = path};
        if (mkdir(path, 0777) != 0 || generate_pattern_(&target, &patterns_[i], error) != 0) {
            fprintf(stderr, "smrf-training: %s was not written: %s\n", path, error);
            return 1;
        }
        if (replay_baseline_(path) != 0) {
            return 1;
        }
    }
    for (size_t i = 0; i < COUNT(bundled); i++) {
        snprintf(path, sizeof path, "%s/%s", argv[1], bundled[i]);
        if (replay_baseline_(path) != 0) {
            return 1;
        }
        if (strcmp(bundled[i], "matmul") == 0) {
            replay_mechanisms_(path);
        }
    }
    return 0;
}
