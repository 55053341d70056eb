/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"

#include <string.h>

enum { COLUMNS = 100, INDENT = 24 };

/* The length of the group's name in a name, 0: it has no dot. */
static size_t group_length_(const char *name)
{
    const char *dot = strchr(name, '.');
    if (dot && strncmp(name, "counters.", 9) == 0) {
        dot = strchr(dot + 1, '.');
    }
    return dot ? (size_t)(dot - name) : 0;
}

bool smrf_cli_in_group(const char *name, const char *group)
{
    const size_t n = group_length_(name);
    return n == 0 ? strcmp(group, "run") == 0 : strlen(group) == n && strncmp(name, group, n) == 0;
}

bool smrf_cli_has_group(smrf_cli_names *names, const char *group)
{
    const char *name;
    for (size_t i = 0; (name = names(i)) != NULL; i++) {
        if (smrf_cli_in_group(name, group)) {
            return true;
        }
    }
    return false;
}

/* The names from i on that are of one group, on one line. Returns how many. */
static size_t line_(FILE *out, smrf_cli_names *names, size_t first)
{
    char group[64];
    const size_t n = group_length_(names(first));
    snprintf(group, sizeof group, "%.*s", n ? (int)n : 3, n ? names(first) : "run");
    size_t count = 0;
    for (const char *name; (name = names(first + count)) != NULL; count++) {
        if (!smrf_cli_in_group(name, group)) {
            break;
        }
    }
    int column = INDENT;
    fprintf(out, "  %-16s %3zu ", group, count);
    for (size_t i = 0; i < count; i++) {
        const char *name = names(first + i) + (n ? n + 1 : 0);
        column += 1 + (int)strlen(name);
        if (column > COLUMNS - 3 && i + 1 < count) {
            fputs(" ..", out);
            break;
        }
        fprintf(out, " %s", name);
    }
    fputs("\n", out);
    return count;
}

void smrf_cli_overview(FILE *out, smrf_cli_names *names)
{
    for (size_t i = 0; names(i) != NULL;) {
        i += line_(out, names, i);
    }
}
