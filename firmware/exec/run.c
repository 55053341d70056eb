/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a launch: thread blocks one after the other, the warps of a block in turns. */
#include "firmware/exec/flow.h"
#include "firmware/exec/operands.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INSTS (UINT64_C(1) << 28) /* of a warp: some ten seconds */
#define MAX_THREADS 1024
#define DEFAULT_STACK (16U << 10) /* where the kernel does not state what it needs */
#define LEAST_STACK (1U << 10)    /* the driver's default limit */
#define WARP_TURN 16384           /* instructions after which a warp that spins gives way */
#define PATIENCE 64               /* rounds in which all warps only yield, see overtake() */

enum { TURN_OVER = 1 }; /* a warp's turn ended without an error */

struct runner {
    struct smrf_exec_block block;
    struct smrf_exec_totals totals;
    struct smrf_exec_flow *flow; /* [block.num_warps] */
    uint64_t max_insts;
    uint32_t rows; /* registers that the module's instructions can reach */
    const struct smrf_exec_op *entry;
    const struct smrf_exec_op *current; /* for messages */
};

static struct runner *runner_of_(struct smrf_exec_block *block)
{
    return (struct runner *)(void *)block;
}

struct smrf_exec_flow *smrf_exec_flows(struct smrf_exec_block *block)
{
    return runner_of_(block)->flow;
}

int smrf_exec_fail(struct smrf_exec_warp *warp, int lane, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(warp->block->text, sizeof warp->block->text, format, args);
    va_end(args);
    warp->error = warp->block->text;
    warp->error_lane = lane;
    return code;
}

/* ---- barriers ------------------------------------------------------------------------------ */

static uint32_t lanes_at_(const struct smrf_exec_flow *f, unsigned number)
{
    uint32_t lanes = 0;
    for (uint32_t rest = f->at_bar; rest != 0; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        if (f->bar_number[lane] == number) {
            lanes |= UINT32_C(1) << lane;
        }
    }
    return lanes;
}

static bool barrier_complete_(struct runner *r, unsigned number)
{
    const struct smrf_exec_barrier *b = &r->block.barrier[number];
    if (b->expected == 0) {
        return b->waiting >= r->block.live_threads && b->waiting != 0;
    }
    uint32_t threads = b->arrived;
    for (uint32_t i = 0; i < r->block.num_warps; i++) {
        uint32_t lanes = lanes_at_(&r->flow[i], number);
        if (lanes != 0) {
            threads += lanes == r->flow[i].warp.live ? SMRF_EXEC_LANES
                                                     : (uint32_t)__builtin_popcount(lanes);
        }
    }
    return threads >= b->expected;
}

static void barrier_release_(struct runner *r, unsigned number)
{
    struct smrf_exec_barrier *b = &r->block.barrier[number];
    for (uint32_t i = 0; i < r->block.num_warps; i++) {
        struct smrf_exec_flow *f = &r->flow[i];
        uint32_t lanes = f->at_bar == 0 ? 0 : lanes_at_(f, number);
        if (lanes == 0) {
            continue;
        }
        f->at_bar &= ~lanes;
        f->bar_count = b->count;
        f->bar_all = b->count == b->voters;
        f->bar_any = b->count != 0;
        smrf_exec_flow_wake(f, lanes);
    }
    *b = (struct smrf_exec_barrier){0};
    r->block.barriers_in_use &= ~(UINT32_C(1) << number);
}

void smrf_exec_barrier_settle(struct smrf_exec_block *block)
{
    struct runner *r = runner_of_(block);
    for (uint32_t rest = block->barriers_in_use; rest != 0; rest &= rest - 1) {
        unsigned number = (unsigned)__builtin_ctz(rest);
        if (barrier_complete_(r, number)) {
            barrier_release_(r, number);
        }
    }
}

/* ---- a warp's turn ------------------------------------------------------------------------- */

