/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the virtual register file and of the sharing of loaded registers. Each enumeration
 * names a choice that the paper leaves open. */
#ifndef SMRF_LARF_PARAMS_H
#define SMRF_LARF_PARAMS_H

#include "models/common/smrf_param.h"

enum smrf_larf_release {
    SMRF_LARF_RELEASE_DEATH,    /* when the value is dead */
    SMRF_LARF_RELEASE_OVERWRITE /* when its warp has exited */
};

enum smrf_larf_allocate { SMRF_LARF_AT_WRITE, SMRF_LARF_AT_LOOKUP };

enum smrf_larf_bank {
    SMRF_LARF_BANK_REGISTER, /* that of the architectural register: register mod banks */
    SMRF_LARF_BANK_TURN,     /* the same, rotated by the warp */
    SMRF_LARF_BANK_FULLEST   /* that with the most free registers */
};

enum smrf_larf_replacement { SMRF_LARF_REPLACE_LRU, SMRF_LARF_REPLACE_NONE };

enum smrf_larf_lanes {
    SMRF_LARF_LANES_RUN,   /* neighbours, from any lane on; the base is extrapolated to lane 0 */
    SMRF_LARF_LANES_FIRST, /* neighbours, from lane 0 on */
    SMRF_LARF_LANES_ANY
};

enum smrf_larf_unit { SMRF_LARF_BYTES, SMRF_LARF_ELEMENTS };

enum smrf_larf_match { SMRF_LARF_MATCH_RANGE, SMRF_LARF_MATCH_BYTES };

enum smrf_larf_overwrite { SMRF_LARF_OVERWRITE_IN_PLACE, SMRF_LARF_OVERWRITE_NEW };

#define SMRF_LARF_VALUES(E)                                                                        \
    E(RELEASE, SMRF_LARF_RELEASE_DEATH, "death")                                                   \
    E(RELEASE, SMRF_LARF_RELEASE_OVERWRITE, "exit")                                                \
    E(ALLOCATE, SMRF_LARF_AT_WRITE, "write")                                                       \
    E(ALLOCATE, SMRF_LARF_AT_LOOKUP, "lookup")                                                     \
    E(BANK, SMRF_LARF_BANK_REGISTER, "register")                                                   \
    E(BANK, SMRF_LARF_BANK_TURN, "turn")                                                           \
    E(BANK, SMRF_LARF_BANK_FULLEST, "fullest")                                                     \
    E(OVERWRITE, SMRF_LARF_OVERWRITE_IN_PLACE, "in_place")                                         \
    E(OVERWRITE, SMRF_LARF_OVERWRITE_NEW, "new")                                                   \
    E(TABLE_REPLACEMENT, SMRF_LARF_REPLACE_LRU, "lru")                                             \
    E(TABLE_REPLACEMENT, SMRF_LARF_REPLACE_NONE, "none")                                           \
    E(LANES, SMRF_LARF_LANES_RUN, "run")                                                           \
    E(LANES, SMRF_LARF_LANES_FIRST, "first")                                                       \
    E(LANES, SMRF_LARF_LANES_ANY, "any")                                                           \
    E(STRIDE_UNIT, SMRF_LARF_BYTES, "bytes")                                                       \
    E(STRIDE_UNIT, SMRF_LARF_ELEMENTS, "elements")                                                 \
    E(MATCH, SMRF_LARF_MATCH_RANGE, "range")                                                       \
    E(MATCH, SMRF_LARF_MATCH_BYTES, "bytes")

