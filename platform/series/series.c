/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "series.h"

#include "platform/config/smrf_config.h"
#include "platform/gpu/machine.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME 96 /* bytes of a pattern or a name */

/* A statistic of the model, one of its mechanism, or a component of energy. */
struct column {
    const struct smrf_stat *stat;
    const struct smrf_mechanism_stat *own;
    const struct smrf_energy_set *energy;
    unsigned component;
    char name[NAME];
};

struct smrf_series_state {
    const struct smrf_machine *machine;
    struct column *column;
    struct smrf_counters *before; /* [num_parts] */
    uint64_t cycle;               /* .. and when that was */
    struct smrf_energy_shape shape;
    size_t room; /* rows */
};

/* --- which statistics ------------------------------------------------------------------------- */

static bool add_(struct smrf_series *s, const struct column *column)
{
    struct smrf_series_state *state = s->state;
    for (size_t i = 0; i < s->num_columns; i++) {
        if (strcmp(state->column[i].name, column->name) == 0) {
            return true;
        }
    }
    struct column *grown = realloc(state->column, (s->num_columns + 1) * sizeof *grown);
    if (!grown) {
        return false;
    }
    state->column = grown;
    grown[s->num_columns++] = *column;
    return true;
}

/* What a pattern finds among the statistics of a model with a mechanism (NULL: with none). */
struct found {
    bool any, kept; /* .. that is kept of such parts */
    bool out_of_memory;
};

/* Sub-cores of a view without a loop over cycles keep nothing. cfg NULL: any view. */
static bool kept_(const struct smrf_stat *stat, enum smrf_part part, const struct smrf_config *cfg)
{
    return smrf_stat_is_of(stat, part) && (!cfg || smrf_view_is_exact(cfg) ||
                                           (part <= SMRF_PART_SM && smrf_stat_is_known(stat, cfg)));
}

static const struct smrf_energy_set *set_(const struct smrf_series_wish *wish, size_t index)
{
    return !wish->energy              ? smrf_energy_set_at((unsigned)index)
           : index < wish->num_energy ? wish->energy[index]
                                      : NULL;
}

/* Energy is kept of the whole machine. */
static void find_energy_(const struct smrf_series_wish *wish, enum smrf_part part,
                         const char *pattern, struct smrf_series *to, const struct smrf_config *cfg,
                         struct found *found)
{
    const struct smrf_energy_set *set;
    const bool kept = part == SMRF_PART_GPU && (!cfg || smrf_view_is_exact(cfg));
    for (size_t i = 0; (set = set_(wish, i)) != NULL; i++) {
        for (unsigned k = 0; k < SMRF_ENERGY_COMPONENTS; k++) {
            struct column c = {.energy = set, .component = k};
            snprintf(c.name, sizeof c.name, "energy.%s.%s", set->name,
                     smrf_energy_component_name(k));
            if (fnmatch(pattern, c.name, 0) == 0) {
                found->any = true;
                found->kept |= kept;
                found->out_of_memory |= to && kept && !add_(to, &c);
            }
        }
    }
}

/* to NULL: they are not wanted. */
static struct found find_(const struct smrf_series_wish *wish, enum smrf_part part,
                          const struct smrf_mechanism *m, const char *pattern,
                          struct smrf_series *to, const struct smrf_config *cfg)
{
    struct found found = {false, false, false};
    find_energy_(wish, part, pattern, to, cfg, &found);
    for (size_t i = 0; i < smrf_stats_count; i++) {
        struct column c = {.stat = &smrf_stats[i]};
        snprintf(c.name, sizeof c.name, "%s", c.stat->name);
        if (fnmatch(pattern, c.name, 0) == 0) {
            const bool kept = kept_(c.stat, part, cfg);
            found.any = true;
            found.kept |= kept;
            found.out_of_memory |= to && kept && !add_(to, &c);
        }
    }
    for (size_t i = 0; m && i < m->num_stats; i++) {
        struct column c = {.own = &m->stats[i]};
        snprintf(c.name, sizeof c.name, "mechanism.%s", c.own->name);
        if (fnmatch(pattern, c.name, 0) == 0) {
            found.any = true;
            found.kept |= part <= SMRF_PART_SM;
            found.out_of_memory |= to && part <= SMRF_PART_SM && !add_(to, &c);
        }
    }
    return found;
}

