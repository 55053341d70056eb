/* SPDX-License-Identifier: Apache-2.0 */
/* Textures and surfaces. The header is named by a word of a constant bank (form 5), by a uniform
 * register (form 7), or, of the operations called bindless here, by a register. */
#include "firmware/cubin/decode_internal.h"

#include <stddef.h>

#define DIMS61 "[61:3|1D|2D|3D|CUBE|ARRAY_1D|ARRAY_2D|?|ARRAY_CUBE]"
#define DIMS61_NO_CUBE "[61:3|1D|2D|3D|?|ARRAY_1D|ARRAY_2D|?|?]"
#define DIMS61_GATHER "[61:3|?|2D|?|CUBE|?|ARRAY_2D|?|ARRAY_CUBE]"
#define LOD87 "[87:3||.LZ|.LB|.LL|.LC|.LB.LC|.LC.FDV|?]"
#define EVICT84 "[84|.EF||.EL|.LU|.EU|.NA|?|?]"
#define HALVES79 "[79:2||.F16.RN|.F16.RZ|?]"
/* Word of a bank, or uniform register and what is added. */
#define NAMED "[59||?](9:3=5 , %x54:5, %x40:14)(9:3=7 , %u40, %x46:8)"
#define SURFACE_NAMED "(9:3=5 , %x54:5, %x40:14)(9:3=7 , %u40, %x46:8)"
#define PRED81 "(81:3!7  %p81,)"
#define MASK72 "(72:4!15 , %x72:4)"
/* Two rows of destinations, then coordinates and what else there is. */
#define RESULTS PRED81 " %R64, %d, %R24"
#define MORE "(32:8!255 , %R32)"
#define FORMS_NAMED (FORM(5) | FORM(7))

#define TEX_AFTER "[76||.AOFFI][78||.DC]" EVICT84 "[77||.NDV][90||.NODEP]" RESULTS
#define TLD_AFTER                                                                                  \
    HALVES79 "[87:3|?|.LZ|?|.LL|?|?|?|?][76||.AOFFI][78||.MS][77||.CL]" EVICT84                    \
             "[90||.NODEP]" RESULTS
#define TLD4_AFTER HALVES79 "[76||.AOFFI][77||.PTP][78||.DC]" EVICT84 "[90||.NODEP]" RESULTS
#define TXD_AFTER HALVES79 "[87||.LC][76||.AOFFI]" EVICT84 "[90||.NODEP]" RESULTS

#define SURFACE                                                                                    \
    ".D[72||.BA][61:3|.1D|.1D_BUFFER|.1D_ARRAY|.2D|.2D_ARRAY|.3D|?|?]" EVICT84                     \
    "[73|.U8|.S8|.U16|.S16||.64|.128|?]"
#define SCOPE_75 "[79|?||.STRONG|.MMIO][77|.CTA|.SM|.GPU|.SYS][76||.PRIVATE]"
#define SCOPE_80                                                                                   \
    "[77||?|?|?|?|.STRONG.SM|.STRONG.GPU.PRIVATE|.STRONG.GPU|.MMIO.GPU|?|"                         \
    ".STRONG.SYS|?|.MMIO.SYS|?|?|?]"
/* A constant's form is another one here. */
#define REDUCED                                                                                    \
    ".D[72||.BA][61:3|.1D|.1D_BUFFER|.1D_ARRAY|.2D|.2D_ARRAY|.3D|?|?]"                             \
    "[87|.ADD|.MIN|.MAX|.INC|.DEC|.AND|.OR|.XOR]" EVICT84 "[73||.S32|.64|?|?|?|?|?]"
#define REDUCED_NAMED " {%R24}, %R32(9:3=2 , %x54:5, %x40:14)(9:3=7 , %u40, %x46:8)"
#define OUTSIDE "[59:2|.IGN||.TRAP|?]"

