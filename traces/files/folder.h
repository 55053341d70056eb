/* SPDX-License-Identifier: Apache-2.0 */
/* A trace's folder while it is being written, and its coming to its name.
 *
 * The files are put into a new folder "NAME.<8 digits>.partial" beside DIR (in DIR where its parent
 * cannot be written or is another file system), which takes DIR's name when the trace is complete:
 * at once where DIR is new or holds nothing but a trace. Of DIR's files only those go that a list
 * there names; one that could be a trace's and is in no list is a reason to refuse. Beside it
 * stands a locked file ".NAME.lock" as long as somebody works: of two that write the same trace one
 * wins. It names the folder, so that the next one removes, or takes over, what a killed one has
 * left. */
#ifndef SMRF_FOLDER_H
#define SMRF_FOLDER_H

#include "models/common/smrf_err.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_folder;

/* Begins, and makes the folders above DIR. A trace in DIR is an error unless replace is set, and so
 * is another process that writes one there now. error[room] receives the text of a failure, here
 * and below; *folder is NULL then. */
int smrf_folder_begin(struct smrf_folder **folder, const char *dir, bool replace, char *error,
                      size_t room);
/* Takes over what a process left that was killed while it wrote a trace to DIR: the launches that
 * its running list names (smrf_trace_writer_save). What it left besides goes. *folder is NULL, and
 * the result 0, if no launch was whole. */
int smrf_folder_resume(struct smrf_folder **folder, const char *dir, bool replace, char *error,
                       size_t room);
/* Where the files belong until the end. */
const char *smrf_folder_path(const struct smrf_folder *folder);
/* Have the files, which are on the disk, take DIR's place; a trace's files that lie there go. Frees
 * the folder in every case. */
int smrf_folder_publish(struct smrf_folder *folder, char *error, size_t room);
/* Remove all that has been written. NULL is allowed. */
void smrf_folder_abandon(struct smrf_folder *folder);

#ifdef __cplusplus
}
#endif

#endif
