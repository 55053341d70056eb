/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the decoder: the tables' form, and what writes an operand.
 *
 * A row of a table is an operation and how it is printed. In the text of a row stand for themselves
 * all characters but these:
 *   [P|a|b|..]  the field of bits from P on selects; as wide as the choices need, or P:W wide. A
 *               choice that is missing prints as .INVALIDn
 *   (P=V text)  the text, if the field from P on has the value V; P:W=V wider than a bit, ! instead
 *               of = for unless. Several conditions: (P=V,Q!W text)
 *   %X..        an operand. Letters below; digits are the bit where it lies; behind it - | ~ if it
 *               can be negated, absolute or inverted, by the bits that belong to its place
 *     a d r<P>  register at bit 24, 16 or P          e          register at bit 64
 *     R<P>      register at P that is never kept
 *     A         register of halves at bit 24
 *     u<P>      uniform register at P
 *     p<P> q<P> predicate at P; q: with an inversion bit behind it; P<P> Q<P> uniform
 *     b c s k   operand that the form chooses: second, third, or the only one beside the first,
 *               in the place of the second or (k) third; then its type:
 *               i number with sign, x without, f float, d double, h two halves
 *     x<P>:<W>  number in hexadecimal, i: with sign, n: decimal
 *     z<P>      a constant's address c[..][..] at P, Z: of a uniform operation with 64 bits
 *     L         table of a logical operation of predicates, bits 64 to 66 and 72 to 76
 *     m..       an address, see decode_address.c
 *     S<P>      special register
 *     t y T D   target of a branch: by distance, by a shorter one, absolute, the distance itself
 *     B         set of counters, bits 32 to 37: {4,3,2} */
#ifndef SMRF_CUBIN_DECODE_INTERNAL_H
#define SMRF_CUBIN_DECODE_INTERNAL_H

#include "firmware/cubin/decode.h"

enum smrf_form {
    FORM_REG = 1,
    FORM_C_NUMBER,
    FORM_C_CONST,
    FORM_NUMBER,
    FORM_CONST,
    FORM_UREG,
    FORM_C_UREG
};

struct smrf_decoding {
    unsigned arch;
    struct smrf_encoding code;
    uint64_t address;
    const char *reference; /* NULL, or not yet printed */
    char *text;
    size_t size, length;
    bool bad; /* a choice that does not exist, or no room */
};

typedef void smrf_special(struct smrf_decoding *d);

struct smrf_row {
    uint16_t op;         /* bits 0 to 8 */
    uint8_t forms;       /* bit n: form n exists */
    uint8_t least, most; /* architectures */
    const char *text;
    smrf_special *special; /* instead of text */
};

#define ANY_ARCH 75, 90
#define SINCE_80 80, 90
#define ONLY_75 75, 75
#define ONLY_90 90, 90
#define FORM(n) (1u << (n))
/* Register, number, constant or uniform register as the second operand; of three, also the third.
 */
#define FORMS_TWO (FORM(1) | FORM(4) | FORM(5) | FORM(6))
#define FORMS_LAST (FORM(1) | FORM(2) | FORM(3) | FORM(7))
#define FORMS_THREE 0xfeu

extern const struct smrf_row smrf_rows_arith[], smrf_rows_memory[], smrf_rows_control[],
    smrf_rows_tensor[], smrf_rows_uniform[], smrf_rows_texture[];

/* `width` bits from `first` on. */
uint64_t smrf_bits(const struct smrf_decoding *d, unsigned first, unsigned width);
/* The opcode of what no row of the tables prints, "UNKNOWN" if that is not known either. */
const char *smrf_decode_refused(const struct smrf_decoding *d);
void smrf_put(struct smrf_decoding *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Prints by a row's text. */
void smrf_put_row(struct smrf_decoding *d, const char *text);

/* reuse: bit of the hint that the operand is kept, 0 = none. */
void smrf_put_reg_kept(struct smrf_decoding *d, unsigned at, const char *flags, unsigned reuse);
void smrf_put_reg(struct smrf_decoding *d, unsigned at, const char *flags);
void smrf_put_ureg(struct smrf_decoding *d, unsigned at);
void smrf_put_pred(struct smrf_decoding *d, unsigned at, bool can_invert, bool uniform);
/* The operand in the place that the form names; type: i x f d h v. */
/* A register or constant of two halves, with what is taken of it. */
void smrf_put_halves(struct smrf_decoding *d, unsigned at, unsigned reuse);
void smrf_put_slot(struct smrf_decoding *d, char type, const char *flags, unsigned reuse);
void smrf_put_float(struct smrf_decoding *d, double value, bool quiet);
void smrf_put_hex(struct smrf_decoding *d, uint64_t value, unsigned width, bool has_sign);
void smrf_put_const(struct smrf_decoding *d, unsigned at);
/* A special register: SR_TID.X. */
void smrf_put_special(struct smrf_decoding *d, unsigned at);
/* Reads the digits at *text. */
unsigned smrf_number(const char **text);
/* decode_address.c: the letters behind m. */
void smrf_put_address(struct smrf_decoding *d, const char **letters);
/* kind: t from the next instruction on, T absolute, D the distance itself. */
void smrf_put_target(struct smrf_decoding *d, char kind);

smrf_special smrf_special_imad;

#endif
