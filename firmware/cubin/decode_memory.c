/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores, atomics, barriers of memory, caches. */
#include "firmware/cubin/decode_internal.h"

#include <stddef.h>

#define SIZE73 "[73|.U8|.S8|.U16|.S16||.64|.128|.U.128]"
#define SIZE73_SHARED "[73|.U8|.S8|.U16|.S16||.64|.128|?]"
#define EVICT84 "[84|.EF||.EL|.LU|.EU|.NA|.INVALID6|.INVALID7]"
/* Scope is told always before sm_80, and since then where an order is. */
#define SCOPE_75 "[79|.CONSTANT||.STRONG|.MMIO][77|.CTA|.SM|.GPU|.SYS]"
#define SCOPE_80_BUT(weak)                                                                         \
    "[77||.CONSTANT.PRIVATE|.CONSTANT.CTA|.CONSTANT.CTA.PRIVATE|" weak                             \
    "|.STRONG.SM|.STRONG.GPU.PRIVATE|.STRONG.GPU|.MMIO.GPU|.CONSTANT.SM|.STRONG.SYS|"              \
    ".CONSTANT.SM.PRIVATE|.MMIO.SYS|.CONSTANT.VC|.CONSTANT.VC.PRIVATE|.CONSTANT.GPU]"
#define SCOPE_80 SCOPE_80_BUT(".STRONG.SM.PRIVATE")
#define SCOPE_80_LOAD SCOPE_80_BUT(".CONSTANT")
#define SCOPE_80_COPY                                                                              \
    "[77||.CONSTANT.PRIVATE|.CONSTANT.CTA|.CONSTANT.CTA.PRIVATE|.CONSTANT|.MMIO.CTA|.GPU.PRIVATE|" \
    ".MMIO.CTA.PRIVATE|.MMIO.SM|.CONSTANT.SM|.MMIO.VC|.CONSTANT.SM.PRIVATE|.MMIO.GPU|"             \
    ".CONSTANT.VC|.CONSTANT.VC.PRIVATE|.CONSTANT.GPU]"
#define PREFETCH68 "[68||.LTC64B|.LTC128B|.LTC256B]"
/* Predicate of a load, inverted number: 0 is PT. */
#define LOAD_PRED "(64:4!0 , %K64)"
#define FORMS_MEM (FORM(1) | FORM(4))
#define ATOM_SIZE "[73||.S32|.64|.F32.FTZ.RN|.F16x2.RN|.S64|.F64.RN|.BF16_V2.RN]"
#define BARRIER_SIZE "[73||.INVALID1|.INVALID2|.INVALID3|.INVALID4|.64|.INVALID6|.INVALID7]"
#define RED_OP "[87|.ADD|.MIN|.MAX|.INC|.DEC|.AND|.OR|.XOR]"
#define ATOM_OP "[87:4|.ADD|.MIN|.MAX|.INC|.DEC|.AND|.OR|.XOR|.EXCH|.SAFEADD]"

