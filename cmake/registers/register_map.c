/* SPDX-License-Identifier: Apache-2.0 */
/* The register map of smrf::gpu for the tools of others, from the lists of gpu_registers.h: as
 * SystemRDL 2.0 (argument rdl) or IP-XACT, IEEE 1685-2014 (argument ipxact), into a file. */
#include "firmware/driver/gpu_registers.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum access { RO, RW, WO, W1C };

struct reg {
    const char *name;
    unsigned offset;
    enum access access;
    unsigned reset;
    const char *meaning;
};

struct field {
    const char *reg, *name;
    unsigned value;
    const char *meaning;
};

struct cause {
    const char *name;
    unsigned value;
    const char *meaning;
};

#define REGISTER(name, offset, access, reset, meaning) {#name, offset, access, reset, meaning},
#define FIELD(reg, name, value, meaning) {#reg, #name, value, meaning},
#define CAUSE(name, value, meaning) {#name, value, meaning},
static const struct reg regs_[] = {SMRF_GPU_REGISTERS(REGISTER)};
static const struct field fields_[] = {SMRF_GPU_BITS(FIELD)};
static const struct cause causes_[] = {SMRF_GPU_ERRORS(CAUSE)};
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static bool begins_(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The bits of IRQ stand in IRQ_ENABLE and in IRQ_CAUSE. */
static bool has_(const struct reg *r, const struct field *f)
{
    return strcmp(r->name, f->reg) == 0 || (strcmp(f->reg, "IRQ") == 0 && begins_(r->name, "IRQ_"));
}

static bool divided_(const struct reg *r)
{
    bool any = false;
    for (size_t i = 0; i < COUNT(fields_); i++) {
        any = any || has_(r, &fields_[i]);
    }
    return any;
}

static unsigned words_(const struct reg *r)
{
    return strcmp(r->name, "STAT_NAME") == 0 ? SMRF_GPU_STAT_NAME_BYTES / 4 : 1;
}

static unsigned bit_(const struct field *f)
{
    unsigned bit = 0;
    for (; f->value >> bit > 1; bit++) {
    }
    return bit;
}

/* --- SystemRDL -------------------------------------------------------------------------------- */

static void rdl_text_(const char *text)
{
    for (; *text; text++) {
        printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
}

/* Any write clears it. */
static bool clears_(const struct reg *r)
{
    return strcmp(r->name, "ERROR") == 0;
}

static void rdl_access_(const struct reg *r, const char *indent)
{
    static const char *const text[] = {
        [RO] = "sw = r; hw = w;",
        [RW] = "sw = rw; hw = r;",
        [WO] = "sw = w; hw = r;",
        [W1C] = "sw = rw; hw = rw; onwrite = woclr;",
    };
    printf("%s%s%s\n", indent, text[r->access], clears_(r) ? " onwrite = wclr;" : "");
}

static void rdl_field_(const struct reg *r, const char *name, const char *meaning, unsigned high,
                       unsigned low, unsigned reset)
{
    printf("        field {\n");
    if (meaning) {
        printf("            desc = \"");
        rdl_text_(meaning);
        printf("\";\n");
    }
    if (clears_(r)) {
        printf("            encode = error_cause;\n");
    }
    rdl_access_(r, "            ");
    printf("        } %s[%u:%u]", name, high, low);
    printf(r->access == WO ? ";\n" : " = 0x%x;\n", reset);
}

static void rdl_register_(const struct reg *r)
{
    printf("    reg {\n        desc = \"");
    rdl_text_(r->meaning);
    printf("\";\n");
    for (size_t i = 0; i < COUNT(fields_); i++) {
        const struct field *f = &fields_[i];
        if (has_(r, f)) {
            rdl_field_(r, f->name, f->meaning, bit_(f), bit_(f), (r->reset & f->value) != 0);
        }
    }
    if (!divided_(r)) {
        rdl_field_(r, "VALUE", NULL, 31, 0, r->reset);
    }
    printf("    } %s", r->name);
    if (words_(r) > 1) {
        printf("[%u]", words_(r));
    }
    printf(" @ 0x%02x;\n", r->offset);
}

static void print_rdl_(void)
{
    printf("// SPDX-License-Identifier: Apache-2.0\n"
           "// The registers of smrf::gpu. Generated: see firmware/driver/gpu_registers.h.\n"
           "enum error_cause {\n");
    for (size_t i = 0; i < COUNT(causes_); i++) {
        printf("    %s = 32'd%u { desc = \"", causes_[i].name, causes_[i].value);
        rdl_text_(causes_[i].meaning);
        printf("\"; };\n");
    }
    printf("};\n\naddrmap smrf_gpu {\n    name = \"smrf::gpu\";\n    desc = \"Control socket of a "
           "GPU model.\";\n    littleendian;\n    default regwidth = 32;\n"
           "    default accesswidth = 32;\n");
    for (size_t i = 0; i < COUNT(regs_); i++) {
        rdl_register_(&regs_[i]);
    }
    printf("};\n");
}

/* --- IP-XACT ---------------------------------------------------------------------------------- */

static void xml_text_(const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            printf("&amp;");
            break;
        case '<':
            printf("&lt;");
            break;
        case '>':
            printf("&gt;");
            break;
        default:
            putchar(*text);
        }
    }
}

