/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on uniform registers. A row that begins with @ has a uniform predicate as its guard.
 */
#include "firmware/cubin/decode_internal.h"

#include <stddef.h>

/* Second operand: register or number. */
#define UX "(9:3=4 %x32:32)(9:3!4 %u32)"
#define UI "(9:3=4 %i32:32)(9:3!4 %u32)"
#define FORMS_U (FORM(1) | FORM(4))

const struct smrf_row smrf_rows_uniform[] = {
    {0x082, FORM(4) | FORM(6), ANY_ARCH, "@UMOV %u16, " UX, NULL},
    {0x083, FORMS_U, ANY_ARCH, "@UP2UR[76||.B1|.B2|.B3] %u16, UPR, %u24, " UX, NULL},
    {0x087, FORMS_U, ANY_ARCH, "@USEL %u16, %u24, " UX ", %Q87", NULL},
    {0x08c, FORMS_U, ANY_ARCH,
     "@UISETP[76|.F|.LT|.EQ|.LE|.GT|.NE|.GE|.T][73|.U32|][74|.AND|.OR|.XOR][72||.EX] %P81, %P84, "
     "%u24, " UI ", %Q87(72=1 , %Q68)",
     NULL},
    {0x090, FORMS_U, ANY_ARCH,
     "@UIADD3(74=0  %u16,(81:3!7  %P81,)(84:3!7  %P84,) (72=1 -)%u24, (63=1,9:3!4 -)" UI
     ", (75=1 -)%u64)(74=1 .X %u16,(81:3!7  %P81,)(84:3!7  %P84,) (72=1 ~)%u24, (63=1,9:3!4 ~)" UI
     ", (75=1 ~)%u64, %Q87, %Q77)",
     NULL},
    {0x091, FORMS_U, ANY_ARCH,
     "@ULEA[80||.HI][74||.X][73||.SX32] %u16,(81:3!7  %P81,) (72=1 [74|-|~])%u24, (63=1,9:3!4 "
     "[74|-|~])" UX "(80=1,73=0 , %u64), %x75:5(74=1 , %Q87)",
     NULL},
    {0x092, FORMS_U, ANY_ARCH,
     "@ULOP3.LUT[80||.PAND](81:3!7  %P81,) %u16, %u24, " UX ", %u64, %x72:8, %Q87", NULL},
    {0x096, FORM(1) | FORM(2) | FORM(4), ANY_ARCH,
     "@UPRMT[72||.F4E|.B4E|.RC8|.ECL|.ECR|.RC16] %u16, %u24, (9:3=1 %u32, %u64)(9:3=4 %x32:32, "
     "%u64)(9:3=2 %u64, %x32:32)",
     NULL},
    {0x099, FORM(1) | FORM(2) | FORM(4), ANY_ARCH,
     "@USHF[76|.L|.R][75||.W][73|.S64|.U64|.S32|.U32][80||.HI] %u16, %u24, (9:3=1 %u32, "
     "%u64)(9:3=4 %x32:32, %u64)(9:3=2 %u64, %x32:32)",
     NULL},
    {0x09a, FORMS_U, ANY_ARCH, "@USGXT[75||.W][73|.U32|] %u16, %u24, " UX, NULL},
    {0x09b, FORMS_U, ANY_ARCH, "@UBMSK[75||.W] %u16, %u24, " UX, NULL},
    {0x09c, FORM(4), ANY_ARCH, "@UPLOP3.LUT %P81, %P84, %Q87, %Q77, %Q68, %L, %x16:8", NULL},
    {0x0a4, FORM(1) | FORM(2) | FORM(4), ANY_ARCH,
     "@UIMAD(74=0 [73|.U32|] )(74=1 .X[73|.U32|] )%u16, (81:3!7 %P81, )%u24, (9:3=1 %u32, )(9:3=4 "
     "%i32:32, )(9:3=2 %u64, )(9:3!2 (75=1 [74|-|~])%u64)(9:3=2 %i32:32)(74=1 , %Q87)",
     NULL},
    {0x0a5, FORM(1) | FORM(2) | FORM(4), ANY_ARCH,
     "@UIMAD.WIDE(74=0 [73|.U32|] )(74=1 [73|.U32|].X )%u16, (81:3!7 %P81, )%u24, (9:3=1 %u32, "
     ")(9:3=4 %i32:32, )(9:3=2 %u64, )(9:3!2 (75=1 [74|-|~])%u64)(9:3=2 %i32:32)(74=1 , %Q87)",
     NULL},
    {0x0a7, FORM(1) | FORM(2) | FORM(4), ANY_ARCH,
     "@UIMAD.HI(74=0 [73|.U32|] )(74=1 [73|.U32|].X )%u16, (81:3!7 %P81, )%u24, (9:3=1 %u32, "
     ")(9:3=4 %i32:32, )(9:3=2 %u64, )(9:3!2 (75=1 [74|-|~])%u64)(9:3=2 %i32:32)(74=1 , %Q87)",
     NULL},
    {0x0b9, FORM(5), ANY_ARCH, "@ULDC[73|.U8|.S8|.U16|.S16||.64|.INVALID6|.INVALID7] %u16, %z38",
     NULL},
    {0x0bb, FORM(5), ANY_ARCH, "@ULDC[73|.U8|.S8|.U16|.S16||.64|.INVALID6|.INVALID7] %u16, %mu",
     NULL},
    {0x0bd, FORMS_U | FORM(6), ANY_ARCH, "@UFLO[73|.U32|][74||.SH] %u16, (63=1 ~)" UX, NULL},
    {0x0be, FORMS_U | FORM(6), ANY_ARCH, "@UBREV %u16, " UX, NULL},
    {0x0bf, FORMS_U | FORM(6), ANY_ARCH, "@UPOPC %u16, (63=1 ~)" UX, NULL},
    {0x000, 0, 0, 0, NULL, NULL}};
