/* SPDX-License-Identifier: Apache-2.0 */
/* Reads Accel-Sim's gpgpusim.config and trace.config: "-option value" separated by white space,
 * comments from # to the end of a line, values in quotes may span lines and lose their spaces. A
 * later occurrence of an option replaces an earlier one. */
#include "gpgpusim.h"

#include "traces/files/input_file.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ITEMS 4096 /* options of a file; Accel-Sim itself has about 300 */

int smrf_gs_fail(struct smrf_gs_reader *r, const char *fmt, ...)
{
    char where[SMRF_CONFIG_WHERE], why[320];
    snprintf(where, sizeof where, "%.280s:%u", r->name, r->item->line);
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    if (r->item->line == 0) {
        return smrf_config_fail(r->err, SMRF_ERR_INVAL, r->name,
                                "-%.60s is left out, and Accel-Sim's default is %.60s: %s",
                                r->item->option, r->item->value, why);
    }
    return smrf_config_fail(r->err, SMRF_ERR_INVAL, where, "-%.60s %.60s: %s", r->item->option,
                            r->item->value, why);
}

void smrf_gs_note(struct smrf_gs_reader *r, enum smrf_option_fate fate, const char *reason)
{
    if (r->noted || !r->item->last || r->item->line == 0) {
        return;
    }
    r->noted = true;
    if (r->report != NULL) {
        struct smrf_option_report report = {.option = r->item->option,
                                            .value = r->item->value,
                                            .reason = reason,
                                            .file = r->name,
                                            .line = r->item->line,
                                            .fate = fate};
        r->report(r->user, &report);
    }
}

int smrf_gs_put(struct smrf_gs_reader *r, enum smrf_param_index param, uint64_t value)
{
    const struct smrf_param *info = smrf_param_at(param);
    if (value < info->min || value > info->max) {
        return smrf_gs_fail(r, "gives %s = %llu, out of range %u to %u", info->key,
                            (unsigned long long)value, info->min, info->max);
    }
    smrf_config_put(&r->cfg, param, (uint32_t)value);
    return SMRF_OK;
}

const char *smrf_option_fate_text(enum smrf_option_fate fate)
{
    switch (fate) {
    case SMRF_OPTION_NO_EFFECT:
        return "no effect on timing here";
    case SMRF_OPTION_NOT_MODELLED:
        return "not modelled";
    case SMRF_OPTION_LEFT_OUT:
        return "not in the file";
    case SMRF_OPTION_UNKNOWN:
        break;
    }
    return "unknown option";
}

/* --- text to items ----------------------------------------------------------------------- */

struct scanner {
    struct smrf_gs_reader *r;
    char *p, *end; /* rest of a writable copy of the text */
    unsigned line;
};

struct token {
    char *text; /* NULL = the text has ended */
    unsigned line;
    bool quoted;
};

static int scan_fail_(const struct scanner *s, unsigned line, const char *reason, const char *text)
{
    char where[SMRF_CONFIG_WHERE];
    snprintf(where, sizeof where, "%.280s:%u", s->r->name, line);
    return smrf_config_fail(s->r->err, SMRF_ERR_FORMAT, where, "%s%.60s", reason, text);
}

static void skip_space_and_comments_(struct scanner *s)
{
    bool comment = false;
    for (; s->p < s->end; s->p++) {
        if (*s->p == '\n') {
            s->line++;
            comment = false;
        } else if (*s->p == '#') {
            comment = true;
        } else if (!comment && !isspace((unsigned char)*s->p)) {
            return;
        }
    }
}

/* The rest of a quoted value, without white space, ended by NUL in place. */
static int scan_quoted_(struct scanner *s, struct token *t)
{
    t->quoted = true;
    t->text = ++s->p;
    char *out = s->p;
    for (; s->p < s->end && *s->p != '"'; s->p++) {
        s->line += *s->p == '\n';
        if (!isspace((unsigned char)*s->p)) {
            *out++ = *s->p;
        }
    }
    if (s->p == s->end) {
        return scan_fail_(s, t->line, "quote without an end", "");
    }
    s->p++;
    *out = '\0';
    return SMRF_OK;
}

