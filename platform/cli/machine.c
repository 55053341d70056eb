/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "machine.h"

#include "platform/config/config.h"
#include "traces/files/output_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum option_key {
    KEY_PRESET = 'p',
    KEY_MECHANISM = 'm',
    KEY_CONFIG = 'c',
    KEY_SET = 's',
    KEY_GPGPUSIM = 'g',
    KEY_SEED = 1024,
    KEY_CHECK,
    KEY_ENGINE,
    KEY_TABLE,
    KEY_STRICT,
    KEY_OUTSIDE,
    KEY_ENERGY,
    KEY_REUSE,
    KEY_EXPLAIN,
    KEY_THREADS,
    KEY_VERBOSE = 'v'
};

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "The machine:", 1},
    {"preset", KEY_PRESET, "P", 0,
     "start from preset P (default: rtx2060-paper); smrf list presets", 1},
    {"mechanism", KEY_MECHANISM, "M", 0,
     "register-file mechanism (default: baseline); smrf list mechanisms", 1},
    {"mechanism-table", KEY_TABLE, "FILE", 0,
     "replace the mechanism's table (malekeh-*: the STHLD machine) by that of a file", 1},
    {"gpgpusim", KEY_GPGPUSIM, "FILE", 0,
     "read a gpgpusim.config or trace.config of Accel-Sim; repeatable", 1},
    {"config", KEY_CONFIG, "FILE", 0, "read options from a YAML file; repeatable", 1},
    {"set", KEY_SET, "K=V", 0, "set one option; repeatable; smrf list options", 1},
    {"seed", KEY_SEED, "N", 0, "seed of all random choices (default 1)", 1},
    {"reuse", KEY_REUSE, "FILE", 0,
     "file of reuse bits from smrf annotate, for mechanisms that need them (default: measured "
     "during the run, see --explain reuse.mode)",
     1},
    {"check", KEY_CHECK, "on|off", 0,
     "value oracle: compare every operand with program order (default on; off is faster and "
     "changes no result)",
     1},
    {"verbose", KEY_VERBOSE, 0, 0,
     "also report the limits of the register file, and list every option of an Accel-Sim "
     "configuration that has no effect here",
     1},
    {"explain", KEY_EXPLAIN, "KEY", 0, "explain an option, and stop", 1},
    {0, 0, 0, 0, "The run:", 2},
    {"engine", KEY_ENGINE, "E", 0, "systemc (default) or direct: the same model without SystemC",
     2},
    {"threads", KEY_THREADS, "N|auto", 0,
     "simulate on N threads, auto: one a processor (the default); changes no result", 2},
    {"strict", KEY_STRICT, 0, 0,
     "an unknown opcode, missing or repeated blocks, a list without kernels are errors, not "
     "warnings",
     2},
    {"allow-outside", KEY_OUTSIDE, 0, 0, "lines of a list may name files outside of its folder", 2},
    {0, 0, 0, 0, "Results:", 3},
    {"energy", KEY_ENERGY, "FILE", 0,
     "also compute energy with the constants of a YAML file; repeatable; smrf list energy", 3},
    {0},
};

