/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction's encoding as text: what nvdisasm prints of it. An instruction has 128 bits in
 * two words. Bits 0 to 8 are the operation, 9 to 11 where its operands come from, 12 to 15 the
 * guard, 16 to 71 registers, numbers and constants, 72 to 104 what the operation's table tells, 105
 * to 125 the compiler's orders to the issue stage. Learned from the listings of the suite and, bit
 * by bit, from what the disassembler makes of encodings. */
#ifndef SMRF_CUBIN_DECODE_H
#define SMRF_CUBIN_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_DECODE_TEXT_BYTES 512 /* longest text of an instruction, references apart */

struct smrf_encoding {
    uint64_t low, high;
};

/* Writes the instruction without ';' to text. arch: 75, 80, 86, 87, 89 or 90. address: offset in
 * the section, from which branches count. reference: what a relocation puts in the place of the
 * number, the constant's address or the target, NULL = nothing. False: no instruction of this
 * architecture that can be executed; text is then its opcode, or "UNKNOWN". */
bool smrf_decode(unsigned arch, struct smrf_encoding code, uint64_t address, const char *reference,
                 char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