static int scan_token_(struct scanner *s, struct token *t)
{
    skip_space_and_comments_(s);
    *t = (struct token){.line = s->line};
    if (s->p == s->end) {
        return SMRF_OK;
    }
    if (*s->p == '"') {
        return scan_quoted_(s, t);
    }
    t->text = s->p;
    while (s->p < s->end && !isspace((unsigned char)*s->p) && *s->p != '#') {
        s->p++;
    }
    if (s->p == s->end) { /* the copy has room for a NUL behind its end */
        *s->p = '\0';
    } else if (*s->p == '#') { /* a comment that touches the value */
        *s->p++ = '\0';
        while (s->p < s->end && *s->p != '\n') {
            s->p++;
        }
    } else {
        s->line += *s->p == '\n';
        *s->p++ = '\0';
    }
    return SMRF_OK;
}

static bool is_option_(const struct token *t)
{
    return !t->quoted && t->text[0] == '-' && isalpha((unsigned char)t->text[1]);
}

/* Split the text into items. Returns their number or an error. */
static int scan_items_(struct scanner *s, struct smrf_gs_item *items)
{
    int count = 0;
    for (;;) {
        struct token option, value;
        int rc = scan_token_(s, &option);
        if (rc < 0 || option.text == NULL) {
            return rc < 0 ? rc : count;
        }
        if (!is_option_(&option)) {
            return scan_fail_(s, option.line,
                              "expected an option such as -gpgpu_n_clusters, found ", option.text);
        }
        rc = scan_token_(s, &value);
        if (rc < 0) {
            return rc;
        }
        if (value.text == NULL || is_option_(&value)) {
            return scan_fail_(s, option.line, "no value follows ", option.text);
        }
        if (count == MAX_ITEMS) {
            return scan_fail_(s, option.line, "more options than any Accel-Sim file has", "");
        }
        items[count++] = (struct smrf_gs_item){.option = option.text + 1,
                                               .value = value.text,
                                               .line = option.line,
                                               .row = smrf_gs_find(option.text + 1),
                                               .last = true};
    }
}

static void mark_repeated_(struct smrf_gs_item *items, int count)
{
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count && items[i].last; j++) {
            items[i].last = items[i].row < 0 ? strcmp(items[i].option, items[j].option) != 0
                                             : items[i].row != items[j].row;
        }
    }
}

/* --- items to a configuration ------------------------------------------------------------ */

static int apply_item_(struct smrf_gs_reader *r, const struct smrf_gs_item *item)
{
    r->item = item;
    r->noted = false;
    if (item->value == NULL) { /* nothing to take */
        return SMRF_OK;
    }
    if (item->row < 0) {
        smrf_gs_note(r, SMRF_OPTION_UNKNOWN, "ignored; is it spelled as in Accel-Sim?");
        return SMRF_OK;
    }
    const struct smrf_gs_option *option = &smrf_gs_options[item->row];
    return option->apply(r, option);
}

/* First the options that depend on each other, then the rest, which may depend on those. */
static int apply_items_(struct smrf_gs_reader *r, const struct smrf_gs_item *items, int count)
{
    int rc = SMRF_OK;
    for (size_t i = 0; i < smrf_gs_behaviour_count; i++) {
        smrf_config_put(&r->cfg, smrf_gs_behaviours[i].param, smrf_gs_behaviours[i].value);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count && rc == SMRF_OK; i++) {
            const struct smrf_gs_option *option =
                items[i].row < 0 ? NULL : &smrf_gs_options[items[i].row];
            bool first = option != NULL && option->apply == smrf_gs_defer;
            r->has_icache |= option != NULL && option->apply == smrf_gs_cache_inst;
            if (first == (pass == 0)) {
                rc = apply_item_(r, &items[i]);
            }
        }
        if (rc == SMRF_OK && pass == 0) {
            rc = smrf_gs_resolve(r);
        }
    }
    return rc < 0 ? rc : smrf_gs_finish(r);
}

static bool is_given_(const struct smrf_gs_item *items, int count, int row)
{
    for (int i = 0; i < count; i++) {
        if (items[i].row == row) {
            return true;
        }
    }
    return false;
}

