/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration: the parameters of the model with unit, range, default and source; values from
 * text, YAML files, presets and Accel-Sim's configuration files; checks across parameters; tables
 * for the user. Everything is made from the
 * lists of parameters that stand beside the blocks and the mechanisms.
 *
 * Order of precedence, lowest first:
 *   default < preset < the mechanism's own defaults < --gpgpusim < --config < --set
 * A caller applies the layers in that order (smrf_preset_apply, smrf_config_set_pairs,
 * smrf_config_gpgpusim, smrf_config_load_file, smrf_config_set_pairs) and calls smrf_config_check
 * once at the end. Every function that fails leaves the configuration as it was. */
#ifndef SMRF_PLATFORM_CONFIG_H
#define SMRF_PLATFORM_CONFIG_H

#include "models/common/smrf_err.h"
#include "smrf_config.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What went wrong, for the user: "file:line: reason; what to do". Set by every failing call. */
struct smrf_config_error {
    char text[640];
};

/* --- parameters -------------------------------------------------------------------------- */

enum smrf_param_type {
    SMRF_PARAM_NUM,       /* a number */
    SMRF_PARAM_FLAG,      /* off or on: 0 or 1 */
    SMRF_PARAM_KBSET,     /* a set of sizes: bit k stands for 4 x k KiB */
    SMRF_PARAM_KBSET_128, /* the same for 128 + 4 x k KiB */
    SMRF_PARAM_ENUM       /* one of a list of names */
};

/* Number of parameters: the blocks', then those of each family of mechanisms. */
size_t smrf_param_count(void);

/* The parameter at an index (enum smrf_param_index for the blocks'), NULL past the last. */
const struct smrf_param *smrf_param_at(size_t index);

enum smrf_param_type smrf_param_type(const struct smrf_param *info);

/* Index of a key, or SMRF_ERR_UNKNOWN. */
int smrf_param_find(const char *key);

/* The key nearest in spelling (insertions, deletions, replacements, neighbours swapped), NULL if
 * none is near. "banks" is near "rf.banks". */
const char *smrf_param_nearest(const char *key);

/* Name of value `value` of an enumeration, NULL if it has none. */
const char *smrf_param_enum_name(const struct smrf_param *info, uint32_t value);

/* --- one configuration ------------------------------------------------------------------- */

/* Set every parameter to its default, which is the preset rtx2060-paper. */
void smrf_config_default(struct smrf_config *cfg);

/* Value of the parameter at an index; index must be below smrf_param_count(). */
uint32_t smrf_config_get(const struct smrf_config *cfg, size_t index);

/* Text of a parameter's value in the form that smrf_config_set reads: "2", "on", "gto",
 * "[32, 64]". Writes at most size bytes with the terminator; returns the length of the text.
 * Together with smrf_param this is the ordered echo of the effective configuration. */
size_t smrf_config_text(const struct smrf_config *cfg, size_t index, char *buf, size_t size);

/* Set one parameter from text. Numbers: decimal or 0x; K and M (powers of 1024) where the unit is
 * bytes. Flags: on, off, true, false, 1, 0. Enumerations: names. Sets: "[32, 64]" or "32,64".
 * where: what an error message begins with, "file:line" or the option ("--set").
 * Returns 0, SMRF_ERR_UNKNOWN (key) or SMRF_ERR_INVAL (value). */
int smrf_config_set(struct smrf_config *cfg, const char *key, const char *value, const char *where,
                    struct smrf_config_error *err);

/* Apply `count` texts "key=value" in order, later ones win: a mechanism's defaults, or --set. */
int smrf_config_set_pairs(struct smrf_config *cfg, const char *const *pairs, size_t count,
                          const char *where, struct smrf_config_error *err);

/* Load a YAML file: nested (rf: {banks: 2}) or flat (rf.banks: 2), and an optional top-level
 * `description`. A key given twice is an error. Returns 0 or SMRF_ERR_{IO,NOMEM,FORMAT,UNKNOWN,
 * INVAL,LIMIT}. */
