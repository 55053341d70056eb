/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals (Sadrosadati et al., "LTRF: Enabling High-Capacity Register Files for GPUs", ASPLOS
 * 2018): regions with one entry whose registers fit into a part of a register cache, so that they
 * can be fetched together when a warp enters. Straight code is first cut where it names too many;
 * then, from a header on, a piece is taken in when all who lead to it are in already (Allen and
 * Cocke) and the registers still fit. Calls end a piece; a function's entry is a header.
 * Assumption: an instruction that names more registers than fit is an interval of its own. */
#include "firmware/flow/internal.h"

#include <stdlib.h>

struct piece {
    uint32_t first, count, block;
    struct smrf_regset registers;
};

struct pieces {
    struct smrf_flow_program *p;
    struct piece *piece;
    uint32_t *of_block; /* [num_blocks + 1]: its first piece */
    uint32_t *interval; /* [num]: NOWHERE = not yet in one */
    uint32_t *header;   /* [num]: worklist of headers */
    bool *queued;
    uint32_t num;
};

static struct smrf_regset named_(const struct smrf_flow_inst *i)
{
    struct smrf_regset r = i->reads;
    (void)smrf_regset_unite(&r, &i->writes);
    return r;
}

static void cut_(struct pieces *c, unsigned most)
{
    for (uint32_t b = 0; b < c->p->num_blocks; b++) {
        const struct smrf_flow_block *block = &c->p->block[b];
        struct piece *at = NULL;
        c->of_block[b] = c->num;
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            struct smrf_regset own = named_(&c->p->inst[i]), sum = own;
            if (at != NULL) {
                (void)smrf_regset_unite(&sum, &at->registers);
            }
            if (at == NULL || smrf_regset_count(&sum) > most) {
                at = &c->piece[c->num++];
                *at = (struct piece){.first = i, .block = b};
                sum = own;
            }
            at->registers = sum;
            at->count++;
        }
    }
    c->of_block[c->p->num_blocks] = c->num;
}

static bool comes_back_(const struct smrf_flow_program *p, uint32_t b)
{
    return smrf_flow_last(p, &p->block[b])->role == SMRF_FLOW_CALLS;
}

/* Do all who lead to a piece lie in the interval? */
static bool surrounded_(const struct pieces *c, uint32_t k, uint32_t interval)
{
    const struct piece *piece = &c->piece[k];
    const struct smrf_flow_block *block = &c->p->block[piece->block];
    if (k != c->of_block[piece->block]) {
        return c->interval[k - 1] == interval;
    }
    for (uint32_t i = 0; i < block->num_pred; i++) {
        const uint32_t from = block->pred[i];
        if (comes_back_(c->p, from) || c->interval[c->of_block[from + 1] - 1] != interval) {
            return false;
        }
    }
    return block->num_pred != 0;
}

static void take_in_(struct pieces *c, uint32_t k, uint32_t interval)
{
    struct smrf_flow_interval *n = &c->p->interval[interval];
    c->interval[k] = interval;
    (void)smrf_regset_unite(&n->registers, &c->piece[k].registers);
    for (uint32_t i = c->piece[k].first; i < c->piece[k].first + c->piece[k].count; i++) {
        c->p->inst[i].interval = interval;
    }
}

/* Pieces behind a piece. */
static uint32_t behind_(const struct pieces *c, uint32_t k, uint32_t n)
{
    const struct smrf_flow_block *block = &c->p->block[c->piece[k].block];
    if (k + 1 != c->of_block[c->piece[k].block + 1]) {
        return n == 0 ? k + 1 : SMRF_FLOW_NOWHERE;
    }
    return n < block->num_succ ? c->of_block[block->succ[n]] : SMRF_FLOW_NOWHERE;
}

static bool fits_(const struct pieces *c, uint32_t k, uint32_t interval, unsigned most)
{
    struct smrf_regset sum = c->p->interval[interval].registers;
    (void)smrf_regset_unite(&sum, &c->piece[k].registers);
    return smrf_regset_count(&sum) <= most;
}

/* Grow from a header as far as it goes; members[] is a worklist of its own. */
static void grow_(struct pieces *c, uint32_t header, unsigned most, uint32_t *members)
{
    const uint32_t interval = c->p->num_intervals++;
    uint32_t num = 0;
    c->p->interval[interval].header = c->piece[header].first;
    take_in_(c, header, interval);
    members[num++] = header;
    for (bool grown = true; grown;) {
        grown = false;
        for (uint32_t m = 0; m < num; m++) {
            uint32_t to;
            for (uint32_t n = 0; (to = behind_(c, members[m], n)) != SMRF_FLOW_NOWHERE; n++) {
                if (c->interval[to] == SMRF_FLOW_NOWHERE && !c->queued[to] &&
                    surrounded_(c, to, interval) && fits_(c, to, interval, most)) {
                    take_in_(c, to, interval);
                    members[num++] = to;
                    grown = true;
                }
            }
        }
    }
}

static void partition_(struct pieces *c, unsigned most, uint32_t *members)
{
    uint32_t head = 0, tail = 0;
    for (uint32_t f = 0; f < c->p->num_functions; f++) {
        const struct smrf_flow_function *fn = &c->p->function[f];
        const uint32_t first = fn->first_block, end = first + fn->num_blocks;
        for (uint32_t k = fn->num_blocks != 0 ? c->of_block[first] : 0;
             fn->num_blocks != 0 && k < c->of_block[end]; k++) {
            /* in order of address: a block that is in no interval yet begins one */
            if (c->interval[k] != SMRF_FLOW_NOWHERE) {
                continue;
            }
            c->header[tail++] = k;
            c->queued[k] = true;
            while (head < tail) {
                const uint32_t at = c->header[head++];
                const uint32_t own = c->p->num_intervals;
                if (c->interval[at] != SMRF_FLOW_NOWHERE) {
                    continue;
                }
                grow_(c, at, most, members);
                for (uint32_t m = c->of_block[first]; m < c->of_block[end]; m++) {
                    uint32_t to;
                    for (uint32_t n = 0;
                         c->interval[m] == own && (to = behind_(c, m, n)) != SMRF_FLOW_NOWHERE;
                         n++) {
                        if (c->interval[to] == SMRF_FLOW_NOWHERE && !c->queued[to]) {
                            c->queued[to] = true;
                            c->header[tail++] = to;
                        }
                    }
                }
            }
        }
    }
}

int smrf_flow_intervals(struct smrf_flow_program *p, unsigned most)
{
    const size_t n = p->num_insts + (size_t)1;
    uint32_t *members = malloc(n * sizeof *members);
    struct pieces c = {.p = p,
                       .piece = malloc(n * sizeof *c.piece),
                       .of_block = malloc((p->num_blocks + (size_t)1) * sizeof *c.of_block),
                       .interval = malloc(n * sizeof *c.interval),
                       .header = malloc(n * sizeof *c.header),
                       .queued = calloc(n, sizeof *c.queued)};
    p->interval = smrf_flow_alloc(p, p->num_insts, sizeof *p->interval);
    const bool memory = members != NULL && c.piece != NULL && c.of_block != NULL &&
                        c.interval != NULL && c.header != NULL && c.queued != NULL &&
                        p->interval != NULL;
    if (memory) {
        for (size_t i = 0; i < n; i++) {
            c.interval[i] = SMRF_FLOW_NOWHERE;
        }
        cut_(&c, most);
        partition_(&c, most, members);
    }
    free(members);
    free(c.piece);
    free(c.of_block);
    free(c.interval);
    free(c.header);
    free(c.queued);
    return memory ? 0 : SMRF_ERR_NOMEM;
}
