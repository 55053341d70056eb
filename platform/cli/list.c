/* SPDX-License-Identifier: Apache-2.0 */
/* smrf list */
#define _GNU_SOURCE
#include "cli.h"
#include "groups.h"

#include "models/issue/warp_state.h"
#include "models/seam/mechanism.h"
#include "platform/config/config.h"
#include "platform/config/registry.h"
#include "platform/config/suggest.h"
#include "platform/energy/energy.h"

#include <argp.h>
#include <string.h>

static void presets_(FILE *out)
{
    fprintf(out, "Presets (--preset; the default is %s):\n", SMRF_DEFAULT_PRESET);
    smrf_config_list_presets(out);
}

/* details: with the options that each sets. */
static void mechanisms_(FILE *out, bool details)
{
    const struct smrf_mechanism *m;
    fputs("Mechanisms (--mechanism; the default is baseline):\n", out);
    for (unsigned i = 0; (m = smrf_mechanism_at(i)) != NULL; i++) {
        fprintf(out, "  %-15s  %s\n", m->name, m->summary);
        for (unsigned k = 0; details && m->defaults && m->defaults[k]; k++) {
            fprintf(out, "  %-15s  sets %s\n", "", m->defaults[k]);
        }
    }
}

static const char *option_name_(size_t i)
{
    return i < smrf_param_count() ? smrf_param_at(i)->key : NULL;
}

static const char *statistic_name_(size_t i)
{
    struct smrf_stat_info info;
    return smrf_stat_at(i, &info) == 0 ? info.name : NULL;
}

static void options_(FILE *out, const char *group)
{
    fputs("Options (--set KEY=VALUE or a YAML file): key, default, range, meaning (unit)\n\n", out);
    smrf_config_list_options(out, group);
}

/* Those of one mechanism, and of others that count the same. */
static void counted_(FILE *out, const struct smrf_mechanism *m, int width)
{
    fprintf(out, "\nOf the mechanism %s and those that count the same:\n\n", m->name);
    for (size_t i = 0; i < m->num_stats; i++) {
        const struct smrf_mechanism_stat *s = &m->stats[i];
        fprintf(out, "  mechanism.%-*s  %s%s%s%s\n", width - 10, s->name, s->meaning,
                s->unit[0] ? " (" : "", s->unit, s->unit[0] ? ")" : "");
    }
}

