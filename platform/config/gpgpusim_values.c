/* SPDX-License-Identifier: Apache-2.0 */
/* Accel-Sim's option values to parameters: one handler a form of value. What each form means is
 * from GPGPU-Sim's gpu-sim.cc, gpu-cache.h, addrdec.cc and Accel-Sim's trace_driven.cc. */
#include "gpgpusim.h"

#include "models/common/smrf_types.h"

#include <string.h>

size_t smrf_gs_split(char *text, char separator, char **fields, size_t max)
{
    size_t n = 0;
    while (text != NULL && n < max) {
        fields[n++] = text;
        text = strchr(text, separator);
        if (text != NULL) {
            *text++ = '\0';
        }
    }
    return text == NULL ? n : max + 1;
}

int smrf_gs_copy(struct smrf_gs_reader *r, char *buf, size_t size)
{
    size_t length = strlen(r->item->value);
    if (length >= size) {
        return smrf_gs_fail(r, "value is too long");
    }
    memcpy(buf, r->item->value, length + 1);
    return SMRF_OK;
}

int smrf_gs_to_number(struct smrf_gs_reader *r, const char *text, uint32_t *value)
{
    if (smrf_number_parse(text, value) < 0) {
        return smrf_gs_fail(r, "'%.40s' is not a number", text);
    }
    return SMRF_OK;
}

int smrf_gs_to_numbers(struct smrf_gs_reader *r, char separator, uint32_t *numbers)
{
    char buf[SMRF_GS_TEXT], *fields[SMRF_GS_FIELDS];
    int rc = smrf_gs_copy(r, buf, sizeof buf);
    size_t n = rc < 0 ? 0 : smrf_gs_split(buf, separator, fields, SMRF_GS_FIELDS);
    if (n > SMRF_GS_FIELDS) {
        return smrf_gs_fail(r, "too many numbers");
    }
    for (size_t i = 0; i < n && rc == SMRF_OK; i++) {
        rc = smrf_gs_to_number(r, fields[i], &numbers[i]);
    }
    return rc < 0 ? rc : (int)n;
}

/* --- simple values ----------------------------------------------------------------------- */

int smrf_gs_number(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t value = 0;
    int rc = smrf_gs_to_number(r, r->item->value, &value);
    return rc < 0 ? rc : smrf_gs_put(r, (enum smrf_param_index)option->arg, value);
}

int smrf_gs_defer(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t value = 0;
    int rc = smrf_gs_to_number(r, r->item->value, &value);
    r->deferred[option->arg].value = value;
    r->deferred[option->arg].item = r->item;
    return rc;
}

int smrf_gs_pair(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t n[SMRF_GS_FIELDS];
    int count = smrf_gs_to_numbers(r, ',', n);
    if (count < 0) {
        return count;
    }
    if (count != 2) {
        return smrf_gs_fail(r, "expected latency,initiation");
    }
    if (n[1] == 0 || n[1] > n[0]) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED,
                     "an interval is at least 1, and a latency at least the interval: the smaller "
                     "number is raised");
        n[1] = n[1] == 0 ? 1 : n[1];
        n[0] = n[0] < n[1] ? n[1] : n[0];
    }
    int rc = smrf_gs_put(r, (enum smrf_param_index)option->arg, n[0]);
    return rc < 0 ? rc : smrf_gs_put(r, (enum smrf_param_index)(option->arg + 1), n[1]);
}

/* Packed half instructions, except HMUL2, take half the initiation interval of single precision,
 * at least 1 (Accel-Sim: trace_warp_inst_t::parse_from_trace_struct). */
int smrf_gs_single(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    int rc = smrf_gs_pair(r, option);
    if (rc == SMRF_OK) {
        r->cfg.exec.hmul2_interval = r->cfg.exec.sp_interval;
        r->cfg.exec.half_latency = r->cfg.exec.sp_latency;
        r->cfg.exec.half_interval = r->cfg.exec.sp_interval > 1 ? r->cfg.exec.sp_interval / 2 : 1;
    }
    return rc;
}

/* One timing for all tensor instructions. */
int smrf_gs_tensor(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    struct smrf_exec_params *exec = &r->cfg.exec;
    int rc = smrf_gs_pair(r, option);
    if (rc == SMRF_OK) {
        exec->hmma_f16_latency = exec->hmma_f32_latency = exec->imma_latency = 0;
        exec->hmma_f16_interval = exec->hmma_f32_interval = exec->imma_interval = 0;
    }
    return rc;
}

