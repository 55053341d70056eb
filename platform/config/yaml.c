/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration files in YAML, read event by event with libyaml: mappings nest, a key's path is
 * joined with dots, every error cites the line. */
#include "internal.h"

#include "traces/files/input_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define MAX_DEPTH 4   /* nested mappings; more cannot name a key */
#define MAX_KEY 128   /* bytes of a joined key */
#define MAX_VALUE 256 /* bytes of a value */

struct loader {
    struct smrf_config cfg;
    const char *name;
    struct smrf_config_error *err;
    yaml_parser_t parser;
    unsigned seen[SMRF_SECTION_PARAMS + SMRF_OPTIONS_MAX]; /* line of a key, 0 = not yet */
    unsigned description_line;
};

static void make_where_(const struct loader *l, size_t line, char where[SMRF_CONFIG_WHERE])
{
    snprintf(where, SMRF_CONFIG_WHERE, "%.280s:%zu", l->name, line);
}

static int fail_at_(const struct loader *l, int code, const yaml_event_t *event, const char *reason)
{
    char where[SMRF_CONFIG_WHERE];
    make_where_(l, event->start_mark.line + 1, where);
    return smrf_config_fail(l->err, code, where, "%s", reason);
}

/* Next event; the caller deletes it if the result is 0. */
static int next_event_(struct loader *l, yaml_event_t *event)
{
    if (yaml_parser_parse(&l->parser, event)) {
        return SMRF_OK;
    }
    const yaml_parser_t *p = &l->parser;
    if (p->error == YAML_MEMORY_ERROR) {
        return smrf_config_fail(l->err, SMRF_ERR_NOMEM, l->name, "out of memory");
    }
    char where[SMRF_CONFIG_WHERE];
    size_t line = p->problem_mark.line + 1;
    if (p->error == YAML_READER_ERROR) { /* bytes that are no text: only the offset is known */
        line = p->mark.line + 1;
    }
    make_where_(l, line, where);
    return smrf_config_fail(l->err, SMRF_ERR_FORMAT, where, "not valid YAML: %s%s%s",
                            p->problem ? p->problem : "unknown problem", p->context ? ", " : "",
                            p->context ? p->context : "");
}

static int set_key_(struct loader *l, const char *key, const char *value, const yaml_event_t *event)
{
    char where[SMRF_CONFIG_WHERE];
    unsigned line = (unsigned)event->start_mark.line + 1;
    make_where_(l, line, where);
    unsigned *seen = NULL;
    int index = smrf_param_find(key);
    if (index >= 0) {
        seen = &l->seen[index];
    } else if (strcmp(key, "description") == 0) {
        seen = &l->description_line;
    }
    if (seen != NULL && *seen != 0) {
        return smrf_config_fail(l->err, SMRF_ERR_INVAL, where,
                                "%s is given twice, first on line %u; keep one", key, *seen);
    }
    if (seen != NULL) {
        *seen = line;
    }
    if (seen == &l->description_line) {
        return SMRF_OK; /* a remark for the reader of the file */
    }
    if (index >= 0 && value[0] == '\0') {
        return smrf_config_fail(l->err, SMRF_ERR_INVAL, where, "%s has no value", key);
    }
    return smrf_config_set(&l->cfg, key, value, where, l->err);
}

/* Copy a scalar's text. */
static int scalar_text_(const struct loader *l, const yaml_event_t *event, char *buf, size_t size)
{
    const char *text = (const char *)event->data.scalar.value;
    if (event->data.scalar.length >= size) {
        return fail_at_(l, SMRF_ERR_FORMAT, event, "text is too long for a key or a value");
    }
    if (strlen(text) != event->data.scalar.length) {
        return fail_at_(l, SMRF_ERR_FORMAT, event, "text holds a NUL character");
    }
    memcpy(buf, text, event->data.scalar.length + 1);
    return SMRF_OK;
}

/* Scalars up to the end of a sequence, joined as "[a, b]". */
static int sequence_value_(struct loader *l, char *buf, size_t size)
{
    size_t used = (size_t)snprintf(buf, size, "[");
    for (;;) {
        yaml_event_t event;
        int rc = next_event_(l, &event);
        if (rc < 0) {
            return rc;
        }
        bool end = event.type == YAML_SEQUENCE_END_EVENT;
        char text[MAX_VALUE] = "]";
        if (!end && event.type != YAML_SCALAR_EVENT) {
            rc = fail_at_(l, SMRF_ERR_FORMAT, &event, "a list may only hold plain values");
        } else if (!end) {
            rc = scalar_text_(l, &event, text, sizeof text);
        }
        if (rc == SMRF_OK) {
            const char *comma = end || used == 1 ? "" : ", ";
            used += (size_t)snprintf(buf + used, size - used, "%s%s", comma, text);
            if (used >= size) {
                rc = fail_at_(l, SMRF_ERR_FORMAT, &event, "list is too long");
            }
        }
        yaml_event_delete(&event);
        if (rc < 0 || end) {
            return rc;
        }
    }
}

static int load_mapping_(struct loader *l, const char *prefix, int depth);