/* group: NULL, all; "mechanism": those of all mechanisms; a mechanism: its own. */
static void statistics_(FILE *out, const char *group)
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
        if (group == NULL || smrf_cli_in_group(info.name, group)) {
            fprintf(out, "  %-*s  %s%s%s%s\n", width, info.name, info.meaning,
                    info.unit[0] ? " (" : "", info.unit, info.unit[0] ? ")" : "");
        }
    }
    const struct smrf_mechanism *m, *shown = NULL;
    const bool all = group == NULL || strcmp(group, "mechanism") == 0;
    for (unsigned n = 0; (m = smrf_mechanism_at(n)) != NULL; n++) {
        if (m->num_stats != 0 &&
            (all ? shown == NULL || shown->stats != m->stats : strcmp(group, m->name) == 0)) {
            shown = m;
            counted_(out, m, width);
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

/* What a mechanism counts stands by its name. */
static void statistics_overview_(FILE *out)
{
    fputs("Statistics, by group (paths in the JSON document, columns of the CSV):\n\n", out);
    smrf_cli_overview(out, statistic_name_);
    fputs("  mechanism             its own counters: smrf list statistics MECHANISM\n"
          "\nsmrf list statistics GROUP: name, meaning and unit of each; --all: of every one\n",
          out);
}

static void options_overview_(FILE *out)
{
    fputs("Options, by section (--set KEY=VALUE or a YAML file):\n\n", out);
    smrf_cli_overview(out, option_name_);
    fputs("\nsmrf list options SECTION: default, range and meaning of each; --all: of every one;\n"
          "smrf --explain KEY: all about one\n",
          out);
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

static const char *const lists[] = {"presets",    "mechanisms", "options",
                                    "statistics", "stalls",     "energy"};
enum { PRESETS, MECHANISMS, OPTIONS, STATISTICS, STALLS, ENERGY, LISTS };

/* group: NULL, none was named. */
static void print_(FILE *out, unsigned list, const char *group, bool all)
{
    switch (list) {
    case PRESETS:
        presets_(out);
        break;
    case MECHANISMS:
        mechanisms_(out, true);
        break;
    case OPTIONS:
        all || group ? options_(out, group) : options_overview_(out);
        break;
    case STATISTICS:
        all || group ? statistics_(out, group) : statistics_overview_(out);
        break;
    case STALLS:
        stalls_(out);
        break;
    default:
        energy_(out);
    }
}

/* Without a name: one screen. */
static void overview_(FILE *out)
{
    presets_(out);
    fputs("\n", out);
    mechanisms_(out, false);
    fputs("\nsmrf list options      what can be changed, by section\n"
          "smrf list statistics   what is counted, by group\n"
          "smrf list mechanisms   the same as above, with the options that each sets\n"
          "smrf list stalls       why a scheduler does not issue\n"
          "smrf list energy       constants of the energy model\n"
          "smrf list --all        everything\n",
          out);
}

static const char *list_at_(size_t i)
{
    return i < LISTS ? lists[i] : NULL;
}

static int unknown_(const char *word)
{
    char near[256];
    smrf_suggest(word, list_at_, 5, near, sizeof near); /* at five edits it is another one */
    smrf_cli_error("smrf list: there is no list of '%s'%s; there are presets, mechanisms, "
                   "options, statistics, stalls and energy",
                   word, near);
    return SMRF_EXIT_USAGE;
}

/* A group of the list: a section of options, a group of statistics or a mechanism. */
static bool is_group_(unsigned list, const char *word)
{
    if (list == OPTIONS) {
        return smrf_cli_has_group(option_name_, word);
    }
    return list == STATISTICS && (strcmp(word, "mechanism") == 0 || smrf_mechanism_find(word) ||
                                  smrf_cli_has_group(statistic_name_, word));
}

enum option_key { KEY_ALL = 256 };

static const struct argp_option option_table[] = {
    {"all", KEY_ALL, 0, 0,
     "list every option and statistic with its meaning, instead of "
     "groups",
     1},
    {0, 0, 0, 0, 0, 0}};

#define WORDS 64 /* most names of lists and groups */

struct input {
    bool all;
    unsigned num;
    char *word[WORDS];
};

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    struct input *in = state->input;
    if (key == KEY_ALL) {
        in->all = true;
        return 0;
    }
    if (key == ARGP_KEY_ARG && in->num < WORDS) {
        in->word[in->num++] = arg;
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

const struct argp smrf_cli_list_argp = {
    option_table,
    parse_,
    "[presets|mechanisms|options|statistics|stalls|energy] [GROUP]..",
    "List presets, mechanisms, options, statistics, stalls and energy constants. Options and "
    "statistics are shown by group; name a group (rf, l1d, ..) or a mechanism for details.",
    NULL,
    NULL,
    NULL};

/* The list of this name, LISTS: there is none. */
static unsigned list_of_(const char *word)
{
    unsigned k = 0;
    while (k < LISTS && strcmp(word, lists[k]) != 0) {
        k++;
    }
    return k;
}

/* The words from i on that are a list and its groups; print: or only count them. Returns how many.
 */
static unsigned list_(const struct input *in, unsigned i, bool print)
{
    const unsigned k = list_of_(in->word[i]);
    unsigned groups = 0;
    if (k == LISTS) {
        return 0;
    }
    while (i + groups + 1 < in->num && is_group_(k, in->word[i + groups + 1])) {
        groups++;
        if (print) {
            print_(stdout, k, in->word[i + groups], in->all);
        }
    }
    if (print && groups == 0) {
        print_(stdout, k, NULL, in->all);
    }
    return groups + 1;
}

int smrf_cli_list(int argc, char **argv)
{
    struct input in = {.all = false};
    if (argp_parse(&smrf_cli_list_argp, argc, argv, 0, NULL, &in)) {
        return SMRF_EXIT_USAGE;
    }
    for (unsigned i = 0, n; i < in.num; i += n) {
        n = list_(&in, i, false);
        if (n == 0) {
            return unknown_(in.word[i]);
        }
    }
    for (unsigned i = 0; i < in.num; i += list_(&in, i, true)) {
        fputs(i ? "\n" : "", stdout);
    }
    for (unsigned k = 0; in.num == 0 && in.all && k < LISTS; k++) {
        fputs(k ? "\n" : "", stdout);
        print_(stdout, k, NULL, true);
    }
    if (in.num == 0 && !in.all) {
        overview_(stdout);
    }
    return SMRF_EXIT_OK;
}
