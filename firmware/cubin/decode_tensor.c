/* SPDX-License-Identifier: Apache-2.0 */
/* Halves and tensor cores. */
#include "firmware/cubin/decode_internal.h"

#include <stddef.h>

#define COMPARE_HALF "[76|.F|.LT|.EQ|.LE|.GT|.NE|.GE|.NUM|.NAN|.LTU|.EQU|.LEU|.GTU|.NEU|.GEU|.T]"

const struct smrf_row smrf_rows_tensor[] = {
    {0x030, FORMS_LAST, ANY_ARCH, "HADD2(85=1 .BF16_V2)[78||.F32][80||.FTZ][77||.SAT] %d, %A, %kh",
     NULL},
    {0x031, FORMS_THREE, ANY_ARCH,
     "HFMA2(85=1 .BF16_V2)[76||.FMZ][78||.F32][79||.RELU][80||.FTZ][77||.SAT] %d, %A, %bh, %ch",
     NULL},
    {0x035, FORMS_THREE, SINCE_80,
     "HFMA2.MMA(85=1 .BF16_V2)[76||.FMZ][80||.FTZ][77||.SAT][79||.RELU] %d, %A, %bh, %ch(79=1 , "
     "%q87)",
     NULL},
    {0x032, FORMS_TWO, ANY_ARCH,
     "HMUL2(85=1 .BF16_V2)[76||.FMZ][78||.F32][80||.FTZ][77||.SAT] %d, %A, %sh", NULL},
    {0x033, FORMS_TWO, ANY_ARCH,
     "HSET2(85=1 .BF16_V2)[71||.BF]" COMPARE_HALF "[80||.FTZ][69|.AND|.OR|.XOR] %d, %A, %sh, %q87",
     NULL},
    {0x034, FORMS_TWO, ANY_ARCH,
     "HSETP2(85=1 .BF16_V2)" COMPARE_HALF "[80||.FTZ][69|.AND|.OR|.XOR] %p81, %p84, %A, %sh, %q87",
     NULL},
    {0x000, 0, 0, 0, NULL, NULL}};
