/* SPDX-License-Identifier: Apache-2.0 */
/* The one way in which a file is written: it appears under its name only when it is complete and
 * on the disk. Until then the bytes are in a file of a new name in the same folder ("NAME.<8
 * digits>.part", which only a kill can leave behind). A symbolic link stays, and its target is
 * replaced; a pipe and a character device are written directly; a folder, a socket and a block
 * device are refused. */
#ifndef SMRF_OUTPUT_FILE_H
#define SMRF_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_output {
    FILE *file;
    char *path;      /* as the caller calls it */
    char *target;    /* behind symbolic links */
    char *temporary; /* NULL: written directly */
    bool hasty;      /* may be set after opening, if the caller syncs the whole folder */
};

/* Does this name mean standard output? "-", and the names that the system has for it. */
bool smrf_output_is_stdout(const char *path);
/* Would writing these two damage one another? The same file by name, by link or by symbolic link;
 * standard output twice. Two pipes or devices do not. */
bool smrf_output_same(const char *a, const char *b);

/* Open for writing. Returns 0, SMRF_ERR_IO or SMRF_ERR_NOMEM with text. */
int smrf_output_open(struct smrf_output *o, const char *path, char *text, size_t size);
/* good: give it its final name, else remove it. Returns 0 or SMRF_ERR_IO with text. */
int smrf_output_close(struct smrf_output *o, bool good, char *text, size_t size);
/* Could a file of this name be written now? 0, or an error with text. */
int smrf_output_probe(const char *path, char *text, size_t size);

/* A path whose last part is no symbolic link and which means the same: to be freed. NULL with
 * errno. What does not exist yet is left as it is. */
char *smrf_output_follow(const char *path);
/* Put on the disk what stands in the folder of this path: names, not contents. Returns 0 or -1 with
 * errno. */
int smrf_output_sync_folder(const char *path);
/* The same of everything in a folder, contents too, and at once: of many files. */
int smrf_output_sync_contents(const char *folder);

/* Remove the files of outputs that are open now. For a signal handler, before the end. */
void smrf_output_remove_unfinished(void);

#ifdef __cplusplus
}
#endif

#endif
