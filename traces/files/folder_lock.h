/* SPDX-License-Identifier: Apache-2.0 */
/* Lock of a folder that is being written: a locked file ".NAME.lock". It names the process, and the
 * files that the process leaves if it is killed. The system unlocks the file then. */
#ifndef SMRF_FOLDER_LOCK_H
#define SMRF_FOLDER_LOCK_H

#include "models/common/smrf_err.h"

#include <stddef.h>

struct smrf_folder_lock;

/* Takes the lock in `base` for `dir` (both without symbolic links). *left: files in base that a
 * killed process may have left, or NULL; the caller frees it. Returns 0, or an error with text:
 * another process has the lock. */
int smrf_folder_lock_take(struct smrf_folder_lock **lock, const char *base, const char *dir,
                          char **left, char *error, size_t room);
/* A new name for what will be left, noted in the file. NULL on an error, with errno. Valid until
 * the next call. */
const char *smrf_folder_lock_name(struct smrf_folder_lock *lock, unsigned attempt);
/* Notes what a killed process left as this one's. Returns 0, or -1 with errno. */
int smrf_folder_lock_adopt(struct smrf_folder_lock *lock, const char *left);
/* NULL is allowed. */
void smrf_folder_lock_release(struct smrf_folder_lock *lock);

#endif
