/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of Accel-Sim's option files: what the driver (gpgpusim.c), the table of options
 * (gpgpusim_options.c), the handlers of values (gpgpusim_values.c, gpgpusim_memory.c) and of
 * combinations (gpgpusim_resolve.c) share. Internal. */
#ifndef SMRF_CONFIG_GPGPUSIM_H
#define SMRF_CONFIG_GPGPUSIM_H

#include "internal.h"

#include <stdbool.h>

/* Options whose meaning depends on others of the same file, kept until all are read. */
enum smrf_gs_deferred {
    SMRF_GS_CLUSTERS,
    SMRF_GS_CORES_PER_CLUSTER,
    SMRF_GS_SCHEDULERS,
    SMRF_GS_SUB_CORE_MODEL,
    SMRF_GS_BANKS,
    SMRF_GS_COLLECTORS,
    SMRF_GS_ADAPTIVE,
    SMRF_GS_UNIFIED_KIB,
    SMRF_GS_MEMORIES,
    SMRF_GS_SUB_PARTITIONS,
    SMRF_GS_CHIPS,
    SMRF_GS_BUS_WIDTH,
    SMRF_GS_PERFECT_ICACHE,
    SMRF_GS_TENSOR_CORES,
    SMRF_GS_CAPABILITY_MAJOR,
    SMRF_GS_CAPABILITY_MINOR,
    SMRF_GS_DEFERRED
};

/* One "-option value" of a file. */
struct smrf_gs_item {
    const char *option; /* without the dash */
    const char *value;
    unsigned line; /* 0: not in the file, a default of Accel-Sim */
    int row;       /* in the table of options, -1 = not there */
    bool last;     /* no later item of the file has the same option */
};

struct smrf_gs_reader {
    struct smrf_config cfg; /* being built */
    const char *name;       /* of the file */
    struct smrf_config_error *err;
    void (*report)(void *user, const struct smrf_option_report *report);
    void *user;
    const struct smrf_gs_item *item;        /* being applied */
    const struct smrf_gs_item *hash_item;   /* asks for Accel-Sim's hash of slices, NULL = none */
    const struct smrf_gs_item *shares_item; /* the shared memory's shares of the L1D, NULL = none */
    bool noted;                             /* the item has been reported */
    bool has_icache;                        /* the file describes an instruction cache */
    bool has_address_map;                   /* the file maps addresses as the model does */
    struct {
        uint32_t value;
        const struct smrf_gs_item *item; /* NULL = not in the file */
    } deferred[SMRF_GS_DEFERRED];
};

struct smrf_gs_option {
    const char *name; /* without the dash */
    /* Apply r->item to r->cfg. Returns 0 or an error whose text is set. */
    int (*apply)(struct smrf_gs_reader *r, const struct smrf_gs_option *option);
    uint32_t arg;       /* of apply: a parameter, a deferred value, a fixed value */
    const char *reason; /* for the report, if apply makes one */
};

extern const struct smrf_gs_option smrf_gs_options[];
extern const size_t smrf_gs_option_count;

/* What Accel-Sim takes for an option that a file leaves out. */
struct smrf_gs_default {
    const char *option, *value; /* NULL: no value that can be taken here */
};
extern const struct smrf_gs_default smrf_gs_defaults[];
extern const size_t smrf_gs_default_count;

/* The row of an option in the table, by its present or its older name. -1: not there. */
int smrf_gs_find(const char *option);

/* What Accel-Sim does without an option to switch it. */
struct smrf_gs_behaviour {
    enum smrf_param_index param;
    uint32_t value;
};
extern const struct smrf_gs_behaviour smrf_gs_behaviours[];
extern const size_t smrf_gs_behaviour_count;

/* Fail at the present item: "file:line: -option value: ...". */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int smrf_gs_fail(struct smrf_gs_reader *r, const char *fmt, ...);

/* Report the present item, the first time only. */
void smrf_gs_note(struct smrf_gs_reader *r, enum smrf_option_fate fate, const char *reason);

/* Store a value if it is in the parameter's range, else fail. */
int smrf_gs_put(struct smrf_gs_reader *r, enum smrf_param_index param, uint64_t value);

/* Combine the deferred options once all are read. */
int smrf_gs_resolve(struct smrf_gs_reader *r);
/* What the file contradicts itself in, once all of it has been applied. Returns 0 or an error. */
int smrf_gs_finish(struct smrf_gs_reader *r);

#define SMRF_GS_FIELDS 16 /* fields of a structured value */
#define SMRF_GS_TEXT 256  /* bytes of one */

/* Split text in place at a separator. Returns the number of fields, max + 1 if there are more. */
size_t smrf_gs_split(char *text, char separator, char **fields, size_t max);

/* Copy the present item's value, so that it can be split. */
int smrf_gs_copy(struct smrf_gs_reader *r, char *buf, size_t size);

int smrf_gs_to_number(struct smrf_gs_reader *r, const char *text, uint32_t *value);

/* Numbers between separators, SMRF_GS_FIELDS at most. Returns how many, or an error. */
int smrf_gs_to_numbers(struct smrf_gs_reader *r, char separator, uint32_t *numbers);

/* Handlers, named after what they do with a value. */
typedef int smrf_gs_apply(struct smrf_gs_reader *r, const struct smrf_gs_option *option);
smrf_gs_apply smrf_gs_number;        /* to parameter arg */
smrf_gs_apply smrf_gs_defer;         /* to deferred value arg */
smrf_gs_apply smrf_gs_pair;          /* "latency,initiation" to parameters arg and arg + 1 */
smrf_gs_apply smrf_gs_single;        /* the same for single precision, and half precision from it */
smrf_gs_apply smrf_gs_fixed;         /* reported unless the number is arg */
smrf_gs_apply smrf_gs_at_least;      /* reported unless the number is arg or more */
smrf_gs_apply smrf_gs_units;         /* reported unless there is one a scheduler */
smrf_gs_apply smrf_gs_no_effect;     /* reported */
smrf_gs_apply smrf_gs_not_modelled;  /* reported */
smrf_gs_apply smrf_gs_clocks;        /* core:interconnect:L2:DRAM in MHz */
smrf_gs_apply smrf_gs_core_pipeline; /* threads:warp size */
smrf_gs_apply smrf_gs_widths;        /* pipeline registers between the stages */
smrf_gs_apply smrf_gs_scheduler;
smrf_gs_apply smrf_gs_carveouts;
smrf_gs_apply smrf_gs_cache_l1d;
smrf_gs_apply smrf_gs_cache_l2;
smrf_gs_apply smrf_gs_cache_inst;
smrf_gs_apply smrf_gs_perfect_icache;
smrf_gs_apply smrf_gs_slice_hash;
smrf_gs_apply smrf_gs_dram_queue;
smrf_gs_apply smrf_gs_dram_timing, smrf_gs_tensor;
smrf_gs_apply smrf_gs_address_map;
smrf_gs_apply smrf_gs_special_unit; /* enabled,units,latency,latches,latches,name */

#endif
