/* SPDX-License-Identifier: Apache-2.0 */
/* What a run left: is it a result? */
#define _GNU_SOURCE
#include "runner.h"

#include "platform/store/digest.h"

#include "smrf_version.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_text_(const json_t *object, const char *key, const char *text)
{
    const char *own = json_string_value(json_object_get(object, key));
    return own && strcmp(own, text) == 0;
}

/* A parameter's value in the document, as a line of the configuration has it. */
static bool is_value_(const json_t *value, const char *text, size_t length)
{
    char own[256];
    if (json_is_integer(value)) {
        snprintf(own, sizeof own, "%lld", (long long)json_integer_value(value));
    } else if (json_is_boolean(value)) {
        snprintf(own, sizeof own, "%s", json_is_true(value) ? "on" : "off");
    } else {
        snprintf(own, sizeof own, "%s", json_is_string(value) ? json_string_value(value) : "");
    }
    return strlen(own) == length && strncmp(own, text, length) == 0;
}

static bool is_machine_(const json_t *config, const char *configuration)
{
    size_t count = 0;
    for (const char *line = configuration; *line; count++) {
        char key[128];
        const char *equals = strchr(line, '='), *end = strchrnul(line, '\n');
        snprintf(key, sizeof key, "%.*s", (int)(equals - line), line);
        if (!is_value_(json_object_get(config, key), equals + 1, (size_t)(end - equals - 1))) {
            return false;
        }
        line = *end ? end + 1 : end;
    }
    return count == json_object_size(config);
}

/* Is the document the run's result? cycles: where the run should end, 0: at its trace's end.
 * Returns NULL if it is, else the reason. */
static const char *refuse_(const struct smrf_planned *p, uint64_t cycles, const char *trace,
                           const json_t *document)
{
    const json_t *provenance = json_object_get(document, "provenance");
    const bool run = strcmp(p->run.tool, "run") == 0;
    if (!document) {
        return "it left no document";
    }
    const bool as_wanted = cycles && is_text_(document, "end", "limit");
    if (run && !as_wanted && !json_is_false(json_object_get(document, "partial"))) {
        return "it was stopped before its end";
    }
    if (!is_text_(provenance, "version", SMRF_VERSION) ||
        !is_text_(provenance, "commit", SMRF_COMMIT)) {
        return "another program made it";
    }
    if (run && !(is_text_(provenance, "preset", p->run.preset) &&
                 is_text_(provenance, "mechanism", p->run.mechanism) &&
                 json_is_null(json_object_get(provenance, "mechanism_table")) &&
                 json_is_null(json_object_get(provenance, "reuse_file")) &&
                 is_machine_(json_object_get(provenance, "config"), p->run.configuration))) {
        return "it ran on another machine than planned";
    }
    if (smrf_digest_stamp(trace) != p->stamp) {
        return "its trace was changed meanwhile; run the study again";
    }
    return NULL;
}

/* The last line that a run printed: why it ended. */
static const char *last_words_(struct smrf_runner *r, const char *log, int status)
{
    char line[256] = "", last[256] = "";
    FILE *in = fopen(log, "r");
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] && strncmp(line, "smrf: note:", 11) != 0) {
            memcpy(last, line, sizeof last);
        }
    }
    if (in) {
        fclose(in);
    }
    if (WIFSIGNALED(status)) {
        return smrf_pool_text(&r->x->pool, "ended by signal %d (%s)%s%s", WTERMSIG(status),
                              strsignal(WTERMSIG(status)), last[0] ? ": " : "", last);
    }
    return last[0] ? smrf_pool_text(&r->x->pool, "%s", last)
                   : smrf_pool_text(&r->x->pool, "ended with status %d without a word",
                                    WEXITSTATUS(status));
}

/* Only where it is asked for: what a run takes is no result of the machine's. */
static void add_time_(const struct smrf_experiment *x, json_t *document, double seconds)
{
    bool asked = false;
    for (size_t i = 0; x->statistics && i < x->statistics->count; i++) {
        const char *name = x->statistics->item[i]->text;
        asked = asked || (name && strcmp(name, "run.seconds") == 0);
    }
    if (document && asked) {
        json_object_set_new(document, "run", json_pack("{s:f}", "seconds", seconds));
    }
}

int smrf_runner_ended(struct smrf_runner *r, const struct smrf_planned *p, int status,
                      double seconds, double processor, const char *limit)
{
    const char *file = smrf_runner_file(r, p->run.key, ".json");
    const char *log = smrf_runner_file(r, p->run.key, ".log");
    const bool well = !limit && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    json_t *document = well ? json_load_file(file, 0, NULL) : NULL;
    add_time_(r->x, document, processor);
    const char *why =
        well    ? refuse_(p, r->x->variant[p->variant].cycles, r->x->trace[p->trace].path, document)
        : limit ? limit
                : last_words_(r, log, status);
    int err = why ? smrf_store_fail(r->store, p->run.key, why)
                  : smrf_store_keep(r->store, p->run.key, document, seconds);
    json_decref(document);
    if (err) {
        return smrf_runner_fail(r, err, "%s", smrf_store_error(r->store));
    }
    unlink(file);
    if (!why) {
        unlink(log);
    }
    r->progress.done++;
    r->progress.failed += why != NULL;
    return SMRF_OK;
}
