/* SPDX-License-Identifier: Apache-2.0 */
/* The load/store unit without its cycles, for the view scoreboard: what an instruction will do is
 * found when it enters. Its sectors or passes, the L1D's tags and its requests are those of the
 * unit (ldst.h); times follow from when the parts that it passes through are free. Only answers
 * of the memory are events, and what waits.
 *
 * A sector that finds no MSHR, no room in the miss queue, or all lines of its set awaited, waits at
 * the tags, and later ones wait behind it: in the L1D's pipes, and where these are full, in their
 * sub-cores. They try again after an answer, and when a request has left, a sector of each pipe in
 * a cycle.
 *
 * Left out: what waits for a place in a sector's MSHR, banks that are busy with earlier
 * instructions, and results that the register banks refuse.
 *
 * It works on a unit, whose own cycles are then not used. Reports are the unit's events: a result
 * that is not known yet ends with `write_back` or `complete`, a few cycles ahead. */
#ifndef SMRF_LDST_ESTIMATE_H
#define SMRF_LDST_ESTIMATE_H

#include "ldst.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_LDST_SENDS 1024 /* requests that have not been sent; a power of two */
#define SMRF_LDST_JOINS 8192 /* loads that wait for a sector that another has asked for */
#define SMRF_LDST_MAX_BANKS 16
#define SMRF_LDST_WAITING 2048 /* sectors that wait at the tags, or behind such */

/* A request that has not been sent. */
struct smrf_ldst_planned {
    uint64_t cycle; /* not before */
    uint64_t address;
    uint32_t bytes;
    uint32_t what;
    uint16_t owner;
    uint8_t kind; /* enum smrf_mem_kind */
    bool past;    /* it goes past the L1D */
};

struct smrf_ldst_join {
    uint32_t tags; /* cycle in which it reaches the tags, modulo 2^32 */
    uint16_t entry;
    uint16_t next; /* place of the next one, from 1 on; 0: none */
};

/* A sector that waits at the tags, or behind such. */
struct smrf_ldst_waiting {
    uint64_t address;
    uint64_t entered; /* its bank's pipe, if none had waited */
    uint32_t bytes;   /* written */
    uint16_t entry;   /* of a load */
    uint16_t next;    /* place of the one behind it, from 1 on; 0: none */
    uint8_t access;   /* enum smrf_ldst_access_kind */
    uint8_t warp;
    bool behind; /* the first of an instruction that waits for the dispatch register */
};

/* Those of a bank, or those that have not entered their bank. */
struct smrf_ldst_row {
    uint16_t first, last; /* places, from 1 on; 0: none */
    uint16_t count;
    uint64_t
        due; /* the first one is tried; SMRF_NEVER: when there is an answer, or there is none */
};

struct smrf_ldst_estimate {
    struct smrf_ldst *unit;
    uint64_t free;        /* an instruction may enter from here on */
    uint64_t missed;      /* first cycle for the L1D's next request */
    uint64_t written;     /* first cycle for the next result of the memory */
    uint64_t held[2];     /* first cycle for the next result that is found, and of shared memory */
    uint64_t sent;        /* no request leaves before */
    uint64_t open[2];     /* of the L1D's requests, and of those past it: the next may leave */
    uint32_t head, count; /* of the ring */
    uint32_t fills;       /* sectors that the L1D awaits */
    uint32_t waiting;     /* sectors, at the tags or behind such */
    uint8_t behind[SMRF_MAX_SUBCORES]; /* instructions that wait in a sub-core */
    uint64_t again;                    /* what was looked up last, and waits, is not tried before */
    uint64_t retry; /* those that wait are tried; SMRF_NEVER: when there is an answer */
    uint16_t waiting_free, waits_known;
    struct smrf_ldst_row at_tags[SMRF_LDST_MAX_BANKS], outside;
    uint16_t join_free, joins_known, joins_used;
    struct smrf_ldst_join join[SMRF_LDST_JOINS]; /* [0]: none */
    uint64_t entered[SMRF_MAX_SECTORS]; /* of an instruction: when a sector enters its bank */
    uint64_t hit[SMRF_LDST_INSTS];      /* of an entry: when what it found in the L1D is there */
    struct smrf_ldst_planned planned[SMRF_LDST_SENDS];     /* ring, in order of cycles */
    struct smrf_ldst_waiting waits[SMRF_LDST_WAITING + 1]; /* [0]: none */
};

/* What is known of an instruction when it enters. */
struct smrf_ldst_outlook {
    uint64_t left;   /* it has left the unit's register, which takes another */
    uint64_t end;    /* its results are there; SMRF_NEVER: an event tells */
    uint32_t stores; /* sectors whose answers its warp awaits */
};

/* The unit may be initialised afterwards. */
void smrf_ldst_estimate_init(struct smrf_ldst_estimate *q, struct smrf_ldst *unit);
void smrf_ldst_estimate_reset(struct smrf_ldst_estimate *q);

/* Instructions of a sub-core that wait in it because pipes are full. */
static inline unsigned smrf_ldst_estimate_behind(const struct smrf_ldst_estimate *q, unsigned sub)
{
    return q->behind[sub];
}

/* Is there room for an instruction? If not, there is after an answer. */
bool smrf_ldst_estimate_room(const struct smrf_ldst_estimate *q);

/* An instruction that is issued in cycle `now` enters in `cycle`, not before q->free. There is
 * room. */
struct smrf_ldst_outlook smrf_ldst_estimate_enter(struct smrf_ldst_estimate *q,
                                                  const struct smrf_ldst_inst *in, uint64_t now,
                                                  uint64_t cycle);

/* Send the requests that leave before `until`. Nothing enters before that any more. */
void smrf_ldst_estimate_send(struct smrf_ldst_estimate *q, uint64_t until);

/* First cycle in which a request leaves, and in which an answer arrives; SMRF_NEVER. */
uint64_t smrf_ldst_estimate_sends(const struct smrf_ldst_estimate *q);
uint64_t smrf_ldst_estimate_next(const struct smrf_ldst_estimate *q);

/* Take the answers that have arrived by `cycle`. */
void smrf_ldst_estimate_take(struct smrf_ldst_estimate *q, uint64_t cycle);

/* Sets those of the unit's counters to 0 that it does not have. */
void smrf_ldst_estimate_kept(struct smrf_ldst_stats *kept);

#ifdef __cplusplus
}
#endif

#endif
