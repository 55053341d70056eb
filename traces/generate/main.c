/* SPDX-License-Identifier: Apache-2.0 */
#include "generate.h"

#include "traces/files/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage_[] =
    "smrf-gen: writes traces in Accel-Sim's format\n"
    "\n"
    "  smrf-gen matmul    [--size N] ..           tiled matrix multiply, N x N floats (64)\n"
    "  smrf-gen divergent [--threads N] ..        divergence of every kind (500)\n"
    "  smrf-gen pattern   --inst I [--inst I].. ..  the instructions in turn, every warp the same\n"
    "\n"
    "every kind: -o DIR (needed)  --force replaces a trace that is there\n"
    "            --format v5|v6|tracez (v5)  --compression none|xz|gz|zstd "
    "(none)\n"
    "pattern:    --warps N a block (1)  --blocks N (1)  --length N instructions a warp (256)\n"
    "            --loop N static instructions, 0 = straight line (0)  --regs N (64)\n"
    "            --shared BYTES (0)  --arch 61|70|75|80|86|90 (75)\n"
    "            I = \"OPCODE dst|- [src..] [@address,stride,step[,warp_step]]\"; a destination\n"
    "            R20+16 cycles over 16 registers, R20+16*2 over every second of 32; RZ = zero\n"
    "\n"
    "  smrf-gen pattern --inst \"FFMA R20+16 R2 R3 R5\" --warps 16 --length 512 -o ffma\n"
    "  smrf-gen pattern --inst \"LDG.E.SYS R10 R10 @0x7f0a20000000,4,65536\" -o chase\n";

struct options {
    const char *kind, *dir;
    bool force;
    struct smrf_gen_target target;
    unsigned long size, threads;
    struct smrf_gen_pattern pattern;
    char opcode[SMRF_PATTERN_INSTS][64];
};

static int usage_error_(const char *what, const char *which)
{
    fprintf(stderr, "smrf-gen: %s '%s'; smrf-gen --help shows the usage\n", what, which);
    return 2;
}

