/* SPDX-License-Identifier: Apache-2.0 */
#include "profiled.h"

#include <inttypes.h>
#include <unistd.h>

/* A statistic of the run, or of the launch. */
static int whole_(struct smrf_platform *p, size_t launch, const char *name, uint64_t *value)
{
    double of_launch = 0;
    if (!launch) {
        return smrf_platform_count(p, name, value);
    }
    const int err = smrf_platform_launch_stat(p, launch - 1, name, &of_launch);
    *value = (uint64_t)of_launch;
    return err;
}

/* What is counted by instruction must be what has been counted as a whole. */
static int check_(struct smrf_platform *p, const struct smrf_profile_run *run, size_t launch)
{
    struct smrf_profile_counts sum = {0};
    for (size_t k = 0; k < run->num_kernels; k++) {
        for (size_t i = 0; i < run->kernel[k].num_inst; i++) {
            const struct smrf_profile_counts *c = &run->kernel[k].inst[i].counts;
            sum.issued += c->issued;
            sum.lanes += c->lanes;
            sum.reads += c->reads;
            sum.bank_reads += c->bank_reads;
            sum.conflicts += c->conflicts;
        }
    }
    const struct {
        const char *name;
        uint64_t sum;
    } law[] = {
        {"instructions.warp", sum.issued},
        {"instructions.thread", sum.lanes},
        {"rf.operand_reads", sum.reads},
        {"rf.bank_reads", sum.bank_reads},
        {"rf.bank_conflict_cycles", sum.conflicts},
    };
    for (size_t i = 0; i < sizeof law / sizeof *law; i++) {
        uint64_t whole = 0;
        const int err = whole_(p, launch, law[i].name, &whole);
        if (err || whole != law[i].sum) {
            smrf_cli_error("smrf: %s is %" PRIu64 ", by instruction %" PRIu64
                           ", which is a bug of smrf",
                           law[i].name, whole, law[i].sum);
            return SMRF_EXIT_CHECK;
        }
    }
    return SMRF_EXIT_OK;
}

static int get_(struct smrf_cli_profiled *r)
{
    const int kernels = smrf_profile_get(r->profile, &r->run.kernel);
    if (kernels < 0) {
        smrf_cli_error("smrf: out of memory");
        return SMRF_EXIT_FAILURE;
    }
    r->run.num_kernels = (size_t)kernels;
    return SMRF_EXIT_OK;
}

static bool has_launch_(const struct smrf_platform *p, size_t launch)
{
    const size_t launches = smrf_platform_launches(p);
    if (launch > launches) {
        smrf_cli_error("smrf: --launch: there is no launch %zu, the traces have %zu", launch,
                       launches);
        return false;
    }
    return true;
}

int smrf_cli_profiled_run(struct smrf_cli_profiled *r, struct smrf_cli_machine *m, size_t mechanism,
                          size_t launch)
{
    if (smrf_platform_create(&r->platform) || !(r->profile = smrf_profile_create())) {
        smrf_cli_error("smrf: out of memory");
        return SMRF_EXIT_FAILURE;
    }
    struct smrf_platform *p = r->platform;
    const struct smrf_observer observer = smrf_profile_observer(r->profile);
    smrf_profile_only(r->profile, launch);
    m->silent = mechanism > 0; /* the further runs have the same to say */
    smrf_platform_engine(p, "direct");
    smrf_platform_observe(p, &observer);
    int status = smrf_cli_machine_configure(p, m, mechanism);
    if (status) {
        return status;
    }
    if (isatty(STDERR_FILENO)) {
        smrf_cli_progress_start(p);
    }
    const int end = smrf_platform_run(p, SMRF_NO_LIMIT);
    smrf_cli_progress_end();
    if (end < 0) {
        return smrf_cli_complain(p, smrf_cli_status(end));
    }
    if (!has_launch_(p, launch)) {
        return SMRF_EXIT_USAGE;
    }
    r->run.mechanism = smrf_cli_machine_mechanism(m, mechanism);
    status = get_(r);
    return status ? status : check_(p, &r->run, launch);
}

void smrf_cli_profiled_free(struct smrf_cli_profiled *r)
{
    smrf_platform_destroy(r->platform);
    smrf_profile_free(r->profile);
}