const struct smrf_row smrf_rows_texture[] = {
    {0x160, FORMS_NAMED, ANY_ARCH,
     "TEX[60||.SCR]" HALVES79 LOD87 TEX_AFTER MORE NAMED ", " DIMS61 MASK72, NULL},
    {0x161, FORM(1), ANY_ARCH, "TEX[60||.SCR].B" HALVES79 LOD87 TEX_AFTER MORE ", " DIMS61 MASK72,
     NULL},
    {0x166, FORMS_NAMED, ANY_ARCH, "TLD[60||.SCR]" TLD_AFTER MORE NAMED ", " DIMS61_NO_CUBE MASK72,
     NULL},
    {0x167, FORM(1), ANY_ARCH, "TLD[60||.SCR].B" TLD_AFTER MORE ", " DIMS61_NO_CUBE MASK72, NULL},
    {0x163, FORMS_NAMED, ANY_ARCH,
     "TLD4[60||.SCR][87|.R|.G|.B|.A]" TLD4_AFTER MORE NAMED ", " DIMS61_GATHER MASK72, NULL},
    {0x164, FORM(1), ANY_ARCH,
     "TLD4[60||.SCR][87|.R|.G|.B|.A].B" TLD4_AFTER MORE ", " DIMS61_GATHER MASK72, NULL},
    {0x16c, FORMS_NAMED, ANY_ARCH,
     "TXD" TXD_AFTER ", %R32" NAMED ", [61:3|1D|2D|?|?|ARRAY_1D|ARRAY_2D|?|?]" MASK72, NULL},
    {0x16d, FORM(1), ANY_ARCH,
     "TXD.B" TXD_AFTER ", %R32, [61:3|1D|2D|?|?|ARRAY_1D|ARRAY_2D|?|?]" MASK72, NULL},
    {0x16f, FORMS_NAMED, ANY_ARCH,
     "TXQ[90||.NODEP] %R64, %d, %R24, "
     "[62:2|TEX_HEADER_DIMENSION|TEX_HEADER_TEXTURE_TYPE|TEX_HEADER_SAMPLER_POS|?]" NAMED
     ", %x72:4",
     NULL},
    {0x199, FORMS_NAMED, ONLY_75,
     "SULD" SURFACE SCOPE_75 OUTSIDE PRED81 " %d, {%R24}" SURFACE_NAMED, NULL},
    {0x199, FORMS_NAMED, SINCE_80,
     "SULD" SURFACE SCOPE_80 OUTSIDE PRED81 " %d, {%R24}" SURFACE_NAMED, NULL},
    {0x19a, FORM(4), ONLY_75, "SULD" SURFACE SCOPE_75 OUTSIDE PRED81 " %d, {%R24}, %R64", NULL},
    {0x19a, FORM(4), SINCE_80, "SULD" SURFACE SCOPE_80 OUTSIDE PRED81 " %d, {%R24}, %R64", NULL},
    {0x19d, FORMS_NAMED, ONLY_75, "SUST" SURFACE SCOPE_75 OUTSIDE " {%R24}, %R32" SURFACE_NAMED,
     NULL},
    {0x19d, FORMS_NAMED, SINCE_80, "SUST" SURFACE SCOPE_80 OUTSIDE " {%R24}, %R32" SURFACE_NAMED,
     NULL},
    {0x19e, FORM(4), ONLY_75, "SUST" SURFACE SCOPE_75 OUTSIDE " {%R24}, %R32, %R64", NULL},
    {0x19e, FORM(4), SINCE_80, "SUST" SURFACE SCOPE_80 OUTSIDE " {%R24}, %R32, %R64", NULL},
    {0x19f, FORM(2) | FORM(7), ONLY_75, "SURED" REDUCED SCOPE_75 OUTSIDE REDUCED_NAMED, NULL},
    {0x19f, FORM(2) | FORM(7), SINCE_80, "SURED" REDUCED SCOPE_80 OUTSIDE REDUCED_NAMED, NULL},
    {0x000, 0, 0, 0, NULL, NULL}};
