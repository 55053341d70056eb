/* SPDX-License-Identifier: Apache-2.0 */
/* Branches, calls, barriers, special registers, votes. */
#include "firmware/cubin/decode_internal.h"

#include <stddef.h>

const struct smrf_row smrf_rows_control[] = {
    {0x118, FORM(4), ANY_ARCH, "NOP", NULL},
    {0x119, FORM(4), ANY_ARCH, "S2R %d, %S72", NULL},
    {0x1c3, FORM(4), ANY_ARCH, "S2UR %u16, %S72", NULL},
    {0x005, FORM(4), ANY_ARCH, "CS2R[80|.32|] %d, %S72", NULL},
    {0x006, FORM(4), ANY_ARCH, "VOTE[72|.ALL|.ANY|.EQ] (16:8!255 %d, )%p81, %q87", NULL},
    {0x086, FORM(4), ANY_ARCH, "@VOTEU[72|.ALL|.ANY|.EQ] (16:6!63 %u16, )%P81, %q87", NULL},
    {0x11c, FORM(1), ANY_ARCH, "B2R[78|.BAR|.RESULT](78=0  %d, %x54:4)(78=1  %d, %p81)", NULL},
    {0x1c2, FORM(1), ANY_ARCH, "R2UR %u16, %a", NULL},
    {0x1c4, FORM(1), SINCE_80, "REDUX[78|.AND|.OR|.XOR|.SUM|.MIN|.MAX](73=1 .S32) %u16, %a", NULL},
    {0x148, FORM(1) | FORM(4), ANY_ARCH, "WARPSYNC (87:4!7 %q87, )(9:3=1 %r32)(9:3=4 %x32:32)",
     NULL},
    {0x155, FORM(1) | FORM(4), ANY_ARCH, "BMOV[84|.64|.32].CLEAR %d, B%n24:4", NULL},
    {0x141, FORM(4), ANY_ARCH, "BSYNC (87:4!7 %q87, )B%n16:4", NULL},
    {0x142, FORM(4), ANY_ARCH, "BREAK (87:4!7 %q87, )B%n16:4", NULL},
    {0x145, FORM(4), ANY_ARCH, "BSSY (87:4!7 %q87, )B%n16:4, %t", NULL},
    {0x146, FORM(4), ANY_ARCH, "YIELD(87:4!7  %q87)", NULL},
    {0x147, FORM(4), ANY_ARCH, "BRA[32||.U|.DIV|.CONV] (87:4!7 %q87, )(91=1 (30=1 ~)%u24, )%t",
     NULL},
    {0x14d, FORM(4), ANY_ARCH, "EXIT[84||.KEEPREFCOUNT|.PREEMPTED|.INVALID3](87:4!7  %q87)", NULL},
    {0x144, FORM(4), ANY_ARCH, "CALL.REL[86||.NOINC] (87:4!7 %q87, )%t", NULL},
    {0x143, FORM(4), ANY_ARCH, "CALL.ABS[86||.NOINC] (87:4!7 %q87, )%T", NULL},
    {0x150, FORM(4), ANY_ARCH, "RET.REL[86||.NODEC] (87:4!7 %q87, )%a %t", NULL},
    {0x149, FORM(4), ANY_ARCH, "BRX (87:4!7 %q87, )%a %D", NULL},
    {0x11d, FORM(5), ANY_ARCH,
     "BAR[77|.SYNC|.ARV|.RED|.SCAN](77:2=2 [74|.POPC|.AND|.OR])[80||.DEFER_BLOCKING] "
     "%x54:4(42:12!0 , %x42:12)(77:2=2 , %q87)",
     NULL},
    {0x11a, FORM(4), ANY_ARCH, "DEPBAR[47||.LE] SB%n44:3, %x38:6(32:6!0 , %B)", NULL},
    {0x189, FORM(1), ANY_ARCH, "SHFL[58|.IDX|.UP|.DOWN|.BFLY] %p81, %d, %a, %r32, %e", NULL},
    {0x189, FORM(2), ANY_ARCH, "SHFL[58|.IDX|.UP|.DOWN|.BFLY] %p81, %d, %a, %r32, %x40:13", NULL},
    {0x189, FORM(4), ANY_ARCH, "SHFL[58|.IDX|.UP|.DOWN|.BFLY] %p81, %d, %a, %x53:5, %e", NULL},
    {0x189, FORM(7), ANY_ARCH, "SHFL[58|.IDX|.UP|.DOWN|.BFLY] %p81, %d, %a, %x53:5, %x40:13", NULL},
    {0x000, 0, 0, 0, NULL, NULL}};
