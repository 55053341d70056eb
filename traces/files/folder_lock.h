/* SPDX-License-Identifier: Apache-2.0 */
/* Who writes a folder: a locked file ".NAME.lock", which says which process it is and what it will
 * leave if it is killed. The system unlocks it then. */
#ifndef SMRF_FOLDER_LOCK_H
#define SMRF_FOLDER_LOCK_H

#include "models/common/smrf_err.h"

#include <stddef.h>

struct smrf_folder_lock;

/* Take it in `base` for `dir` (both without symbolic links). *left: what the one before, killed,
 * may have left in base, or NULL; to be freed. Returns 0 or an error with text: somebody has it. */
int smrf_folder_lock_take(struct smrf_folder_lock **lock, const char *base, const char *dir,
                          char **left, char *error, size_t room);
/* A new name for what will be left, noted in the file. NULL on an error, with errno. Valid until
 * the next call. */
const char *smrf_folder_lock_name(struct smrf_folder_lock *lock, unsigned attempt);
/* NULL is allowed. */
void smrf_folder_lock_release(struct smrf_folder_lock *lock);

#endif
