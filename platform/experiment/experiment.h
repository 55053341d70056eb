/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment: which traces are replayed under which variants of the machine, what is made of the
 * numbers, and what a paper says of it. Read from a YAML file (docs/experiments.md has its form) or
 * put together by a command; everything in it is checked before anything runs. */
#ifndef SMRF_EXPERIMENT_H
#define SMRF_EXPERIMENT_H

#include "expression.h"

#include "platform/series/series.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_trace_of { /* a trace of the experiment */
    const char *name, *group, *path;
    /* Of the suite: it is made first, by this option with this value; else NULL. */
    const char *program, *option, *value;
};

struct smrf_group_of {   /* programs of the suite that the file puts into a group of its own */
    const char *program; /* pattern of a name, or a group of the suite */
    const char *group;
};

struct smrf_variant {
    const char *name;
    const char *tool; /* "run", or "annotate": reuse distances, of which no machine knows */
    const char *mechanism, *preset;
    const char **set; /* "key=value" */
    size_t num_set;
    const char *settings;         /* the same as one text, for the reader */
    const char *sweep, *point;    /* the sweep it belongs to, and its place there; "" */
    const struct smrf_tree *only; /* patterns of the traces that it is run on; NULL: all */
    uint64_t seeds; /* number of the experiment's seeds that it runs with, from the first; 0: all */
    uint64_t cycles; /* its runs end after this number of cycles; 0: with their trace */
    unsigned line;
};

struct smrf_axis {
    const char *key; /* of a parameter, or "mechanism" or "preset" */
    const char **value;
    size_t count;
};

struct smrf_sweep {
    const char *name;
    size_t first, count;          /* of the variants; one may stand in several sweeps */
    const struct smrf_axis *axis; /* all combinations of their values, the last changes first */
    size_t num_axes;              /* 0: the points are named, or zipped */
};

struct smrf_derived {
    const char *name;
    const struct smrf_expression *value;
};

enum smrf_bound { SMRF_BOUND_EQUAL, SMRF_BOUND_ABOVE, SMRF_BOUND_BELOW };

/* Kinds are counted apart: a storage that the configuration gives is no effect that was measured,
 * and what no paper has a number for is nothing to reproduce. */
enum smrf_claim_kind {
    SMRF_CLAIM_MEASURED,  /* a number that replays of the mechanism gave */
    SMRF_CLAIM_STATEMENT, /* the paper says which way, or a bound, and no number */
    SMRF_CLAIM_STORAGE,   /* computed by the mechanism from the configuration that ran */
    SMRF_CLAIM_OURS,      /* no number of the paper */
    SMRF_CLAIM_KINDS
};
const char *smrf_claim_kind_name(enum smrf_claim_kind kind);
/* SMRF_CLAIM_KINDS: no kind has this name. */
enum smrf_claim_kind smrf_claim_kind_of(const char *name);

/* A note is text and numbers in turn. */
struct smrf_note_part {
    const char *text;
    const struct smrf_expression *value; /* behind the text; NULL: none */
};

/* What a paper says. */
struct smrf_claim {
    enum smrf_claim_kind kind;
    const char *what, *place, *unit;
    struct smrf_note_part *note;
    size_t num_notes;
    double paper, tolerance; /* tolerance: in the claim's unit; NAN: there is no number */
    enum smrf_bound bound;   /* "more than", "at most" */
    double neutral;          /* the value that means no effect, for the trend */
    double effect;           /* size of the paper's effect, from the neutral value */
    const struct smrf_expression *ours;
};

/* What the paper has and the experiment leaves out. */
struct smrf_untried {
    const char *what, *place, *why;
};

