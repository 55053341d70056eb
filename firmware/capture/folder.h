/* SPDX-License-Identifier: Apache-2.0 */
/* A trace's folder while it is being written, and its coming to its name. */
#ifndef SMRF_CAPTURE_FOLDER_H
#define SMRF_CAPTURE_FOLDER_H

#include "models/common/smrf_err.h"

#include <stdbool.h>
#include <stddef.h>

/* Every call: error[room] receives the text of a failure. */

/* Make "<dir>.partial" (removing one that an interrupted run left) with the folders above it; *path
 * is its name, to be freed. A trace in dir is an error unless replace. */
int smrf_folder_begin(char **path, const char *dir, bool replace, char *error, size_t room);
/* Move the files into dir, the list last; a trace's files that lie there go first. */
int smrf_folder_publish(const char *partial, const char *dir, char *error, size_t room);
/* Remove it with all that is in it. */
void smrf_folder_remove(const char *partial);

#endif
