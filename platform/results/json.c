/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON form. Launches are written one after the other, so that memory holds the tree of one. */
#include "architecture.h"
#include "json_text.h"
#include "report.h"

#include "models/bank/bank.h"
#include "platform/config/config.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#define DIGITS 9 /* significant digits of a ratio: the same bytes for the same value */
#define FLAGS (JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS))

/* Object at the path name[0, end), made where absent. */
static json_t *parent_(json_t *root, const char *name, const char **leaf)
{
    json_t *at = root;
    for (const char *dot; (dot = strchr(name, '.')) != NULL; name = dot + 1) {
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)(dot - name), name);
        json_t *next = json_object_get(at, key);
        if (!next) {
            next = json_object();
            json_object_set_new(at, key, next);
        }
        at = next;
    }
    *leaf = name;
    return at;
}

static json_t *count_(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* Of the whole run: what the mechanism remembers of its intervals. */
static json_t *series_(const struct smrf_report *r)
{
    const struct smrf_gpu_seam *gpu = r->machinery->gpu;
    json_t *names = json_array(), *rows = json_array();
    for (unsigned c = 0; c < gpu->num_columns; c++) {
        json_array_append_new(names, json_string(gpu->columns[c].name));
    }
    for (size_t i = 0; i < r->num_rows; i++) {
        json_t *row = json_array();
        for (unsigned c = 0; c < gpu->num_columns; c++) {
            uint64_t value = r->series[i * gpu->num_columns + c];
            uint32_t scale = gpu->columns[c].scale;
            json_array_append_new(row,
                                  scale == 1 ? count_(value) : json_real((double)value / scale));
        }
        json_array_append_new(rows, row);
    }
    return json_pack("{s:o,s:o}", "columns", names, "rows", rows);
}

static void add_mechanism_(json_t *root, const struct smrf_mechanism *m,
                           const struct smrf_counters *c)
{
    json_t *section = m->num_stats ? json_object() : NULL;
    for (size_t i = 0; i < m->num_stats; i++) {
        const struct smrf_mechanism_stat *stat = &m->stats[i];
        json_object_set_new(section, stat->name,
                            stat->whole == SMRF_NO_WHOLE
                                ? count_(c->mechanism[stat->index])
                                : json_real(smrf_mechanism_stat_value(stat, c)));
    }
    if (section) {
        json_object_set_new(root, "mechanism", section);
    }
}

static void add_stats_(json_t *root, const struct smrf_report *r, const struct smrf_counters *c)
{
    for (size_t i = 0; i < smrf_stats_count; i++) {
        const struct smrf_stat *stat = &smrf_stats[i];
        const char *leaf;
        if (!smrf_stat_is_known(stat, r->config)) {
            continue;
        }
        json_t *at = parent_(root, stat->name, &leaf);
        json_object_set_new(at, leaf,
                            stat->ratio ? json_real(smrf_stat_value(stat, c))
                                        : count_(smrf_stat_count(stat, c)));
    }
}

/* pJ by set and component. */
static json_t *energy_(const struct smrf_report *r, const struct smrf_counters *c)
{
    json_t *sets = json_object();
    for (size_t i = 0; i < r->num_energy; i++) {
        double pj[SMRF_ENERGY_COMPONENTS];
        json_t *o = json_object();
        smrf_energy_of(r->energy[i], &r->shape, r->config, c, pj);
        for (unsigned k = 0; k < SMRF_ENERGY_COMPONENTS; k++) {
            json_object_set_new(o, smrf_energy_component_name(k), json_real(pj[k]));
        }
        json_object_set_new(sets, r->energy[i]->name, o);
    }
    return sets;
}

/* The constants that a run's energy is made of. */
static json_t *energy_sets_(const struct smrf_report *r)
{
    json_t *sets = json_object();
    for (size_t i = 0; i < r->num_energy; i++) {
        json_t *o = json_object();
        for (unsigned k = 0; k < SMRF_ENERGY_COUNT; k++) {
            json_object_set_new(o, smrf_energy_constant_name(k),
                                json_pack("{s:f,s:s}", "pj", r->energy[i]->value[k], "source",
                                          r->energy[i]->source[k]));
        }
        json_object_set_new(sets, r->energy[i]->name, o);
    }
    return sets;
}

static json_t *dim_(struct smrf_dim3 d)
{
    return json_pack("[I,I,I]", (json_int_t)d.x, (json_int_t)d.y, (json_int_t)d.z);
}

static json_t *launch_(const struct smrf_report *r, const struct smrf_launch *l, size_t number)
{
    json_t *o = json_object();
    json_object_set_new(o, "launch", count_(number));
    json_object_set_new(o, "name", json_string(l->name));
    json_object_set_new(o, "id", count_(l->id));
    json_object_set_new(o, "binary_version", count_(l->binary_version));
    json_object_set_new(o, "grid", dim_(l->grid));
    json_object_set_new(o, "block", dim_(l->block));
    json_object_set_new(o, "start", count_(l->start));
    json_object_set_new(o, "end", l->end ? count_(l->end) : json_null());
    json_object_set_new(o, "occupancy", count_(l->occupancy));
    json_object_set_new(o, "limit", l->limit ? json_string(l->limit) : json_null());
    json_object_set_new(o, "partial", json_boolean(l->partial));
    add_stats_(o, r, &l->counters);
    add_mechanism_(o, r->machinery, &l->counters);
    if (r->num_energy) {
        json_object_set_new(o, "energy", energy_(r, &l->counters));
    }
    return o;
}

static json_t *config_(const struct smrf_config *cfg)
{
    json_t *o = json_object();
    for (size_t i = 0; i < smrf_param_count(); i++) {
        const struct smrf_param *info = smrf_param_at(i);
        uint32_t value = smrf_config_get(cfg, i);
        json_t *v;
        if (smrf_param_type(info) == SMRF_PARAM_NUM) {
            v = count_(value);
        } else if (smrf_param_type(info) == SMRF_PARAM_FLAG) {
            v = json_boolean(value);
        } else {
            char text[256];
            smrf_config_text(cfg, i, text, sizeof text);
            v = json_string(text);
        }
        json_object_set_new(o, info->key, v);
    }
    return o;
}

static json_t *provenance_(const struct smrf_report *r)
{
    char digest[24];
    snprintf(digest, sizeof digest, "0x%016" PRIx64, r->digest);
    json_t *o = json_object();
    json_object_set_new(o, "program", json_string("smrf"));
    json_object_set_new(o, "version", json_string(r->version));
    json_object_set_new(o, "commit", json_string(r->commit));
    json_object_set_new(o, "seed", count_(r->config->sim.seed));
    json_object_set_new(o, "trace_digest", json_string(digest));
    json_object_set_new(o, "preset", json_string(r->preset));
    json_object_set_new(o, "mechanism", json_string(r->mechanism));
    snprintf(digest, sizeof digest, "0x%016" PRIx64, r->table);
    json_object_set_new(o, "mechanism_table", r->table ? json_string(digest) : json_null());
    json_object_set_new(o, "reuse_file",
                        r->reuse_file ? smrf_json_text(r->reuse_file) : json_null());
    json_object_set_new(o, "memory", smrf_json_text(r->memory));
    json_object_set_new(o, "config", config_(r->config));
    json_object_set_new(o, "energy", energy_sets_(r));
    return o;
}

/* A view that estimates says so, and of what. */
static json_t *estimate_(const struct smrf_report *r)
{
    char view[64];
    smrf_config_text(r->config, SMRF_P_sim_view, view, sizeof view);
    return json_pack("{s:s,s:s}", "view", view, "of", "cycles and what follows from them");
}

static double rate_(uint64_t count, double seconds)
{
    return seconds > 0 ? (double)count / seconds : 0;
}

/* How many TLM transactions of each kind were sent. */
static json_t *transactions_(const struct smrf_report *r)
{
    json_t *o = json_object();
    for (unsigned k = 0; k < SMRF_PORT_KINDS; k++) {
        json_object_set_new(o, smrf_port_kind_name(k), count_(r->transactions[k]));
    }
    return o;
}

static json_t *sim_(const struct smrf_report *r)
{
    json_t *traces = json_array();
    for (size_t i = 0; i < r->num_traces; i++) {
        json_array_append_new(traces, smrf_json_text(r->traces[i]));
    }
    json_t *o = json_object();
    json_object_set_new(o, "engine", json_string(r->engine));
    json_object_set_new(o, "threads", json_integer(r->threads));
    json_object_set_new(o, "traces", traces);
    json_object_set_new(o, "wall_s", json_real(r->wall_s));
    json_object_set_new(o, "warp_instructions_per_s",
                        json_real(rate_(r->total.sm.warp_insts, r->wall_s)));
    json_object_set_new(o, "cycles_per_s", json_real(rate_(r->total.cycles, r->wall_s)));
    json_object_set_new(o, "payloads_peak", count_(r->payloads_peak));
    json_object_set_new(o, "transactions", transactions_(r));
    return o;
}

/* {"version": .., "value": "0x.."}, null where one is not known. */
static json_t *side_(const struct smrf_found_value *v)
{
    char value[16];
    snprintf(value, sizeof value, "0x%08" PRIx32, v->value);
    return json_pack("{s:o,s:s?}", "version", v->version ? count_(v->version) : json_null(),
                     "value", v->known ? value : NULL);
}

static json_t *finding_(const struct smrf_report *r, const struct smrf_finding *f)
{
    const struct smrf_launch *l =
        f->launch && f->launch <= r->num_launches ? &r->launches[f->launch - 1] : NULL;
    bool placed = f->kind != SMRF_FINDING_TRACE && f->row != SMRF_PHYS_NONE;
    json_t *o = json_object();
    json_object_set_new(o, "kind", json_string(smrf_finding_kind_name(f)));
    json_object_set_new(o, "cycle", count_(f->cycle));
    json_object_set_new(o, "launch", count_(f->launch));
    json_object_set_new(o, "kernel", l ? json_string(l->name) : json_null());
    json_object_set_new(o, "block", l ? dim_(smrf_finding_block(f, l)) : json_null());
    json_object_set_new(o, "warp", count_(f->block_warp));
    json_object_set_new(o, "lane", count_(f->lane));
    json_object_set_new(o, "lanes", count_(f->lanes));
    json_object_set_new(o, "pc", count_(f->pc));
    json_object_set_new(o, "register", count_(f->reg));
    json_object_set_new(o, "sm", count_(f->sm));
    json_object_set_new(o, "warp_slot", count_(f->warp));
    json_object_set_new(o, "subcore", count_(f->sub));
    json_object_set_new(o, "bank", placed ? count_(f->bank) : json_null());
    json_object_set_new(o, "row", placed ? count_(f->row) : json_null());
    json_object_set_new(o, "from_mechanism", json_boolean(f->cached));
    json_object_set_new(o, "expected", side_(&f->expected));
    json_object_set_new(o, "found", side_(&f->found));
    return o;
}

static json_t *checks_(const struct smrf_report *r)
{
    json_t *findings = json_array();
    for (size_t i = 0; i < r->findings->count; i++) {
        json_array_append_new(findings, finding_(r, &r->findings->first[i]));
    }
    return json_pack("{s:b,s:I,s:s?,s:o}", "oracle",
                     (int)(r->config->sim.check != 0 && smrf_view_is_exact(r->config)), "laws",
                     (json_int_t)r->laws, "failure", r->failure, "findings", findings);
}

/* --- writing: top-level keys one by one ------------------------------------------------------- */

/* Inside the document every line of a value stands two columns further right. A line break never
 * stands inside a JSON string, so that looking at bytes is enough. */
static int indent_(const char *text, size_t size, void *user)
{
    FILE *out = user;
    for (size_t i = 0; i < size; i++) {
        if (fputc(text[i], out) == EOF || (text[i] == '\n' && fputs("  ", out) == EOF)) {
            return -1;
        }
    }
    return 0;
}

static int member_(FILE *out, const char *key, json_t *value)
{
    fprintf(out, "  \"%s\": ", key);
    return json_dump_callback(value, indent_, out, FLAGS | JSON_INDENT(2));
}

static int members_(FILE *out, json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (member_(out, key, value)) {
            return SMRF_ERR_IO;
        }
        fputs(",\n", out);
    }
    return SMRF_OK;
}

