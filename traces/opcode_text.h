/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an opcode's text: root.modifier.modifier. */
#ifndef SMRF_OPCODE_TEXT_H
#define SMRF_OPCODE_TEXT_H

#include <stdbool.h>
#include <string.h>

/* True if one of the opcode's modifiers is exactly the token. */
static inline bool smrf_opcode_has(const char *opcode, const char *token)
{
    const size_t n = strlen(token);
    for (const char *p = strchr(opcode, '.'); p != NULL; p = strchr(p, '.')) {
        p++;
        if (strncmp(p, token, n) == 0 && (p[n] == '.' || p[n] == '\0')) {
            return true;
        }
    }
    return false;
}

static inline bool smrf_opcode_root_is(const char *opcode, const char *root)
{
    const size_t n = strlen(root);
    return strncmp(opcode, root, n) == 0 && (opcode[n] == '.' || opcode[n] == '\0');
}

#endif