enum smrf_rows {
    SMRF_ROWS_TRACES,
    SMRF_ROWS_LAUNCHES, /* of each trace, in a table of its own */
    SMRF_ROWS_SWEEP,
    SMRF_ROWS_NAMED,
    SMRF_ROWS_SERIES
};
enum smrf_mean { SMRF_MEAN_NONE, SMRF_MEAN_ARITHMETIC, SMRF_MEAN_GEOMETRIC };
enum smrf_plot {
    SMRF_PLOT_NONE,
    SMRF_PLOT_DOTS,
    SMRF_PLOT_STACKED,
    SMRF_PLOT_LINES,
    SMRF_PLOT_ROOFLINE,
    SMRF_PLOT_MAP /* of a sweep over two axes */
};
/* Columns of a roofline: a block of columns for each variant. */
enum smrf_roofline_block {
    SMRF_ROOFLINE_IPC,       /* warp instructions a cycle and SM */
    SMRF_ROOFLINE_INTENSITY, /* warp instructions an access of the banks */
    SMRF_ROOFLINE_BANKS,     /* the IPC at which the banks would be full */
    SMRF_ROOFLINE_ISSUE,     /* the IPC of schedulers that always issue */
    SMRF_ROOFLINE_BLOCKS
};

struct smrf_named {
    const char *name;
    const struct smrf_expression *value; /* NULL: the figure's */
    long variant;                        /* below 0: the row's */
};

struct smrf_mark {
    double at;
    const char *label;
};

struct smrf_figure {
    const char *id, *title, *note, *axis, *x;
    enum smrf_rows rows;
    enum smrf_mean mean; /* of the rows */
    enum smrf_plot plot;
    size_t sweep;           /* rows of a sweep */
    struct smrf_named *row; /* rows with names */
    size_t num_rows;
    bool traces_across;             /* a column a trace, of `value` */
    const struct smrf_tree *traces; /* patterns; NULL: all */
    struct smrf_named *column;
    size_t num_columns;
    size_t plotted; /* number of columns that are drawn, from the first; 0: all */
    const struct smrf_expression *value;
    double neutral; /* dots: the line that they are drawn around; NAN: none */
    struct smrf_mark *mark;
    size_t num_marks;
    unsigned digits;
    const char *series;    /* rows of a series: its name, "time" for that of `series:` */
    struct smrf_named *of; /* variants of the series */
    size_t num_of;
    long part[3];  /* SM, sub-core and bank of the series */
    bool together; /* columns of one unit: one panel */
};

struct smrf_experiment {
    struct smrf_pool pool;
    struct smrf_source source;
    const char *name, *title, *summary, *folder; /* folder: everything is written below it */
    const char *preset;
    const char **config; /* configuration files */
    size_t num_config;
    const char **set; /* of every run, over the variants' own */
    size_t num_set;
    uint32_t *seed;
    size_t num_seeds;
    const char *size; /* of the suite's programs */
    struct smrf_trace_of *trace;
    size_t num_traces;
    struct smrf_group_of *group;
    size_t num_groups;
    struct smrf_variant *variant;
    size_t num_variants;
    struct smrf_sweep *sweep;
    size_t num_sweeps;
    bool no_sweeps;                 /* they are not run */
    long baseline;                  /* variant that the others are compared with; below 0: none */
    struct smrf_series_wish series; /* of every run; interval 0: none */
    const struct smrf_tree *statistics; /* patterns of what is exported; NULL: all */
    struct smrf_derived *derived;
    size_t num_derived;
    struct smrf_claim *claim;
    size_t num_claims;
    struct smrf_untried *untried;
    size_t num_untried;
    struct smrf_figure *figure;
    size_t num_figures;
};

/* Seeds that a variant is run with. Tools have none, and run once. */
size_t smrf_experiment_seeds(const struct smrf_experiment *x, const struct smrf_variant *v);

/* What the command line changes. */
struct smrf_experiment_options {
    const char *folder, *size, *preset; /* NULL: as the file has it */
    char **sets;                        /* "key=value", after the variants' own */
    size_t num_sets;
    char **programs; /* of the suite, or its groups: in place of the file's traces */
    size_t num_programs;
    char **traces; /* in place of the file's traces */
    size_t num_traces;
    bool no_sweeps;
    unsigned seeds; /* number of seeds, from 1 on, in place of the file's; 0: the file's */
};

