/* SPDX-License-Identifier: Apache-2.0 */
/* Long options that a command does not have: what may have been meant. */
#include "cli.h"

#include "platform/config/internal.h"

#include <argp.h>
#include <string.h>

struct search {
    const char *word; /* what stands behind the dashes .. */
    size_t length;
    bool known;       /* .. begins an option */
    bool takes_value; /* an option of just this name has one */
    const char *near; /* the nearest option */
    unsigned edits;   /* from it */
};

static void look_at_(struct search *s, const char *name, bool takes_value)
{
    char word[64];
    s->known |= strncmp(name, s->word, s->length) == 0;
    s->takes_value |= strncmp(name, s->word, s->length) == 0 && !name[s->length] && takes_value;
    snprintf(word, sizeof word, "%.*s", (int)s->length, s->word);
    const unsigned edits = smrf_edit_distance(word, name);
    if (edits < s->edits) {
        s->edits = edits;
        s->near = name;
    }
}

static void look_in_(struct search *s, const struct argp *argp)
{
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++) {
        if (o->name) {
            look_at_(s, o->name, o->arg && !(o->flags & OPTION_ARG_OPTIONAL));
        }
    }
    for (const struct argp_child *c = argp->children; c && c->argp; c++) {
        look_in_(s, c->argp);
    }
}

int smrf_cli_check_options(const struct argp *argp, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0) {
            continue;
        }
        /* At four edits the name is another one. */
        struct search s = {.word = argv[i] + 2, .length = strcspn(argv[i] + 2, "="), .edits = 4};
        look_in_(&s, argp);
        look_at_(&s, "help", false);
        look_at_(&s, "usage", false);
        if (!s.known) {
            smrf_cli_error("%s: there is no option --%.*s%s%s%s; %s --help shows all", argv[0],
                           (int)(s.length < 60 ? s.length : 60), s.word,
                           s.near ? "; did you mean --" : "", s.near ? s.near : "",
                           s.near ? "?" : "", argv[0]);
            return SMRF_EXIT_USAGE;
        }
        i += s.takes_value && !s.word[s.length];
    }
    return SMRF_EXIT_OK;
}