static uint32_t guard_mask_(const struct smrf_exec_warp *w, const struct smrf_exec_op *op,
                            uint32_t active)
{
    uint32_t lanes = op->guard_uniform ? 0U - (uint32_t)(w->up[op->guard] != 0) : w->p[op->guard];
    return active & (op->guard_inverted ? ~lanes : lanes);
}

/* Run a warp until it waits, ends or its turn is over. */
static inline int turn_(struct runner *r, struct smrf_exec_flow *f,
                        const struct smrf_exec_listener *ear)
{
    struct smrf_exec_warp *w = &f->warp;
    const uint64_t start = f->insts, clock = r->block.clock;
    const uint64_t end = start + WARP_TURN < r->max_insts ? start + WARP_TURN : r->max_insts;
    uint64_t threads = 0;
    int rc = 0;
    if (f->active == 0 && !smrf_exec_flow_switch(f)) {
        return TURN_OVER;
    }
    f->preempt = false;
    while (f->insts < end) {
        const struct smrf_exec_op *op = f->ip;
        uint32_t active = f->active, mask = active;
        if (op->guard != 7 || op->guard_inverted) {
            mask = guard_mask_(w, op, active);
        }
        threads += smrf_exec_lane_count(mask);
        f->insts++;
        r->block.clock = clock + (f->insts - start);
        r->current = op;
        if (ear != NULL && ear->before != NULL &&
            (rc = ear->before(ear->ctx, w, op, active, mask)) < 0) {
            break;
        }
        bool control = op->control == SMRF_EXEC_CONTROL;
        if (control) {
            rc = op->fn(w, op, mask);
        } else {
            if (mask != 0) {
                rc = op->fn(w, op, mask);
            }
            f->ip = op + 1;
        }
        if (rc < 0) {
            break;
        }
        if (ear != NULL && ear->after != NULL &&
            (rc = ear->after(ear->ctx, w, op, active, mask,
                             op->control == SMRF_EXEC_MEMORY ? r->block.address : NULL)) < 0) {
            break;
        }
        if (control) {
            if (f->active == 0 && !smrf_exec_flow_switch(f)) {
                break;
            }
            if (f->preempt) {
                break;
            }
        }
    }
    r->totals.warp_insts += f->insts - start;
    r->totals.thread_insts += threads;
    if (rc < 0) {
        return rc;
    }
    if (f->insts >= r->max_insts && w->live != 0) {
        w->fault = SMRF_FAULT_TIMEOUT;
        return smrf_exec_fail(
            w, -1, SMRF_ERR_LIMIT,
            "the warp has executed %" PRIu64
            " instructions: a runaway loop, or raise the limit (max_insts_per_warp, --runaway)",
            f->insts);
    }
    return TURN_OVER;
}

static int turn_plain_(struct runner *r, struct smrf_exec_flow *f)
{
    return turn_(r, f, NULL);
}

static int turn_heard_(struct runner *r, struct smrf_exec_flow *f)
{
    return turn_(r, f, r->block.launch->listener);
}

/* ---- a block ------------------------------------------------------------------------------- */

static int barrier_deadlock_(struct runner *r)
{
    for (uint32_t i = 0; i < r->block.num_warps; i++) {
        struct smrf_exec_flow *f = &r->flow[i];
        if (f->at_bar == 0) {
            continue;
        }
        unsigned lane = (unsigned)__builtin_ctz(f->at_bar), number = f->bar_number[lane];
        const struct smrf_exec_barrier *b = &r->block.barrier[number];
        const struct smrf_exec_op *at =
            smrf_exec_op_at(f->code, f->warp.pc[lane] - SMRF_SASS_INST_BYTES);
        if (at != NULL) {
            r->current = at;
        }
        f->warp.fault = SMRF_FAULT_TIMEOUT;
        return smrf_exec_fail(&f->warp, (int)lane, SMRF_ERR_CHECK,
                              "barrier deadlock: %u of %u threads have arrived at barrier %u and "
                              "no other thread can run",
                              b->waiting + b->arrived,
                              b->expected == 0 ? r->block.live_threads : b->expected, number);
    }
    return SMRF_ERR_CHECK;
}

