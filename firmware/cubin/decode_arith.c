/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on registers: whole numbers, floats, doubles, halves, conversions, selections. */
#include "firmware/cubin/decode_internal.h"

#include <stddef.h>
#include <string.h>

#define RZ 255u
#define BOOL74 "[74|.AND|.OR|.XOR]"
#define COMPARE_FLOAT "[76|.F|.LT|.EQ|.LE|.GT|.NE|.GE|.NUM|.NAN|.LTU|.EQU|.LEU|.GTU|.NEU|.GEU|.T]"
#define COMPARE_DOUBLE                                                                             \
    "[76|.MIN|.LT|.EQ|.LE|.GT|.NE|.GE|.NUM|.NAN|.LTU|.EQU|.LEU|.GTU|.NEU|.GEU|.MAX]"
#define COMPARE_INT "[76|.F|.LT|.EQ|.LE|.GT|.NE|.GE|.T]"
#define ROUND78 "[78||.RM|.RP|.RZ]"
#define TO_INT                                                                                     \
    "(75:2=0 [72|.U8|.S8])(75:2=1 [72|.U16|.S16])(75:2=2 [72|.U32|])(75:2=3 [72|.U64|.S64])"
#define FROM_INT                                                                                   \
    "(84:2=0 [74|.U8|.S8])(84:2=1 [74|.U16|.S16])(84:2=2 [74|.U32|])(84:2=3 [74|.U64|.S64])"
/* A half operand's selection of halves. */
#define HALVES_A "[74||.F32|.H0_H0|.H1_H1]"

