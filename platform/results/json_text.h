/* SPDX-License-Identifier: Apache-2.0 */
/* Text that need not be UTF-8, a path for instance, as JSON: bytes that are none as \xHH. */
#ifndef SMRF_RESULTS_JSON_TEXT_H
#define SMRF_RESULTS_JSON_TEXT_H

#include <jansson.h>

/* NULL: no memory. */
json_t *smrf_json_text(const char *text);

#endif
