/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that nothing here executes: their names, so that a refusal can say what it is. */
#include "decode_internal.h"

struct refused {
    uint16_t first, last; /* operations, bits 0 to 8 */
    uint16_t arch;        /* from which on */
    const char *name;
};

static const struct refused refused_[] = {
    {0x169, 0x16a, 75, "TMML"},         {0x170, 0x170, 75, "TXQ"},
    {0x194, 0x194, 75, "SUATOM"},       {0x196, 0x196, 75, "SUATOM"},
    {0x198, 0x198, 75, "SULD"},         {0x19b, 0x19c, 75, "SUST"},
    {0x1a7, 0x1a7, 90, "SYNCS"},        {0x1b1, 0x1b2, 90, "SYNCS"},
    {0x1b3, 0x1b3, 90, "SUQUERY"},      {0x1b4, 0x1b4, 90, "UTMALDG"},
    {0x1b5, 0x1b5, 90, "UTMASTG"},      {0x1b6, 0x1b6, 90, "UTMAREDG"},
    {0x1b7, 0x1b7, 90, "UTMACMDFLUSH"}, {0x1b8, 0x1b8, 90, "UTMAPF"},
    {0x1b9, 0x1b9, 90, "UTMACCTL"},     {0x1ba, 0x1ba, 90, "UBLKCP"},
    {0x1bb, 0x1bb, 90, "UBLKRED"},      {0x1bc, 0x1bc, 90, "UBLKPF"},
    {0x1c5, 0x1c5, 90, "WARPGROUP"},    {0x1c7, 0x1c7, 90, "UCGABAR"},
    {0x1f0, 0x1f0, 90, "HGMMA"},        {0x1f1, 0x1f1, 90, "IGMMA"},
    {0x1f2, 0x1f2, 90, "BGMMA"},        {0x1f3, 0x1f3, 90, "QGMMA"},
};

const char *smrf_decode_refused(const struct smrf_decoding *d)
{
    const uint64_t operation = smrf_bits(d, 0, 9);
    for (unsigned i = 0; i < sizeof refused_ / sizeof *refused_; i++) {
        const struct refused *r = &refused_[i];
        if (operation >= r->first && operation <= r->last && d->arch >= r->arch) {
            return r->name;
        }
    }
    return "UNKNOWN";
}