const struct smrf_row smrf_rows_arith[] = {
    {0x002, FORMS_TWO, ANY_ARCH, "MOV %d, %sx(72:4!15 , %x72:4)", NULL},
    {0x003, FORMS_TWO, ANY_ARCH, "P2R[76||.B1|.B2|.B3] %d, PR, %a, %sx", NULL},
    {0x004, FORMS_TWO, ANY_ARCH, "R2P PR, %a[76||.B1|.B2|.B3], %sx", NULL},
    {0x007, FORMS_TWO, ANY_ARCH, "SEL %d, %a, %sx, %q87", NULL},
    {0x008, FORMS_TWO, ANY_ARCH, "FSEL[80||.FTZ] %d, %a-|, %sf-|, %q87", NULL},
    {0x009, FORMS_TWO, ANY_ARCH, "FMNMX[80||.FTZ][81||.NAN][82||.XORSIGN] %d, %a-|, %sf-|, %q87",
     NULL},
    {0x00a, FORMS_TWO, ANY_ARCH,
     "FSET[71|.BF|]" COMPARE_FLOAT "[80||.FTZ]" BOOL74 " %d, %a-|, %sf-|, %q87", NULL},
    {0x00b, FORMS_TWO, ANY_ARCH,
     "FSETP" COMPARE_FLOAT "[80||.FTZ]" BOOL74 " %p81, %p84, %a-|, %sf-|, %q87", NULL},
    {0x00c, FORMS_TWO, ANY_ARCH,
     "ISETP" COMPARE_INT "[73|.U32|]" BOOL74 "[72||.EX] %p81, %p84, %a, %si, %q87(72=1 , %q68)",
     NULL},
    {0x010, FORMS_TWO, ANY_ARCH,
     "IADD3(74=0  %d,(81:3!7  %p81,)(84:3!7  %p84,) %a-, %bi-, %ci-)"
     "(74=1 .X %d,(81:3!7  %p81,)(84:3!7  %p84,) %a~, %bi~, %ci~, %q87, %q77)",
     NULL},
    {0x011, FORMS_THREE, ANY_ARCH,
     "LEA[80||.HI][74||.X][73||.SX32] %d,(81:3!7  %p81,)(74=0  %a-)(74=1  %a~), "
     "(9:3=2 %e)(9:3=3 %e)(9:3=7 %e)(9:3!2,9:3!3,9:3!7 (74=0 %bx-)(74=1 %bx~))"
     "(80=1,73=0 , %cx), %x75:5(74=1 , %q87)",
     NULL},
    {0x012, FORMS_TWO, ANY_ARCH, "LOP3.LUT[80||.PAND](81:3!7  %p81,) %d, %a, %sx, %e, %x72:8, %q87",
     NULL},
    {0x013, FORMS_TWO, ANY_ARCH, "IABS %d, %si", NULL},
    {0x014, FORMS_TWO, ANY_ARCH, "VABSDIFF[73|.U32|] %d, %a, %bi, %ci", NULL},
    {0x015, FORMS_TWO, ANY_ARCH, "VABSDIFF4[73|.U8|.S8][75||.ACC] %d, %a, %bi, %ci", NULL},
    {0x016, FORMS_THREE, ANY_ARCH, "PRMT[72||.F4E|.B4E|.RC8|.ECL|.ECR|.RC16] %d, %a, %bx, %cx",
     NULL},
    {0x017, FORMS_TWO, ANY_ARCH, "IMNMX[73|.U32|] %d, %a, %si, %q87", NULL},
    {0x019, FORMS_THREE, ANY_ARCH,
     "SHF[76|.L|.R][75||.W][73|.S64|.U64|.S32|.U32][80||.HI] %d, %a, %bx, %cx", NULL},
    {0x01a, FORMS_TWO, ANY_ARCH, "SGXT[75||.W][73|.U32|] %d, %a, %sx", NULL},
    {0x01b, FORMS_TWO, ANY_ARCH, "BMSK[75||.W] %d, %a, %sx", NULL},
    {0x01c, FORM(4), ANY_ARCH,
     "PLOP3.LUT %p81, %p84, %q87, %q77, (67=0 %q68)(67=1 %Q68), %L, %x16:8", NULL},
    {0x020, FORMS_TWO, ANY_ARCH,
     "FMUL[80||.FTZ][84|.INVALID0|.D8|.D4|.D2||.M2|.M4|.M8][76||.FMZ]" ROUND78
     "[77||.SAT] %d, %a-|, %sf-|",
     NULL},
    {0x021, FORMS_LAST, ANY_ARCH, "FADD[80||.FTZ]" ROUND78 "[77||.SAT] %d, %a-|, %kf-|", NULL},
    {0x022, FORM(4), ANY_ARCH, "FSWZADD[80||.FTZ]" ROUND78 "[77||.NDV] %d, %a, %e, %W", NULL},
    {0x023, FORMS_THREE, ANY_ARCH,
     "FFMA[80||.FTZ][76||.FMZ]" ROUND78 "[77||.SAT] %d, %a-|, %bf-|, %cf-|", NULL},
    {0x024, FORMS_THREE, ANY_ARCH, NULL, smrf_special_imad},
    {0x025, FORMS_THREE, ANY_ARCH,
     "IMAD.WIDE[73|.U32|](74=0  %d,(81:3!7  %p81,) %a, %bi, %ci-)"
     "(74=1 .X %d,(81:3!7  %p81,) %a, %bi, %ci~, %q87)",
     NULL},
    {0x027, FORMS_THREE, ANY_ARCH,
     "IMAD.HI[73|.U32|](74=0  %d,(81:3!7  %p81,) %a, %bi, %ci-)"
     "(74=1 .X %d,(81:3!7  %p81,) %a, %bi, %ci~, %q87)",
     NULL},
    {0x028, FORMS_TWO, ANY_ARCH, "DMUL" ROUND78 " %d, %a-|, %sd-|", NULL},
    {0x029, FORMS_LAST, ANY_ARCH, "DADD" ROUND78 " %d, %a-|, (9:3=1 %e-|)(9:3!1 %kd-|)", NULL},
    {0x02a, FORMS_LAST, ANY_ARCH, "DSETP" COMPARE_DOUBLE BOOL74 " %p81, %p84, %a-|, %kd-|, %q87",
     NULL},
    {0x02b, FORMS_THREE, ANY_ARCH, "DFMA" ROUND78 " %d, %a-|, %bd-|, %cd-|", NULL},
    {0x026, FORMS_TWO, ANY_ARCH,
     "IDP(76=0 .4A[73|.U8|.S8])(76=1 .2A[77|.LO|.HI][73|.U16|.S16])[74|.U8|.S8] %d, %a, %bi, %ci",
     NULL},
    {0x104, FORMS_TWO, ANY_ARCH,
     "F2F[80||.FTZ][75|.BF16|.F16|.F32|.F64][84|.INVALID0|.F16|.F32|.F64]" ROUND78 " %d, %sf-|",
     NULL},
    {0x110, FORMS_TWO, ANY_ARCH,
     "F2F[80||.FTZ][75|.INVALID0|.F16|.F32|.F64][84|.INVALID0|.F16|.F32|.F64]" ROUND78 " %d, %sd-|",
     NULL},
    {0x105, FORMS_TWO, ANY_ARCH,
     "F2I[80||.FTZ]" TO_INT
     "[84|.INVALID0|.F16||.F64][78||.FLOOR|.CEIL|.TRUNC][77||.NTZ] %d, %sf-|",
     NULL},
    {0x111, FORMS_TWO, ANY_ARCH,
     "F2I[80||.FTZ]" TO_INT
     "[84|.INVALID0|.F16||.F64][78||.FLOOR|.CEIL|.TRUNC][77||.NTZ] %d, %sd-|",
     NULL},
    {0x106, FORMS_TWO, ANY_ARCH,
     "I2F[75|.INVALID0|.F16||.F64]" FROM_INT ROUND78
     " %d, %si-|(84:2=0 [60||.B1|.B2|.B3])(84:2=1 [60||.H1|.INVALID2|.INVALID3])",
     NULL},
    {0x112, FORMS_TWO, ANY_ARCH,
     "I2F[75|.INVALID0|.F16||.F64]" FROM_INT ROUND78
     " %d, %si-|(84:2=0 [60||.B1|.B2|.B3])(84:2=1 [60||.H1|.INVALID2|.INVALID3])",
     NULL},
    {0x107, FORMS_TWO, ANY_ARCH,
     "FRND[80||.FTZ][84|.INVALID0|.F16||.F64][78||.FLOOR|.CEIL|.TRUNC] %d, %sf-|", NULL},
    {0x113, FORMS_TWO, ANY_ARCH,
     "FRND[80||.FTZ][84|.INVALID0|.F16||.F64][78||.FLOOR|.CEIL|.TRUNC] %d, %sd-|", NULL},
    {0x108, FORMS_TWO, ANY_ARCH,
     "MUFU[74|.COS|.SIN|.EX2|.LG2|.RCP|.RSQ|.RCP64H|.RSQ64H|.SQRT|.TANH|.INVALID10|.INVALID11|."
     "INVALID12|.INVALID13|.INVALID14|.INVALID15][73||.F16] %d, (74:4=6 %sd-|)(74:4=7 "
     "%sd-|)(75:3!3 %sf-|(73=1 [60||.H1|.INVALID2|.INVALID3]))",
     NULL},
    {0x038, FORMS_TWO, ANY_ARCH, "I2I[76|.U8|.S8|.U16|.S16].S32.SAT %d, %si", NULL},
    {0x100, FORMS_TWO, ANY_ARCH, "FLO[73|.U32|][74||.SH](81:3!7  %d, %p81,)(81:3=7  %d,) %si~",
     NULL},
    {0x101, FORMS_TWO, ANY_ARCH, "BREV %d, %sx", NULL},
    {0x109, FORMS_TWO, ANY_ARCH, "POPC %d, %sx~", NULL},
    {0x102, FORMS_TWO, ANY_ARCH, "FCHK[84||.DIVIDE] %p81, %a-|, %sf-|", NULL},
    {0x045, FORMS_TWO, SINCE_80, "I2FP.F32[74|.U32|.S32][78||.RM|.RP|.RZ] %d, %si-|", NULL},
    {0x039, FORMS_TWO, ANY_ARCH,
     "I2IP[76|.U|.S][77|8|16|2|4].S32.SAT %d, %a, %si, %e[72||.INVALID1|.24|.28]", NULL},
    {0x048, FORMS_TWO, ONLY_90, "VIMNMX[73|.U32|] %d, %a, %si, %q87", NULL},
    /* Newer than the disassembler that the tables were checked with. */
    {0x036, FORM(4) | FORM(5) | FORM(6), ONLY_90, "VIADD %d, %a, %si", NULL},
    {0x046, FORMS_THREE, ONLY_90, "VIADDMNMX[73|.U32|] %d, %a, %bi, %ci, %q87", NULL},
    {0x000, 0, 0, 0, NULL, NULL}};

