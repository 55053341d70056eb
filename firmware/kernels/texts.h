/* SPDX-License-Identifier: Apache-2.0 */
/* The suite's SASS texts as they lie in its folders, embedded by the build. */
#ifndef SMRF_TEXTS_H
#define SMRF_TEXTS_H

/* One text; begin[0 .. end - begin), followed by a NUL. */
struct smrf_sass_text {
    const char *stem; /* file name without ".sass", unique over the suite; NULL ends the table */
    const char *begin, *end;
};

extern const struct smrf_sass_text smrf_sass_texts[];

#endif