/* Lanes that spin with YIELD may wait for what lanes do that wait for them in BSYNC, a lock's
 * holder for one. Every lane makes progress on Volta and later (CUDA programming guide, independent
 * thread scheduling), so lanes that yield must let such others go on. Assumption: they do so only
 * when nothing else in the block moves, for a wait that ends by itself is no reason to diverge. */
static void overtake_(struct runner *r)
{
    for (uint32_t i = 0; i < r->block.num_warps; i++) {
        r->totals.forced_syncs += smrf_exec_flow_overtake(&r->flow[i]);
    }
}

static int run_warps_(struct runner *r)
{
    int (*const take_turn)(struct runner *, struct smrf_exec_flow *) =
        r->block.launch->listener != NULL ? turn_heard_ : turn_plain_;
    uint32_t idle = 0; /* rounds */
    while (r->block.live_threads != 0) {
        bool progress = false, moves = false;
        const uint32_t live = r->block.live_threads;
        for (uint32_t i = 0; i < r->block.num_warps; i++) {
            struct smrf_exec_flow *f = &r->flow[i];
            if (f->active == 0 && f->ready == 0) {
                /* Only lanes of its own could end a convergence wait, and none can run. */
                if (f->at_bar != 0 || !smrf_exec_flow_force(f)) {
                    continue;
                }
                r->totals.forced_syncs++;
            }
            uint64_t start = f->insts;
            int rc = take_turn(r, f);
            if (rc < 0) {
                return rc;
            }
            progress = true;
            moves = moves || !f->preempt || f->insts - start >= SMRF_EXEC_TURN;
        }
        idle = moves || live != r->block.live_threads ? 0 : idle + 1;
        if (idle == PATIENCE) {
            idle = 0;
            overtake_(r);
        }
        for (uint32_t i = 0; i < r->block.num_warps && !progress; i++) {
            progress = smrf_exec_flow_force(&r->flow[i]);
            r->totals.forced_syncs += progress;
        }
        if (!progress) {
            return barrier_deadlock_(r);
        }
    }
    return 0;
}

static void clear_local_(struct smrf_exec_block *b)
{
    if (b->local_low >= b->local_high) {
        return;
    }
    for (uint32_t i = 0; i < b->num_warps * SMRF_EXEC_LANES; i++) {
        memset(b->local + (size_t)i * b->local_bytes + b->local_low, 0,
               b->local_high - b->local_low);
    }
    b->local_low = UINT32_MAX;
    b->local_high = 0;
}

/* Registers start as zeros. Rows that no instruction names stay as they were allocated. */
static void clear_flow_(const struct runner *r, struct smrf_exec_flow *f)
{
    memset(f->warp.r, 0, r->rows * sizeof f->warp.r[0]);
    memset((char *)f + sizeof f->warp.r, 0,
           offsetof(struct smrf_exec_flow, kept) - sizeof f->warp.r);
}

static int run_block_(struct runner *r, struct smrf_exec_dim id)
{
    struct smrf_exec_block *b = &r->block;
    const struct smrf_exec_listener *ear = b->launch->listener;
    int rc = 0;
    b->id = id;
    b->live_threads = b->num_threads;
    b->barriers_in_use = 0;
    memset(b->barrier, 0, sizeof b->barrier);
    if (b->shared_bytes != 0) {
        memset(b->shared, 0, b->shared_bytes);
    }
    clear_local_(b);
    for (uint32_t i = 0; i < b->num_warps; i++) {
        uint32_t threads = b->num_threads - i * SMRF_EXEC_LANES;
        clear_flow_(r, &r->flow[i]);
        r->flow[i].code = b->launch->code;
        r->flow[i].warp.index = i;
        r->flow[i].warp.block = b;
        r->flow[i].warp.p[7] = SMRF_EXEC_ALL;
        r->flow[i].warp.up[7] = 1;
        smrf_exec_flow_start(&r->flow[i], r->entry,
                             threads >= SMRF_EXEC_LANES ? SMRF_EXEC_ALL
                                                        : (UINT32_C(1) << threads) - 1);
    }
    if (ear != NULL && ear->block_begin != NULL &&
        (rc = ear->block_begin(ear->ctx, id, b->num_warps)) < 0) {
        return rc;
    }
    rc = run_warps_(r);
    if (rc == 0 && ear != NULL && ear->block_end != NULL) {
        rc = ear->block_end(ear->ctx);
    }
    r->totals.blocks++;
    r->totals.warps += b->num_warps;
    return rc < 0 ? rc : 0;
}