/* Begin an empty one. Free it in every case. */
void smrf_experiment_init(struct smrf_experiment *x, const char *name,
                          const struct smrf_experiment_options *options);
void smrf_experiment_free(struct smrf_experiment *x);

/* Read a file, or the text of one; name: of the file. Returns 0 or an error with
 * x->source.error. */
int smrf_experiment_load(struct smrf_experiment *x, const char *path,
                         const struct smrf_experiment_options *options);
int smrf_experiment_load_text(struct smrf_experiment *x, const char *name, const char *text,
                              size_t size, const struct smrf_experiment_options *options);

/* --- putting one together --------------------------------------------------------------------- */

/* Programs of the suite by name or group, at a size, or at a scale (1 to 99), as a group of the
 * file's; group NULL: the one that the file's entries give them, else the suite's. Traces by path
 * (a pattern of the shell where glob). */
int smrf_experiment_add_programs(struct smrf_experiment *x, unsigned line, const char *name,
                                 const char *size, const char *group);
int smrf_experiment_check_size(struct smrf_experiment *x, unsigned line, const char *size);
int smrf_experiment_add_scaled(struct smrf_experiment *x, unsigned line, const char *name,
                               const char *scale, const char *group);
int smrf_experiment_add_traces(struct smrf_experiment *x, unsigned line, const char *path,
                               const char *group, bool glob);
/* A variant; its machine is checked. set: [num_set] "key=value". Returns its index or an error. */
long smrf_experiment_add_variant(struct smrf_experiment *x, const struct smrf_variant *variant);
/* All combinations (or, zipped, the k-th of each) of the axes' values over a variant. The axes are
 * in the pool. */
int smrf_experiment_add_sweep(struct smrf_experiment *x, unsigned line, const char *name,
                              const struct smrf_variant *of, const struct smrf_axis *axes,
                              size_t num_axes, bool zipped);
int smrf_experiment_add_seed(struct smrf_experiment *x, unsigned line, const char *text);

/* Does the trace's name or group fit the pattern, or one of several with | between them? */
bool smrf_experiment_fits(const struct smrf_trace_of *trace, const char *pattern);
/* Each of the patterns must fit a trace, or a program of the suite (the traces may be others than
 * the file's), or be the group "traces", of those that the command line names. */
int smrf_experiment_check_patterns(struct smrf_experiment *x, const struct smrf_tree *patterns);
bool smrf_experiment_is_of(const struct smrf_trace_of *trace, const struct smrf_tree *patterns);
/* Tell settings that no variant's mechanism looks at. */
void smrf_experiment_ignored(struct smrf_experiment *x, void (*tell)(void *ctx, const char *text),
                             void *ctx);
long smrf_experiment_variant(const struct smrf_experiment *x, const char *name);
/* Figures for an experiment that has none of its own. Of sweeps: IPC over the first point's and hit
 * ratio, by point; else IPC over the first variant's, and the roofline of the register file. */
int smrf_experiment_add_overview(struct smrf_experiment *x);
/* The effective configuration of a run: lines "key=value", in the pool. NULL with the error. */
const char *smrf_experiment_machine(struct smrf_experiment *x, const struct smrf_variant *variant,
                                    uint32_t seed);

/* --- for the parts of the reader -------------------------------------------------------------- */

/* Names as expressions ask for them. */
struct smrf_expression_names smrf_experiment_names(struct smrf_experiment *x);
int smrf_experiment_read_set(struct smrf_experiment *x, const struct smrf_tree *tree,
                             const char *prefix, const char ***set, size_t *count);
int smrf_experiment_load_machines(struct smrf_experiment *x, const struct smrf_tree *root);
int smrf_experiment_load_values(struct smrf_experiment *x, const struct smrf_tree *root);
int smrf_experiment_load_claims(struct smrf_experiment *x, const struct smrf_tree *root);
int smrf_experiment_load_figures(struct smrf_experiment *x, const struct smrf_tree *root);

#ifdef __cplusplus
}
#endif

#endif
