/* SPDX-License-Identifier: Apache-2.0 */
/* smrf list */
#define _GNU_SOURCE
#include "cli.h"

#include "models/issue/warp_state.h"
#include "models/seam/mechanism.h"
#include "platform/config/config.h"
#include "platform/config/internal.h"
#include "platform/config/registry.h"
#include "platform/energy/energy.h"

#include <argp.h>
#include <string.h>

static void presets_(FILE *out)
{
    fprintf(out, "Presets (--preset; the default is %s):\n", SMRF_DEFAULT_PRESET);
    smrf_config_list_presets(out);
}

static void mechanisms_(FILE *out)
{
    const struct smrf_mechanism *m;
    fputs("Mechanisms (--mechanism; the default is baseline):\n", out);
    for (unsigned i = 0; (m = smrf_mechanism_at(i)) != NULL; i++) {
        fprintf(out, "  %-15s  %s\n", m->name, m->summary);
        for (unsigned k = 0; m->defaults && m->defaults[k]; k++) {
            fprintf(out, "  %-15s  sets %s\n", "", m->defaults[k]);
        }
    }
}

static void options_(FILE *out)
{
    fputs("Options (--set KEY=VALUE or a YAML file): key, default, range, meaning (unit)\n\n", out);
    smrf_config_list_options(out);
}

static void statistics_(FILE *out)
{
    struct smrf_stat_info info;
    int width = 0;
    for (size_t i = 0; smrf_stat_at(i, &info) == 0; i++) {
        int length = (int)strlen(info.name);
        width = length > width ? length : width;
    }
    fputs("Statistics (paths in the JSON document, columns of the CSV): name, meaning (unit)\n\n",
          out);
    for (size_t i = 0; smrf_stat_at(i, &info) == 0; i++) {
        fprintf(out, "  %-*s  %s%s%s%s\n", width, info.name, info.meaning, info.unit[0] ? " (" : "",
                info.unit, info.unit[0] ? ")" : "");
    }
    const struct smrf_mechanism *m, *shown = NULL;
    for (unsigned n = 0; (m = smrf_mechanism_at(n)) != NULL; n++) {
        if (m->num_stats == 0 || (shown && shown->stats == m->stats)) {
            continue;
        }
        shown = m;
        fprintf(out, "\nOf the mechanism %s and those that count the same:\n\n", m->name);
        for (size_t i = 0; i < m->num_stats; i++) {
            const struct smrf_mechanism_stat *s = &m->stats[i];
            fprintf(out, "  mechanism.%-*s  %s%s%s%s\n", width - 10, s->name, s->meaning,
                    s->unit[0] ? " (" : "", s->unit, s->unit[0] ? ")" : "");
        }
    }
}

static void stalls_(FILE *out)
{
#define LINE(name, unit, meaning) fprintf(out, "  %-10s  %s\n", #name, meaning);
    fputs("Why a scheduler does not issue in a cycle, the first that applies to any of its warps "
          "(issue.stalls.*):\n",
          out);
    SMRF_STALLS(LINE)
#undef LINE
#define LINE(name, meaning) fprintf(out, "  %-10s  %s\n", #name, meaning);
    fputs("\nWhat a warp does in a cycle, the first that applies (smrf profile):\n", out);
    SMRF_WARP_STATES(LINE)
#undef LINE
}

static void energy_(FILE *out)
{
    const struct smrf_energy_set *set;
    fputs("Energy constants (pJ an access of 128 bytes; smrf run --energy FILE adds a set):\n",
          out);
    for (unsigned i = 0; (set = smrf_energy_set_at(i)) != NULL; i++) {
        fprintf(out, "\n  %s: %s\n", set->name, set->summary);
        for (unsigned k = 0; k < SMRF_ENERGY_COUNT; k++) {
            fprintf(out, "    %-15s %8.3f  %s\n", smrf_energy_constant_name(k), set->value[k],
                    set->source[k]);
        }
    }
    fputs("\n  Meaning:\n", out);
    for (unsigned k = 0; k < SMRF_ENERGY_COUNT; k++) {
        fprintf(out, "    %-15s %s\n", smrf_energy_constant_name(k),
                smrf_energy_constant_meaning(k));
    }
}

static const struct list {
    const char *name;
    void (*print)(FILE *out);
} lists[] = {
    {"presets", presets_},       {"mechanisms", mechanisms_}, {"options", options_},
    {"statistics", statistics_}, {"stalls", stalls_},         {"energy", energy_},
};
#define LISTS (sizeof lists / sizeof *lists)

static int unknown_(const char *word)
{
    const char *near = NULL;
    unsigned best = 5; /* at five edits the name is another one */
    for (size_t i = 0; i < LISTS; i++) {
        unsigned distance = smrf_edit_distance(word, lists[i].name);
        if (distance < best) {
            best = distance;
            near = lists[i].name;
        }
    }
    smrf_cli_error("smrf list: there is no list of '%s'%s%s%s; there are presets, mechanisms, "
                   "options, statistics, stalls and energy",
                   word, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return SMRF_EXIT_USAGE;
}

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    (void)state;
    return key == ARGP_KEY_ARG ? ARGP_ERR_UNKNOWN : 0;
}

const struct argp smrf_cli_list_argp = {
    NULL,
    parse_,
    "[presets|mechanisms|options|statistics|stalls|energy]..",
    "List what there is to choose from and to read, with units. Without a name: everything.",
    NULL,
    NULL,
    NULL};

int smrf_cli_list(int argc, char **argv)
{
    int first = argc;
    if (argp_parse(&smrf_cli_list_argp, argc, argv, ARGP_NO_ARGS, &first, NULL)) {
        return SMRF_EXIT_USAGE;
    }
    for (size_t k = 0; first == argc && k < LISTS; k++) {
        fputs(k ? "\n" : "", stdout);
        lists[k].print(stdout);
    }
    for (int i = first; i < argc; i++) {
        size_t k = 0;
        while (k < LISTS && strcmp(argv[i], lists[k].name) != 0) {
            k++;
        }
        if (k == LISTS) {
            return unknown_(argv[i]);
        }
        fputs(i > first ? "\n" : "", stdout);
        lists[k].print(stdout);
    }
    return SMRF_EXIT_OK;
}