/* ---- a launch ------------------------------------------------------------------------------ */

static void put32_(uint8_t *bank, uint32_t offset, uint32_t value)
{
    memcpy(bank + offset, &value, sizeof value);
}

static void put64_(uint8_t *bank, uint32_t offset, uint64_t value)
{
    memcpy(bank + offset, &value, sizeof value);
}

/* Constant bank 0 as the driver fills it for sm_75. Offsets: what compiled code reads for
 * blockDim, gridDim, cvta, the stack pointer, %dynamic_smem_size, %gridid, cvta.const and %nsmid.
 */
static void fill_bank0_(struct runner *r)
{
    const struct smrf_exec_launch *l = r->block.launch;
    uint8_t *bank = r->block.bank0;
    const uint32_t dim[6] = {l->block.x, l->block.y, l->block.z, l->grid.x, l->grid.y, l->grid.z};
    for (uint32_t i = 0; i < 6; i++) {
        put32_(bank, 4 * i, dim[i]);
    }
    put64_(bank, 0x18, SMRF_EXEC_SHARED_WINDOW);
    put64_(bank, 0x20, SMRF_EXEC_LOCAL_WINDOW);
    put32_(bank, 0x28, r->block.local_bytes);
    put32_(bank, 0x2c, l->dynamic_shared);
    put64_(bank, 0x30, 1); /* %gridid */
    put64_(bank, 0x50, l->const_address);
    put32_(bank, 0x10c, 1); /* %nsmid: every block runs on SM 0 */
    if (l->param_bytes != 0) {
        memcpy(bank + l->entry->param_base, l->params, l->param_bytes);
    }
    r->block.const_data[0] = bank;
    r->block.const_bytes[0] = SMRF_EXEC_BANK0_BYTES;
}

/* CUDA programming guide, technical specifications a compute capability. */
uint32_t smrf_exec_max_shared(unsigned arch)
{
    const uint32_t kib = arch >= 90 ? 227 : arch == 86 || arch == 89 ? 99 : arch >= 80 ? 163 : 64;
    return kib << 10;
}

uint32_t smrf_exec_reserved_shared(unsigned arch)
{
    return arch >= 90 ? 1024 : 0;
}

static int launch_fails(char *error, int code, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int launch_fails(char *error, int code, const char *name, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)snprintf(error, SMRF_SASS_ERROR_BYTES, "kernel %s: %s", name, text);
    return code;
}