/* The value of `key`, whose event is given: a scalar, a list, or a mapping below it. */
static int load_value_(struct loader *l, const char *key, const yaml_event_t *event, int depth)
{
    char value[MAX_VALUE];
    int rc;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        rc = scalar_text_(l, event, value, sizeof value);
        return rc < 0 ? rc : set_key_(l, key, value, event);
    case YAML_SEQUENCE_START_EVENT:
        rc = sequence_value_(l, value, sizeof value);
        return rc < 0 ? rc : set_key_(l, key, value, event);
    case YAML_MAPPING_START_EVENT:
        if (depth >= MAX_DEPTH) {
            return fail_at_(l, SMRF_ERR_FORMAT, event, "sections are nested too deeply");
        }
        return load_mapping_(l, key, depth + 1);
    default:
        return fail_at_(l, SMRF_ERR_FORMAT, event, "anchors and aliases are not supported here");
    }
}

/* One "key: value" of a mapping; key is the event of the key. */
static int load_entry_(struct loader *l, const char *prefix, const yaml_event_t *key, int depth)
{
    char name[MAX_KEY], path[MAX_KEY + MAX_KEY];
    if (key->type != YAML_SCALAR_EVENT) {
        return fail_at_(l, SMRF_ERR_FORMAT, key, "a key must be plain text");
    }
    int rc = scalar_text_(l, key, name, sizeof name);
    if (rc < 0) {
        return rc;
    }
    int used = snprintf(path, sizeof path, "%s%s%s", prefix, prefix[0] ? "." : "", name);
    if (used >= MAX_KEY) {
        return fail_at_(l, SMRF_ERR_FORMAT, key, "key is too long");
    }
    yaml_event_t value;
    rc = next_event_(l, &value);
    if (rc < 0) {
        return rc;
    }
    rc = load_value_(l, path, &value, depth);
    yaml_event_delete(&value);
    return rc;
}

/* Entries up to the end of a mapping whose start has been read. */
static int load_mapping_(struct loader *l, const char *prefix, int depth)
{
    for (;;) {
        yaml_event_t event;
        int rc = next_event_(l, &event);
        if (rc < 0) {
            return rc;
        }
        bool end = event.type == YAML_MAPPING_END_EVENT;
        if (!end) {
            rc = load_entry_(l, prefix, &event, depth);
        }
        yaml_event_delete(&event);
        if (rc < 0 || end) {
            return rc;
        }
    }
}

/* The stream: at most one document, which is empty or a mapping. */
static int load_stream_(struct loader *l)
{
    int documents = 0;
    for (;;) {
        yaml_event_t event;
        int rc = next_event_(l, &event);
        if (rc < 0) {
            return rc;
        }
        bool end = event.type == YAML_STREAM_END_EVENT;
        if (event.type == YAML_DOCUMENT_START_EVENT && documents++ > 0) {
            rc = fail_at_(l, SMRF_ERR_FORMAT, &event, "a second document; a file holds one");
        } else if (event.type == YAML_MAPPING_START_EVENT) {
            rc = load_mapping_(l, "", 1);
        } else if (event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_ALIAS_EVENT ||
                   (event.type == YAML_SCALAR_EVENT && event.data.scalar.length > 0)) {
            rc = fail_at_(l, SMRF_ERR_FORMAT, &event, "expected lines of the form key: value");
        }
        yaml_event_delete(&event);
        if (rc < 0 || end) {
            return rc;
        }
    }
}

/* Into l, whose cfg is what the text changes. */
static int load_(struct loader *l, const char *text, size_t size)
{
    unsigned deep = smrf_input_too_deep(text, size);
    if (deep) {
        char where[SMRF_CONFIG_WHERE];
        snprintf(where, sizeof where, "%.300s:%u", l->name, deep);
        return smrf_config_fail(l->err, SMRF_ERR_LIMIT, where, "nested deeper than %d levels",
                                SMRF_INPUT_DEPTH);
    }
    if (!yaml_parser_initialize(&l->parser)) {
        return smrf_config_fail(l->err, SMRF_ERR_NOMEM, l->name, "out of memory");
    }
    yaml_parser_set_input_string(&l->parser, (const unsigned char *)text, size);
    int rc = load_stream_(l);
    yaml_parser_delete(&l->parser);
    return rc;
}

int smrf_config_load_text(struct smrf_config *cfg, const char *name, const char *text, size_t size,
                          struct smrf_config_error *err)
{
    struct loader l = {.cfg = *cfg, .name = name, .err = err};
    int rc = load_(&l, text, size);
    if (rc == SMRF_OK) {
        *cfg = l.cfg;
    }
    return rc;
}

unsigned smrf_config_line(const char *path, const char *key)
{
    struct loader l = {.name = path};
    char *text;
    size_t size;
    const int index = smrf_param_find(key);
    if (index < 0 || smrf_config_read_file(path, &text, &size, NULL) < 0) {
        return 0;
    }
    const int rc = load_(&l, text, size);
    free(text);
    return rc == SMRF_OK ? l.seen[index] : 0;
}

int smrf_config_load_file(struct smrf_config *cfg, const char *path, struct smrf_config_error *err)
{
    char *text;
    size_t size;
    int rc = smrf_config_read_file(path, &text, &size, err);
    if (rc < 0) {
        return rc;
    }
    rc = smrf_config_load_text(cfg, path, text, size, err);
    free(text);
    return rc;
}

int smrf_config_read_file(const char *path, char **text, size_t *size,
                          struct smrf_config_error *err)
{
    struct smrf_config_error unused;
    struct smrf_config_error *own = err ? err : &unused;
    return smrf_input_read(path, SMRF_INPUT_TEXT_MAX, text, size, own->text, sizeof own->text);
}
