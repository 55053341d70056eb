/* SPDX-License-Identifier: Apache-2.0 */
#include "profile_report.h"
#include "source_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STATES_SHOWN 3

/* An instruction of two runs; a run that has not issued it has NULL. */
struct row {
    const struct smrf_profile_inst *inst[2];
    uint64_t key; /* larger comes first */
};

struct table {
    const struct smrf_profile_kernel *kernel[2];
    struct row *row;
    size_t num_rows;
    int place_width; /* of the widest place in the source */
};

static const struct smrf_profile_counts none;

static const struct smrf_profile_counts *counts_(const struct row *r, unsigned run)
{
    return r->inst[run] ? &r->inst[run]->counts : &none;
}

static const struct smrf_profile_inst *any_(const struct row *r)
{
    return r->inst[0] ? r->inst[0] : r->inst[1];
}

static double share_(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static uint64_t kernel_cycles_(const struct smrf_profile_kernel *k)
{
    uint64_t sum = 0;
    for (size_t i = 0; k && i < k->num_inst; i++) {
        sum += smrf_profile_cycles(&k->inst[i].counts);
    }
    return sum;
}

/* --- rows ------------------------------------------------------------------------------------- */

static uint64_t distance_(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static uint64_t key_(const struct row *r, size_t runs, enum smrf_profile_order order)
{
    const struct smrf_profile_counts *a = counts_(r, 0), *b = counts_(r, 1);
    if (order == SMRF_PROFILE_BY_PC) {
        return any_(r)->own ? 0 : UINT64_MAX - any_(r)->pc;
    }
    const bool conflicts = order == SMRF_PROFILE_BY_CONFLICTS;
    const uint64_t x = conflicts ? a->conflicts : smrf_profile_cycles(a);
    const uint64_t y = conflicts ? b->conflicts : smrf_profile_cycles(b);
    return order == SMRF_PROFILE_BY_SLOWER ? (y > x ? y - x : 0) : runs == 2 ? distance_(x, y) : x;
}

static int larger_first_(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    const uint32_t p = any_(x)->pc, q = any_(y)->pc;
    return x->key != y->key ? (x->key < y->key) - (x->key > y->key) : (p > q) - (p < q);
}

/* Every instruction of the kernel in either run. */
static bool rows_(struct table *t, size_t runs, enum smrf_profile_order order)
{
    const struct smrf_profile_kernel *a = t->kernel[0], *b = t->kernel[1];
    t->row = calloc(1 + (a ? a->num_inst : 0) + (b ? b->num_inst : 0), sizeof *t->row);
    for (size_t i = 0; t->row && a && i < a->num_inst; i++) {
        t->row[t->num_rows++] =
            (struct row){{&a->inst[i], smrf_profile_inst_like(b, &a->inst[i])}, 0};
    }
    for (size_t i = 0; t->row && b && i < b->num_inst; i++) {
        if (!smrf_profile_inst_like(a, &b->inst[i])) {
            t->row[t->num_rows++] = (struct row){{NULL, &b->inst[i]}, 0};
        }
    }
    for (size_t i = 0; i < t->num_rows; i++) {
        t->row[i].key = key_(&t->row[i], runs, order);
    }
    if (t->num_rows) {
        qsort(t->row, t->num_rows, sizeof *t->row, larger_first_);
    }
    return t->row != NULL;
}

/* --- cells ------------------------------------------------------------------------------------ */

/* "memory 61 %, data 20 %": the most frequent states. */
static void print_states_(const struct smrf_profile_counts *c, FILE *out)
{
    const uint64_t all = smrf_profile_cycles(c);
    uint32_t shown = 0;
    for (unsigned n = 0; n < STATES_SHOWN; n++) {
        unsigned best = 0;
        uint64_t most = 0;
        for (unsigned s = 0; s < SMRF_WARP_STATE_COUNT; s++) {
            if (!(shown >> s & 1) && c->state[s] > most) {
                most = c->state[s];
                best = s;
            }
        }
        if (share_(most, all) < 5.0) {
            break;
        }
        shown |= UINT32_C(1) << best;
        fprintf(out, "%s%s %.0f%%", n ? ", " : "", smrf_warp_state_name(best), share_(most, all));
    }
}

static void print_pc_(const struct smrf_profile_inst *i, FILE *out)
{
    if (i->own) {
        fprintf(out, "%6s", "own");
    } else {
        fprintf(out, "  %04" PRIx32, i->pc);
    }
}

static void measure_places_(struct table *t)
{
    char text[80];
    t->place_width = 5;
    for (size_t i = 0; i < t->num_rows; i++) {
        const int width = smrf_profile_place(any_(&t->row[i]), text, sizeof text);
        t->place_width = width > t->place_width ? width : t->place_width;
    }
}

static void print_place_(const struct table *t, const struct smrf_profile_inst *i, FILE *out)
{
    char text[80];
    (void)smrf_profile_place(i, text, sizeof text);
    print_pc_(i, out);
    fprintf(out, " %*s", t->place_width, text);
}

static bool same_place_(const struct smrf_profile_inst *a, const struct smrf_profile_inst *b)
{
    return a->line == b->line &&
           (!a->file || !b->file ? a->file == b->file : strcmp(a->file, b->file) == 0);
}

/* The source's line in front of the first of its instructions. */
static void print_source_(const struct table *t, size_t n, struct smrf_source_text *source,
                          FILE *out)
{
    const struct smrf_profile_inst *i = any_(&t->row[n]);
    char place[80];
    size_t length = 0;
    if (!i->file || !i->line || (n && same_place_(i, any_(&t->row[n - 1])))) {
        return;
    }
    (void)smrf_profile_place(i, place, sizeof place);
    const char *text = smrf_source_text_line(source, i->file, i->line, &length);
    fprintf(out, "%s%s%.*s\n", place, length ? "  " : "", (int)length, text);
}

/* --- one run ---------------------------------------------------------------------------------- */

static void print_row_(const struct table *t, const struct row *r, uint64_t all, FILE *out)
{
    const struct smrf_profile_inst *i = r->inst[0];
    const struct smrf_profile_counts *c = &i->counts;
    print_place_(t, i, out);
    fprintf(out, " %6.2f%% %10" PRIu64 " %5.1f", share_(smrf_profile_cycles(c), all), c->issued,
            c->issued ? (double)c->lanes / (double)c->issued : 0.0);
    fprintf(out, " %5.1f%% %9" PRIu64, share_(c->reads - c->bank_reads, c->reads), c->conflicts);
    if (i->num_rivals) {
        const struct smrf_profile_inst *rival = &t->kernel[0]->inst[i->rival[0].inst];
        print_pc_(rival, out);
    } else {
        fprintf(out, "%6s", "-");
    }
    fprintf(out, " %6.1f  %-34.34s ", c->issued ? (double)c->sectors / (double)c->issued : 0.0,
            i->text);
    print_states_(c, out);
    fputc('\n', out);
}

static void print_one_(const struct table *t, const struct smrf_profile_view *view,
                       struct smrf_source_text *source, FILE *out)
{
    const uint64_t all = kernel_cycles_(t->kernel[0]);
    fprintf(out,
            "    pc %*s    time     issued lanes cached conflicts behind "
            "sectors  instruction                        a warp there\n",
            t->place_width, "line");
    for (size_t i = 0; i < t->num_rows && (!view->top || i < view->top); i++) {
        if (view->source) {
            print_source_(t, i, source, out);
        }
        print_row_(t, &t->row[i], all, out);
    }
}

/* --- two runs --------------------------------------------------------------------------------- */

/* The states that differ most, signed. */
static void print_changes_(const struct row *r, FILE *out)
{
    const struct smrf_profile_counts *a = counts_(r, 0), *b = counts_(r, 1);
    uint32_t shown = 0;
    for (unsigned n = 0; n < STATES_SHOWN; n++) {
        unsigned best = 0;
        uint64_t most = 0;
        for (unsigned s = 0; s < SMRF_WARP_STATE_COUNT; s++) {
            const uint64_t d = distance_(a->state[s], b->state[s]);
            if (!(shown >> s & 1) && d > most) {
                most = d;
                best = s;
            }
        }
        if (most == 0) {
            break;
        }
        shown |= UINT32_C(1) << best;
        fprintf(out, "%s%s %c%" PRIu64, n ? ", " : "", smrf_warp_state_name(best),
                b->state[best] > a->state[best] ? '+' : '-', most);
    }
}

static void print_two_(const struct table *t, const struct smrf_profile_run *run,
                       const struct smrf_profile_view *view, struct smrf_source_text *source,
                       FILE *out)
{
    const uint64_t all = kernel_cycles_(t->kernel[0]);
    fprintf(out,
            "    pc %*s %12.12s %12.12s     change   of all conflicts    second  %-34s more or "
            "less\n",
            t->place_width, "line", run[0].mechanism, run[1].mechanism, "instruction");
    for (size_t i = 0; i < t->num_rows && (!view->top || i < view->top); i++) {
        if (view->source) {
            print_source_(t, i, source, out);
        }
        const struct row *r = &t->row[i];
        const uint64_t a = smrf_profile_cycles(counts_(r, 0)),
                       b = smrf_profile_cycles(counts_(r, 1));
        print_place_(t, any_(r), out);
        fprintf(out,
                " %12" PRIu64 " %12" PRIu64 " %+9.1f%% %+7.2f%% %9" PRIu64 " %9" PRIu64
                "  %-34.34s ",
                a, b, a ? share_(b, a) - 100.0 : 0.0, share_(b, all) - share_(a, all),
                counts_(r, 0)->conflicts, counts_(r, 1)->conflicts, any_(r)->text);
        print_changes_(r, out);
        fputc('\n', out);
    }
}

/* --- kernels ---------------------------------------------------------------------------------- */

static void print_states_line_(const struct smrf_profile_kernel *k, FILE *out)
{
    struct smrf_profile_counts sum = {0};
    for (size_t i = 0; i < k->num_inst; i++) {
        for (unsigned s = 0; s < SMRF_WARP_STATE_COUNT; s++) {
            sum.state[s] += k->inst[i].counts.state[s];
        }
    }
    const uint64_t all = smrf_profile_cycles(&sum);
    for (unsigned s = 0; s < SMRF_WARP_STATE_COUNT; s++) {
        if (sum.state[s]) {
            fprintf(out, "  %s %.1f%%", smrf_warp_state_name(s), share_(sum.state[s], all));
        }
    }
    fputc('\n', out);
}

/* Of the kernels that are still to be printed. */
static const struct smrf_profile_kernel *slowest_(const struct smrf_profile_run *run,
                                                  const bool *printed)
{
    const struct smrf_profile_kernel *slowest = NULL;
    int64_t most = 0;
    for (size_t k = 0; k < run[0].num_kernels; k++) {
        const struct smrf_profile_kernel *a = &run[0].kernel[k],
                                         *b = smrf_profile_kernel_named(&run[1], a->name);
        const int64_t more = (int64_t)(b ? b->cycles : 0) - (int64_t)a->cycles;
        if (!printed[k] && (!slowest || more > most)) {
            slowest = a;
            most = more;
        }
    }
    return slowest;
}

void smrf_profile_print(const struct smrf_profile_run *run, size_t count,
                        const struct smrf_profile_view *view, FILE *out)
{
    struct smrf_source_text source = {0};
    bool *printed = calloc(run[0].num_kernels + 1, sizeof *printed);
    const bool sorted = printed && count == 2 && view->order == SMRF_PROFILE_BY_SLOWER;
    for (size_t k = 0; k < run[0].num_kernels; k++) {
        struct table t = {{sorted ? slowest_(run, printed) : &run[0].kernel[k], NULL}, NULL, 0, 0};
        if (sorted) {
            printed[t.kernel[0] - run[0].kernel] = true;
        }
        fprintf(out, "%s%s: %" PRIu64 " launch%s\n", k ? "\n" : "",
                view->name(t.kernel[0]->name, 60), t.kernel[0]->launches,
                t.kernel[0]->launches == 1 ? "" : "es");
        if (count == 2) {
            t.kernel[1] = smrf_profile_kernel_named(&run[1], t.kernel[0]->name);
        }
        for (size_t i = 0; i < count && t.kernel[i]; i++) {
            fprintf(out, "%-16s %" PRIu64 " cycles, %" PRIu64 " warp-cycles:", run[i].mechanism,
                    t.kernel[i]->cycles, kernel_cycles_(t.kernel[i]));
            print_states_line_(t.kernel[i], out);
        }
        const bool rows = rows_(&t, count, view->order);
        measure_places_(&t);
        if (!rows) {
            fprintf(out, "out of memory\n");
        } else if (count == 2) {
            print_two_(&t, run, view, &source, out);
        } else {
            print_one_(&t, view, &source, out);
        }
        if (view->top && t.num_rows > view->top) {
            fprintf(out, "  and %zu more instructions\n", t.num_rows - view->top);
        }
        free(t.row);
    }
    free(printed);
    smrf_source_text_free(&source);
}
