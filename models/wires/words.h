/* SPDX-License-Identifier: Apache-2.0 */
/* How what passes on the wires looks in the payloads of TLM sockets: 32-bit words, and addresses
 * that name an instruction in flight and one of its operands. */
#ifndef SMRF_WORDS_H
#define SMRF_WORDS_H

#include "wires.h"

#include "models/flight/flight.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Address of operand i of an instruction: 128 bytes each, 32 of them an instruction. The last is no
 * operand but the mask of those that the operand cache does not hold. */
#define SMRF_OPERAND_MASK 31
#define SMRF_OPERANDS_SPAN ((uint64_t)32 * SMRF_WARP_REG_BYTES)

/* Port D, results that no bank takes: behind those that one has taken. */
#define SMRF_OPERAND_ALONE SMRF_MAX_DST

/* What a mechanism evicts, as it is read at its token: 32 lanes, the mask of those that are
 * written, the version. */
#define SMRF_EVICTION_WORDS (SMRF_LANES + 2)

/* A question to the mapping controller: which one, the space, the lanes, their addresses (two words
 * each, low first); and its answer: verdict, delay, collector, where each destination lies, and
 * where each part of each destination comes from, its lanes and its shift. */
#define SMRF_QUESTION_WORDS (3 + 2 * SMRF_LANES)
#define SMRF_ANSWER_WORDS (3 + SMRF_MAX_DST + SMRF_MERGED_ROW * 2 * 3)

/* The word that a target answers with: yes or no. */
#define SMRF_WORD_YES 1
#define SMRF_WORD_NO 0

/* Results to the issue stage: an instruction's number is written to the address of a register that
 * is usable (4 bytes each), or behind all registers: the instruction has left the SM, without or
 * with all its destinations becoming usable. */
#define SMRF_RESULT_RETIRED UINT64_C(0x10000)
#define SMRF_RESULT_SETTLED UINT64_C(0x10004)

/* Memory answers to the issue stage: a signed number of write answers is written to the address of
 * its warp (4 bytes each), or an atomic's number in flight behind all warps. */
#define SMRF_ANSWERED_ATOMIC ((uint64_t)4 * SMRF_MAX_WARPS)

/* Loads to write-back, by instruction: a read offers its results and answers whether the banks took
 * them; a write says that they are due without ports. */
#define SMRF_LOAD_SPAN 16
#define SMRF_LOAD_OFFER 0
#define SMRF_LOAD_LAST_OFFER 4
#define SMRF_LOAD_PORTLESS 8

/* A line of code for a sub-core's instruction cache, where an instruction waits for it: above the
 * addresses of those that are fetched ahead. */
#define SMRF_LINE_AWAITED (UINT64_C(1) << 32)

static inline uint32_t smrf_word_of_place(struct smrf_register_place at)
{
    return at.row | (uint32_t)at.bank << 16;
}

static inline struct smrf_register_place smrf_place_of_word(uint32_t word)
{
    const struct smrf_register_place at = {(uint16_t)(word & 0xffff), (uint8_t)(word >> 16)};
    return at;
}

static inline uint64_t smrf_operand_address(uint32_t flight, unsigned i)
{
    return flight * SMRF_OPERANDS_SPAN + i * (uint64_t)SMRF_WARP_REG_BYTES;
}

static inline uint64_t smrf_flight_of_address(uint64_t address)
{
    return address / SMRF_OPERANDS_SPAN;
}

static inline unsigned smrf_operand_of_address(uint64_t address)
{
    return (unsigned)(address % SMRF_OPERANDS_SPAN / SMRF_WARP_REG_BYTES);
}

#ifdef __cplusplus
}
#endif

#endif