const struct smrf_row smrf_rows_memory[] = {
    {0x180, FORMS_MEM, ONLY_75,
     "LD[72||.E]" EVICT84 PREFETCH68 SIZE73 SCOPE_75 " %d, (91=1 %mg)(91=0 %mG)" LOAD_PRED, NULL},
    {0x180, FORMS_MEM, SINCE_80,
     "LD[72||.E]" EVICT84 PREFETCH68 SIZE73 SCOPE_80_LOAD " %d, (91=1 %mg)(91=0 %mG)" LOAD_PRED,
     NULL},
    {0x181, FORMS_MEM, ONLY_75,
     "LDG[72||.E]" EVICT84 PREFETCH68 SIZE73 SCOPE_75 "(81:3!7  %p81,) %d, %mg" LOAD_PRED, NULL},
    {0x181, FORMS_MEM, SINCE_80,
     "LDG[72||.E]" EVICT84 PREFETCH68 SIZE73 SCOPE_80_LOAD "(81:3!7  %p81,) %d, %mg" LOAD_PRED,
     NULL},
    {0x185, FORMS_MEM, ONLY_75,
     "ST[72||.E]" EVICT84 SIZE73 SCOPE_75 "(91=1  %mg64, %r32)(91=0  %mG, %e)", NULL},
    {0x185, FORMS_MEM, SINCE_80,
     "ST[72||.E]" EVICT84 SIZE73 SCOPE_80 "(91=1  %mg64, %r32)(91=0  %mG, %e)", NULL},
    {0x186, FORMS_MEM, ONLY_75, "STG[72||.E]" EVICT84 SIZE73 SCOPE_75 " %mg64, %r32", NULL},
    {0x186, FORMS_MEM, SINCE_80, "STG[72||.E]" EVICT84 SIZE73 SCOPE_80 " %mg64, %r32", NULL},
    {0x182, FORM(5), ANY_ARCH, "LDC[78||.IL|.IS|.ISL]" SIZE73_SHARED " %d, %mc", NULL},
    {0x183, FORMS_MEM, ANY_ARCH, "LDL" EVICT84 SIZE73_SHARED " %d, %ml", NULL},
    {0x187, FORMS_MEM, ANY_ARCH, "STL" EVICT84 SIZE73_SHARED " %ml64, %r32", NULL},
    {0x184, FORMS_MEM, ANY_ARCH, "LDS[76||.U]" SIZE73_SHARED " %d, %ms", NULL},
    {0x188, FORMS_MEM, ANY_ARCH, "STS" SIZE73_SHARED " %ms64, %r32", NULL},
    {0x18c, FORMS_MEM, ANY_ARCH, "ATOMS" ATOM_OP ATOM_SIZE " %d, %ms64, %r32", NULL},
    {0x18d, FORMS_MEM, ANY_ARCH,
     "ATOMS(87:4=0 .CAS)(87:4=3 .CAST.SPIN)[73||.S32|.64] %d, %ms, %r32, %e", NULL},
    {0x18f, FORMS_MEM, ANY_ARCH,
     "CCTL[72||.E][78||.U|.C|.I][87:4|.PF1|.PF2|.WB|.IV|.IVALL|.RS|.WBALL|.RSLB|.INVALID8|.PML2|."
     "DML2|.RML2|.IVALLP](87:4!4,87:4!6,87:4!12  %mg)",
     NULL},
    {0x192, FORM(4), ANY_ARCH,
     "MEMBAR[79|.SC|.ALL||.MMIO][76|.CTA|.SM|.GPU|.SYS|.INVALID4|.VC|.INVALID6|.INVALID7]", NULL},
    {0x1ab, FORM(4), ANY_ARCH, "ERRBAR", NULL},
    {0x1ae, FORM(7) | FORM(6) | FORM(4), SINCE_80,
     "LDGSTS[70||.E](81=0 "
     ".BYPASS)[84|.EF||.EL|.LU|.EU|.NA|.INVALID6|.INVALID7][71||.LTC64B|.LTC128B|.LTC256B][73|.U8|."
     "S8|.U16|.S16||.64|.128|.U.128]" SCOPE_80_COPY "[82||.ZFILL] %mp, %mq(87:4!7 , %q87)",
     NULL},
    {0x1af, FORM(4), SINCE_80, "LDGDEPBAR", NULL},
    {0x18a, FORMS_MEM, ONLY_75,
     "ATOM[72||.E]" ATOM_OP ATOM_SIZE "[79|.INVALID0||.STRONG|.INVALID3][77|.CTA|.SM|.GPU|.SYS]"
     " %p81, %d, %ma64, %r32",
     NULL},
    {0x1a8, FORMS_MEM, ONLY_75,
     "ATOMG[72||.E]" ATOM_OP ATOM_SIZE "[79|.INVALID0||.STRONG|.INVALID3][77|.CTA|.SM|.GPU|.SYS]"
     " %p81, %d, %ma64, %r32",
     NULL},
    {0x18b, FORMS_MEM, ONLY_75,
     "ATOM[72||.E].CAS[73||.S32|.64]"
     "[79|.INVALID0||.STRONG|.INVALID3][77|.CTA|.SM|.GPU|.SYS]"
     " %p81, %d, %mg, %r32, %e",
     NULL},
    {0x1a9, FORMS_MEM, ONLY_75,
     "ATOMG[72||.E].CAS[73||.S32|.64]"
     "[79|.INVALID0||.STRONG|.INVALID3][77|.CTA|.SM|.GPU|.SYS]"
     " %p81, %d, %mg, %r32, %e",
     NULL},
    {0x18e, FORMS_MEM, ONLY_75,
     "RED[72||.E]" RED_OP ATOM_SIZE "[79|.INVALID0||.STRONG|.INVALID3][77|.CTA|.SM|.GPU|.SYS]"
     " %mr64, %r32",
     NULL},
    {0x18a, FORMS_MEM, SINCE_80, "ATOM[72||.E]" ATOM_OP ATOM_SIZE SCOPE_80 " %p81, %d, %ma64, %r32",
     NULL},
    {0x1a8, FORMS_MEM, SINCE_80,
     "ATOMG[72||.E]" ATOM_OP ATOM_SIZE SCOPE_80 " %p81, %d, %ma64, %r32", NULL},
    {0x18b, FORMS_MEM, SINCE_80,
     "ATOM[72||.E].CAS[73||.S32|.64]" SCOPE_80 " %p81, %d, %mg, %r32, %e", NULL},
    {0x1a9, FORMS_MEM, SINCE_80,
     "ATOMG[72||.E].CAS[73||.S32|.64]" SCOPE_80 " %p81, %d, %mg, %r32, %e", NULL},
    {0x18e, FORMS_MEM, 80, 89, "RED[72||.E]" RED_OP ATOM_SIZE SCOPE_80 " %mr64, %r32", NULL},
    {0x18e, FORMS_MEM, ONLY_90, "REDG[72||.E]" RED_OP ATOM_SIZE SCOPE_80 " %mr64, %r32", NULL},
    {0x18c, FORM(7), 75, 89, "ATOMS[87:4|?|?|?|?|?|?|?|?|?|.ARRIVE.64|.POPC.INC.32] %d, %ms64",
     NULL},
    {0x18c, FORM(7), ONLY_90, "ATOMS[87:4|?|?|?|?|?|?|?|?|?|?|.ARRIVE.64|.POPC.INC.32] %d, %ms64",
     NULL},
    {0x1a6, FORMS_MEM, ONLY_90,
     "REDG[72||.E][88|.ADD|.MIN|.MAX|?][87||?][76|?|]" EVICT84 "[73|?|.F32.FTZ.RN|.F32x2.FTZ.RN|"
     ".F32x4.FTZ.RN|.F32.RN|.F32x2.RN|.F32x4.RN|.F64.RN]" SCOPE_80 " %mr64, %r32",
     NULL},
    {0x1aa, FORMS_MEM, ANY_ARCH, "QSPC[72||.E][73|.G|.L|.S|.INVALID3] %p81, %d, %mg", NULL},
    {0x1b0, FORM(4), 80, 89, "ARRIVES.LDGSTSBAR" BARRIER_SIZE " %ml64", NULL},
    {0x1b0, FORM(4), ONLY_90, "ARRIVES.LDGSTSBAR" BARRIER_SIZE "[70:2||.ARVCNT|.TRANSCNT] %ml64",
     NULL},
    {0x1ab, FORM(2), ONLY_90, "CGAERRBAR", NULL},
    {0x1a7, FORM(4), ONLY_90,
     "SYNCS[70:2|.ARRIVE|?|?|?].TRANS64[73:2||.TMASK|.RED][75||.OPTOUT]"
     "[84:3||.A1T0|.A0T1|.A0TR|.A0TX|.ART0] %d, %ml64, %r32",
     NULL},
    {0x1a7, FORM(2), ONLY_90, "SYNCS[70:2|?|.PHASECHK|?|?].TRANS64[72||.TRYWAIT] %p81, %ml64, %r32",
     NULL},
    {0x1b1, FORM(4), ONLY_90, "SYNCS.CCTL[73||?](91=0 .IVALL)(91=1 [72|.IV|.WB] %ml64)", NULL},
    {0x1b2, FORM(2), ONLY_90, "SYNCS[72:2|?|.EXCH|?|?].64 %u16, %mU, %u32", NULL},
    {0x000, 0, 0, 0, NULL, NULL}};
