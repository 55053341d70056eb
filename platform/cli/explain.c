/* SPDX-License-Identifier: Apache-2.0 */
/* smrf --explain KEY: an option, or a statistic of the run or of a mechanism. */
#define _GNU_SOURCE
#include "cli.h"

#include "models/seam/mechanism.h"
#include "platform/config/config.h"
#include "platform/config/registry.h"
#include "platform/config/suggest.h"

#include <string.h>

#define PREFIX "mechanism."

static void print_statistic_(const char *name, const char *meaning, const char *unit)
{
    printf("%s: a statistic (smrf run --json, --csv, --series)\n  %s\n  unit: %s\n", name, meaning,
           unit[0] ? unit : "a ratio");
}

static bool explain_statistic_(const char *name)
{
    struct smrf_stat_info info;
    for (size_t i = 0; smrf_stat_at(i, &info) == 0; i++) {
        if (strcasecmp(info.name, name) == 0) {
            print_statistic_(info.name, info.meaning, info.unit);
            return true;
        }
    }
    return false;
}

static const struct smrf_mechanism_stat *counted_(const struct smrf_mechanism *m, const char *name)
{
    for (size_t i = 0; i < m->num_stats; i++) {
        if (strcasecmp(m->stats[i].name, name) == 0) {
            return &m->stats[i];
        }
    }
    return NULL;
}

/* The same counter may have one meaning under several mechanisms and another one under others. */
static bool explain_mechanism_(const char *key)
{
    const struct smrf_mechanism *m, *other;
    bool found = false;
    if (strncasecmp(key, PREFIX, sizeof PREFIX - 1) != 0) {
        return false;
    }
    for (unsigned i = 0; (m = smrf_mechanism_at(i)) != NULL; i++) {
        const struct smrf_mechanism_stat *s = counted_(m, key + sizeof PREFIX - 1), *same = NULL;
        for (unsigned k = 0; s && !same && k < i; k++) {
            same = counted_(smrf_mechanism_at(k), s->name);
            same = same && strcmp(same->meaning, s->meaning) == 0 ? same : NULL;
        }
        if (!s || same) {
            continue;
        }
        char name[80];
        snprintf(name, sizeof name, PREFIX "%s", s->name);
        print_statistic_(name, s->meaning, s->unit);
        printf("  counted by: %s", m->name);
        for (unsigned k = i + 1; (other = smrf_mechanism_at(k)) != NULL; k++) {
            const struct smrf_mechanism_stat *theirs = counted_(other, s->name);
            if (theirs && strcmp(theirs->meaning, s->meaning) == 0) {
                printf(", %s", other->name);
            }
        }
        putchar('\n');
        found = true;
    }
    return found;
}

/* Options, then statistics. */
static const char *name_at_(size_t i)
{
    struct smrf_stat_info info;
    const size_t options = smrf_param_count();
    if (i < options) {
        return smrf_param_at(i)->key;
    }
    return smrf_stat_at(i - options, &info) == 0 ? info.name : NULL;
}

int smrf_cli_explain(const char *key)
{
    char near[256];
    if (explain_statistic_(key) || explain_mechanism_(key)) {
        return SMRF_EXIT_OK;
    }
    if (smrf_param_find(key) >= 0) {
        return smrf_config_explain(key, stdout, NULL) ? SMRF_EXIT_USAGE : SMRF_EXIT_OK;
    }
    smrf_suggest(key, name_at_, 5, near, sizeof near); /* at five edits it is another one */
    smrf_cli_error("smrf: --explain: no option or statistic is called '%.80s'%s", key,
                   near[0] ? near : "; smrf list options and smrf list statistics show all");
    return SMRF_EXIT_USAGE;
}
