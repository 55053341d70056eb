/* SPDX-License-Identifier: Apache-2.0 */
#include "json_text.h"

#include "traces/files/escape.h"

#include <stdlib.h>
#include <string.h>

json_t *smrf_json_text(const char *text)
{
    if (smrf_is_utf8(text)) {
        return json_string(text);
    }
    char *escaped = smrf_utf8(text, strlen(text));
    json_t *string = escaped ? json_string(escaped) : NULL;
    free(escaped);
    return string;
}