/* The smallest parts by which anything is kept that fits the pattern. */
static enum smrf_part smallest_(const struct smrf_series_wish *wish, const struct smrf_mechanism *m,
                                const char *pattern)
{
    unsigned larger = wish->part;
    while (larger > 0 && !find_(wish, (enum smrf_part)larger, m, pattern, NULL, NULL).kept) {
        larger--;
    }
    return (enum smrf_part)larger;
}

/* A mechanism need not have what a pattern of mechanisms' statistics asks for. */
static bool may_be_none_(const struct smrf_mechanism *m, const char *pattern)
{
    return strncmp(pattern, "mechanism.", 10) == 0 && (!m || strpbrk(pattern, "*?["));
}

static int choose_one_(const struct smrf_series_wish *wish, const struct smrf_mechanism *m,
                       const char *pattern, struct smrf_series *to, const struct smrf_config *cfg,
                       char *text, size_t size)
{
    const struct found found = find_(wish, wish->part, m, pattern, to, cfg);
    if (found.out_of_memory) {
        return SMRF_ERR_NOMEM;
    }
    if (found.kept || (!found.any && may_be_none_(m, pattern))) {
        return SMRF_OK;
    }
    if (!found.any) {
        const char *near = smrf_stat_nearest(pattern);
        snprintf(text, size, "no statistic is called '%s'%s%s%s", pattern,
                 near ? "; did you mean " : "; smrf list statistics --all shows all",
                 near ? near : "", near ? "?" : "");
    } else if (find_(wish, wish->part, m, pattern, NULL, NULL).kept) {
        if (strpbrk(pattern, "*?[")) {
            return SMRF_OK; /* what is known of those that other patterns name */
        }
        snprintf(text, size, "%s of %s: a run with sim.view=scoreboard does not know it", pattern,
                 smrf_part_name(wish->part));
    } else {
        snprintf(text, size, "%s is not kept by %s, but by %s", pattern, smrf_part_name(wish->part),
                 smrf_part_name(smallest_(wish, m, pattern)));
    }
    return SMRF_ERR_INVAL;
}

static int choose_(const struct smrf_series_wish *wish, const struct smrf_mechanism *m,
                   struct smrf_series *to, const struct smrf_config *cfg, char *text, size_t size)
{
    int err = SMRF_OK;
    size_t count = 0;
    for (const char *at = wish->names + strspn(wish->names, ", "); !err && *at;
         at += strspn(at, ", ")) {
        char pattern[NAME];
        const size_t length = strcspn(at, ", ");
        snprintf(pattern, sizeof pattern, "%.*s", (int)(length < NAME ? length : NAME - 1), at);
        at += length;
        count++;
        err = choose_one_(wish, m, pattern, to, cfg, text, size);
    }
    if (!err && (count == 0 || (to && to->num_columns == 0))) {
        snprintf(text, size, count ? "no statistic fits '%s'" : "no statistic is named",
                 wish->names);
        err = SMRF_ERR_INVAL;
    }
    return err;
}

int smrf_series_check(const struct smrf_series_wish *wish, char *text, size_t size)
{
    return choose_(wish, NULL, NULL, NULL, text, size);
}

/* --- recording -------------------------------------------------------------------------------- */

static void look_(const struct smrf_series *s, size_t part, struct smrf_counters *now)
{
    const struct smrf_machine *machine = s->state->machine;
    smrf_counters_of_part(now, machine, s->part, smrf_part_place(s->part, machine->cfg, part));
}