int smrf_config_load_file(struct smrf_config *cfg, const char *path, struct smrf_config_error *err);

/* Line at which a YAML file sets a parameter; 0: it does not, or cannot be read. */
unsigned smrf_config_line(const char *path, const char *key);

/* The same from memory; name stands for the file in messages. */
int smrf_config_load_text(struct smrf_config *cfg, const char *name, const char *text, size_t size,
                          struct smrf_config_error *err);

/* Check ranges and everything that involves several parameters. Returns 0 or SMRF_ERR_INVAL with
 * a message that names the keys. */
int smrf_config_check(const struct smrf_config *cfg, struct smrf_config_error *err);

/* --- presets ----------------------------------------------------------------------------- */

#define SMRF_DEFAULT_PRESET "rtx2060-paper"

size_t smrf_preset_count(void);
/* Name and one-line description of a preset, NULL past the last. */
const char *smrf_preset_name(size_t index);
/* The name of the preset that is called so, in any case of letters. NULL: there is none. */
const char *smrf_preset_find(const char *name);
const char *smrf_preset_description(size_t index);

/* Make *cfg the preset: defaults, then its differences. Returns 0 or SMRF_ERR_UNKNOWN. */
int smrf_preset_apply(struct smrf_config *cfg, const char *name, struct smrf_config_error *err);

/* --- Accel-Sim's files ------------------------------------------------------------------- */

enum smrf_option_fate {
    SMRF_OPTION_NO_EFFECT, /* cannot change timing here: statistics, PTX mode, limits of the API */
    SMRF_OPTION_NOT_MODELLED, /* changes Accel-Sim's timing, but has no counterpart, or its value
                                 has none */
    SMRF_OPTION_UNKNOWN,      /* not an option that this program knows */
    SMRF_OPTION_LEFT_OUT /* the file describes a machine without it: value = the default taken */
};

/* An option of a file that left the configuration unchanged. */
struct smrf_option_report {
    const char *option; /* without the dash */
    const char *value;
    const char *reason; /* what the model does instead; never NULL */
    const char *file;
    unsigned line;
    enum smrf_option_fate fate;
};

/* Read a gpgpusim.config or trace.config of Accel-Sim over *cfg. "As Accel-Sim" also means its
 * behaviours that no option of its own switches (collector order, RZ as a register, ...): they are
 * set by every call; the table is in gpgpusim_options.c. A file with most of a machine's options
 * has Accel-Sim's defaults for the others; what a shorter one does not mention stays as it is.
 * report: called once for every option without a counterpart, in the order of the file, then for
 * what a file that describes most of a machine leaves out; may be NULL. The strings of a report
 * live for the duration of the call. Returns 0 or SMRF_ERR_{IO,NOMEM,FORMAT,INVAL,LIMIT}; after an
 * error *cfg is unchanged. */
int smrf_config_gpgpusim(struct smrf_config *cfg, const char *path,
                         void (*report)(void *user, const struct smrf_option_report *report),
                         void *user, struct smrf_config_error *err);

/* The same from memory. */
int smrf_config_gpgpusim_text(struct smrf_config *cfg, const char *name, const char *text,
                              size_t size,
                              void (*report)(void *user, const struct smrf_option_report *report),
                              void *user, struct smrf_config_error *err);

/* Text of a fate: "no effect on timing here", "not modelled", "unknown option", "not in the
 * file". */
const char *smrf_option_fate_text(enum smrf_option_fate fate);

/* --- for the user ------------------------------------------------------------------------ */

/* Print everything known about a key, with its value in every preset. Returns 0 or, with a message
 * that suggests the nearest key, SMRF_ERR_UNKNOWN. */
int smrf_config_explain(const char *key, FILE *out, struct smrf_config_error *err);

/* Print all parameters, grouped by section, or all presets. */
/* only: the options of this section, NULL: all. */
void smrf_config_list_options(FILE *out, const char *only);
void smrf_config_list_presets(FILE *out);

#ifdef __cplusplus
}
#endif

#endif
