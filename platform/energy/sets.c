/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in sets of constants, pJ per access of 128 bytes, each with its provenance.
 *
 * CACTI and McPAT are the copies inside AccelWattch, run at 23 nm on the geometry named. CACTI
 * takes no array of less than 16 rows at this width, so that 16 rows stand for collectors of 6 to
 * 16 words: an upper bound, the same for every mechanism. */
#include "energy.h"

#include <string.h>

#define C(constant, pj, from)                                                                      \
    .value[SMRF_ENERGY_##constant] = pj, .source[SMRF_ENERGY_##constant] = from

/* What flat23 and sliced23 share: everything but the crossbar. */
#define ARRAYS_23                                                                                  \
    C(bank_read, 20.1, "CACTI, 23 nm: 32 KB, 128 B wide, 1RW"),                                    \
        C(bank_write, 33.6, "CACTI, 23 nm: 32 KB, 128 B wide, 1RW"),                               \
        C(path_factor, 1.0, "chosen; 1.17 would give Malekeh's published saving with flat23"),     \
        C(arbiter, 0.001, "McPAT, 23 nm: below 0.001 for 2 to 8 requests"),                        \
        C(store_read_16, 4.0, "CACTI, 23 nm: 16 x 128 B, 1R1W"),                                   \
        C(store_write_16, 6.0, "CACTI, 23 nm: 16 x 128 B, 1R1W"),                                  \
        C(store_read_32, 5.6, "CACTI, 23 nm: 32 x 128 B"),                                         \
        C(store_write_32, 6.7, "CACTI, 23 nm: 32 x 128 B"),                                        \
        C(store_read_64, 8.5, "CACTI, 23 nm: 64 x 128 B"),                                         \
        C(store_write_64, 12.0, "CACTI, 23 nm: 64 x 128 B"),                                       \
        C(tag, 0.1, "estimated: CAM of 8 x 8 bits with its LRU order; negligible"), MEMORY_28

/* The rest of the GPU by published numbers for 28 nm: BMC Bioinformatics 2018,
 * 10.1186/s12859-018-2389-6, table 7. A larger array costs the root of its size more. */
#define MEMORY_28                                                                                  \
    C(instruction, 173.2, "as aw"), C(lane, 6.9, "as aw"),                                         \
        C(l1d_read_hit, 200, "28 nm: 50 pJ, 256 bit of 8 KB, x root of 128 KB / 8 KB"),            \
        C(l1d_read_miss, 200, "as a hit: the sector that comes is written"),                       \
        C(l1d_write_hit, 200, "as a read"), C(l1d_write_miss, 200, "as a read"),                   \
        C(l2_read, 685, "28 nm: 50 pJ x root of 96 KB / 8 KB, and 10 mm of 256 x 0.2 pJ/mm"),      \
        C(l2_write, 685, "as a read"), C(dram_read, 4000, "28 nm: 16 nJ a line, a quarter of it"), \
        C(dram_write, 4000, "as a read"),                                                          \
        C(sm_cycle, 357, "AccelWattch, QV100: 32.3 W constant / 80 SMs / 1.132 GHz")

static const struct smrf_energy_set sets[SMRF_ENERGY_BUILT_IN] = {
    {
        .name = "flat23",
        .summary = "23 nm, one crossbar of 1024-bit ports (McPAT): explains why more collectors "
                   "cost so much",
        ARRAYS_23,
        C(crossbar_1x2, 85.6, "McPAT, 23 nm: 1024-bit flat, 1 x 2"),
        C(crossbar_1x8, 264.1, "McPAT, 23 nm: 1024-bit flat, 1 x 8"),
        C(crossbar_2x2, 160.6, "McPAT, 23 nm: 1024-bit flat, 2 x 2"),
        C(crossbar_2x4, 267.4, "McPAT, 23 nm: 1024-bit flat, 2 x 4"),
        C(crossbar_2x8, 481.2, "McPAT, 23 nm: 1024-bit flat, 2 x 8"),
        C(crossbar_2x16, 908.6, "McPAT, 23 nm: 1024-bit flat, 2 x 16"),
    },
    {
        .name = "sliced23",
        .summary = "23 nm, 32 crossbars of 32-bit ports, one a lane: physically more sensible",
        ARRAYS_23,
        C(crossbar_1x2, 3.25, "6.1 x the ratio of flat 1 x 2 to 2 x 2"),
        C(crossbar_1x8, 10.03, "6.1 x the ratio of flat 1 x 8 to 2 x 2"),
        C(crossbar_2x2, 6.1, "McPAT, 23 nm: 32 x (32-bit, 2 x 2)"),
        C(crossbar_2x4, 10.13, "linear between 2 x 2 and 2 x 8"),
        C(crossbar_2x8, 18.2, "McPAT, 23 nm: 32 x (32-bit, 2 x 8)"),
        C(crossbar_2x16, 34.3, "linear through 2 x 2 and 2 x 8"),
    },
    {
        .name = "aw",
        .summary = "AccelWattch's register file with its measured scale factors (QV100, 23 nm)",
        C(bank_read, 48.7, "8 x 30.26 pJ x 2 (clock ratio) x 0.1006"),
        C(bank_write, 68.4, "8 x 30.39 pJ x 2 x 0.1406"),
        C(crossbar_1x2, 16.3, "30.6 x the ratio of flat 1 x 2 to 2 x 2"),
        C(crossbar_1x8, 50.3, "30.6 x the ratio of flat 1 x 8 to 2 x 2"),
        C(crossbar_2x2, 30.6, "152.4 pJ x 2 x 0.1006 (16 x 16 x 128 bit, 8 slices)"),
        C(crossbar_2x4, 50.9, "30.6 x the ratio of flat 2 x 4 to 2 x 2"),
        C(crossbar_2x8, 91.7, "30.6 x the ratio of flat 2 x 8 to 2 x 2"),
        C(crossbar_2x16, 173.1, "30.6 x the ratio of flat 2 x 16 to 2 x 2"),
        C(path_factor, 1.0, "chosen"),
        C(arbiter, 0.05, "0.257 pJ x 2 x 0.1006"),
        C(store_read_16, 0.0, "AccelWattch counts one collector access an operand: the write"),
        C(store_write_16, 0.62, "32 x 0.0962 pJ x 2 x 0.1006"),
        C(store_read_32, 0.0, "as 16 words"),
        C(store_write_32, 0.87, "0.62 x the ratio of CACTI's 32-row to 16-row read"),
        C(store_read_64, 0.0, "as 16 words"),
        C(store_write_64, 1.32, "0.62 x the ratio of CACTI's 64-row to 16-row read"),
        C(tag, 0.0, "not counted by AccelWattch"),
        C(instruction, 173.2, "150 (L1I hit) + 5.9 (instruction buffer) + 17.3 (scheduler)"),
        C(lane, 6.9, "INT lane operation"),
        C(l1d_read_hit, 507, "QV100 file, an event a sector"),
        C(l1d_read_miss, 338, "QV100 file, an event a sector"),
        C(l1d_write_hit, 37, "QV100 file, an event a sector"),
        C(l1d_write_miss, 393, "QV100 file, an event a sector"),
        C(l2_read, 69, "QV100 file: read hit, an event a sector"),
        C(l2_write, 270, "QV100 file: write hit, an event a sector"),
        C(dram_read, 2062, "QV100 file, an event a sector"),
        C(dram_write, 1179, "QV100 file, an event a sector"),
        C(sm_cycle, 562, "(32.3 W constant + 18.6 W first lane, INT+FP) / 80 SMs / 1.132 GHz"),
    },
};
#undef C

const struct smrf_energy_set *smrf_energy_set_at(unsigned index)
{
    return index < SMRF_ENERGY_BUILT_IN ? &sets[index] : NULL;
}
