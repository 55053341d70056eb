/* SPDX-License-Identifier: Apache-2.0 */
#include "models/memory/map.h"

#define CHUNK_LINES 2u     /* Accel-Sim: dramid@8 */
#define POLYNOMIAL 0x100bu /* x^16 + x^12 + x^3 + x + 1 without its highest term */

/* For 2^i sets or slices: a primitive polynomial of degree i without its highest term, those of 16,
 * 32 and 64 Accel-Sim's; and how many bits of a line's number it uses (all of them where Accel-Sim
 * has no hash of that size). */
static const struct {
    uint16_t polynomial;
    uint8_t bits;
} HASH[17] = {{0, 64},    {1, 64},    {3, 64},     {3, 64},    {3, 17},     {5, 20},
              {3, 25},    {3, 64},    {0x1d, 64},  {0x11, 64}, {9, 64},     {5, 64},
              {0x53, 64}, {0x1b, 64}, {0x443, 64}, {3, 64},    {0x100b, 64}};

static uint32_t log2_(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

/* A remainder of `bits` bits; not hashed: the low bits themselves. What each bit of a number adds
 * to it: x times what the bit below it adds; from them what each value of a byte adds. */
static void init_remainder_(struct smrf_map_remainder *r, uint32_t bits, bool hashed)
{
    const uint32_t sets = 1u << bits;
    const uint32_t modulus = sets | HASH[bits].polynomial;
    uint32_t adds = 1;

    r->mask = ~UINT64_C(0) >> (hashed ? 64 - HASH[bits].bits : 0);
    for (uint32_t bit = 0; bit < 64; bit++) {
        if (adds & sets) {
            adds = hashed ? adds ^ modulus : 0;
        }
        for (uint32_t value = 0; value < 256; value++) {
            r->of[bit / 8][value] ^= (uint16_t)(value >> bit % 8 & 1 ? adds : 0);
        }
        adds <<= 1;
    }
}

static uint32_t remainder_of_(const struct smrf_map_remainder *r, uint64_t number)
{
    uint32_t rest = 0;

    number &= r->mask;
    for (uint32_t byte = 0; number; byte++, number >>= 8) {
        rest ^= r->of[byte][number & 0xff];
    }
    return rest;
}

void smrf_map_init(struct smrf_map *map, const struct smrf_memory_config *cfg)
{
    uint32_t bank_bits = log2_(cfg->dram.banks);

    *map = (struct smrf_map){.channels = cfg->dram.channels,
                             .slices = cfg->l2.slices,
                             .per_channel = cfg->l2.slices / cfg->dram.channels,
                             .bank_low_bits = bank_bits ? 1 : 0,
                             .bank_high_bits = bank_bits ? bank_bits - 1 : 0,
                             .column_bits = log2_(cfg->dram.open_bytes / SMRF_LINE_BYTES),
                             .piece_bits = log2_(cfg->l2.slice_bytes / SMRF_LINE_BYTES),
                             .hashed_bank = cfg->dram.bank_hash,
                             .row_mask = (UINT64_C(1) << cfg->dram.row_bits) - 1,
                             .rotate = cfg->l2.hash == SMRF_HASH_IPOLY,
                             .fold = cfg->l2.hash == SMRF_HASH_ACCELSIM};
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t r = byte << 8;

        for (int bit = 0; bit < 8; bit++) {
            r = r & 0x8000u ? r << 1 ^ POLYNOMIAL : r << 1;
        }
        map->remainder[byte] = (uint16_t)r;
    }
    init_remainder_(&map->set, log2_(cfg->l2.sets), cfg->l2.set_hash == SMRF_HASH_IPOLY);
    if (map->fold) {
        init_remainder_(&map->slice, log2_(map->slices), true);
    }
}

/* Remainder of number x x^16, the coefficients of a polynomial being the bits of `number`: that
 * factor makes small numbers too reach every bit. */
static uint32_t remainder_(const struct smrf_map *map, uint64_t number)
{
    uint32_t r = 0;

    if (number) {
        for (int shift = (63 - __builtin_clzll(number)) & ~7; shift >= 0; shift -= 8) {
            r = (r << 8 & 0xff00u) ^ map->remainder[r >> 8 ^ (number >> shift & 0xffu)];
        }
    }
    return r;
}

/* accelsim: what a slice's number is combined with, from the number of a line in it. */
static uint32_t fold_(const struct smrf_map *map, uint64_t line)
{
    return map->fold ? remainder_of_(&map->slice, line / CHUNK_LINES * map->slices) : 0;
}

struct smrf_place smrf_map_slice(const struct smrf_map *map, uint64_t address)
{
    uint64_t line = address / SMRF_LINE_BYTES;
    uint64_t in_line = address % SMRF_LINE_BYTES;
    const uint64_t in_piece = (UINT64_C(1) << map->piece_bits) - 1;
    uint64_t chunk, piece, local;
    uint32_t slice;

    if (map->rotate) {
        const uint64_t round = (line >> map->piece_bits) / map->slices;
        piece = (line >> map->piece_bits) % map->slices;
        local = round << map->piece_bits | (line & in_piece);
        slice = (uint32_t)((piece + remainder_(map, round)) % map->slices);
    } else {
        chunk = line / CHUNK_LINES;
        line = chunk / map->channels * CHUNK_LINES + line % CHUNK_LINES;
        piece = line >> map->piece_bits;
        local = (piece / map->per_channel << map->piece_bits) | (line & in_piece);
        slice = (uint32_t)(chunk % map->channels * map->per_channel + piece % map->per_channel) ^
                fold_(map, local);
    }
    return (struct smrf_place){.slice = slice, .local = local * SMRF_LINE_BYTES + in_line};
}

struct smrf_dram_place smrf_map_dram(const struct smrf_map *map, uint32_t slice, uint64_t local)
{
    uint64_t line = local / SMRF_LINE_BYTES;
    uint64_t piece = (line >> map->piece_bits) * map->per_channel +
                     (slice ^ fold_(map, line)) % map->per_channel;
    uint32_t low = (uint32_t)piece & ((1u << map->bank_low_bits) - 1);
    uint32_t high, bank;
    uint64_t row;

    piece >>= map->bank_low_bits + map->column_bits - map->piece_bits;
    high = (uint32_t)piece & ((1u << map->bank_high_bits) - 1);
    row = piece >> map->bank_high_bits & map->row_mask;
    bank = high << map->bank_low_bits | low;
    if (map->hashed_bank) {
        bank ^= (uint32_t)row & ((1u << (map->bank_low_bits + map->bank_high_bits)) - 1);
    }
    return (struct smrf_dram_place){.channel = slice / map->per_channel, .bank = bank, .row = row};
}

uint32_t smrf_map_set(const struct smrf_map *map, uint64_t local)
{
    return remainder_of_(&map->set, local / SMRF_LINE_BYTES);
}