/* Multiply-add under the names that tell what it is used for. */
void smrf_special_imad(struct smrf_decoding *d)
{
    const unsigned form = (unsigned)smrf_bits(d, 9, 3);
    const bool third = form == FORM_C_NUMBER || form == FORM_C_CONST || form == FORM_C_UREG;
    const unsigned a = (unsigned)smrf_bits(d, 24, 8);
    const uint32_t number = (uint32_t)smrf_bits(d, 32, 32);
    const bool b_zero =
        third ? smrf_bits(d, 64, 8) == RZ : form == FORM_REG && smrf_bits(d, 32, 8) == RZ;
    const bool c_zero = !third && smrf_bits(d, 64, 8) == RZ;
    const char *name = "";
    if (smrf_bits(d, 74, 1)) {
        smrf_put_row(d, "IMAD.X[73|.U32|] %d,(81:3!7  %p81,) %a, %bi, %ci~, %q87");
        return;
    }
    const bool is_copy = form == FORM_NUMBER && number == 1 && c_zero;
    if (is_copy || (a == RZ && b_zero && form != FORM_C_UREG)) {
        name = ".MOV";
    } else if (form == FORM_NUMBER && number == 1) {
        name = ".IADD";
    } else if (form == FORM_NUMBER && c_zero && number > 1 && number != 65536 &&
               number >> 31 == 0 && (number & (number - 1)) == 0) {
        name = ".SHL";
    }
    smrf_put(d, "IMAD%s", name);
    smrf_put_row(d, "[73|.U32|] %d,(81:3!7  %p81,) %a, %bi, %ci-");
}
