/* SPDX-License-Identifier: Apache-2.0 */
/* The trace of a program, and the report at its end to the command that started it. */
#ifndef SMRF_CUDA_SESSION_H
#define SMRF_CUDA_SESSION_H

#include "core.h"

#include <signal.h>

enum smrf_cuda_note {
    SMRF_NOTE_MISSING, /* a call that is not provided */
    SMRF_NOTE_REFUSED, /* a kernel or an image that cannot be executed, with the reason */
    SMRF_NOTE_FAULT    /* a launch that failed */
};
/* Keeps a line for the report, once. With the lock held. */
void smrf_session_note(enum smrf_cuda_note kind, const char *text);
/* A launch has ended. With the lock held. */
void smrf_session_launched(void);
/* Not 0: a signal has asked to stop, and the launch under way is to end. */
const volatile sig_atomic_t *smrf_session_stop(void);
bool smrf_session_stopped(void);

#endif