int smrf_series_create(struct smrf_series **series, const struct smrf_series_wish *wish,
                       const struct smrf_machine *machine, char *text, size_t size)
{
    struct smrf_series *s = calloc(1, sizeof *s);
    struct smrf_series_state *state = calloc(1, sizeof *state);
    *series = NULL;
    if (!s || !state) {
        free(s);
        free(state);
        return SMRF_ERR_NOMEM;
    }
    *s = (struct smrf_series){.interval = wish->interval, .part = wish->part, .state = state};
    s->num_parts = smrf_part_count(wish->part, machine->cfg);
    state->machine = machine;
    smrf_energy_shape_of(machine->mechanism, machine->cfg, &state->shape);
    state->before = calloc(s->num_parts, sizeof *state->before);
    int err = state->before ? choose_(wish, machine->mechanism, s, machine->cfg, text, size)
                            : SMRF_ERR_NOMEM;
    if (err) {
        smrf_series_free(s);
        return err;
    }
    for (size_t i = 0; i < s->num_parts; i++) {
        look_(s, i, &state->before[i]);
    }
    *series = s;
    return SMRF_OK;
}

void smrf_series_free(struct smrf_series *s)
{
    if (s) {
        free(s->state->column);
        free(s->state->before);
        free(s->state);
        free(s->row);
        free(s->value);
        free(s);
    }
}

static int grow_(struct smrf_series *s)
{
    const size_t room = s->state->room ? 2 * s->state->room : 64;
    const size_t each = s->num_parts * s->num_columns;
    if (room / 2 * each > SMRF_SERIES_VALUES) {
        return SMRF_ERR_LIMIT;
    }
    struct smrf_series_row *row = realloc(s->row, room * sizeof *row);
    s->row = row ? row : s->row;
    double *value = realloc(s->value, room * each * sizeof *value);
    s->value = value ? value : s->value;
    if (!row || !value) {
        return SMRF_ERR_NOMEM;
    }
    s->state->room = room;
    return SMRF_OK;
}

static double energy_(const struct smrf_series *s, const struct column *c,
                      const struct smrf_counters *counters)
{
    double pj[SMRF_ENERGY_COMPONENTS];
    smrf_energy_of(c->energy, &s->state->shape, s->state->machine->cfg, counters, pj);
    return pj[c->component];
}

/* What is in flight may have become less. */
static double value_(const struct smrf_series *s, const struct column *c,
                     const struct smrf_counters *counters)
{
    return c->energy        ? energy_(s, c, counters)
           : !c->stat       ? smrf_mechanism_stat_value(c->own, counters)
           : c->stat->ratio ? c->stat->ratio(counters)
                            : (double)(int64_t)smrf_stat_count(c->stat, counters);
}

int smrf_series_take(struct smrf_series *s, uint32_t launch, uint64_t cycle)
{
    struct smrf_series_state *state = s->state;
    if (cycle <= state->cycle) {
        return SMRF_OK;
    }
    int err = s->num_rows == state->room ? grow_(s) : SMRF_OK;
    if (err) {
        return err;
    }
    double *to = s->value + s->num_rows * s->num_parts * s->num_columns;
    for (size_t part = 0; part < s->num_parts; part++) {
        struct smrf_counters now, difference;
        look_(s, part, &now);
        now.cycles = cycle;
        state->before[part].cycles = state->cycle;
        smrf_counters_difference(&difference, &now, &state->before[part],
                                 state->machine->mechanism->marks);
        for (size_t c = 0; c < s->num_columns; c++) {
            *to++ = value_(s, &state->column[c], &difference);
        }
        state->before[part] = now;
    }
    s->row[s->num_rows++] = (struct smrf_series_row){launch, state->cycle, cycle};
    state->cycle = cycle;
    return SMRF_OK;
}

/* --- reading ---------------------------------------------------------------------------------- */

