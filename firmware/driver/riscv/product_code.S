/* SPDX-License-Identifier: Apache-2.0 */
/* The machine code of product.cu, among the core's own data. */
    .section .rodata
    .globl product_code, product_code_end
    .balign 4
product_code:
    .incbin "firmware/driver/product.cubin"
    .balign 4
product_code_end:
