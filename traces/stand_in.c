/* SPDX-License-Identifier: Apache-2.0 */
#include "stand_in.h"

#include <string.h>

/* Absent from Accel-Sim's Turing_OpcodeMap (ISA_Def/turing_opcode.h), which ends the simulation;
 * and KILL, which is there but ends no thread: only EXIT does (trace_driven.cc:
 * checkExecutionStatusAndUpdate). */
static const struct {
    const char *root, *instead;
} roots[] = {{"UIABS", "UIADD3"}, {"CS2UR", "S2UR"}, {"ATOML", "ATOM"}, {"KILL", "EXIT"}};

/* First token. */
static size_t root_length_(const char *opcode)
{
    return strcspn(opcode, ".");
}

static bool is_root_(const char *opcode, const char *root)
{
    size_t n = root_length_(opcode);
    return strlen(root) == n && memcmp(opcode, root, n) == 0;
}

static bool replace_(char *opcode, size_t room, size_t at, size_t n, const char *text)
{
    size_t m = strlen(text), rest = strlen(opcode + at + n) + 1;
    if (at + m + rest > room) {
        return false;
    }
    memmove(opcode + at + m, opcode + at + n, rest);
    memcpy(opcode + at, text, m);
    return true;
}

/* Accel-Sim takes the width from digits, or U and digits; 4 bytes otherwise. A local access of 4
 * bytes must then be aligned (shader.cc: translate_local_memaddr), so signed bytes and halves
 * count as unsigned ones. */
static bool replace_signed_(char *opcode, size_t room)
{
    static const char *const narrow[] = {".S8", ".S16"};
    for (unsigned i = 0; i < sizeof narrow / sizeof narrow[0]; i++) {
        const size_t n = strlen(narrow[i]);
        for (char *p = opcode; (p = strstr(p, narrow[i])) != NULL; p++) {
            if (p[n] == '.' || p[n] == '\0') {
                return replace_(opcode, room, (size_t)(p - opcode) + 1, 1, "U");
            }
        }
    }
    return false;
}

bool smrf_stand_in(char *opcode, size_t room)
{
    for (unsigned i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        if (is_root_(opcode, roots[i].root)) {
            return replace_(opcode, room, 0, root_length_(opcode), roots[i].instead);
        }
    }
    return (is_root_(opcode, "LD") || is_root_(opcode, "LDL")) && replace_signed_(opcode, room);
}
