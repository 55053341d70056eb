/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that share the work of a window of time. Each SM is a piece of work; the memory and the
 * reading of the trace are others. The caller is one of the threads. Pieces run in any order, on
 * any thread, so a piece must touch nothing that another one touches. Between two calls the other
 * threads wait, at first without giving up their processor, because the next window usually follows
 * soon. If a piece throws an exception (a broken rule of the model), the others are done all the
 * same, and the exception is thrown again in the caller. */
#ifndef SMRF_CREW_H
#define SMRF_CREW_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_crew;

/* threads: with the caller, at least 2. Returns NULL if the system gives none. */
struct smrf_crew *smrf_crew_create(unsigned threads);
/* Nothing is under way. NULL: nothing happens. */
void smrf_crew_destroy(struct smrf_crew *crew);

/* Work beside the shared pieces, begun before them. The file's next bytes are short work that the
 * reader begins and ends, on any thread; a thread that waits for a piece does it meanwhile. */
enum smrf_crew_place { SMRF_CREW_MEMORY, SMRF_CREW_READER, SMRF_CREW_FILE, SMRF_CREW_PLACES };

/* Do work(ctx) some time until smrf_crew_end(). The place is free. */
void smrf_crew_begin(struct smrf_crew *crew, enum smrf_crew_place place, void (*work)(void *ctx),
                     void *ctx);
/* Has it been begun and not been done? */
bool smrf_crew_busy(const struct smrf_crew *crew, enum smrf_crew_place place);
/* Returns when it has been done, at once if nothing was begun. */
void smrf_crew_end(struct smrf_crew *crew, enum smrf_crew_place place);

/* Do work(ctx, i) for every i below n. Returns when all have been done. */
void smrf_crew_share(struct smrf_crew *crew, uint32_t n, void (*work)(void *ctx, uint32_t i),
                     void *ctx);

/* Of fewer pieces, a window is over before another thread is awake. */
#define SMRF_CREW_WORTH_SHARING 4

/* A window of time: run(ctx, i) for every SM i below n, done on return; memory(ctx), unless it is
 * NULL, done when smrf_crew_end() of its place returns. Few SMs are left to the caller alone, and
 * the memory with them. */
void smrf_crew_window(struct smrf_crew *crew, uint32_t n, void (*run)(void *ctx, uint32_t i),
                      void (*memory)(void *ctx), void *ctx);

/* The processors that this process may use. */
unsigned smrf_crew_processors(void);

#ifdef __cplusplus
}
#endif

#endif
