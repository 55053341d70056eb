/* SPDX-License-Identifier: Apache-2.0 */
#include "whole_text.h"

#include "byte_source.h"

#include <stdlib.h>

#define FIRST_ROOM ((size_t)64 * 1024)

/* Reads the source to its end and closes it. */
static int read_all_(struct smrf_source *source, const char *name, uint64_t most, char **text,
                     size_t *size, struct smrf_trace_error_text *error)
{
    char *content = NULL;
    size_t room = 0, filled = 0;
    int64_t got;
    do {
        if (filled + 1 >= room) {
            room = room ? 2 * room : FIRST_ROOM;
            char *grown = realloc(content, room);
            if (grown == NULL) {
                got = smrf_trace_fail(error, SMRF_ERR_NOMEM, "%s: no memory left to read it", name);
                break;
            }
            content = grown;
        }
        got = smrf_source_read(source, content + filled, room - 1 - filled, error);
        filled += got > 0 ? (size_t)got : 0;
        if (filled > most) {
            got = smrf_trace_fail(error, SMRF_ERR_LIMIT,
                                  "%s: is larger than %llu bytes; is it the file that you mean?",
                                  name, (unsigned long long)most);
        }
    } while (got > 0);
    smrf_source_close(source);
    if (got < 0) {
        free(content);
        return (int)got;
    }
    content[filled] = '\0';
    *text = content;
    *size = filled;
    return 0;
}

int smrf_whole_text_of_file(const char *path, uint64_t most, char **text, size_t *size,
                            struct smrf_trace_error_text *error)
{
    struct smrf_source *source;
    *text = NULL;
    *size = 0;
    int rc = smrf_source_open(&source, path, NULL, error);
    return rc < 0 ? rc : read_all_(source, path, most, text, size, error);
}

int smrf_whole_text_of_bytes(const char *name, const void *bytes, size_t count, uint64_t most,
                             char **text, size_t *size, struct smrf_trace_error_text *error)
{
    struct smrf_source *source;
    *text = NULL;
    *size = 0;
    int rc = smrf_source_open_bytes(&source, name, bytes, count, error);
    return rc < 0 ? rc : read_all_(source, name, most, text, size, error);
}