static void xml_field_(const struct reg *r, const char *name, const char *meaning, unsigned offset,
                       unsigned bits, unsigned reset)
{
    static const char *const text[] = {"read-only", "read-write", "write-only", "read-write"};
    printf("            <ipxact:field>\n              <ipxact:name>%s</ipxact:name>\n", name);
    if (meaning) {
        printf("              <ipxact:description>");
        xml_text_(meaning);
        printf("</ipxact:description>\n");
    }
    printf("              <ipxact:bitOffset>%u</ipxact:bitOffset>\n", offset);
    if (r->access != WO) {
        printf("              <ipxact:resets><ipxact:reset><ipxact:value>0x%x</ipxact:value>"
               "</ipxact:reset></ipxact:resets>\n",
               reset);
    }
    printf("              <ipxact:bitWidth>%u</ipxact:bitWidth>\n"
           "              <ipxact:access>%s</ipxact:access>\n",
           bits, text[r->access]);
    if (r->access == W1C || clears_(r)) {
        printf("              <ipxact:modifiedWriteValue>%s</ipxact:modifiedWriteValue>\n",
               clears_(r) ? "clear" : "oneToClear");
    }
    printf("            </ipxact:field>\n");
}

static void xml_register_(const struct reg *r)
{
    printf("          <ipxact:register>\n            <ipxact:name>%s</ipxact:name>\n"
           "            <ipxact:description>",
           r->name);
    xml_text_(r->meaning);
    printf("</ipxact:description>\n");
    if (words_(r) > 1) {
        printf("            <ipxact:dim>%u</ipxact:dim>\n", words_(r));
    }
    printf("            <ipxact:addressOffset>0x%x</ipxact:addressOffset>\n"
           "            <ipxact:size>32</ipxact:size>\n",
           r->offset);
    for (size_t i = 0; i < COUNT(fields_); i++) {
        const struct field *f = &fields_[i];
        if (has_(r, f)) {
            xml_field_(r, f->name, f->meaning, bit_(f), 1, (r->reset & f->value) != 0);
        }
    }
    if (!divided_(r)) {
        xml_field_(r, "VALUE", NULL, 0, 32, r->reset);
    }
    printf("          </ipxact:register>\n");
}

static void print_ipxact_(void)
{
    printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<!-- The registers of smrf::gpu. Generated: see firmware/driver/gpu_registers.h. -->\n"
           "<ipxact:component xmlns:ipxact=\"http://www.accellera.org/XMLSchema/IPXACT/1685-2014\">"
           "\n  <ipxact:vendor>smrf</ipxact:vendor>\n  <ipxact:library>smrf</ipxact:library>\n"
           "  <ipxact:name>smrf_gpu</ipxact:name>\n  <ipxact:version>%u.%u</ipxact:version>\n"
           "  <ipxact:memoryMaps>\n    <ipxact:memoryMap>\n"
           "      <ipxact:name>control</ipxact:name>\n      <ipxact:addressBlock>\n"
           "        <ipxact:name>registers</ipxact:name>\n"
           "        <ipxact:baseAddress>0x0</ipxact:baseAddress>\n"
           "        <ipxact:range>0x%x</ipxact:range>\n        <ipxact:width>32</ipxact:width>\n",
           (unsigned)(SMRF_GPU_VERSION_VALUE >> 16), (unsigned)(SMRF_GPU_VERSION_VALUE & 0xffff),
           (unsigned)SMRF_GPU_SPAN);
    for (size_t i = 0; i < COUNT(regs_); i++) {
        xml_register_(&regs_[i]);
    }
    printf(
        "      </ipxact:addressBlock>\n      <ipxact:addressUnitBits>8</ipxact:addressUnitBits>\n"
        "    </ipxact:memoryMap>\n  </ipxact:memoryMaps>\n</ipxact:component>\n");
}

int main(int argc, char **argv)
{
    const bool rdl = argc == 3 && strcmp(argv[1], "rdl") == 0;
    if (!rdl && !(argc == 3 && strcmp(argv[1], "ipxact") == 0)) {
        fprintf(stderr, "usage: %s rdl|ipxact FILE\n", argv[0]);
        return 2;
    }
    if (!freopen(argv[2], "w", stdout)) {
        perror(argv[2]);
        return 3;
    }
    if (rdl) {
        print_rdl_();
    } else {
        print_ipxact_();
    }
    if (fflush(stdout) || ferror(stdout)) {
        perror(argv[2]);
        return 3;
    }
    return 0;
}