static int check_launch_(const struct smrf_exec_launch *l, char *error)
{
    const char *name = l->entry->name;
    const struct smrf_exec_dim g = l->grid, b = l->block;
    if (b.x == 0 || b.y == 0 || b.z == 0 || b.x > MAX_THREADS || b.y > MAX_THREADS || b.z > 64 ||
        b.x * b.y > MAX_THREADS || b.x * b.y * b.z > MAX_THREADS) {
        return launch_fails(error, SMRF_ERR_INVAL, name,
                            "a block of %u x %u x %u threads: at most 1024, none of them 0", b.x,
                            b.y, b.z);
    }
    if (g.x == 0 || g.y == 0 || g.z == 0 || g.x > 0x7fffffff || g.y > 65535 || g.z > 65535) {
        return launch_fails(error, SMRF_ERR_INVAL, name,
                            "a grid of %u x %u x %u blocks: none may be 0, at most 2147483647 x "
                            "65535 x 65535",
                            g.x, g.y, g.z);
    }
    const unsigned arch = l->code->module->arch;
    const uint32_t most_shared = smrf_exec_max_shared(arch) + smrf_exec_reserved_shared(arch);
    if ((uint64_t)l->entry->shared_bytes + l->dynamic_shared > most_shared) {
        return launch_fails(error, SMRF_ERR_LIMIT, name,
                            "%u + %u bytes of shared memory: at most %u", l->entry->shared_bytes,
                            l->dynamic_shared, most_shared);
    }
    if (l->stack_bytes > SMRF_EXEC_MAX_STACK) {
        return launch_fails(error, SMRF_ERR_LIMIT, name, "a stack of %u bytes a lane: at most %u",
                            l->stack_bytes, SMRF_EXEC_MAX_STACK);
    }
    if (l->param_bytes != 0 && (l->entry->param_base > SMRF_EXEC_BANK0_BYTES ||
                                l->param_bytes > SMRF_EXEC_BANK0_BYTES - l->entry->param_base)) {
        return launch_fails(error, SMRF_ERR_LIMIT, name,
                            "%u bytes of parameters do not fit constant bank 0", l->param_bytes);
    }
    return 0;
}

static uint32_t stack_bytes_(const struct smrf_exec_launch *l)
{
    uint64_t bytes = l->stack_bytes;
    if (bytes == 0) {
        bytes = l->entry->stack_bytes < 0             ? DEFAULT_STACK
                : l->entry->stack_bytes > LEAST_STACK ? (uint64_t)l->entry->stack_bytes
                                                      : LEAST_STACK;
    }
    if (bytes > SMRF_EXEC_MAX_STACK) {
        bytes = SMRF_EXEC_MAX_STACK;
    }
    return (uint32_t)((bytes + 15) & ~UINT64_C(15));
}

static uint32_t named_rows_(const struct smrf_sass_module *m)
{
    uint32_t rows = 24; /* the ABI's registers, which built-in callees use */
    for (uint32_t i = 0; i < m->num_insts; i++) {
        const struct smrf_sass_inst *inst = &m->inst[i];
        for (unsigned k = 0; k < inst->num_operands; k++) {
            const struct smrf_sass_operand *o = &inst->operand[k];
            uint32_t end = o->reg + 8U; /* vectors are shorter */
            if ((o->kind == SMRF_SASS_REG || o->kind == SMRF_SASS_MEM) && o->reg != SMRF_EXEC_RZ &&
                end > rows) {
                rows = end;
            }
        }
    }
    return rows < SMRF_EXEC_RZ ? rows : SMRF_EXEC_RZ;
}

static int prepare_(struct runner *r, const struct smrf_exec_launch *l, char *error)
{
    struct smrf_exec_block *b = &r->block;
    int rc = check_launch_(l, error);
    if (rc < 0) {
        return rc;
    }
    r->entry = smrf_exec_op_at(l->code, l->entry->address);
    if (r->entry == NULL) {
        return launch_fails(error, SMRF_ERR_INVAL, l->entry->name, "has no code");
    }
    r->max_insts = l->max_insts_per_warp != 0 ? l->max_insts_per_warp : MAX_INSTS;
    b->launch = l;
    b->space = l->space;
    b->totals = &r->totals;
    b->num_threads = l->block.x * l->block.y * l->block.z;
    b->num_warps = (b->num_threads + SMRF_EXEC_LANES - 1) / SMRF_EXEC_LANES;
    b->shared_bytes = l->entry->shared_bytes + l->dynamic_shared;
    b->local_bytes = stack_bytes_(l);
    b->local_low = UINT32_MAX;
    for (unsigned i = 0; i < SMRF_SASS_CONST_BANKS; i++) {
        bool own = l->entry->const_data[i] != NULL && l->const_data[i] == NULL;
        b->const_data[i] = own ? l->entry->const_data[i] : l->const_data[i];
        b->const_bytes[i] = own ? l->entry->const_bytes[i] : l->const_bytes[i];
    }
    fill_bank0_(r);
    b->shared = calloc(1, b->shared_bytes + 1U);
    b->local = calloc((size_t)b->num_warps * SMRF_EXEC_LANES, b->local_bytes);
    r->flow = calloc(b->num_warps, sizeof *r->flow);
    r->rows = named_rows_(l->code->module);
    if (b->shared == NULL || b->local == NULL || r->flow == NULL) {
        return launch_fails(error, SMRF_ERR_NOMEM, l->entry->name, "out of memory");
    }
    return 0;
}

