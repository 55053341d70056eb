/* SPDX-License-Identifier: Apache-2.0 */
/* A caching collector unit (CCU): an operand collector whose data fields are a small cache of one
 * warp's registers. It gathers the sources of one instruction, as an operand collector does, and
 * keeps them for the next instructions of the same warp.
 *
 *            port S: sources from the banks          port D: results
 *                       |                               |
 *   +-------------------v-------------------------------v------------------+
 *   | cache table (CT): entry = tag, valid, lock, near/far, LRU, data       |--> port R: warp and
 *   +----^---------^---------^----------------------------------------------+    "holds a near
 *   value"
 *        | index   |         |   to the execution unit, on dispatch
 *   +----+---------+---------+---------------------+
 *   | operand collector table (OCT): valid, ready, index |
 *   +----------------------------------------------------+
 *
 * The banks are written through, so that any entry may be dropped at any time.
 * An instruction with more distinct sources than the OCT has slots, or than the CT has unlocked
 * entries (HMMA.16816 has ten), gathers the rest as a plain collector would: read from the banks
 * into latches, not cached.
 * Source: Malekeh (long) III-C, IV-A; Malekeh (short) 3.2, 4. */
#ifndef SMRF_CCU_H
#define SMRF_CCU_H

#include "malekeh_params.h"
#include "models/common/smrf_err.h"
#include "models/common/smrf_rng.h"
#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_CCU_MAX_ENTRIES 32
#define SMRF_CCU_NO_WARP 0xff  /* no owner */
#define SMRF_CCU_NO_ENTRY 0xff /* index of an operand that no CT entry holds */

struct smrf_ccu_config {
    uint8_t entries;        /* CT entries, 1..SMRF_CCU_MAX_ENTRIES */
    uint8_t slots;          /* OCT slots, 1..SMRF_MAX_SRC */
    uint8_t ports;          /* results that port D takes in a cycle; 0 = no limit */
    uint8_t replacement;    /* enum smrf_ccu_replacement */
    uint8_t write;          /* enum smrf_ccu_write_policy */
    uint8_t far_write;      /* enum smrf_ccu_far_write */
    bool partial_allocates; /* a write of some lanes may take a new entry */
    bool read_marks;     /* a value that a read brings in takes the operand's bit; else it is far */
    bool cache;          /* false: a plain operand collector */
    bool port_takes_all; /* all registers of an instruction's result count as one at port D */
};

/* Everything that a policy looks at is a mask over entries. */
struct smrf_ccu {
    const struct smrf_ccu_config *cfg;
    uint32_t valid;
    uint32_t locked;  /* source of the instruction inside */
    uint32_t near;    /* reused soon */
    uint32_t pending; /* subset of locked: its bank has not answered yet */
    uint32_t stale;   /* subset of locked: its register was written meanwhile, drop on dispatch */
    uint32_t unread;  /* valid entries with a kept result that has not been read yet */
    bool drop;        /* nothing may stay after dispatch: the warp has moved to another unit */
    uint8_t warp;     /* metadata: whose registers, SMRF_CCU_NO_WARP */
    uint32_t slot_valid, slot_ready; /* OCT: bit i: operand i */
    uint8_t slot_index[SMRF_MAX_SRC];
    uint8_t tag[SMRF_CCU_MAX_ENTRIES];
    uint8_t where[256]; /* entry that may hold a register: believed only if valid and tag agree */
    uint32_t port_used; /* results taken in cycle port_cycle */
    uint64_t port_cycle;
    uint32_t port_version; /* of the last of them */
    uint64_t clock;        /* of the LRU order */
    uint64_t used[SMRF_CCU_MAX_ENTRIES];
    struct smrf_rng rng;
    uint32_t version[SMRF_CCU_MAX_ENTRIES];
    uint32_t data[SMRF_CCU_MAX_ENTRIES][SMRF_LANES];
};

/* Allocation of an instruction. src: [num_src] distinct registers; near_src: bit i: reused soon. */
struct smrf_ccu_inst {
    const uint8_t *src;
    uint32_t near_src;
    uint8_t num_src;
    uint8_t warp;
};
struct smrf_ccu_allocated {
    uint32_t hits;          /* bit i: source i is in the CT */
    uint32_t missing;       /* bit i: source i must be read from its bank */
    uint32_t uncached;      /* subset of missing: no CT entry takes it */
    uint32_t near_flushed;  /* near values dropped because the warp changed */
    uint32_t near_replaced; /* near values replaced */
    uint32_t first_reads;   /* hits that are the first of a kept result */
    bool flushed;           /* the warp changed and there was something to drop */
};

