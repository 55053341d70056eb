/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers in shared memory: 64 bits that count arrivals and, on sm_90, transactions. A phase ends
 * when nothing more is expected; bit 63 is its parity.
 *
 *   sm_80  [0,30) threads expected, [32,63) arrivals pending: both are negated
 *   sm_90  [1,21) threads expected, [43,63) arrivals pending: both are negated; [21,42)
 *          transactions pending, with a sign
 *
 * Source: compiled code of mbarrier.init, .pending_count, .test_wait and .arrive_drop, and the PTX
 * manual's section on mbarrier. Assumption: nothing shows where the transactions lie. */
#include "firmware/exec/address.h"

#include <string.h>

#define PARITY (UINT64_C(1) << 63)
#define TMASK 0x1fffffU
#define COUNT 0xfffffU /* of sm_90: bits of a number of threads */

enum action {
    ARRIVE_80,    /* one thread */
    ARRIVE,       /* one thread; expects the operand's transactions */
    ARRIVE_ONE,   /* A1T0: one thread */
    EXPECT_ONE,   /* A0T1: expects one transaction */
    EXPECT,       /* A0TR: expects the operand's transactions */
    ARRIVE_COUNT, /* ART0: the operand's threads */
    COMPLETE_ONE, /* one transaction has ended */
    ACTIONS
};
#define LEAVES 0x100U /* the threads are not expected in later phases */

static uint64_t arrive_80_(uint64_t word)
{
    uint32_t pending = (uint32_t)(word >> 32) + 1;
    if ((pending & 0x7fffffff) == 0) { /* the carry has changed the parity */
        pending |= ((uint32_t)word + 0x40000000) & 0x7fffffff;
    }
    return (uint64_t)pending << 32 | (uint32_t)word;
}

/* `threads` arrive, `transactions` more are expected (negative: have ended). False: more threads
 * arrive than are expected. */
static bool arrive_90_(uint64_t *word, uint32_t threads, uint32_t transactions, bool leave)
{
    uint32_t expected = (0U - (uint32_t)(*word >> 1)) & COUNT;
    uint32_t pending = (0U - (uint32_t)(*word >> 43)) & COUNT;
    const uint32_t traffic = ((uint32_t)(*word >> 21) + transactions) & TMASK;
    uint64_t parity = *word & PARITY;
    if (threads > pending || (leave && threads > expected)) {
        return false;
    }
    pending -= threads;
    expected -= leave ? threads : 0;
    if (pending == 0 && traffic == 0) {
        parity ^= PARITY;
        pending = expected;
    }
    *word = parity | (uint64_t)((0U - pending) & COUNT) << 43 | (uint64_t)traffic << 21 |
            (uint64_t)((0U - expected) & COUNT) << 1;
    return true;
}

static bool arrive_lane_(uint64_t *word, uint32_t what, uint32_t operand)
{
    const unsigned action = what & ~LEAVES;
    const bool leave = (what & LEAVES) != 0;
    switch (action) {
    case ARRIVE_80:
        *word = arrive_80_(*word);
        return true;
    case ARRIVE:
        return arrive_90_(word, 1, operand, leave);
    case ARRIVE_ONE:
        return arrive_90_(word, 1, 0, leave);
    case ARRIVE_COUNT:
        return arrive_90_(word, operand, 0, leave);
    case EXPECT_ONE:
        return arrive_90_(word, 0, 1, false);
    case EXPECT:
        return arrive_90_(word, 0, operand, false);
    default:
        return arrive_90_(word, 0, UINT32_MAX, false);
    }
}

/* Lanes arrive one after the other. The result is the state before. */
static int arrive_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint8_t *at[SMRF_EXEC_LANES];
    uint64_t old[SMRF_EXEC_LANES] = {0};
    const uint32_t *operand = w->r[op->num_src > 1 ? op->src[1].reg : SMRF_EXEC_RZ];
    const int rc = smrf_exec_locate(w, op, mask, at);
    if (rc < 0) {
        return rc;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctz(rest);
        uint64_t word;
        memcpy(&word, at[i], sizeof word);
        old[i] = word;
        if (!arrive_lane_(&word, op->sub, operand[i])) {
            w->fault = SMRF_FAULT_ADDRESS;
            return smrf_exec_fail(w, (int)i, SMRF_ERR_CHECK,
                                  "more threads arrive at the barrier in shared memory than it "
                                  "expects: is it initialised?");
        }
        memcpy(at[i], &word, sizeof word);
        w->block->writes++;
    }
    smrf_exec_write64(w, op->dst, mask, old);
    return 0;
}

/* Whether the phase of the operand's parity (bit 31) has ended. .TRYWAIT (op->sub) suspends a
 * thread until then or until a time limit; here it lets other warps run, and the program tries
 * again. */
static int check_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    struct smrf_exec_flow *f = smrf_exec_flow_of(w);
    const uint32_t *parity = w->r[op->src[1].reg];
    uint8_t *at[SMRF_EXEC_LANES];
    uint32_t ended = 0;
    f->ip = op + 1;
    if (mask == 0) {
        return 0;
    }
    const int rc = smrf_exec_locate(w, op, mask, at);
    if (rc < 0) {
        return rc;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctz(rest);
        uint32_t high;
        memcpy(&high, at[i] + 4, sizeof high);
        ended |= (high ^ parity[i]) >> 31 << i;
    }
    smrf_exec_write_pred(w, op->pdst, mask, ended);
    return op->sub != 0 && ended != mask ? smrf_exec_flow_yield(f, op) : 0;
}