/* Where the failure happened: the instruction that ran last. */
static void describe_(struct runner *r, int code, char *error)
{
    const struct smrf_exec_launch *l = r->block.launch;
    const struct smrf_exec_warp *w = NULL;
    for (uint32_t i = 0; i < r->block.num_warps && w == NULL; i++) {
        if (r->flow[i].warp.error != NULL) {
            w = &r->flow[i].warp;
        }
    }
    if (w == NULL || r->current == NULL) {
        (void)snprintf(error, SMRF_SASS_ERROR_BYTES,
                       "kernel %s, block (%u,%u,%u): the listener stopped the launch (error %d)",
                       l->entry->name, r->block.id.x, r->block.id.y, r->block.id.z, code);
        return;
    }
    r->totals.fault = w->fault != SMRF_FAULT_NONE ? w->fault : (uint8_t)SMRF_FAULT_TRAP;
    const struct smrf_sass_module *m = l->code->module;
    const struct smrf_sass_inst *inst = r->current->inst;
    const struct smrf_sass_function *in = &m->function[inst->function];
    char lane[24] = "";
    if (w->error_lane >= 0) {
        (void)snprintf(lane, sizeof lane, ", lane %d", w->error_lane);
    }
    (void)snprintf(
        error, SMRF_SASS_ERROR_BYTES,
        "kernel %.80s, block (%u,%u,%u), warp %u%s, PC 0x%llx of %.80s (%.60s:%u: %.80s): %s",
        l->entry->name, r->block.id.x, r->block.id.y, r->block.id.z, w->index, lane,
        (unsigned long long)(inst->address - in->address), in->name, m->file, inst->line,
        inst->text, w->error);
}

int smrf_exec_run(const struct smrf_exec_launch *launch, struct smrf_exec_totals *totals,
                  char error[SMRF_SASS_ERROR_BYTES])
{
    struct runner *r = calloc(1, sizeof *r);
    error[0] = '\0';
    if (r == NULL) {
        return launch_fails(error, SMRF_ERR_NOMEM, launch->entry->name, "out of memory");
    }
    int rc = prepare_(r, launch, error);
    const struct smrf_exec_dim g = launch->grid;
    bool more = rc == 0;
    for (uint32_t z = 0; z < g.z && more; z++) {
        for (uint32_t y = 0; y < g.y && more; y++) {
            for (uint32_t x = 0; x < g.x && more; x++) {
                struct smrf_exec_dim id = {x, y, z};
                if (launch->wants_block != NULL && !launch->wants_block(launch->wants_ctx, id)) {
                    continue;
                }
                rc = run_block_(r, id);
                if (rc < 0) {
                    describe_(r, rc, error);
                }
                more = rc == 0 && (launch->stop_after_insts == 0 ||
                                   r->totals.warp_insts < launch->stop_after_insts);
            }
        }
    }
    if (totals != NULL) {
        *totals = r->totals;
    }
    free(r->block.shared);
    free(r->block.local);
    free(r->flow);
    free(r);
    return rc;
}
