/* SPDX-License-Identifier: Apache-2.0 */
/* The suite's SASS texts as they lie in its folders, compressed, embedded by the build. */
#ifndef SMRF_TEXTS_H
#define SMRF_TEXTS_H

/* One text, compressed by xz; begin[0 .. end - begin). */
struct smrf_sass_text {
    const char *stem; /* file name without ".sass.xz", unique over the suite; NULL ends the table */
    const unsigned char *begin, *end;
};

extern const struct smrf_sass_text smrf_sass_texts[];

#endif
