/* SPDX-License-Identifier: Apache-2.0 */
/* Which files of a folder belong to a trace: those that a list in it names, compressed since or
 * not, and their .operands files. */
#ifndef SMRF_FOLDER_NAMES_H
#define SMRF_FOLDER_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define SMRF_FOLDER_LIST "kernelslist.g"
#define SMRF_FOLDER_RUNNING SMRF_FOLDER_LIST ".running.part" /* of the launches that are whole */

struct smrf_folder_names {
    char **name;
    size_t count, room;
};

/* Add the names of a list; one that does not exist has none. Returns 0, or -1 with errno. */
int smrf_folder_names_read(struct smrf_folder_names *n, const char *list);
void smrf_folder_names_free(struct smrf_folder_names *n);

/* Is it a list, finished or not, or does one name it? */
bool smrf_folder_names_has(const struct smrf_folder_names *n, const char *file);
/* Is it an unfinished list? */
bool smrf_folder_is_part(const char *file);
/* Would a trace that is written here have a file of this name? */
bool smrf_folder_is_usual(const char *file);

#endif
