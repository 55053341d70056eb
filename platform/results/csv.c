/* SPDX-License-Identifier: Apache-2.0 */
/* The CSV form: RFC 4180, comma, "\n", one header. */
#include "architecture.h"
#include "csv_text.h"
#include "report.h"

#include "platform/config/config.h"

#include <inttypes.h>
#include <string.h>

static void header_(const struct smrf_report *r, FILE *out)
{
    fputs("launch,name,id,grid,block,start,end,occupancy,limit,partial,binary_version,"
          "architecture_note",
          out);
    for (size_t i = 0; i < smrf_stats_count; i++) {
        if (smrf_stat_is_known(&smrf_stats[i], r->config)) {
            fprintf(out, ",%s", smrf_stats[i].name);
        }
    }
    for (size_t i = 0; i < r->machinery->num_stats; i++) {
        fprintf(out, ",mechanism.%s", r->machinery->stats[i].name);
    }
    for (size_t i = 0; i < r->num_energy; i++) {
        for (unsigned k = 0; k < SMRF_ENERGY_COMPONENTS; k++) {
            fprintf(out, ",energy.%s.%s", r->energy[i]->name, smrf_energy_component_name(k));
        }
    }
    fputs(",provenance.version,provenance.commit,provenance.seed,provenance.trace_digest,"
          "provenance.preset,provenance.mechanism,provenance.memory,provenance.mechanism_table,"
          "provenance.reuse_file",
          out);
    for (size_t i = 0; i < smrf_param_count(); i++) {
        fprintf(out, ",config.%s", smrf_param_at(i)->key);
    }
    fputs(",sim.engine,sim.wall_s,sim.warp_instructions_per_s", out);
    for (unsigned k = 0; k < SMRF_PORT_KINDS; k++) {
        fprintf(out, ",sim.transactions.%s", smrf_port_kind_name(k));
    }
    fputc('\n', out);
}

static void stats_(FILE *out, const struct smrf_report *r, const struct smrf_counters *c)
{
    const struct smrf_mechanism *m = r->machinery;
    for (size_t i = 0; i < smrf_stats_count; i++) {
        const struct smrf_stat *stat = &smrf_stats[i];
        if (!smrf_stat_is_known(stat, r->config)) {
            continue;
        }
        if (stat->ratio) {
            fprintf(out, ",%.9g", smrf_stat_value(stat, c));
        } else {
            fprintf(out, ",%" PRIu64, smrf_stat_count(stat, c));
        }
    }
    for (size_t i = 0; i < m->num_stats; i++) {
        fprintf(out, m->stats[i].whole == SMRF_NO_WHOLE ? ",%.0f" : ",%.9g",
                smrf_mechanism_stat_value(&m->stats[i], c));
    }
}

static void energy_(FILE *out, const struct smrf_report *r, const struct smrf_counters *c)
{
    for (size_t i = 0; i < r->num_energy; i++) {
        double pj[SMRF_ENERGY_COMPONENTS];
        smrf_energy_of(r->energy[i], &r->shape, r->config, c, pj);
        for (unsigned k = 0; k < SMRF_ENERGY_COMPONENTS; k++) {
            fprintf(out, ",%.9g", pj[k]);
        }
    }
}

static void provenance_(FILE *out, const struct smrf_report *r)
{
    const char *texts[] = {r->preset, r->mechanism, r->memory};
    fputc(',', out);
    smrf_csv_text(out, r->version);
    fputc(',', out);
    smrf_csv_text(out, r->commit);
    fprintf(out, ",%" PRIu32 ",0x%016" PRIx64, r->config->sim.seed, r->digest);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fputc(',', out);
        smrf_csv_text(out, texts[i]);
    }
    if (r->table) {
        fprintf(out, ",0x%016" PRIx64, r->table);
    } else {
        fputc(',', out);
    }
    fputc(',', out);
    smrf_csv_text(out, r->reuse_file ? r->reuse_file : "");
    for (size_t i = 0; i < smrf_param_count(); i++) {
        char value[256];
        smrf_config_text(r->config, i, value, sizeof value);
        fputc(',', out);
        smrf_csv_text(out, value);
    }
}

static void architecture_(FILE *out, const struct smrf_report *r,
                          const struct smrf_launch *launches, size_t count)
{
    char note[512];
    (void)smrf_architecture_note(r->config->gpu.architecture, launches, count, note, sizeof note);
    fputc(',', out);
    smrf_csv_text(out, note);
}

static void launch_(FILE *out, const struct smrf_report *r, const struct smrf_launch *l,
                    size_t number)
{
    fprintf(out, "%zu,", number);
    smrf_csv_text(out, l->name);
    fprintf(out, ",%" PRIu32 ",%ux%ux%u,%ux%ux%u,%" PRIu64 ",", l->id, l->grid.x, l->grid.y,
            l->grid.z, l->block.x, l->block.y, l->block.z, l->start);
    if (l->end) {
        fprintf(out, "%" PRIu64, l->end);
    }
    fprintf(out, ",%u,%s,%s,", l->occupancy, l->limit ? l->limit : "",
            l->partial ? "true" : "false");
    if (l->binary_version) {
        fprintf(out, "%" PRIu32, l->binary_version);
    }
    architecture_(out, r, l, 1);
    stats_(out, r, &l->counters);
}

int smrf_report_csv(const struct smrf_report *r, FILE *out)
{
    header_(r, out);
    fprintf(out, "total,,,,,,,,,%s,", r->partial ? "true" : "false");
    architecture_(out, r, r->launches, r->num_launches);
    stats_(out, r, &r->total);
    energy_(out, r, &r->total);
    provenance_(out, r);
    fprintf(out, ",%s,%.9g,%.9g", r->engine, r->wall_s,
            r->wall_s > 0 ? (double)r->total.sm.warp_insts / r->wall_s : 0.0);
    for (unsigned k = 0; k < SMRF_PORT_KINDS; k++) {
        fprintf(out, ",%" PRIu64, r->transactions[k]);
    }
    fputc('\n', out);
    for (size_t i = 0; i < r->num_launches; i++) {
        launch_(out, r, &r->launches[i], i + 1);
        energy_(out, r, &r->launches[i].counters);
        provenance_(out, r);
        fputs(",,,", out); /* of the whole run alone */
        for (unsigned k = 0; k < SMRF_PORT_KINDS; k++) {
            fputc(',', out);
        }
        fputc('\n', out);
    }
    return ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}