/* Initialises a barrier: what was there for a pair of uniform registers. */
static int exchange_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    uint8_t *at[SMRF_EXEC_LANES];
    const unsigned lane = (unsigned)__builtin_ctz(mask);
    const int rc = smrf_exec_locate(w, op, UINT32_C(1) << lane, at);
    if (rc < 0) {
        return rc;
    }
    const uint64_t word = smrf_exec_scalar64(w, &op->src[1]);
    uint64_t old;
    memcpy(&old, at[lane], sizeof old);
    memcpy(at[lane], &word, sizeof word);
    w->block->writes++;
    smrf_exec_write_uniform64(w, op->udst, old);
    return smrf_exec_done(w);
}

static int invalidate_(struct smrf_exec_warp *w, const struct smrf_exec_op *op, uint32_t mask)
{
    (void)w;
    (void)op;
    (void)mask;
    return 0;
}

/* ---- binding ------------------------------------------------------------------------------- */

static void bind_arrive_(struct smrf_exec_binding *b)
{
    static const char *const names[] = {"A1T0", "A0T1", "A0TR", "ART0", "A0TX"};
    static const uint8_t actions[] = {ARRIVE_ONE,   EXPECT_ONE, EXPECT,
                                      ARRIVE_COUNT, ACTIONS,    ARRIVE};
    const unsigned action = actions[smrf_exec_bind_one_of(b, names, 5, 5)];
    b->op->fn = arrive_;
    b->op->sub = action | (smrf_exec_bind_has(b, "OPTOUT") ? LEAVES : 0);
    (void)smrf_exec_bind_has(b, "TMASK"); /* the phase does not end by it */
    (void)smrf_exec_bind_has(b, "RED");
    if (action == ACTIONS) {
        smrf_exec_bind_fail(b, "%s is not supported", b->inst->mnemonic);
    }
    smrf_exec_bind_dst_rows(b, 2);
    smrf_exec_bind_address(b, SMRF_EXEC_SHARED);
    smrf_exec_bind_rows(b, 1);
}

static void bind_check_(struct smrf_exec_binding *b)
{
    b->op->control = SMRF_EXEC_CONTROL;
    b->op->fn = check_;
    b->op->sub = smrf_exec_bind_has(b, "TRYWAIT") ? 1 : 0;
    b->op->sub2 = 0;
    smrf_exec_bind_pdst(b, &b->op->pdst);
    smrf_exec_bind_address(b, SMRF_EXEC_SHARED);
    smrf_exec_bind_rows(b, 1);
}

static void bind_syncs_(struct smrf_exec_binding *b)
{
    (void)smrf_exec_bind_has(b, "TRANS64");
    if (smrf_exec_bind_has(b, "ARRIVE")) {
        bind_arrive_(b);
    } else if (smrf_exec_bind_has(b, "PHASECHK")) {
        bind_check_(b);
    } else if (smrf_exec_bind_has(b, "EXCH") && smrf_exec_bind_has(b, "64")) {
        b->op->fn = exchange_;
        smrf_exec_bind_udst(b);
        smrf_exec_bind_address(b, SMRF_EXEC_SHARED);
        smrf_exec_bind_src(b, SMRF_EXEC_U64);
    } else if (smrf_exec_bind_has(b, "CCTL")) {
        b->op->control = SMRF_EXEC_PLAIN;
        b->op->fn = invalidate_;
        b->known = UINT32_MAX;
        b->next = b->inst->num_operands;
    } else {
        smrf_exec_bind_fail(b, "%s is not supported", b->inst->mnemonic);
    }
}

/* Copies to shared memory are done at once: their arrival follows at once. */
static void bind_copies_(struct smrf_exec_binding *b)
{
    static const char *const counts[] = {"ARVCNT", "TRANSCNT"};
    static const uint8_t actions[] = {ARRIVE_ONE, COMPLETE_ONE, ARRIVE_80};
    b->op->fn = arrive_;
    b->op->dst = SMRF_EXEC_BIN;
    b->op->sub = actions[smrf_exec_bind_one_of(b, counts, 2, 2)];
    if (!smrf_exec_bind_has(b, "LDGSTSBAR") || !smrf_exec_bind_has(b, "64")) {
        smrf_exec_bind_fail(b, "%s is not supported", b->inst->mnemonic);
    }
    smrf_exec_bind_address(b, SMRF_EXEC_SHARED);
}

int smrf_exec_bind_mbarrier(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    struct smrf_exec_binding b;
    const char *name = op->inst->opcode;
    smrf_exec_bind_begin(&b, op, error);
    op->control = SMRF_EXEC_MEMORY;
    op->sub2 = SMRF_EXEC_ADDRESS_WRITE;
    op->bytes = 8;
    if (strcmp(name, "SYNCS") == 0) {
        bind_syncs_(&b);
    } else if (strcmp(name, "ARRIVES") == 0) {
        bind_copies_(&b);
    } else if (strcmp(name, "ATOMS") == 0 && smrf_exec_bind_has(&b, "ARRIVE")) {
        (void)smrf_exec_bind_has(&b, "64");
        op->fn = arrive_;
        op->sub = ARRIVE_80;
        smrf_exec_bind_dst_rows(&b, 2);
        smrf_exec_bind_address(&b, SMRF_EXEC_SHARED);
    } else {
        return 0;
    }
    return smrf_exec_bind_end(&b);
}