static int launches_(FILE *out, const struct smrf_report *r)
{
    fputs("  \"kernels\": [", out);
    for (size_t i = 0; i < r->num_launches; i++) {
        json_t *o = launch_(r, &r->launches[i], i + 1);
        fputs(i ? ",\n    " : "\n    ", out);
        int rc = json_dumpf(o, out, FLAGS);
        json_decref(o);
        if (rc) {
            return SMRF_ERR_IO;
        }
    }
    fputs(r->num_launches ? "\n  ],\n" : "],\n", out);
    return SMRF_OK;
}

static json_t *architecture_(const struct smrf_report *r)
{
    char note[512];
    json_t *o = json_object();
    const uint32_t machine = r->config->gpu.architecture;
    const size_t others =
        smrf_architecture_note(machine, r->launches, r->num_launches, note, sizeof note);
    json_object_set_new(o, "machine", machine ? count_(machine) : json_null());
    json_object_set_new(o, "launches_of_another", count_(others));
    json_object_set_new(o, "note", others ? json_string(note) : json_null());
    return o;
}

/* Only of results whose launches have several streams. */
static void add_streams_(json_t *head, const struct smrf_report *r)
{
    char note[256];
    const size_t streams = smrf_streams_note(r->launches, r->num_launches, note, sizeof note);
    if (streams > 1) {
        json_object_set_new(head, "streams",
                            json_pack("{s:I,s:s}", "count", (json_int_t)streams, "note", note));
    }
}