#define SMRF_LARF_PARAMS(X)                                                                        \
    X(larf, file_bytes, NUM, 0, 0, 1048576, "bytes", "LARF 4 has 128 KB",                          \
      "size of the register file behind the renaming, at most sm.registers x 4; 0 = that. Blocks " \
      "are placed by sm.registers, and warps are throttled where the file is short")               \
    X(larf, release, RELEASE, SMRF_LARF_RELEASE_DEATH, 0, 1, "", "LARF 3",                         \
      "when a register is free: at the death of its value (the last read by the analysis of the "  \
      "program, or by a look ahead where a trace has no sidecar), or when its warp exits")         \
    X(larf, allocate, ALLOCATE, SMRF_LARF_AT_WRITE, 0, 1, "", "proposed",                          \
      "when a load's register counts as in use: when the load issues, or when the look-up of its " \
      "addresses has failed")                                                                      \
    X(larf, bank, BANK, SMRF_LARF_BANK_REGISTER, 0, 2, "", "Jeon MICRO 2015",                      \
      "the bank of a new physical register: that of its architectural one, that turned by the "    \
      "warp, or that with the most free; if it has none, the one with the most free")              \
    X(larf, overwrite, OVERWRITE, SMRF_LARF_OVERWRITE_IN_PLACE, 0, 1, "", "proposed",              \
      "a result for a register in the address mapping table that only its warp names: written "    \
      "in place, and the entry goes; or to a new register")                                        \
    X(larf, extra_blocks, NUM, 0, 0, 32, "blocks/SM", "LARF 4.1",                                  \
      "thread blocks that an SM may hold in addition to those that fit without renaming")          \
    X(larf, table, FLAG, 1, 0, 1, "", "",                                                          \
      "1 = with the address mapping table; 0 = without: larf is then virtual-rf")                  \
    X(larf, entries, NUM, 200, 0, 65535, "entries/SM", "LARF 4.1",                                 \
      "entries of the address mapping table; 0 = one for each register")                           \
    X(larf, replacement, TABLE_REPLACEMENT, SMRF_LARF_REPLACE_LRU, 0, 1, "", "proposed",           \
      "if the table is full: lru = replace the least recently used entry; none = do not enter "    \
      "the new one")                                                                               \
    X(larf, partial, FLAG, 1, 0, 1, "", "LARF 2.2",                                                \
      "1 = merge a load that misses or bypasses L1 from two registers that hold its data")         \
    X(larf, partial_hits, FLAG, 0, 0, 1, "", "proposed",                                           \
      "1 = also merge a load that hits L1; the paper merges only on a miss, because a merge "      \
      "takes longer than a hit")                                                                   \
    X(larf, partial_pending, FLAG, 1, 0, 1, "", "LARF 3: once two register values are ready",      \
      "1 = a merge may use registers of outstanding loads, and waits for them")                    \
    X(larf, record_merged, FLAG, 1, 0, 1, "", "proposed",                                          \
      "1 = a merged register gets its own entry")                                                  \
    X(larf, pending, FLAG, 1, 0, 1, "", "proposed",                                                \
      "1 = a load may share the register of an outstanding load, and waits for it")                \
    X(larf, lookup_cycles, NUM, 1, 1, 100, "cycles", "LARF 3",                                     \
      "from the look-up of a perfect share to its register's use")                                 \
    X(larf, lanes, LANES, SMRF_LARF_LANES_RUN, 0, 2, "", "proposed; LARF 4.2 has a lane count",    \
      "which active lanes an entry can tell: neighbours from any lane on (the base is "            \
      "extrapolated to lane 0), neighbours from lane 0 on, or any")                                \
    X(larf, stride_max, NUM, 511, 0, 1048576, "stride units", "LARF 4.2 (9 bits)",                 \
      "largest stride of an entry, in both directions; 0 = no limit")                              \
    X(larf, stride_unit, STRIDE_UNIT, SMRF_LARF_BYTES, 0, 1, "", "LARF 4.1",                       \
      "what the stride counts: bytes, or elements of 4 bytes")                                     \
    X(larf, base_bits, NUM, 0, 0, 48, "bits", "LARF 4.2 has 24",                                   \
      "bits of an entry's base address: the table only enters loads from the aligned region of "   \
      "this size that contains its first entry; 0 = whole addresses")                              \
    X(larf, wide, FLAG, 1, 0, 1, "", "proposed",                                                   \
      "1 = loads of 64 and 128 bits use one entry a register, and share all of them or none")      \
    X(larf, match, MATCH, SMRF_LARF_MATCH_RANGE, 0, 1, "", "proposed; LARF 3 says the address",    \
      "which entries a store invalidates: range = those whose first to last byte it touches; "     \
      "bytes = only those with a byte that it writes")                                             \
    X(larf, fence_empties, FLAG, 1, 0, 1, "", "proposed",                                          \
      "1 = a fence or an atomic of the SM empties the table")                                      \
    X(larf, barrier_empties, FLAG, 0, 0, 1, "", "proposed",                                        \
      "1 = a thread block's barrier empties the table, too")

struct smrf_larf_params {
    SMRF_LARF_PARAMS(SMRF_PARAM_FIELD)
};

#endif
