/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a trace in a folder, and the others that lie there. */
#ifndef SMRF_FOLDER_FILES_H
#define SMRF_FOLDER_FILES_H

#include "folder_names.h"

/* dir/name, to be freed; NULL: out of memory. */
char *smrf_folder_join(const char *dir, const char *name);

typedef int smrf_folder_visit_fn(const char *from, const char *name, void *ctx);
/* Visits the trace's files in a folder. Lists come last, because they say which files belong to the
 * trace. names NULL: the folder is ours as a whole, unfinished files included. Returns the first
 * nonzero result. */
int smrf_folder_each(const char *dir, const struct smrf_folder_names *names,
                     smrf_folder_visit_fn *visit, void *ctx);
int smrf_folder_remove_one(const char *from, const char *name, void *ctx);

/* Adds the names of dir/file. Returns 0, or -1 with errno, as the next one. */
int smrf_folder_read_names(struct smrf_folder_names *names, const char *dir, const char *file);
/* What the lists in a folder name, an unfinished one's too. */
int smrf_folder_names_of(struct smrf_folder_names *names, const char *dir);
bool smrf_folder_has_list(const char *dir);

/* Removes a folder of ours, or one with the trace that was replaced. */
void smrf_folder_remove(const char *path);
/* Looks for a file that belongs to no trace. `usual`: only files with a name that a trace could
 * have here. Returns its name, to be freed, or NULL. */
char *smrf_folder_foreign(const char *dir, const struct smrf_folder_names *names, bool usual);

#endif
