/* SPDX-License-Identifier: Apache-2.0 */
/* smrf why */
#define _GNU_SOURCE
#include "document.h"
#include "profiled.h"

#include "models/seam/mechanism.h"
#include "platform/config/registry.h"
#include "platform/report/why.h"
#include "traces/files/output_file.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS = 2, TOP = 4, LIFTS = 2, TESTS = 4 };

struct why {
    struct smrf_cli_machine machine;
    const char *json;
    size_t top;
    bool untested;
    struct smrf_cli_profiled replay[RUNS];
    struct smrf_why result;
    struct smrf_why_test test[TESTS];
    size_t num_tests;
};

enum option_key { KEY_TOP = 'n', KEY_JSON = 256, KEY_UNTESTED };

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "What is shown:", 4},
    {"top", KEY_TOP, "N", 0, "kernels (default 4)", 4},
    {"untested", KEY_UNTESTED, 0, 0, "skip the replays that test the findings (half the time)", 4},
    {"json", KEY_JSON, "FILE", 0, "write everything as JSON; - is standard output", 4},
    {0},
};

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    struct why *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->machine;
        return 0;
    case KEY_TOP:
        o->top = smrf_cli_number(state, "top", arg);
        return 0;
    case KEY_UNTESTED:
        o->untested = true;
        return 0;
    case KEY_JSON:
        o->json = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->machine.explain && smrf_cli_machine_mechanisms(&o->machine) != RUNS) {
            argp_error(state, "name two mechanisms: smrf why -m baseline -m rfc my-trace");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&smrf_cli_machine_argp, 0, NULL, 0}, {0}};

const struct argp smrf_cli_why_argp = {
    option_table,
    parse_,
    "TRACE..",
    "Replay traces under two mechanisms and say why the second is slower or faster: which kernels, "
    "causes and instructions, and how many cycles of the difference each explains.\v"
    "In every cycle each scheduler issues, or does not for one cause (smrf list stalls). So the "
    "differences of all causes add up to the difference in cycles. Some waits only move from one "
    "cause to another; the remaining causes share the difference. Each finding is tested: both "
    "mechanisms are replayed without the limit that the cause names, and with each option that the "
    "second one sets differently. The difference should then disappear.\n\n"
    "  smrf why -m baseline -m rfc my-trace\n"
    "  smrf profile --by slower -m baseline -m rfc my-trace    by instruction\n\n"
    "The engine is direct unless --engine says otherwise; both give the same counts.",
    children,
    NULL,
    NULL};

/* --- tests ------------------------------------------------------------------------------------ */

/* What takes the limit away that a cause names. */
struct lift {
    const char *cause, *setting;
};

static const char *option_(const struct smrf_platform *p, const char *name, char *value,
                           size_t size)
{
    const char *key;
    for (size_t i = 0; smrf_platform_config_at(p, i, &key, value, size) == 0; i++) {
        if (strcmp(key, name) == 0) {
            return value;
        }
    }
    return "";
}

/* A two-level scheduler with all its warps active, or no limit of warps. */
static void lift_policy_(const struct smrf_platform *p, char *text, size_t size)
{
    char value[32];
    const long warps = strtol(option_(p, "sm.warps", value, sizeof value), NULL, 10),
               subcores = strtol(option_(p, "sm.subcores", value, sizeof value), NULL, 10);
    const char *policy = option_(p, "issue.scheduler", value, sizeof value);
    snprintf(text, size, "%s=%ld",
             strcmp(policy, "swl") == 0 ? "issue.limit_warps" : "issue.active_warps",
             warps / (subcores > 0 ? subcores : 1));
}

/* What takes the limit away that a cause names; "" = nothing does. */
static void lift_(const struct smrf_cli_profiled *r, const char *cause, char *text, size_t size)
{
    static const struct lift lifts[] = {
        {"collector", "rf.collectors=16"},
        {"data", "rf.perfect=on"},
        {"war", "rf.perfect=on"},
        {"fetch", "frontend.icache_bytes=0"},
        {"constant", "frontend.constant_bytes=0"},
    };
    const struct smrf_mechanism *m = smrf_mechanism_find(r->run.mechanism);
    *text = 0;
    if (strcmp(cause, "inactive") == 0) {
        lift_policy_(r->platform, text, size);
    } else if (strcmp(cause, "withheld") == 0 && m && m->allocation && m->allocation->gives_any) {
        snprintf(text, size, "%s", m->allocation->gives_any);
    }
    for (size_t i = 0; i < sizeof lifts / sizeof *lifts; i++) {
        if (strcmp(lifts[i].cause, cause) == 0) {
            snprintf(text, size, "%s", lifts[i].setting);
        }
    }
}

/* Cycles of all launches under the i-th mechanism with the setting. A machine that is refused is
 * noted. */
static int replay_(struct why *o, size_t i, struct smrf_why_test *t)
{
    struct smrf_platform *p;
    if (smrf_platform_create(&p)) {
        smrf_cli_error("smrf: out of memory");
        return SMRF_EXIT_FAILURE;
    }
    o->machine.silent = true;
    smrf_platform_engine(p, "direct");
    int status = smrf_cli_machine_configure(p, &o->machine, i);
    if (!status && (smrf_platform_set(p, t->setting) || smrf_platform_build(p))) {
        snprintf(t->refused, sizeof t->refused, "%s", smrf_platform_error(p));
    } else if (!status) {
        const int end = smrf_platform_run(p, SMRF_NO_LIMIT);
        status = end < 0 ? smrf_cli_complain(p, smrf_cli_status(end)) : SMRF_EXIT_OK;
        for (size_t n = 0; !status && n < smrf_platform_launches(p); n++) {
            double cycles = 0;
            (void)smrf_platform_launch_stat(p, n, "cycles", &cycles);
            t->cycles[i] += cycles;
        }
    }
    smrf_platform_destroy(p);
    return status;
}