int smrf_gs_fixed(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t value = 0;
    int rc = smrf_gs_to_number(r, r->item->value, &value);
    if (rc == SMRF_OK && value != option->arg) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    return rc;
}

int smrf_gs_at_least(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t value = 0;
    int rc = smrf_gs_to_number(r, r->item->value, &value);
    if (rc == SMRF_OK && value < option->arg) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    return rc;
}

int smrf_gs_units(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t value = 0;
    int rc = smrf_gs_to_number(r, r->item->value, &value);
    if (rc == SMRF_OK && value != r->cfg.sm.subcores) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    return rc;
}

int smrf_gs_no_effect(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    smrf_gs_note(r, SMRF_OPTION_NO_EFFECT, option->reason);
    return SMRF_OK;
}

int smrf_gs_not_modelled(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    return SMRF_OK;
}

/* --- the SM ------------------------------------------------------------------------------ */

/* "1365" or "3500.5" MHz to kHz, without floating point. */
static int to_khz_(struct smrf_gs_reader *r, char *text, uint32_t *khz)
{
    uint32_t mhz = 0, fraction = 0, scale = 100;
    char *point = strchr(text, '.');
    if (point != NULL) {
        *point++ = '\0';
        for (; *point >= '0' && *point <= '9'; point++) {
            fraction += (uint32_t)(*point - '0') * scale;
            scale /= 10;
        }
    }
    if (smrf_number_parse(text, &mhz) < 0 || mhz > 4000000 || (point != NULL && *point != '\0')) {
        return smrf_gs_fail(r, "expected four clocks in MHz, core:interconnect:L2:DRAM");
    }
    *khz = mhz * 1000 + fraction;
    return SMRF_OK;
}

int smrf_gs_clocks(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    char buf[SMRF_GS_TEXT], *fields[4];
    uint32_t khz[4] = {0};
    int rc = smrf_gs_copy(r, buf, sizeof buf);
    if (rc == SMRF_OK && smrf_gs_split(buf, ':', fields, 4) != 4) {
        return smrf_gs_fail(r, "expected four clocks in MHz, core:interconnect:L2:DRAM");
    }
    for (int i = 0; i < 4 && rc == SMRF_OK; i++) {
        rc = to_khz_(r, fields[i], &khz[i]);
    }
    if (rc == SMRF_OK) {
        rc = smrf_gs_put(r, SMRF_P_gpu_core_khz, khz[0]);
    }
    if (rc == SMRF_OK) {
        rc = smrf_gs_put(r, SMRF_P_dram_khz, khz[3]);
    }
    if (rc == SMRF_OK && (khz[1] != khz[0] || khz[2] != khz[0])) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    return rc;
}

int smrf_gs_core_pipeline(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t n[SMRF_GS_FIELDS];
    (void)option;
    int count = smrf_gs_to_numbers(r, ':', n);
    if (count < 0) {
        return count;
    }
    if (count != 2 || n[1] != SMRF_LANES || n[0] % SMRF_LANES != 0) {
        return smrf_gs_fail(r, "expected threads:32, threads a multiple of 32");
    }
    int rc = smrf_gs_put(r, SMRF_P_sm_threads, n[0]);
    return rc < 0 ? rc : smrf_gs_put(r, SMRF_P_sm_warps, n[0] / SMRF_LANES);
}

/* ID_OC of SP,DP,INT,SFU,MEM, OC_EX of the same, EX_WB, ID_OC and OC_EX of tensor; without tensor
 * cores (-gpgpu_tensor_core_avail 0) the last two may be left out. GPGPU-Sim 3 has only SP,SFU,MEM
 * twice and EX_WB. Between the stages the model has one latch a unit type. */
int smrf_gs_widths(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    uint32_t n[SMRF_GS_FIELDS];
    int count = smrf_gs_to_numbers(r, ',', n);
    if (count < 0) {
        return count;
    }
    if (count != 13 && count != 11 && count != 7) {
        return smrf_gs_fail(r, "expected 13 widths (11 without tensor cores, or the 7 of "
                               "GPGPU-Sim 3)");
    }
    if (count == 11 && r->deferred[SMRF_GS_TENSOR_CORES].value != 0) {
        return smrf_gs_fail(r, "expected 13 widths, as -gpgpu_tensor_core_avail is %u",
                            r->deferred[SMRF_GS_TENSOR_CORES].value);
    }
    int write_back = count == 7 ? 6 : 10;
    for (int i = 0; i < count; i++) {
        if (i != write_back && n[i] != r->cfg.sm.subcores) {
            smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
        }
    }
    return smrf_gs_put(r, SMRF_P_exec_result_buses, n[write_back]);
}

