/* SPDX-License-Identifier: Apache-2.0 */
/* What a failure of the whole machine leaves out: where a parameter came from, and what is so
 * large. */
#include "platform_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void append_(char *text, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void append_(char *text, size_t size, const char *fmt, ...)
{
    const size_t used = strlen(text);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text + used, size - used, fmt, args);
    va_end(args);
}

/* Is the parameter set by a text "key=value"? Those win over files. */
static bool is_set_(const struct smrf_platform *p, const char *key)
{
    const struct smrf_texts *set = &p->layer[SMRF_LAYER_SET];
    const size_t n = strlen(key);
    for (size_t i = 0; i < set->count; i++) {
        if (strncmp(set->text[i], key, n) == 0 && set->text[i][n] == '=') {
            return true;
        }
    }
    return false;
}

/* The last configuration file that sets the parameter, with its line. */
static void name_place_(const struct smrf_platform *p, const char *key, char *text, size_t size)
{
    const struct smrf_texts *files = &p->layer[SMRF_LAYER_FILE];
    for (size_t i = files->count; i-- > 0 && !is_set_(p, key);) {
        const unsigned line = smrf_config_line(files->text[i], key);
        if (line != 0) {
            append_(text, size, "; %s:%u sets %s", files->text[i], line, key);
            return;
        }
    }
}

void smrf_platform_name_places(const struct smrf_platform *p, char *text, size_t size)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";
    char told[4][64];
    size_t count = 0;
    const size_t end = strlen(text);
    for (size_t at = 0; at < end && count < 4;) {
        const size_t n = strspn(text + at, letters);
        char key[64] = "";
        if (n > 0 && n < sizeof key) {
            memcpy(key, text + at, n);
            key[n - (text[at + n - 1] == '.')] = '\0'; /* the end of a sentence is no part of it */
        }
        bool known = key[0] == '\0' || smrf_param_find(key) < 0;
        for (size_t i = 0; !known && i < count; i++) {
            known = strcmp(told[i], key) == 0;
        }
        if (!known) {
            memcpy(told[count++], key, sizeof key);
            name_place_(p, key, text, size);
        }
        at += n > 0 ? n : 1;
    }
}

void smrf_platform_name_largest(const struct smrf_config *c, char *text, size_t size)
{
    const struct {
        const char *names;
        uint32_t factor[3];
        uint64_t bytes; /* an entry, roughly */
    } parts[] = {
        {"l2.slices x l2.sets x l2.ways", {c->l2.slices, c->l2.sets, c->l2.ways}, 32},
        {"gpu.sms x l1d.sets x l1d.ways", {c->gpu.sms, c->l1d.sets, c->l1d.ways}, 32},
        {"gpu.sms x sm.registers", {c->gpu.sms, c->sm.registers, 1}, 8},
        {"gpu.sms x sm.warps", {c->gpu.sms, c->sm.warps, 1}, 4096},
        {"dram.channels x dram.banks", {c->dram.channels, c->dram.banks, 1}, 64},
    };
    uint64_t most = 0;
    size_t largest = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const uint64_t bytes =
            parts[i].bytes * parts[i].factor[0] * parts[i].factor[1] * parts[i].factor[2];
        largest = bytes > most ? i : largest;
        most = bytes > most ? bytes : most;
    }
    append_(text, size, "; the largest part is %s = %u x %u", parts[largest].names,
            parts[largest].factor[0], parts[largest].factor[1]);
    if (parts[largest].factor[2] != 1) {
        append_(text, size, " x %u", parts[largest].factor[2]);
    }
    append_(text, size, ", about %llu MB", (unsigned long long)(most >> 20));
}
