/* SPDX-License-Identifier: Apache-2.0 */
/* Halves and tensor cores. */
#include "firmware/cubin/decode_internal.h"

#include <stddef.h>

#define COMPARE_HALF "[76|.F|.LT|.EQ|.LE|.GT|.NE|.GE|.NUM|.NAN|.LTU|.EQU|.LEU|.GTU|.NEU|.GEU|.T]"

const struct smrf_row smrf_rows_tensor[] = {
    {0x030, FORMS_LAST, ANY_ARCH, "HADD2(85=1 .BF16_V2)[78||.F32][80||.FTZ][77||.SAT] %d, %A, %kh",
     NULL},
    {0x031, FORMS_THREE, ANY_ARCH,
     "HFMA2(85=1 .BF16_V2)[76||.FMZ][78||.F32][80||.FTZ][77||.SAT][79||.RELU] %d, %A, %bh, "
     "%ch(79=1,87:3!7 , %q87)",
     NULL},
    {0x035, FORMS_THREE, SINCE_80,
     "HFMA2.MMA(85=1 .BF16_V2)[76||.FMZ][80||.FTZ][77||.SAT][79||.RELU] %d, %A, %bh, "
     "%ch(79=1,87:3!7 , %q87)",
     NULL},
    {0x032, FORMS_TWO, ANY_ARCH,
     "HMUL2(85=1 .BF16_V2)[76||.FMZ][78||.F32][80||.FTZ][77||.SAT] %d, %A, %sh", NULL},
    {0x033, FORM(1) | FORM(2) | FORM(3), ANY_ARCH,
     "HSET2(65=1 .BF16_V2)[71||.BF]" COMPARE_HALF "[80||.FTZ][69|.AND|.OR|.XOR] %d, %A, %kh, %q87",
     NULL},
    {0x034, FORM(1) | FORM(2) | FORM(3), ANY_ARCH,
     "HSETP2(65=1 .BF16_V2)" COMPARE_HALF "[80||.FTZ][69|.AND|.OR|.XOR] %p81, %p84, %A, %kh, %q87",
     NULL},
    {0x03c, FORM(1), ANY_ARCH,
     "HMMA(73=1 .SP)(75=0,78=0 .1688)(75=0,78=1 .1684)(75=1,78=0 .16816)(75=1,78=1 "
     ".16832)[76|.F16|.F32][82||.BF16|.TF32|.INVALID3] %d, %a, %r32, %e(73=1 , %r40, %x48:2)",
     NULL},
    {0x036, FORM(1), ANY_ARCH,
     "HMMA.884[76|.F16|.F32][78|.F16|.F32][79|.STEP0|.STEP1|.STEP2|.STEP3] %d, %a[73|.ROW|.COL], "
     "%r32[74|.ROW|.COL], %e",
     NULL},
    {0x037, FORM(1), ANY_ARCH,
     "IMMA(72=1 .SP)(86=0,85=0,75=0 .8816)(86=0,85=1,75=0 .8832)(86=1,85=0,75=0 "
     ".16816)(86=1,85=0,75=1 .16832)(86=1,85=1,75=0 .16864)(86=1,85=1,75=1 "
     ".168128)[76|.U|.S][83|8|4][78|.U|.S][84|8|4][82||.SAT] %d, %a[73|.ROW|.COL], "
     "%r32[74|.ROW|.COL], %e(72=1 , %r40, %x48:2)",
     NULL},
    {0x03d, FORM(1), ANY_ARCH,
     "BMMA[75|.88128|.168128|.168256|.INVALID3][78|.XOR|.AND][80||.POPC] %d, %a[73|.ROW|.COL], "
     "%r32[74|.ROW|.COL], %e",
     NULL},
    {0x03f, FORM(1), 80, 89, "DMMA.884[78||.RM|.RP|.RZ] %d, %a-|, %r32-|, %e-|", NULL},
    {0x03f, FORM(1), ONLY_90, "DMMA.8x8x4[78||.RM|.RP|.RZ] %d, %a-|, %r32-|, %e-|", NULL},
    {0x03b, FORM(4), ANY_ARCH,
     "LDSM.16[78|.M88|.MT88|.INVALID2|.INVALID3][72||.2|.4|.INVALID3] %d, %ml", NULL},
    {0x03a, FORM(1), ANY_ARCH, "MOVM.16[78|.MT88|.INVALID1] %d, %a", NULL},
    {0x03e, FORMS_TWO, 80, 86,
     "F2FP[75||.RELU][76||.BF16][78|.PACK_AB|.MERGE_C][79||.RM|.RP|.RZ] %d, (78=0 %a-|, "
     "%sf-|)(78=1 %sf-|, %e)",
     NULL},
    {0x03e, FORMS_TWO, 89, 90,
     "F2FP[75||.RELU][76|.F16|.BF16].F32[78|.PACK_AB|.MERGE_C][79||.RM|.RP|.RZ] %d, (78=0 %a-|, "
     "%sf-|)(78=1 %sf-|, %e)",
     NULL},
    {0x040, FORMS_TWO, SINCE_80,
     "HMNMX2(85=1 .BF16_V2)[80||.FTZ][81||.NAN][82||.XORSIGN] %d, %A, %sh, %q87", NULL},
    {0x000, 0, 0, 0, NULL, NULL}};
