/* SPDX-License-Identifier: Apache-2.0 */
#include "why.h"

#include "models/issue/warp_state.h"
#include "platform/results/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PLACES 3 /* in the code, of a cause */

/* --- where in the code ------------------------------------------------------------------------ */

/* An instruction, and by how much its warps do more of something. */
struct place {
    const struct smrf_profile_inst *inst;
    double more; /* warp-cycles */
};

/* Does a warp in this state belong to the cause? A scheduler that waits for data has warps that
 * wait for memory, or for another unit. */
static bool belongs_(const char *cause, enum smrf_warp_state state)
{
    return strcmp(cause, smrf_warp_state_name(state)) == 0 ||
           (strcmp(cause, "data") == 0 && state == SMRF_WARP_memory);
}

static double warp_cycles_(const struct smrf_profile_inst *i, const char *cause)
{
    double sum = 0;
    for (unsigned s = 0; i && s < SMRF_WARP_STATE_COUNT; s++) {
        sum += belongs_(cause, (enum smrf_warp_state)s) ? (double)i->counts.state[s] : 0;
    }
    return sum;
}

/* The instructions of a kernel whose warps do most more of the cause than before; sign: more or
 * less. Returns how many. */
static unsigned places_(const struct smrf_profile_run profile[2], const char *kernel,
                        const char *cause, double sign, struct place *place)
{
    const struct smrf_profile_kernel *before = smrf_profile_kernel_named(&profile[0], kernel),
                                     *after = smrf_profile_kernel_named(&profile[1], kernel);
    unsigned count = 0;
    for (size_t i = 0; after && i < after->num_inst; i++) {
        const struct smrf_profile_inst *inst = &after->inst[i];
        const double more =
            warp_cycles_(inst, cause) - warp_cycles_(smrf_profile_inst_like(before, inst), cause);
        if (more * sign <= 0) {
            continue;
        }
        unsigned at = count < PLACES ? count++ : PLACES;
        for (; at > 0 && place[at - 1].more * sign < more * sign; at--) {
            if (at < PLACES) {
                place[at] = place[at - 1];
            }
        }
        if (at < PLACES) {
            place[at] = (struct place){inst, more};
        }
    }
    return count;
}

static void print_places_(const struct place *place, unsigned count, FILE *out)
{
    for (unsigned i = 0; i < count; i++) {
        const struct smrf_profile_inst *inst = place[i].inst;
        fprintf(out, "              %s ", i == 0 ? "at" : "  ");
        if (inst->own) {
            fprintf(out, "%s", inst->text);
        } else {
            fprintf(out, "%04" PRIx32 " %s", inst->pc, inst->text);
        }
        if (inst->file && inst->line) {
            char text[80];
            (void)smrf_profile_place(inst, text, sizeof text);
            fprintf(out, " (%s)", text);
        }
        fprintf(out, ": %+.0f warp-cycles\n", place[i].more);
    }
}

/* --- sentences -------------------------------------------------------------------------------- */

static const char *more_(double difference)
{
    return difference < 0 ? "fewer" : "more";
}

static void print_head_(const struct smrf_why *w, FILE *out)
{
    const struct smrf_why_kernel *a = &w->all;
    const double difference = a->after - a->before;
    if (difference == 0) {
        fprintf(out, "%s takes as many cycles as %s: %.0f.\n", w->mechanism[1], w->mechanism[0],
                a->before);
        return;
    }
    const int decimals = smrf_why_alike(w) ? 3 : 1;
    fprintf(out, "%s takes %.0f cycles, %s %.0f: %.0f %s, %.*f %% (speed %+.*f %%)%s.\n",
            w->mechanism[1], a->after, w->mechanism[0], a->before, fabs(difference),
            more_(difference), decimals, 100 * fabs(difference) / a->before, decimals,
            100 * (a->before / a->after - 1), smrf_why_alike(w) ? ", almost equal" : "");
}

/* Cycles that schedulers spent without a warp. */
static double without_(const struct smrf_why *w, const struct smrf_why_kernel *k)
{
    double change = 0;
    for (unsigned c = 0; c < w->num_causes; c++) {
        const struct smrf_why_cause *cause = &k->cause[c];
        if (cause->explains == 0 &&
            (strcmp(cause->name, "idle") == 0 || strcmp(cause->name, "empty") == 0)) {
            change += cause->after - cause->before;
        }
    }
    return change;
}

/* Stalls that changed against the difference, and so only moved to another cause. */
static void print_moved_(const struct smrf_why *w, const struct smrf_why_kernel *k, FILE *out)
{
    const double difference = k->after - k->before;
    unsigned shown = 0;
    for (unsigned c = 0; c < w->num_causes; c++) {
        const struct smrf_why_cause *cause = &k->cause[c];
        const double change = cause->after - cause->before;
        if (change * difference < 0 && fabs(change) >= fabs(difference) / 20 &&
            cause->explains == 0) {
            fprintf(out, "%s%s %+.0f", shown++ ? ", " : "    In the other direction: ", cause->name,
                    change);
        }
    }
    fputs(shown ? " cycles.\n" : "", out);
}