const char *smrf_series_column(const struct smrf_series *s, size_t column)
{
    return s->state->column[column].name;
}

bool smrf_series_is_count(const struct smrf_series *s, size_t column)
{
    const struct column *c = &s->state->column[column];
    return c->stat ? !c->stat->ratio : c->own && c->own->whole == SMRF_NO_WHOLE;
}

double smrf_series_value(const struct smrf_series *s, size_t row, size_t part, size_t column)
{
    return s->value[(row * s->num_parts + part) * s->num_columns + column];
}

/* Number of a part at a level, -1: it has none. */
static long number_(const struct smrf_series *s, size_t part, enum smrf_part level)
{
    const struct smrf_place at = smrf_part_place(s->part, s->state->machine->cfg, part);
    const uint32_t number[SMRF_PARTS] = {0, at.sm, at.sub, at.bank};
    return s->part >= level ? (long)number[level] : -1;
}

static void csv_row_(const struct smrf_series *s, size_t r, size_t part, FILE *out)
{
    const struct smrf_series_row *row = &s->row[r];
    char at[160];
    int n = snprintf(at, sizeof at, "%" PRIu32 ",%" PRIu64 ",%" PRIu64, row->launch, row->from,
                     row->to - row->from);
    for (unsigned level = SMRF_PART_SM; level <= SMRF_PART_BANK; level++) {
        const long number = number_(s, part, (enum smrf_part)level);
        n += number < 0 ? snprintf(at + n, sizeof at - (size_t)n, ",")
                        : snprintf(at + n, sizeof at - (size_t)n, ",%ld", number);
    }
    for (size_t c = 0; c < s->num_columns; c++) {
        fprintf(out, "%s,%s,%.*g\n", at, smrf_series_column(s, c),
                smrf_series_is_count(s, c) ? 17 : 9, smrf_series_value(s, r, part, c));
    }
}

int smrf_series_csv(const struct smrf_series *s, FILE *out)
{
    fputs("launch,cycle,cycles,sm,subcore,bank,name,value\n", out);
    for (size_t r = 0; r < s->num_rows; r++) {
        for (size_t part = 0; part < s->num_parts; part++) {
            csv_row_(s, r, part, out);
        }
    }
    return ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}

static json_t *json_row_(const struct smrf_series *s, size_t r, size_t part)
{
    const struct smrf_series_row *row = &s->row[r];
    json_t *cells = json_array();
    json_array_append_new(cells, json_integer(row->launch));
    json_array_append_new(cells, json_integer((json_int_t)row->from));
    json_array_append_new(cells, json_integer((json_int_t)(row->to - row->from)));
    for (unsigned level = SMRF_PART_SM; level <= SMRF_PART_BANK; level++) {
        const long number = number_(s, part, (enum smrf_part)level);
        json_array_append_new(cells, number < 0 ? json_null() : json_integer(number));
    }
    for (size_t c = 0; c < s->num_columns; c++) {
        const double value = smrf_series_value(s, r, part, c);
        json_array_append_new(cells, smrf_series_is_count(s, c) ? json_integer((json_int_t)value)
                                                                : json_real(value));
    }
    return cells;
}

json_t *smrf_series_json(const struct smrf_series *s)
{
    json_t *rows = json_array(), *columns = json_pack("[s,s,s,s,s,s]", "launch", "cycle", "cycles",
                                                      "sm", "subcore", "bank");
    for (size_t c = 0; c < s->num_columns; c++) {
        json_array_append_new(columns, json_string(smrf_series_column(s, c)));
    }
    for (size_t r = 0; r < s->num_rows; r++) {
        for (size_t part = 0; part < s->num_parts; part++) {
            json_array_append_new(rows, json_row_(s, r, part));
        }
    }
    return json_pack("{s:I,s:s,s:o,s:o}", "interval", (json_int_t)s->interval, "by",
                     smrf_part_name(s->part), "columns", columns, "rows", rows);
}