int smrf_report_json(const struct smrf_report *r, FILE *out)
{
    json_t *head = json_object(), *tail = json_object(), *sim = sim_(r);
    int rc = SMRF_ERR_NOMEM;
    if (head && tail && sim) {
        add_stats_(head, r, &r->total);
        add_mechanism_(head, r->machinery, &r->total);
        json_t *section = json_object_get(head, "mechanism");
        if (section && r->machinery->gpu) {
            json_object_set_new(section, r->machinery->gpu->series, series_(r));
        }
        if (r->num_energy) {
            json_object_set_new(head, "energy", energy_(r, &r->total));
        } else {
            json_object_set_new(head, "estimate", estimate_(r));
        }
        json_object_set_new(head, "architecture", architecture_(r));
        add_streams_(head, r);
        json_object_set_new(head, "partial", json_boolean(r->partial));
        json_object_set_new(head, "end", json_string(r->end));
        json_object_set_new(head, "checks", checks_(r));
        if (r->samples) {
            json_object_set_new(tail, "series", smrf_series_json(r->samples));
        }
        json_object_set_new(tail, "provenance", provenance_(r));
        fputs("{\n", out);
        rc = members_(out, head);
        rc = rc ? rc : launches_(out, r);
        rc = rc ? rc : members_(out, tail);
        rc = rc ? rc : member_(out, "sim", sim) ? SMRF_ERR_IO : SMRF_OK;
        fputs("\n}\n", out);
    }
    json_decref(head);
    json_decref(tail);
    json_decref(sim);
    return rc ? rc : ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}