static void print_kernel_(const struct smrf_why *w, const struct smrf_why_kernel *k,
                          const struct smrf_profile_run profile[2],
                          const char *(*name)(const char *mangled, int width), FILE *out)
{
    const struct smrf_why_cause *cause[SMRF_WHY_CAUSES];
    const double difference = k->after - k->before, whole = w->all.after - w->all.before;
    const unsigned count = smrf_why_causes(w, k, cause);
    fprintf(out,
            "\n%s, %zu launch%s: %.0f cycles instead of %.0f, %+.0f (%.0f %% of the difference).\n",
            name(k->name, 60), k->launches, k->launches == 1 ? "" : "es", k->after, k->before,
            difference, 100 * difference / whole);
    for (unsigned c = 0; c < count; c++) {
        struct place place[PLACES];
        fprintf(out, "    %+8.0f  %s: %s (%.0f cycles instead of %.0f)\n", cause[c]->explains,
                cause[c]->name, cause[c]->meaning, cause[c]->after, cause[c]->before);
        const unsigned places = places_(profile, k->name, cause[c]->name, difference, place);
        print_places_(place, places, out);
    }
    const double without = without_(w, k);
    if (without * difference > 0 && fabs(without) >= fabs(difference) / 20) {
        fprintf(out,
                "    For %.0f of these cycles, schedulers have no warp: they wait for the slowest "
                "SM to end the launch.\n",
                fmin(fabs(without), fabs(difference)));
    }
    print_moved_(w, k, out);
}

void smrf_why_print(const struct smrf_why *w, const struct smrf_profile_run profile[2], size_t top,
                    const char *(*name)(const char *mangled, int width), FILE *out)
{
    const double whole = w->all.after - w->all.before;
    print_head_(w, out);
    size_t shown = 0;
    for (size_t i = 0; i < w->num_kernels && whole != 0 && shown < top; i++) {
        const struct smrf_why_kernel *k = &w->kernel[i];
        if ((k->after - k->before) / whole >= 0.05) {
            print_kernel_(w, k, profile, name, out);
            shown++;
        }
    }
    double opposite = 0;
    for (size_t i = 0; i < w->num_kernels; i++) {
        const double change = w->kernel[i].after - w->kernel[i].before;
        opposite += change * whole < 0 ? change : 0;
    }
    if (opposite != 0) {
        fprintf(out, "\nOther kernels take %s: %+.0f cycles.\n", opposite < 0 ? "less" : "more",
                opposite);
    }
}

void smrf_why_print_test(const struct smrf_why *w, const struct smrf_why_test *t, FILE *out)
{
    if (t->refused[0]) {
        fprintf(out, "With %s: not possible here (%s).\n", t->setting, t->refused);
        return;
    }
    const double whole = w->all.after - w->all.before, left = t->cycles[1] - t->cycles[0];
    const double gone = 100 * (whole - left) / whole;
    fprintf(out, "With %s: %s takes %.0f cycles, %s %.0f; the difference is %+.0f instead of %+.0f",
            t->setting, w->mechanism[1], t->cycles[1], w->mechanism[0], t->cycles[0], left, whole);
    if (gone >= 5 && left * whole >= 0) {
        fprintf(out, ": this explains %.0f %% of it.\n", gone);
    } else if (left * whole < 0) {
        fputs(": this explains all of it, and more.\n", out);
    } else {
        fputs(": this is not the cause.\n", out);
    }
}

/* --- for programs ----------------------------------------------------------------------------- */

static json_t *json_kernel_(const struct smrf_why *w, const struct smrf_why_kernel *k,
                            const struct smrf_profile_run profile[2])
{
    json_t *list = json_array();
    for (unsigned c = 0; c < w->num_causes; c++) {
        const struct smrf_why_cause *cause = &k->cause[c];
        struct place place[PLACES];
        json_t *places = json_array();
        const unsigned count =
            profile ? places_(profile, k->name, cause->name, k->after - k->before, place) : 0;
        for (unsigned i = 0; i < count; i++) {
            json_array_append_new(places, json_pack("{s:i,s:s,s:f}", "pc", (int)place[i].inst->pc,
                                                    "instruction", place[i].inst->text,
                                                    "warp_cycles", place[i].more));
        }
        json_array_append_new(list, json_pack("{s:s,s:s,s:f,s:f,s:f,s:o}", "cause", cause->name,
                                              "meaning", cause->meaning, "before", cause->before,
                                              "after", cause->after, "explains", cause->explains,
                                              "places", places));
    }
    return json_pack("{s:o,s:I,s:f,s:f,s:o}", "kernel", smrf_json_text(k->name), "launches",
                     (json_int_t)k->launches, "before", k->before, "after", k->after, "causes",
                     list);
}

json_t *smrf_why_json(const struct smrf_why *w, const struct smrf_profile_run profile[2],
                      const struct smrf_why_test *test, size_t num_tests)
{
    json_t *kernels = json_array(), *tests = json_array();
    for (size_t i = 0; i < w->num_kernels; i++) {
        json_array_append_new(kernels, json_kernel_(w, &w->kernel[i], profile));
    }
    for (size_t i = 0; i < num_tests; i++) {
        json_t *t = json_pack("{s:s}", "setting", test[i].setting);
        if (test[i].refused[0]) {
            json_object_set_new(t, "refused", json_string(test[i].refused));
        } else {
            json_object_set_new(t, "before", json_real(test[i].cycles[0]));
            json_object_set_new(t, "after", json_real(test[i].cycles[1]));
        }
        json_array_append_new(tests, t);
    }
    return json_pack("{s:s,s:s,s:o,s:o,s:o}", "first", w->mechanism[0], "second", w->mechanism[1],
                     "whole", json_kernel_(w, &w->all, NULL), "kernels", kernels, "tests", tests);
}
