/* SPDX-License-Identifier: Apache-2.0 */
/* Start and trap entry of a bare RV64 core in machine mode. */
    .section .text.start
    .globl _start
_start:
    la sp, stack_top
    la t0, trap
    csrw mtvec, t0
    li t0, 1 << 11 /* machine external interrupts */
    csrw mie, t0
    csrsi mstatus, 8
    call main
    .globl ended
ended: /* the result stands in a0 */
    j ended

    .balign 4
trap:
    addi sp, sp, -16 * 8
    sd ra, 0(sp)
    sd t0, 8(sp)
    sd t1, 16(sp)
    sd t2, 24(sp)
    sd a0, 32(sp)
    sd a1, 40(sp)
    sd a2, 48(sp)
    sd a3, 56(sp)
    sd a4, 64(sp)
    sd a5, 72(sp)
    sd a6, 80(sp)
    sd a7, 88(sp)
    sd t3, 96(sp)
    sd t4, 104(sp)
    sd t5, 112(sp)
    sd t6, 120(sp)
    call interrupt
    ld ra, 0(sp)
    ld t0, 8(sp)
    ld t1, 16(sp)
    ld t2, 24(sp)
    ld a0, 32(sp)
    ld a1, 40(sp)
    ld a2, 48(sp)
    ld a3, 56(sp)
    ld a4, 64(sp)
    ld a5, 72(sp)
    ld a6, 80(sp)
    ld a7, 88(sp)
    ld t3, 96(sp)
    ld t4, 104(sp)
    ld t5, 112(sp)
    ld t6, 120(sp)
    addi sp, sp, 16 * 8
    mret