static void add_setting_(struct argp_state *state, struct smrf_cli_machine *m, int key,
                         const char *text)
{
    struct smrf_cli_setting *grown = realloc(m->settings, (m->num_settings + 1) * sizeof *grown);
    if (!grown) {
        argp_failure(state, SMRF_EXIT_FAILURE, 0, "out of memory");
        return;
    }
    m->settings = grown;
    m->settings[m->num_settings++] = (struct smrf_cli_setting){key, text};
}

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    struct smrf_cli_machine *m = state->input;
    switch (key) {
    case KEY_PRESET:
    case KEY_MECHANISM:
    case KEY_CONFIG:
    case KEY_SET:
    case KEY_GPGPUSIM:
    case KEY_ENGINE:
    case KEY_SEED:
    case KEY_THREADS:
    case KEY_CHECK:
    case KEY_ENERGY:
    case KEY_TABLE:
    case KEY_REUSE:
        add_setting_(state, m, key, arg);
        return 0;
    case KEY_STRICT:
        m->strict = true;
        return 0;
    case KEY_OUTSIDE:
        m->outside = true;
        return 0;
    case KEY_VERBOSE:
        m->verbose = true;
        return 0;
    case KEY_EXPLAIN:
        m->explain = arg;
        return 0;
    case ARGP_KEY_ARGS:
        m->traces = state->argv + state->next;
        m->num_traces = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (!m->explain && !m->needs_no_trace) {
            argp_error(state, "no TRACE: name a kernelslist.g, a trace file or a folder");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp smrf_cli_machine_argp = {option_table, parse_, NULL, NULL, NULL, NULL, NULL};

static bool whole_(const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && !*end && !errno;
}

int smrf_cli_choose(struct argp_state *state, const char *option, const char *word,
                    const char *const *names)
{
    char all[128] = "";
    for (int i = 0; names[i]; i++) {
        if (strcasecmp(names[i], word) == 0) {
            return i;
        }
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
    }
    argp_error(state, "--%s takes one of %s, not '%s'", option, all, word);
    return 0;
}

uint64_t smrf_cli_number(struct argp_state *state, const char *option, const char *text)
{
    uint64_t value;
    if (!whole_(text, &value) || value == 0) {
        argp_error(state, "--%s takes a whole number above 0, not '%s'", option, text);
    }
    return value;
}

uint64_t smrf_cli_index(struct argp_state *state, const char *option, const char *text,
                        uint64_t most)
{
    uint64_t value;
    if (!whole_(text, &value) || value > most) {
        argp_error(state, "--%s takes a whole number from 0 to %" PRIu64 ", not '%s'", option, most,
                   text);
    }
    return value;
}

/* --- the platform from the options ---------------------------------------------------------- */

int smrf_cli_complain(const struct smrf_platform *p, int status)
{
    smrf_cli_error("smrf: %s", smrf_platform_error(p));
    return status;
}

size_t smrf_cli_machine_mechanisms(const struct smrf_cli_machine *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->num_settings; i++) {
        count += m->settings[i].key == KEY_MECHANISM;
    }
    return count;
}

const char *smrf_cli_machine_mechanism(const struct smrf_cli_machine *m, size_t i)
{
    for (size_t s = 0; s < m->num_settings; s++) {
        if (m->settings[s].key == KEY_MECHANISM && i-- == 0) {
            return m->settings[s].text;
        }
    }
    return "baseline";
}

/* An option with its own name: errors of its value use that name. */
static int set_(struct smrf_platform *p, const char *option, const char *key, const char *value)
{
    char pair[256];
    snprintf(pair, sizeof pair, "%s=%s", key, value);
    const int err = smrf_platform_set(p, pair);
    if (err) {
        const char *text = smrf_platform_error(p), *why = strstr(text, key);
        smrf_cli_error("smrf: %s%s", option, why ? why + strlen(key) : text);
    }
    return err;
}

static int threads_(struct smrf_platform *p, const char *text)
{
    char *end = NULL;
    const unsigned long n = strtoul(text, &end, 10);
    if (strcmp(text, "auto") == 0) {
        return smrf_platform_threads(p, 0);
    }
    if (*text < '1' || *text > '9' || *end) {
        smrf_cli_error("smrf: --threads: '%.60s' is neither auto nor a number from 1 on", text);
        return SMRF_ERR_INVAL;
    }
    const int err = smrf_platform_threads(p, n > UINT_MAX ? UINT_MAX : (unsigned)n);
    if (err) {
        smrf_cli_error("smrf: --threads: %s", smrf_platform_error(p));
    }
    return err;
}

static int apply_one_(struct smrf_platform *p, const struct smrf_cli_setting *s, int *status)
{
    *status = SMRF_EXIT_USAGE;
    switch (s->key) {
    case KEY_PRESET:
        return smrf_platform_preset(p, s->text);
    case KEY_MECHANISM:
        return smrf_platform_mechanism(p, s->text);
    case KEY_ENGINE:
        return smrf_platform_engine(p, s->text);
    case KEY_THREADS:
        return threads_(p, s->text);
    case KEY_SEED:
        return set_(p, "--seed", "sim.seed", s->text);
    case KEY_CHECK:
        return set_(p, "--check", "sim.check", s->text);
    case KEY_SET:
        return smrf_platform_set(p, s->text);
    case KEY_GPGPUSIM:
        *status = SMRF_EXIT_INPUT;
        return smrf_platform_gpgpusim(p, s->text);
    case KEY_TABLE:
        *status = SMRF_EXIT_INPUT;
        return smrf_platform_mechanism_table(p, s->text);
    case KEY_REUSE:
        *status = SMRF_EXIT_INPUT;
        return smrf_platform_reuse_file(p, s->text);
    case KEY_ENERGY:
        *status = SMRF_EXIT_INPUT;
        return smrf_platform_energy_file(p, s->text);
    default:
        *status = SMRF_EXIT_INPUT;
        return smrf_platform_config_file(p, s->text);
    }
}

/* A real Accel-Sim configuration has dozens of options that mean nothing here: those are
 * counted. */
static void note_(void *ctx, const char *text)
{
    struct smrf_cli_machine *m = ctx;
    const bool no_effect = strstr(text, smrf_option_fate_text(SMRF_OPTION_NO_EFFECT)) != NULL,
               not_modelled = strstr(text, smrf_option_fate_text(SMRF_OPTION_NOT_MODELLED)) != NULL,
               left_out = strstr(text, smrf_option_fate_text(SMRF_OPTION_LEFT_OUT)) != NULL;
    m->no_effect += no_effect;
    m->not_modelled += not_modelled;
    m->left_out += left_out;
    if (!m->silent && (m->verbose || !(no_effect || not_modelled || left_out))) {
        smrf_cli_error("smrf: note: %s", text);
    }
}

static void tell_counted_(struct smrf_cli_machine *m)
{
    if (!m->silent && !m->verbose && (m->no_effect || m->not_modelled)) {
        smrf_cli_error("smrf: note: of the Accel-Sim configuration, %u options have no effect on "
                       "timing here and %u are not modelled; --verbose lists them",
                       m->no_effect, m->not_modelled);
    }
    if (!m->silent && !m->verbose && m->left_out) {
        smrf_cli_error(
            "smrf: note: the Accel-Sim configuration lacks %u options of a machine: they "
            "have Accel-Sim's defaults where there is one; --verbose lists them",
            m->left_out);
    }
    m->no_effect = m->not_modelled = m->left_out = 0;
}

int smrf_cli_machine_configure(struct smrf_platform *p, struct smrf_cli_machine *m,
                               size_t mechanism)
{
    size_t seen = 0;
    smrf_platform_on_note(p, note_, m);
    (void)smrf_platform_threads(p, 0);
    for (size_t i = 0; i < m->num_settings; i++) {
        int status;
        if (m->settings[i].key == KEY_MECHANISM && mechanism != SIZE_MAX && seen++ != mechanism) {
            continue;
        }
        int err = apply_one_(p, &m->settings[i], &status);
        const bool told = m->settings[i].key == KEY_SEED || m->settings[i].key == KEY_CHECK ||
                          m->settings[i].key == KEY_THREADS;
        status = err == SMRF_ERR_NOMEM ? SMRF_EXIT_FAILURE : status;
        if (err) {
            return told ? status : smrf_cli_complain(p, status);
        }
    }
    tell_counted_(m);
    smrf_platform_strict(p, m->strict);
    smrf_platform_allow_outside(p, m->outside);
    for (size_t i = 0; i < m->num_traces; i++) {
        int err = smrf_platform_add_trace(p, m->traces[i]);
        if (err) {
            return smrf_cli_complain(p, smrf_cli_status(err));
        }
    }
    return SMRF_EXIT_OK;
}

static bool is_file_(int key)
{
    return key == KEY_CONFIG || key == KEY_GPGPUSIM || key == KEY_TABLE || key == KEY_REUSE ||
           key == KEY_ENERGY;
}

int smrf_cli_machine_outputs(const struct smrf_cli_machine *m, const char *const *outputs,
                             size_t num_outputs)
{
    const char **inputs = calloc(m->num_settings + 1, sizeof *inputs);
    struct smrf_cli_files files = {outputs, inputs, m->traces, num_outputs, 0, m->num_traces};
    for (size_t i = 0; inputs && i < m->num_settings; i++) {
        inputs[i] = is_file_(m->settings[i].key) ? m->settings[i].text : NULL;
        files.num_inputs = i + 1;
    }
    const int status = smrf_cli_outputs(&files);
    free(inputs);
    return status;
}

void smrf_cli_machine_free(struct smrf_cli_machine *m)
{
    free(m->settings);
    m->settings = NULL;
    m->num_settings = 0;
}