/* A result that is being written to its bank. row: [32], the whole register afterwards. */
struct smrf_ccu_result {
    const uint32_t *row;
    uint64_t cycle;
    uint32_t version;
    uint8_t reg;
    bool near;
    bool partial; /* some lanes only */
};

/* What became of a result at port D: a set of these. */
enum smrf_ccu_outcome {
    SMRF_CCU_KEPT = 1u << 0,          /* the CT holds it now */
    SMRF_CCU_PRESENT = 1u << 1,       /* the register was in the CT */
    SMRF_CCU_FILTERED = 1u << 2,      /* the write policy did not want it */
    SMRF_CCU_NO_PORT = 1u << 3,       /* wanted, but port D had taken its results of the cycle */
    SMRF_CCU_NO_ROOM = 1u << 4,       /* wanted, but every entry is locked */
    SMRF_CCU_INVALIDATED = 1u << 5,   /* the entry held an older value and was dropped */
    SMRF_CCU_LOCKED = 1u << 6,        /* the entry is a source of the instruction inside */
    SMRF_CCU_NEAR_REPLACED = 1u << 7, /* a near value made room */
};

/* Broken invariants, a set of these; 0 in a healthy unit. */
enum smrf_ccu_fault {
    SMRF_CCU_FAULT_TAGS = 1u << 0, /* two valid entries of one tag */
    SMRF_CCU_FAULT_LOCKS =
        1u << 1 /* more locks than valid operands, or a lock on an invalid entry */
};

int smrf_ccu_config_check(const struct smrf_ccu_config *cfg);
/* seed, stream: of the random replacement. Returns 0 or SMRF_ERR_INVAL. */
int smrf_ccu_init(struct smrf_ccu *c, const struct smrf_ccu_config *cfg, uint64_t seed,
                  uint64_t stream);

/* Operation A, the ten steps of allocation: flush if the warp changed, metadata, tag check and lock
 * of all hits, victims for the misses, locks, near/far bits, LRU, OCT. A victim is chosen after
 * every hit is locked, so that a miss never replaces a hit of the same instruction. Precondition:
 * the last instruction has been dispatched. */
void smrf_ccu_allocate(struct smrf_ccu *c, const struct smrf_ccu_inst *in,
                       struct smrf_ccu_allocated *out);
/* Operation B: source i arrives on port S. */
void smrf_ccu_arrive(struct smrf_ccu *c, unsigned i, const uint32_t *data, uint32_t version);
/* Operation C: a result of the warp that owns the unit is on port D. */
uint32_t smrf_ccu_write(struct smrf_ccu *c, const struct smrf_ccu_result *in);
/* Operation D: the instruction leaves; the contents stay. Precondition: it is ready. */
void smrf_ccu_dispatch(struct smrf_ccu *c);

/* Drops everything; the unit has no owner then. Returns the number of near values dropped.
 * Precondition: no instruction inside. */
unsigned smrf_ccu_flush(struct smrf_ccu *c);
/* The warp moves to another unit: keep only what the instruction inside still needs. */
void smrf_ccu_abandon(struct smrf_ccu *c);

/* Entry that holds a register of the warp, or -1. */
static inline int smrf_ccu_probe_find(const struct smrf_ccu *c, unsigned reg)
{
    unsigned e = c->where[reg];
    return c->valid >> e & 1 && c->tag[e] == reg ? (int)e : -1;
}

/* Are all operands of the instruction here? */
static inline bool smrf_ccu_probe_ready(const struct smrf_ccu *c)
{
    return c->slot_valid == c->slot_ready;
}

/* Port R: does the CT hold a near value? */
static inline bool smrf_ccu_probe_near(const struct smrf_ccu *c)
{
    return (c->valid & c->near) != 0;
}

/* MUX of operand i: [32], NULL if no CT entry holds it. */
const uint32_t *smrf_ccu_probe_operand(const struct smrf_ccu *c, unsigned i);
/* A copy of a register that later instructions may read: [32], NULL if there is none. */
const uint32_t *smrf_ccu_probe_copy(const struct smrf_ccu *c, unsigned reg);
/* Which invariants are broken. */
unsigned smrf_ccu_probe_faults(const struct smrf_ccu *c);

#ifdef __cplusplus
}
#endif

#endif
