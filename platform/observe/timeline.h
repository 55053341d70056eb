/* SPDX-License-Identifier: Apache-2.0 */
/* What happens in an SM in a window of cycles: its warps' issues and waits, the contents of its
 * collectors, the grants of its banks, registers that become usable, its requests to memory. */
#ifndef SMRF_TIMELINE_H
#define SMRF_TIMELINE_H

#include "models/issue/warp_state.h"
#include "platform/observe/observer.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_TIMELINE_EVENTS ((size_t)20000000) /* most of a window */

enum smrf_timeline_kind {
    SMRF_TIMELINE_KERNEL,    /* a launch runs */
    SMRF_TIMELINE_WARP,      /* a warp is in a state, at an instruction */
    SMRF_TIMELINE_COLLECTOR, /* a collector unit holds an instruction */
    SMRF_TIMELINE_READ,      /* a bank is read */
    SMRF_TIMELINE_WAIT,      /* a read waits for its bank, a cycle */
    SMRF_TIMELINE_WRITE,     /* a bank is taken by a write */
    SMRF_TIMELINE_RESULT,    /* a register is usable from here on */
    SMRF_TIMELINE_REQUEST    /* a sector: from the request's leaving to its answer's coming */
};

struct smrf_timeline_event {
    uint64_t start, end; /* cycles; end is the first behind it, SMRF_NEVER: not seen */
    uint64_t address;    /* REQUEST */
    uint32_t pc;         /* of the instruction; UINT32_MAX: none, or the mechanism's own */
    uint32_t text;       /* index of its opcode's text (KERNEL: the name); 0 = "" */
    uint16_t index;      /* warp slot of the SM, collector unit, bank */
    uint16_t reg;        /* READ, WAIT, RESULT: architectural register (RESULT: 256 + n: uniform) */
    uint8_t kind;        /* enum smrf_timeline_kind */
    uint8_t sub;         /* sub-core */
    uint8_t state;       /* WARP: enum smrf_warp_state; REQUEST: enum smrf_mem_kind */
    uint8_t warp;        /* slot of the instruction's warp */
};

#define SMRF_TIMELINE_BUSIEST UINT32_MAX

struct smrf_timeline_window {
    uint32_t sm;       /* SMRF_TIMELINE_BUSIEST: smrf_timeline_choose() says which */
    uint64_t from, to; /* cycles from, and before to */
};

struct smrf_timeline {
    struct smrf_timeline_window window;
    struct smrf_timeline_event *event; /* in the order of their beginnings, after the end() below */
    size_t num_events;
    char **text; /* [0] is "" */
    size_t num_texts;
    uint32_t subs, banks, collectors, warps; /* of the machine; banks, collectors: a sub-core's */
    struct smrf_timeline_state *state;       /* of the recorder */
};

/* NULL: out of memory. */
struct smrf_timeline *smrf_timeline_create(const struct smrf_timeline_window *window);
void smrf_timeline_free(struct smrf_timeline *t);
struct smrf_observer smrf_timeline_observer(struct smrf_timeline *t);

/* Between two runs: look from now on at the SM with the most resident warps; of several at the
 * first. Requests to memory that are under way are not seen. Returns false, and has chosen none, if
 * no SM has a warp; any: the first then. Nothing happens where an SM has been named. */
bool smrf_timeline_choose(struct smrf_timeline *t, bool any);
/* Has a warp been seen in the window? */
bool smrf_timeline_has_warps(const struct smrf_timeline *t);

/* The run is over: close what is open, sort. Returns 0, SMRF_ERR_NOMEM, or SMRF_ERR_LIMIT: more
 * than SMRF_TIMELINE_EVENTS. */
int smrf_timeline_end(struct smrf_timeline *t);

/* For Perfetto and Chrome (chrome://tracing): a cycle is a microsecond. Returns 0 or
 * SMRF_ERR_NOMEM. */
int smrf_timeline_json(const struct smrf_timeline *t, FILE *out);
/* For GTKWave and other viewers of waveforms: a cycle is a nanosecond. As above. */
int smrf_timeline_vcd(const struct smrf_timeline *t, FILE *out);
/* For people: one cycle. bank: that bank of every sub-core alone, a line each; below 0:
 * everything. */
void smrf_timeline_print(const struct smrf_timeline *t, uint64_t cycle, int bank, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