/* The numbers behind "name:", e.g. 6, 0 and 1 in two_level_active:6:0:1. */
static int scheduler_numbers_(struct smrf_gs_reader *r, int count, uint32_t *n)
{
    char buf[SMRF_GS_TEXT], *fields[4];
    int rc = smrf_gs_copy(r, buf, sizeof buf);
    if (rc == SMRF_OK && smrf_gs_split(buf, ':', fields, 4) != (size_t)count + 1) {
        rc = smrf_gs_fail(r, "expected %d numbers after the name", count);
    }
    for (int i = 0; i < count && rc == SMRF_OK; i++) {
        rc = smrf_gs_to_number(r, fields[i + 1], &n[i]);
    }
    return rc;
}

static int two_level_(struct smrf_gs_reader *r)
{
    uint32_t n[3] = {0};
    int rc = scheduler_numbers_(r, 3, n);
    if (rc < 0) {
        return rc;
    }
    /* enum scheduler_prioritization_type: 0 LRR, 1 SRR (strict, for the outer level), 2 GTO */
    if ((n[1] != 0 && n[1] != 2) || n[2] != 1) {
        return smrf_gs_fail(r, "the inner level may be 0 (LRR) or 2 (GTO), the outer level 1");
    }
    r->cfg.issue.scheduler = SMRF_SCHED_TWO_LEVEL;
    r->cfg.issue.inner = n[1] == 0 ? SMRF_INNER_LRR : SMRF_INNER_GTO;
    return smrf_gs_put(r, SMRF_P_issue_active_warps, n[0]);
}

static int warp_limiting_(struct smrf_gs_reader *r)
{
    uint32_t n[2] = {0};
    int rc = scheduler_numbers_(r, 2, n);
    if (rc < 0) {
        return rc;
    }
    if (n[0] != 2) {
        return smrf_gs_fail(r, "only priority 2 (GTO) is known here");
    }
    r->cfg.issue.scheduler = SMRF_SCHED_SWL;
    return smrf_gs_put(r, SMRF_P_issue_limit_warps, n[1]);
}

int smrf_gs_scheduler(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    const char *value = r->item->value;
    (void)option;
    r->cfg.issue.active_warps = smrf_param_at(SMRF_P_issue_active_warps)->def;
    r->cfg.issue.inner = smrf_param_at(SMRF_P_issue_inner)->def;
    r->cfg.issue.limit_warps = smrf_param_at(SMRF_P_issue_limit_warps)->def;
    if (strcmp(value, "lrr") == 0 || strcmp(value, "gto") == 0) {
        r->cfg.issue.scheduler = value[0] == 'l' ? SMRF_SCHED_LRR : SMRF_SCHED_GTO;
        return SMRF_OK;
    }
    if (strcmp(value, "old") == 0) {
        r->cfg.issue.scheduler = SMRF_SCHED_OLDEST;
        return SMRF_OK;
    }
    if (strncmp(value, "two_level_active:", 17) == 0) {
        return two_level_(r);
    }
    if (strncmp(value, "warp_limiting:", 14) == 0) {
        return warp_limiting_(r);
    }
    return smrf_gs_fail(
        r, "known are lrr, gto, old, two_level_active:N:inner:1 and warp_limiting:2:N");
}

int smrf_gs_special_unit(struct smrf_gs_reader *r, const struct smrf_gs_option *option)
{
    char buf[SMRF_GS_TEXT], *fields[6];
    uint32_t n[5] = {0};
    int rc = smrf_gs_copy(r, buf, sizeof buf);
    if (rc == SMRF_OK && smrf_gs_split(buf, ',', fields, 6) != 6) {
        return smrf_gs_fail(r, "expected enabled,units,latency,ID_OC,OC_EX,name");
    }
    for (int i = 0; i < 5 && rc == SMRF_OK; i++) {
        rc = smrf_gs_to_number(r, fields[i], &n[i]);
    }
    if (rc == SMRF_OK && (n[0] != 1 || n[1] != r->cfg.sm.subcores)) {
        smrf_gs_note(r, SMRF_OPTION_NOT_MODELLED, option->reason);
    }
    return rc;
}