static int choice_(const char *value, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(value, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static int number_(const char *value, unsigned long most, unsigned long *out)
{
    char *end;
    errno = 0;
    *out = strtoul(value, &end, 10);
    return end == value || *end != '\0' || *value == '-' || errno != 0 || *out > most ? -1 : 0;
}

static int numeric_option_(struct options *o, const char *key, const char *value)
{
    static const struct {
        const char *key;
        unsigned long most;
    } keys[] = {{"--size", 1024},       {"--threads", 1u << 20}, {"--warps", 32},
                {"--blocks", 1u << 20}, {"--length", 1ul << 40}, {"--loop", 100000},
                {"--regs", 255},        {"--shared", 1u << 20},  {"--arch", 1000}};
    unsigned long n;
    size_t i = 0;
    while (i < sizeof keys / sizeof keys[0] && strcmp(key, keys[i].key) != 0) {
        i++;
    }
    if (i == sizeof keys / sizeof keys[0]) {
        return usage_error_("unknown option", key);
    }
    if (number_(value, keys[i].most, &n) != 0) {
        return usage_error_("no number, or out of range:", value);
    }
    switch (i) {
    case 0:
        o->size = n;
        break;
    case 1:
        o->threads = n;
        break;
    case 2:
        o->pattern.warps = (uint32_t)n;
        break;
    case 3:
        o->pattern.blocks = (uint32_t)n;
        break;
    case 4:
        o->pattern.length = n;
        break;
    case 5:
        o->pattern.loop = (uint32_t)n;
        break;
    case 6:
        o->pattern.num_regs = (uint32_t)n;
        break;
    case 7:
        o->pattern.shared_bytes = (uint32_t)n;
        break;
    default:
        o->pattern.binary_version = (uint32_t)n;
        break;
    }
    return 0;
}

static int option_(struct options *o, const char *key, const char *value)
{
    static const char *const formats[] = {"v5", "v6", "tracez"};
    static const char *const codings[] = {"none", "xz", "gz", "zstd"};
    int c;
    if (strcmp(key, "-o") == 0) {
        o->dir = value;
        return 0;
    }
    if (strcmp(key, "--format") == 0) {
        c = choice_(value, formats, 3);
        o->target.format = (enum smrf_trace_format)c;
        return c >= 0 ? 0 : usage_error_("unknown format", value);
    }
    if (strcmp(key, "--compression") == 0) {
        c = choice_(value, codings, 4);
        o->target.compression = (enum smrf_trace_compression)c;
        return c >= 0 ? 0 : usage_error_("unknown compression", value);
    }
    if (strcmp(key, "--inst") == 0) {
        uint32_t i = o->pattern.num_insts;
        if (i == SMRF_PATTERN_INSTS) {
            return usage_error_("more than 16 instructions at", value);
        }
        if (smrf_generate_parse_inst(value, &o->pattern.inst[i], o->opcode[i]) != 0) {
            return usage_error_("not an instruction:", value);
        }
        o->pattern.num_insts++;
        return 0;
    }
    return numeric_option_(o, key, value);
}

/* argv[0]: the kind. */
static int parse_(struct options *o, int argc, char **argv)
{
    int rc = 0;
    o->kind = argv[0];
    for (int i = 1; rc == 0 && i < argc; i++) {
        if (strcmp(argv[i], "--force") == 0) {
            o->force = true;
        } else {
            rc = i + 1 < argc ? option_(o, argv[i], argv[i + 1])
                              : usage_error_("no value after", argv[i]);
            i++;
        }
    }
    return rc == 0 && o->dir == NULL ? usage_error_("needs a folder to write to:", "-o DIR") : rc;
}

static int generate_(const struct options *o, char error[256])
{
    if (strcmp(o->kind, "matmul") == 0) {
        return smrf_generate_matmul(&o->target, (uint32_t)o->size, error);
    }
    if (strcmp(o->kind, "divergent") == 0) {
        return smrf_generate_divergent(&o->target, (uint32_t)o->threads, error);
    }
    return smrf_generate_pattern(&o->target, &o->pattern, error);
}

/* The usage as a manual page: what troff would take for its own is escaped. */
static void print_manual_(FILE *out)
{
    fputs(".TH SMRF-GEN 1 \"\" \"smrf\" \"User Commands\"\n.SH NAME\nsmrf-gen \\- writes traces in "
          "Accel-Sim's format\n.SH SYNOPSIS\n.B smrf-gen\n.I KIND\n.B \\-o\n.I DIR\n"
          ".RI [ OPTION ]...\n.SH DESCRIPTION\n.nf\n",
          out);
    for (const char *at = strchr(usage_, '\n') + 2; *at; at++) {
        fputs(*at == '\\' ? "\\e" : *at == '-' ? "\\-" : "", out);
        if (*at != '\\' && *at != '-') {
            fputc(*at, out);
        }
    }
    fputs(".fi\n.SH SEE ALSO\n.BR smrf (1)\n", out);
}

int main(int argc, char **argv)
{
    static struct options o = {
        .size = 64,
        .threads = 500,
        .pattern = {.blocks = 1, .warps = 1, .length = 256, .num_regs = 64, .binary_version = 75}};
    static const char *const kinds[] = {"matmul", "divergent", "pattern"};
    char error[1024] = "";
    struct smrf_folder *folder;
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        fputs(usage_, argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    if (strcmp(argv[1], "--man") == 0) {
        print_manual_(stdout);
        return 0;
    }
    int rc = parse_(&o, argc - 1, argv + 1);
    if (rc != 0) {
        return rc;
    }
    if (choice_(o.kind, kinds, 3) < 0) {
        return usage_error_("unknown kind of trace", o.kind);
    }
    rc = smrf_folder_begin(&folder, o.dir, o.force, error, sizeof error);
    if (rc == 0) {
        o.target.dir = smrf_folder_path(folder);
        rc = generate_(&o, error);
        if (rc == 0) {
            rc = smrf_folder_publish(folder, error, sizeof error);
        } else {
            smrf_folder_abandon(folder);
        }
    }
    if (rc != 0) {
        fprintf(stderr, "smrf-gen: %s\n", error);
    }
    return rc == 0 ? 0 : 3;
}