/* A file with most of a machine's options describes the whole machine: what it leaves out has
 * Accel-Sim's default. Puts the defaults behind the file's items, returns how many there are then.
 */
static int add_defaults_(struct smrf_gs_item *items, int count)
{
    const int own = count;
    size_t given = 0;
    bool crossbar = false; /* -network_mode 2, the one that -icnt_ options are of */
    for (int i = 0; i < own; i++) {
        crossbar |=
            strcmp(items[i].option, "network_mode") == 0 && strcmp(items[i].value, "2") == 0;
    }
    for (size_t i = 0; i < smrf_gs_default_count; i++) {
        given += is_given_(items, own, smrf_gs_find(smrf_gs_defaults[i].option));
    }
    for (size_t i = 0; 2 * given > smrf_gs_default_count && i < smrf_gs_default_count; i++) {
        const struct smrf_gs_default *d = &smrf_gs_defaults[i];
        const int row = smrf_gs_find(d->option);
        const bool has = crossbar || strncmp(d->option, "icnt_", 5) != 0;
        if (!is_given_(items, own, row)) {
            items[count++] = (struct smrf_gs_item){
                .option = d->option, .value = has ? d->value : NULL, .row = row, .last = true};
        }
    }
    return count;
}

static void tell_left_out_(const struct smrf_gs_reader *r, const struct smrf_gs_item *items,
                           int count)
{
    for (int i = 0; i < count && r->report != NULL; i++) {
        if (items[i].line == 0) {
            const bool has = items[i].value != NULL;
            const struct smrf_option_report report = {
                .option = items[i].option,
                .value = has ? items[i].value : "",
                .reason = has ? "Accel-Sim's default is taken"
                              : "Accel-Sim's default has no counterpart here, the value below the "
                                "file stays",
                .file = r->name,
                .fate = SMRF_OPTION_LEFT_OUT};
            r->report(r->user, &report);
        }
    }
}

int smrf_config_gpgpusim_text(struct smrf_config *cfg, const char *name, const char *text,
                              size_t size,
                              void (*report)(void *user, const struct smrf_option_report *report),
                              void *user, struct smrf_config_error *err)
{
    struct smrf_gs_reader r = {
        .cfg = *cfg, .name = name, .err = err, .report = report, .user = user};
    if (size > SMRF_INPUT_TEXT_MAX) {
        return smrf_config_fail(err, SMRF_ERR_LIMIT, name, "larger than 1 MiB");
    }
    if (memchr(text, '\0', size) != NULL) {
        return smrf_config_fail(err, SMRF_ERR_FORMAT, name, "holds a NUL byte: not a text file");
    }
    struct smrf_gs_item *items = malloc((MAX_ITEMS + smrf_gs_default_count) * sizeof *items);
    char *copy = malloc(size + 1);
    int rc = SMRF_ERR_NOMEM;
    if (items != NULL && copy != NULL) {
        memcpy(copy, text, size);
        struct scanner s = {.r = &r, .p = copy, .end = copy + size, .line = 1};
        rc = scan_items_(&s, items);
        if (rc >= 0) {
            mark_repeated_(items, rc);
            const int count = add_defaults_(items, rc);
            rc = apply_items_(&r, items, count);
            if (rc == SMRF_OK) {
                tell_left_out_(&r, items, count);
            }
        }
    } else {
        smrf_config_fail(err, rc, name, "out of memory");
    }
    free(copy);
    free(items);
    if (rc == SMRF_OK) {
        *cfg = r.cfg;
    }
    return rc;
}

int smrf_config_gpgpusim(struct smrf_config *cfg, const char *path,
                         void (*report)(void *user, const struct smrf_option_report *report),
                         void *user, struct smrf_config_error *err)
{
    char *text;
    size_t size;
    int rc = smrf_config_read_file(path, &text, &size, err);
    if (rc < 0) {
        return rc;
    }
    rc = smrf_config_gpgpusim_text(cfg, path, text, size, report, user, err);
    free(text);
    return rc;
}
