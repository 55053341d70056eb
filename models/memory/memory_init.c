/* SPDX-License-Identifier: Apache-2.0 */
/* The memory's storage and its start. */
#include "models/memory/memory_internal.h"

#define MAX_SLICES 256 /* numbers of 8 bits, as wide as the networks are for SMs */
#define MAX_CHANNELS 128
#define MAX_CREDITS 4096

static size_t round_up_(size_t bytes)
{
    return (bytes + 63u) & ~(size_t)63u;
}

static bool power_of_two_(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static bool within_(uint32_t value, uint32_t max)
{
    return value >= 1 && value <= max;
}

int smrf_memory_config_check(const struct smrf_memory_config *cfg)
{
    if (!within_(cfg->gpu.sms, SMRF_MAX_SMS) || !within_(cfg->noc.credits, MAX_CREDITS) ||
        !within_(cfg->l2.slices, MAX_SLICES) || !within_(cfg->dram.channels, MAX_CHANNELS) ||
        !within_(cfg->dram.banks, SMRF_DRAM_MAX_BANKS) ||
        !within_(cfg->dram.bank_groups, SMRF_DRAM_MAX_GROUPS)) {
        return SMRF_ERR_INVAL;
    }
    if (cfg->noc.flit_bytes == 0 || cfg->l2.latency == 0 || cfg->dram.queue == 0 ||
        cfg->gpu.core_khz == 0 || cfg->dram.khz == 0 || cfg->dram.burst == 0 ||
        cfg->dram.bus_bytes == 0 || cfg->dram.data_rate == 0 || cfg->dram.ccd == 0) {
        return SMRF_ERR_INVAL;
    }
    if (cfg->l2.slices % cfg->dram.channels != 0 || !power_of_two_(cfg->l2.sets) ||
        !power_of_two_(cfg->dram.banks) || !power_of_two_(cfg->dram.open_bytes) ||
        cfg->dram.open_bytes < SMRF_LINE_BYTES || !power_of_two_(cfg->l2.fetch_bytes) ||
        cfg->l2.fetch_bytes < SMRF_SECTOR_BYTES || cfg->l2.fetch_bytes > SMRF_LINE_BYTES ||
        cfg->l2.ways == 0 || cfg->l2.mshrs == 0 || cfg->l2.mshr_merge == 0) {
        return SMRF_ERR_INVAL;
    }
    return smrf_l2_bytes(cfg) == 0 ? SMRF_ERR_LIMIT : SMRF_OK;
}

static size_t packets_bytes_(const struct smrf_memory_config *cfg)
{
    return round_up_((size_t)cfg->gpu.sms * cfg->noc.credits * sizeof(struct smrf_packet));
}

static size_t arrivals_bytes_(const struct smrf_memory_config *cfg)
{
    return round_up_((size_t)cfg->gpu.sms * cfg->noc.credits * sizeof(uint64_t));
}

/* Numbers of all packets. */
static size_t numbers_bytes_(const struct smrf_memory_config *cfg)
{
    return round_up_((size_t)cfg->gpu.sms * cfg->noc.credits * sizeof(uint32_t));
}

size_t smrf_memory_bytes(const struct smrf_memory_config *cfg)
{
    if (smrf_memory_config_check(cfg) != SMRF_OK) {
        return 0;
    }
    return round_up_(sizeof(struct smrf_memory)) + packets_bytes_(cfg) + arrivals_bytes_(cfg) +
           3 * numbers_bytes_(cfg) + round_up_(cfg->gpu.sms * sizeof(struct sm_port)) +
           round_up_(cfg->gpu.sms * sizeof(uint32_t)) +
           round_up_(smrf_noc_bytes(cfg->gpu.sms, cfg->l2.slices)) +
           round_up_(smrf_noc_bytes(cfg->l2.slices, cfg->gpu.sms)) + round_up_(smrf_l2_bytes(cfg)) +
           round_up_(smrf_dram_bytes(cfg)) +
           (cfg->estimates ? round_up_(smrf_memory_estimate_bytes(cfg)) : 0);
}

/* A channel is the last place of its SM's queue (channel.h). */
static uint32_t input_room_(const struct smrf_memory_config *cfg)
{
    switch (cfg->noc.input_queue) {
    case 0:
        return UINT32_MAX;
    case 1:
        return 1;
    default:
        return cfg->noc.input_queue - 1;
    }
}

static void *carve_(unsigned char **p, size_t bytes)
{
    void *at = *p;

    *p += round_up_(bytes);
    return at;
}

int smrf_memory_init(struct smrf_memory *m, const struct smrf_memory_config *cfg)
{
    unsigned char *p = (unsigned char *)m;
    int result = smrf_memory_config_check(cfg);
    uint32_t *free;
    uint64_t *arrival;

    if (result != SMRF_OK) {
        return result;
    }
    (void)carve_(&p, sizeof(*m));
    *m = (struct smrf_memory){.cfg = *cfg,
                              .delay = (uint64_t)cfg->noc.latency + cfg->l2.latency,
                              .room = input_room_(cfg),
                              .lookahead = smrf_memory_lookahead(cfg)};
    cfg = &m->cfg; /* what the parts keep */
    m->packet = (struct smrf_packet *)carve_(&p, packets_bytes_(cfg));
    arrival = (uint64_t *)carve_(&p, arrivals_bytes_(cfg));
    m->port = (struct sm_port *)carve_(&p, cfg->gpu.sms * sizeof(*m->port));
    m->answer = (uint32_t *)carve_(&p, numbers_bytes_(cfg));
    free = (uint32_t *)carve_(&p, numbers_bytes_(cfg));
    m->taken = (uint32_t *)carve_(&p, numbers_bytes_(cfg));
    m->moved = (uint32_t *)carve_(&p, cfg->gpu.sms * sizeof(*m->moved));
    for (uint32_t sm = 0; sm < cfg->gpu.sms; sm++) {
        const size_t first = (size_t)sm * cfg->noc.credits;

        m->port[sm].arrival = &arrival[first];
        m->port[sm].free = &free[first];
    }
    smrf_map_init(&m->map, cfg);
    smrf_noc_init(&m->request, carve_(&p, smrf_noc_bytes(cfg->gpu.sms, cfg->l2.slices)), cfg, false,
                  (uint32_t)m->delay, m->packet);
    smrf_noc_init(&m->reply, carve_(&p, smrf_noc_bytes(cfg->l2.slices, cfg->gpu.sms)), cfg, true,
                  cfg->noc.latency + SMRF_NOC_EJECTION, m->packet);
    smrf_dram_init(&m->dram, carve_(&p, smrf_dram_bytes(cfg)), cfg, &m->map);
    smrf_l2_init(&m->l2, carve_(&p, smrf_l2_bytes(cfg)), cfg, &m->map, &m->reply, &m->dram);
    if (cfg->estimates) {
        smrf_memory_estimate_init(m, carve_(&p, smrf_memory_estimate_bytes(cfg)));
    }
    smrf_memory_reset(m);
    return SMRF_OK;
}

void smrf_memory_reset(struct smrf_memory *m)
{
    m->now = m->ahead = 0;
    m->responses = 0;
    m->answers = 0;
    for (uint32_t sm = 0; sm < m->cfg.gpu.sms; sm++) {
        struct sm_port *port = &m->port[sm];

        *port = (struct sm_port){.arrival = port->arrival,
                                 .free = port->free,
                                 .first_push = SMRF_NOC_NONE,
                                 .line = SMRF_NEVER};
        m->moved[sm] = 0;
    }
    smrf_noc_reset(&m->request);
    smrf_noc_reset(&m->reply);
    smrf_dram_reset(&m->dram);
    smrf_l2_reset(&m->l2);
    if (m->cfg.estimates) {
        smrf_memory_estimate_reset(m);
    }
}

uint32_t smrf_memory_lookahead(const struct smrf_memory_config *cfg)
{
    return 2 * cfg->noc.latency + cfg->l2.latency + SMRF_NOC_EJECTION;
}

uint32_t smrf_memory_unanswered_cycles(const struct smrf_memory_config *cfg)
{
    const uint32_t lookahead = smrf_memory_lookahead(cfg);
    const uint32_t fill = input_room_(cfg) / SMRF_MEMORY_REQUESTS_A_CYCLE;

    return lookahead < fill ? lookahead : fill;
}
