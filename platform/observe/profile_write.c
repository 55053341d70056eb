/* SPDX-License-Identifier: Apache-2.0 */
#include "profile_report.h"

#include "platform/results/csv_text.h"
#include "platform/results/json_text.h"

#include <inttypes.h>

static void csv_row_(const struct smrf_profile_run *run, const struct smrf_profile_kernel *k,
                     const struct smrf_profile_inst *i, FILE *out)
{
    const struct smrf_profile_counts *c = &i->counts;
    smrf_csv_text(out, run->mechanism);
    fputc(',', out);
    smrf_csv_text(out, k->name);
    fprintf(out, ",%" PRIu32 ",%" PRIu32 ",", i->pc, i->line);
    smrf_csv_text(out, i->file ? i->file : "");
    fprintf(out, ",%d,", i->own);
    smrf_csv_text(out, i->text);
#define CELL(name, unit, meaning) fprintf(out, ",%" PRIu64, c->name);
    SMRF_PROFILE_COUNTS(CELL)
#undef CELL
    for (unsigned s = 0; s < SMRF_WARP_STATE_COUNT; s++) {
        fprintf(out, ",%" PRIu64, c->state[s]);
    }
    if (i->num_rivals) {
        fprintf(out, ",%" PRIu32 ",%" PRIu64 "\n", k->inst[i->rival[0].inst].pc,
                i->rival[0].cycles);
    } else {
        fputs(",,\n", out);
    }
}

void smrf_profile_csv(const struct smrf_profile_run *run, size_t count, FILE *out)
{
    fputs("mechanism,kernel,pc,line,file,own,instruction", out);
#define HEAD(name, unit, meaning) fputs("," #name, out);
    SMRF_PROFILE_COUNTS(HEAD)
#undef HEAD
#define HEAD(name, meaning) fputs(",cycles_" #name, out);
    SMRF_WARP_STATES(HEAD)
#undef HEAD
    fputs(",behind_pc,behind_cycles\n", out);
    for (size_t r = 0; r < count; r++) {
        for (size_t k = 0; k < run[r].num_kernels; k++) {
            const struct smrf_profile_kernel *kernel = &run[r].kernel[k];
            for (size_t i = 0; i < kernel->num_inst; i++) {
                csv_row_(&run[r], kernel, &kernel->inst[kernel->by_pc[i]], out);
            }
        }
    }
}

static json_t *count_(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *instruction_(const struct smrf_profile_kernel *k, const struct smrf_profile_inst *i)
{
    const struct smrf_profile_counts *c = &i->counts;
    json_t *root = json_object(), *states = json_object(), *behind = json_array();
    json_object_set_new(root, "pc", i->own ? json_null() : count_(i->pc));
    json_object_set_new(root, "line", i->line ? count_(i->line) : json_null());
    json_object_set_new(root, "file", i->file ? json_string(i->file) : json_null());
    json_object_set_new(root, "text", json_string(i->text));
#define CELL(name, unit, meaning) json_object_set_new(root, #name, count_(c->name));
    SMRF_PROFILE_COUNTS(CELL)
#undef CELL
#define CELL(name, meaning) json_object_set_new(states, #name, count_(c->state[SMRF_WARP_##name]));
    SMRF_WARP_STATES(CELL)
#undef CELL
    for (size_t r = 0; r < i->num_rivals; r++) {
        const struct smrf_profile_inst *rival = &k->inst[i->rival[r].inst];
        json_t *item = json_object();
        json_object_set_new(item, "pc", rival->own ? json_null() : count_(rival->pc));
        json_object_set_new(item, "cycles", count_(i->rival[r].cycles));
        json_array_append_new(behind, item);
    }
    json_object_set_new(root, "warp_cycles", states);
    json_object_set_new(root, "behind", behind);
    return root;
}

json_t *smrf_profile_json(const struct smrf_profile_run *run, size_t count)
{
    json_t *runs = json_array();
    for (size_t r = 0; r < count; r++) {
        json_t *root = json_object(), *kernels = json_array();
        for (size_t k = 0; k < run[r].num_kernels; k++) {
            const struct smrf_profile_kernel *kernel = &run[r].kernel[k];
            json_t *item = json_object(), *list = json_array();
            json_object_set_new(item, "name", smrf_json_text(kernel->name));
            json_object_set_new(item, "launches", count_(kernel->launches));
            json_object_set_new(item, "cycles", count_(kernel->cycles));
            for (size_t i = 0; i < kernel->num_inst; i++) {
                json_array_append_new(list, instruction_(kernel, &kernel->inst[kernel->by_pc[i]]));
            }
            json_object_set_new(item, "instructions", list);
            json_array_append_new(kernels, item);
        }
        json_object_set_new(root, "mechanism", json_string(run[r].mechanism));
        json_object_set_new(root, "kernels", kernels);
        json_array_append_new(runs, root);
    }
    return json_pack("{s:o}", "runs", runs);
}
