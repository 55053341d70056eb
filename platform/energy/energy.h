/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic energy of the register file: events x constants per access of 128 bytes (32 lanes x 4 B),
 * for banks, crossbar, arbiter and collectors; beside it what the rest of the GPU needs. Several
 * sets of constants stand side by side, since no single one fits every published claim; each number
 * tells where it comes from.
 *
 *   banks       reads x bank_read + writes x bank_write
 *   crossbar    operands to collectors x E(banks, collectors) x path factor
 *               + results kept by collectors x E(1, collectors), where there is such a path
 *   arbiter     requests (bank reads and writes) x arbiter
 *   collectors  words in x store_write + operands and evictions out x store_read (+ copies of
 *               hits; what a mechanism's operations write into its cache counts as a word in)
 *               + lookups x tag, where there are tags
 *
 *   total       the register file's: the sum of these four
 *
 *   execution   warp instructions x instruction + thread instructions x lane
 *   l1d         sectors x constants of reads and writes that hit or miss
 *   l2, dram    sectors x constants of reads and writes; atomics are writes
 *   static      cycles x SMs x sm_cycle: what flows whatever is done, an SM's share of the chip
 *   gpu         the sum of all
 *
 * E(inputs, outputs) is linear between the geometries of the set and beyond them. */
#ifndef SMRF_ENERGY_H
#define SMRF_ENERGY_H

#include "models/seam/mechanism.h"
#include "platform/config/registry.h"
#include "platform/counters/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, "meaning"): pJ an access unless the meaning says otherwise. */
#define SMRF_ENERGY_CONSTANTS(X)                                                                   \
    X(bank_read, "read of a bank, 128 bytes")                                                      \
    X(bank_write, "write of a bank, 128 bytes")                                                    \
    X(crossbar_1x2, "transfer of 128 bytes through a crossbar of 1 input and 2 outputs")           \
    X(crossbar_1x8, "of 1 input and 8 outputs")                                                    \
    X(crossbar_2x2, "of 2 inputs and 2 outputs")                                                   \
    X(crossbar_2x4, "of 2 inputs and 4 outputs")                                                   \
    X(crossbar_2x8, "of 2 inputs and 8 outputs")                                                   \
    X(crossbar_2x16, "of 2 inputs and 16 outputs")                                                 \
    X(path_factor, "factor on bank-to-collector transfers where results have a path of their own") \
    X(arbiter, "request to the arbiter")                                                           \
    X(store_read_16, "read of a collector of up to 16 words")                                      \
    X(store_write_16, "write of it")                                                               \
    X(store_read_32, "read of a collector of up to 32 words")                                      \
    X(store_write_32, "write of it")                                                               \
    X(store_read_64, "read of a collector of more than 32 words")                                  \
    X(store_write_64, "write of it")                                                               \
    X(tag, "lookup of the tags of a collector")                                                    \
    X(instruction, "a warp instruction: fetch, buffer, scheduler")                                 \
    X(lane, "a lane of it: execution")                                                             \
    X(l1d_read_hit, "read of a sector, 32 bytes, of the L1D")                                      \
    X(l1d_read_miss, "read of a sector that is not there")                                         \
    X(l1d_write_hit, "write of a sector")                                                          \
    X(l1d_write_miss, "write of a sector that is not there")                                       \
    X(l2_read, "read of a sector of the L2, with the way there and back")                          \
    X(l2_write, "write or atomic of a sector")                                                     \
    X(dram_read, "read of a sector of the DRAM")                                                   \
    X(dram_write, "write of a sector")                                                             \
    X(sm_cycle, "a cycle of an SM: static power of it and of its share of the chip")

#define SMRF_ENERGY_ENUM(name, meaning) SMRF_ENERGY_##name,
enum smrf_energy_constant { SMRF_ENERGY_CONSTANTS(SMRF_ENERGY_ENUM) SMRF_ENERGY_COUNT };
#undef SMRF_ENERGY_ENUM

enum smrf_energy_component {
    SMRF_ENERGY_BANKS,
    SMRF_ENERGY_CROSSBAR,
    SMRF_ENERGY_ARBITER,
    SMRF_ENERGY_COLLECTORS,
    SMRF_ENERGY_TOTAL, /* of the register file */
    SMRF_ENERGY_EXECUTION,
    SMRF_ENERGY_L1D,
    SMRF_ENERGY_L2,
    SMRF_ENERGY_DRAM,
    SMRF_ENERGY_STATIC,
    SMRF_ENERGY_GPU,
    SMRF_ENERGY_COMPONENTS
};

struct smrf_energy_set {
    char name[32];
    char summary[160];
    double value[SMRF_ENERGY_COUNT];
    char source[SMRF_ENERGY_COUNT][96];
};

#define SMRF_ENERGY_BUILT_IN 3 /* flat23, sliced23, aw */

/* The index-th built-in set, NULL past the last. */
const struct smrf_energy_set *smrf_energy_set_at(unsigned index);

/* Name and meaning of a constant and name of a component; NULL past the last. */
const char *smrf_energy_constant_name(unsigned index);
const char *smrf_energy_constant_meaning(unsigned index);
const char *smrf_energy_component_name(unsigned index);

/* Read a set from a YAML file: `name`, `summary`, `base` (a built-in set that supplies what is not
 * given; without it every constant must be given), and the constants, each a number or
 * {value: 20.1, source: text}. On failure text has file, line, reason and what to do, and *set
 * is as it was. Returns 0 or SMRF_ERR_{IO,FORMAT,UNKNOWN,INVAL,LIMIT,NOMEM}. */
int smrf_energy_load(struct smrf_energy_set *set, const char *path, char *text, size_t size);

/* What a mechanism's hardware looks like: its own description, else operand collectors. */
void smrf_energy_shape_of(const struct smrf_mechanism *mechanism, const struct smrf_config *cfg,
                          struct smrf_energy_shape *shape);

/* Transfer of 128 bytes through a crossbar, pJ. inputs, outputs >= 1. */
double smrf_energy_crossbar(const struct smrf_energy_set *set, unsigned inputs, unsigned outputs);

/* Energy of what was counted, pJ, by component. */
void smrf_energy_of(const struct smrf_energy_set *set, const struct smrf_energy_shape *shape,
                    const struct smrf_config *cfg, const struct smrf_counters *counters,
                    double pj[SMRF_ENERGY_COMPONENTS]);

#ifdef __cplusplus
}
#endif

#endif