static bool tested_(const struct why *o, const char *setting)
{
    for (size_t i = 0; i < o->num_tests; i++) {
        if (strcmp(o->test[i].setting, setting) == 0) {
            return true;
        }
    }
    return false;
}

/* Replays both with the setting, unless that has been done. */
static int try_(struct why *o, const char *setting)
{
    struct smrf_why_test *t = &o->test[o->num_tests];
    if (!setting[0] || tested_(o, setting)) {
        return SMRF_EXIT_OK;
    }
    snprintf(t->setting, sizeof t->setting, "%s", setting);
    o->num_tests++;
    for (size_t i = 0; i < RUNS && !t->refused[0]; i++) {
        const int status = replay_(o, i, t);
        if (status) {
            return status;
        }
    }
    return SMRF_EXIT_OK;
}

/* The limits behind what explains most. */
static int try_lifts_(struct why *o)
{
    const struct smrf_why_cause *cause[SMRF_WHY_CAUSES];
    const unsigned causes = smrf_why_causes(&o->result, &o->result.all, cause);
    int status = SMRF_EXIT_OK;
    for (unsigned c = 0; !status && c < causes && o->num_tests < LIFTS; c++) {
        char setting[64];
        lift_(&o->replay[1], cause[c]->name, setting, sizeof setting);
        status = try_(o, setting);
    }
    return status;
}

/* What the second mechanism brings with it: options that it sets otherwise than the first. */
static int try_options_(struct why *o)
{
    const char *key;
    char first[64], second[64], setting[64];
    int status = SMRF_EXIT_OK;
    for (size_t i = 0; !status && o->num_tests < TESTS; i++) {
        if (smrf_platform_config_at(o->replay[0].platform, i, &key, first, sizeof first) ||
            smrf_platform_config_at(o->replay[1].platform, i, &key, second, sizeof second)) {
            break;
        }
        const bool shared = strncmp(key, "issue.", 6) == 0 || strncmp(key, "rf.", 3) == 0 ||
                            strncmp(key, "exec.", 5) == 0 || strncmp(key, "frontend.", 9) == 0;
        if (shared && strcmp(first, second) != 0) {
            snprintf(setting, sizeof setting, "%.30s=%.30s", key, first);
            status = try_(o, setting);
        }
    }
    return status;
}

static int test_(struct why *o)
{
    if (smrf_why_alike(&o->result)) {
        return SMRF_EXIT_OK;
    }
    const int status = try_lifts_(o);
    return status ? status : try_options_(o);
}

/* --- report ----------------------------------------------------------------------------------- */

static int compare_(struct why *o)
{
    struct smrf_platform *const run[RUNS] = {o->replay[0].platform, o->replay[1].platform};
    const char *const mechanism[RUNS] = {o->replay[0].run.mechanism, o->replay[1].run.mechanism};
    const int err = smrf_why_create(&o->result, run, mechanism);
    if (err) {
        smrf_cli_error(err == SMRF_ERR_NOMEM ? "smrf: out of memory"
                                             : "smrf why: the two runs have not the same launches");
        return SMRF_EXIT_FAILURE;
    }
    return o->untested ? SMRF_EXIT_OK : test_(o);
}

static int report_(struct why *o)
{
    const struct smrf_profile_run profile[RUNS] = {o->replay[0].run, o->replay[1].run};
    if (!o->json || !smrf_output_is_stdout(o->json)) {
        smrf_why_print(&o->result, profile, o->top, smrf_cli_name, stdout);
        for (size_t i = 0; i < o->num_tests; i++) {
            fputs(i == 0 ? "\n" : "", stdout);
            smrf_why_print_test(&o->result, &o->test[i], stdout);
        }
    }
    return o->json ? smrf_cli_document(smrf_why_json(&o->result, profile, o->test, o->num_tests),
                                       o->json)
                   : SMRF_EXIT_OK;
}

int smrf_cli_why(int argc, char **argv)
{
    struct why o = {.top = TOP};
    if (argp_parse(&smrf_cli_why_argp, argc, argv, 0, NULL, &o)) {
        return SMRF_EXIT_USAGE;
    }
    const char *const outputs[] = {o.json};
    int status = o.machine.explain ? smrf_cli_explain(o.machine.explain)
                                   : smrf_cli_machine_outputs(&o.machine, outputs, 1);
    for (size_t i = 0; !o.machine.explain && !status && i < RUNS; i++) {
        status = smrf_cli_profiled_run(&o.replay[i], &o.machine, i, 0);
    }
    if (!o.machine.explain && !status) {
        status = compare_(&o);
        status = status ? status : report_(&o);
    }
    smrf_why_free(&o.result);
    for (size_t i = 0; i < RUNS; i++) {
        smrf_cli_profiled_free(&o.replay[i]);
    }
    smrf_cli_machine_free(&o.machine);
    return status;
}
