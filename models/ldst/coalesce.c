/* SPDX-License-Identifier: Apache-2.0 */
#include "models/ldst/coalesce.h"

#include "models/common/smrf_assert.h"
#include "models/common/smrf_bits.h"

#include <string.h>

#define SECTOR_MASK ((uint64_t)SMRF_SECTOR_BYTES - 1)
#define WINDOW_BYTES (UINT64_C(16) << 20) /* of a generic-address window */
#define WORD_SLOTS 512                    /* power of two above SMRF_MAX_SECTORS words */

static uint32_t lowest_(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

/* Addresses of the active lanes, in order of lanes, from any representation. room: space for them.
 */
static const uint64_t *addresses_(const struct smrf_inst *in, uint64_t *room)
{
    uint32_t n = 0;

    if (in->addr_kind == SMRF_ADDR_STRIDE) {
        uint32_t lanes = smrf_count_bits(in->mask);

        for (; n < lanes; n++) {
            room[n] = in->base + n * (uint64_t)in->stride;
        }
        return room;
    }
    if (in->mask == UINT32_MAX) {
        return smrf_inst_list(in, room);
    }
    for (uint32_t m = in->mask; m; m &= m - 1) {
        room[n++] = smrf_inst_address(in, lowest_(m));
    }
    return room;
}

uint64_t smrf_first_address(const struct smrf_inst *in)
{
    return in->addr_kind == SMRF_ADDR_STRIDE ? in->base : smrf_inst_address(in, lowest_(in->mask));
}

/* Sectors in ascending order. */
struct sectors_ {
    struct smrf_sector *out;
    uint32_t n;
    uint32_t at; /* the one that was added last */
};

/* Add bytes of a sector, wherever it is. */
static void insert_(struct sectors_ *s, uint64_t address, uint32_t bytes)
{
    uint32_t i = s->n;

    while (i > 0 && s->out[i - 1].address > address) {
        i--;
    }
    if (i > 0 && s->out[i - 1].address == address) {
        s->out[i - 1].bytes |= bytes;
        s->at = i - 1;
        return;
    }
    SMRF_ASSERT(s->n < SMRF_MAX_SECTORS);
    memmove(&s->out[i + 1], &s->out[i], (s->n - i) * sizeof(*s->out));
    s->out[i] = (struct smrf_sector){.address = address, .bytes = bytes};
    s->at = i;
    s->n++;
}

/* The same. Most lists arrive in order, or go through the same sectors again, so it is most often
 * the sector of the lane before, or the one behind it, which may be new. */
static inline void add_(struct sectors_ *s, uint64_t address, uint32_t bytes)
{
    struct smrf_sector *last = &s->out[s->at];

    if (s->n > 0 && last->address == address) {
        last->bytes |= bytes;
    } else if (s->at + 1 < s->n && last[1].address == address) {
        last[1].bytes |= bytes;
        s->at++;
    } else if (s->n == 0 || (s->at + 1 == s->n && last->address < address)) {
        SMRF_ASSERT(s->n < SMRF_MAX_SECTORS);
        s->at = s->n++;
        s->out[s->at] = (struct smrf_sector){.address = address, .bytes = bytes};
    } else {
        insert_(s, address, bytes);
    }
}

/* Add the contiguous bytes [from, from + length), at least one and no more than a sector has. */
static inline void add_bytes_(struct sectors_ *s, uint64_t from, uint32_t length)
{
    const uint64_t bytes = (UINT64_MAX >> (64 - length)) << (from & SECTOR_MASK);
    const uint64_t sector = from & ~SECTOR_MASK;

    add_(s, sector, (uint32_t)bytes);
    if (bytes >> SMRF_SECTOR_BYTES) {
        add_(s, sector + SMRF_SECTOR_BYTES, (uint32_t)(bytes >> SMRF_SECTOR_BYTES));
    }
}

/* The contiguous bytes [base, base + length), length > 0. */
static uint32_t range_(struct smrf_sector *out, uint64_t base, uint64_t length)
{
    uint64_t first = base & ~SECTOR_MASK, end = base + length;
    uint32_t n = (uint32_t)(((end - 1 - first) / SMRF_SECTOR_BYTES) + 1);

    for (uint32_t i = 0; i < n; i++) {
        out[i] = (struct smrf_sector){.address = first + (uint64_t)i * SMRF_SECTOR_BYTES,
                                      .bytes = UINT32_MAX};
    }
    out[0].bytes &= UINT32_MAX << (base & SECTOR_MASK);
    out[n - 1].bytes &= UINT32_MAX >> (SECTOR_MASK - ((end - 1) & SECTOR_MASK));
    return n;
}

uint32_t smrf_coalesce_global(const struct smrf_inst *in, uint32_t bytes, struct smrf_sector *out)
{
    struct sectors_ s = {out, 0, 0};
    const uint64_t *address;
    uint64_t room[SMRF_LANES];
    uint32_t lanes = smrf_count_bits(in->mask);

    if (lanes == 0) {
        return 0;
    }
    if (in->addr_kind == SMRF_ADDR_STRIDE) {
        if (in->stride == (int64_t)bytes) {
            return range_(out, in->base, (uint64_t)lanes * bytes);
        }
        if (in->stride == 0) {
            return range_(out, in->base, bytes);
        }
    }
    address = addresses_(in, room);
    for (uint32_t i = 0; i < lanes; i++) {
        add_bytes_(&s, address[i], bytes);
    }
    return s.n;
}

/* Most lanes that want one byte of the sector. Lanes access `bytes` each, aligned or not. */
static uint32_t repeats_(const uint64_t *address, uint32_t lanes, uint32_t bytes, uint64_t sector)
{
    uint32_t most = 1;

    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t same = 0;

        /* The most wanted byte is some lane's first byte in this sector. */
        uint64_t byte = address[i] > sector ? address[i] : sector;

        if (address[i] - (sector - (bytes - 1)) >= SMRF_SECTOR_BYTES + bytes - 1) {
            continue; /* the lane does not touch the sector */
        }
        for (uint32_t k = 0; k < lanes; k++) {
            same += byte - address[k] < bytes;
        }
        most = same > most ? same : most;
    }
    return most;
}

uint32_t smrf_coalesce_atomic(const struct smrf_inst *in, uint32_t bytes, struct smrf_sector *out)
{
    struct smrf_sector once[SMRF_MAX_SECTORS];
    uint64_t room[SMRF_LANES];
    const uint64_t *address = addresses_(in, room);
    uint32_t n = smrf_coalesce_global(in, bytes, once), lanes = smrf_count_bits(in->mask),
             total = 0;

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t r = repeats_(address, lanes, bytes, once[i].address); r; r--) {
            SMRF_ASSERT(total < SMRF_MAX_SECTORS);
            out[total++] = once[i];
        }
    }
    return total;
}

/* Every bit of x four times: lanes to bytes. */
static uint32_t nibbles_(uint32_t x)
{
    x = (x | x << 12) & 0x000f000fu;
    x = (x | x << 6) & 0x03030303u;
    x = (x | x << 3) & 0x11111111u;
    return x * 15;
}

/* All active lanes access the same local offset: whole words of a run of lanes at a time. */
static uint32_t local_uniform_(uint32_t mask, uint64_t offset, uint32_t bytes,
                               const struct smrf_local_map *map, struct smrf_sector *out)
{
    uint64_t word = offset / 4, last = (offset + bytes - 1) / 4;
    struct sectors_ s = {out, 0, 0};

    for (uint64_t w = word; w <= last; w++) {
        uint64_t base = map->base + 4 * (w * map->threads + map->thread);
        uint32_t in_word = 0x11111111u * 15;

        if (w == word) {
            in_word &= 0x11111111u * (15u << (offset % 4) & 15u);
        }
        if (w == last) {
            in_word &= 0x11111111u * (15u >> (3 - (offset + bytes - 1) % 4));
        }
        for (uint32_t part = 0; part < SMRF_LANES / 8; part++) {
            uint32_t lanes = mask >> (8 * part) & 0xffu;

            if (lanes) {
                add_(&s, base + part * SMRF_SECTOR_BYTES, nibbles_(lanes) & in_word);
            }
        }
    }
    return s.n;
}

static uint64_t local_offset_(uint64_t address, const struct smrf_local_map *map)
{
    return map->window && address - map->window < WINDOW_BYTES ? address - map->window : address;
}

uint32_t smrf_coalesce_local(const struct smrf_inst *in, uint32_t bytes,
                             const struct smrf_local_map *map, struct smrf_sector *out)
{
    struct sectors_ s = {out, 0, 0};
    const uint64_t *address;
    uint64_t room[SMRF_LANES];
    uint32_t lane = 0;

    SMRF_ASSERT(map->thread % 8 == 0 && map->threads % 8 == 0);
    if (in->mask == 0) {
        return 0;
    }
    if (in->addr_kind == SMRF_ADDR_STRIDE && in->stride == 0) {
        return local_uniform_(in->mask, local_offset_(in->base, map), bytes, map, out);
    }
    address = addresses_(in, room);
    for (uint32_t m = in->mask; m; m &= m - 1, lane++) {
        uint64_t at = local_offset_(address[lane], map), end = at + bytes;
        uint64_t thread = map->thread + lowest_(m);

        while (at < end) {
            uint64_t next = (at / 4 + 1) * 4;
            uint64_t to = map->base + 4 * (at / 4 * map->threads + thread) + at % 4;

            next = next < end ? next : end;
            add_bytes_(&s, to, (uint32_t)(next - at));
            at = next;
        }
    }
    return s.n;
}

static uint32_t gcd_(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static uint32_t ceil_div_(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* Add a word to the set `slot`; returns false if it is there already. */
static bool add_word_(uint64_t *slot, uint64_t *used, uint64_t word)
{
    uint32_t i = (uint32_t)((word * UINT64_C(0x9E3779B97F4A7C15)) >> 55);

    while (used[i / 64] >> (i % 64) & 1) {
        if (slot[i] == word) {
            return false;
        }
        i = (i + 1) % WORD_SLOTS;
    }
    used[i / 64] |= UINT64_C(1) << (i % 64);
    slot[i] = word;
    return true;
}

/* Most words of a bank that the lanes want, a word each. banks: a power of two, at most 64. bits:
 * those of all addresses. */
static uint32_t count_first_words_(const uint64_t *address, uint32_t lanes, uint32_t banks,
                                   uint64_t *bits)
{
    const uint8_t none = SMRF_LANES;
    uint8_t head[64], next[SMRF_LANES]; /* of a wanted bank: the lanes that want its words first */
    uint64_t wanted = 0, all = 0;
    uint32_t most = 1;

    for (uint32_t i = 0; i < lanes; i++) {
        uint64_t a = address[i];
        uint32_t b = (uint32_t)(a / 4) & (banks - 1), depth = 1, k;

        all |= a;
        if (!(wanted >> b & 1)) {
            wanted |= UINT64_C(1) << b;
            head[b] = (uint8_t)i;
            next[i] = none;
            continue;
        }
        for (k = head[b]; k != none && (address[k] ^ a) >= 4; k = next[k]) {
            depth++;
        }
        if (k == none) {
            next[i] = head[b];
            head[b] = (uint8_t)i;
            most = depth > most ? depth : most;
        }
    }
    *bits = all;
    return most;
}

/* The same of all words of the lanes, or of their first ones alone; any number of banks. */
static uint32_t count_words_(const uint64_t *address, uint32_t lanes, bool first_alone,
                             uint32_t bytes, uint32_t banks)
{
    uint64_t slot[WORD_SLOTS], used[WORD_SLOTS / 64] = {0};
    uint16_t bank[64] = {0};
    uint32_t most = 1;

    for (uint32_t i = 0; i < lanes; i++) {
        uint64_t first = address[i] / 4;
        uint64_t last = first_alone ? first : (address[i] + bytes - 1) / 4;

        for (uint64_t w = first; w <= last; w++) {
            if (add_word_(slot, used, w)) {
                uint32_t b = (uint32_t)(w % banks);

                bank[b]++;
                most = bank[b] > most ? bank[b] : most;
            }
        }
    }
    return most;
}

/* Are all lanes' accesses aligned to their size, a power of two? Then the first words alone decide:
 * the other words of the lanes are the same pattern in the next banks. bits: those of all
 * addresses. */
static bool first_words_decide_(uint64_t bits, uint32_t bytes, uint32_t banks)
{
    return (bytes & (bytes - 1)) == 0 && bits % bytes == 0 &&
           (bytes <= 4 || banks % (bytes / 4) == 0);
}

static uint32_t list_passes_(const struct smrf_inst *in, uint32_t bytes, uint32_t banks)
{
    const uint32_t half = SMRF_LANES / 2;
    uint64_t room[SMRF_LANES], bits = 0;
    const uint64_t *address = addresses_(in, room);
    uint32_t lanes = smrf_count_bits(in->mask);

    /* A tile of 16 columns: half a warp wants what the other does. */
    if (lanes == SMRF_LANES && memcmp(address, address + half, half * sizeof(*address)) == 0) {
        lanes = half;
    }
    if ((banks & (banks - 1)) == 0) {
        uint32_t passes = count_first_words_(address, lanes, banks, &bits);

        if (first_words_decide_(bits, bytes, banks)) {
            return passes;
        }
        return count_words_(address, lanes, false, bytes, banks);
    }
    for (uint32_t i = 0; i < lanes; i++) {
        bits |= address[i];
    }
    return count_words_(address, lanes, first_words_decide_(bits, bytes, banks), bytes, banks);
}

uint32_t smrf_shared_passes(const struct smrf_inst *in, uint32_t bytes, uint32_t banks)
{
    if (in->mask == 0) {
        return 1;
    }
    if (in->addr_kind == SMRF_ADDR_STRIDE &&
        first_words_decide_(in->base | (uint64_t)in->stride, bytes, banks)) {
        uint64_t step = (uint64_t)(in->stride < 0 ? -in->stride : in->stride);

        if (step == 0) {
            return 1;
        }
        /* Word stride s visits banks / gcd(s, banks) banks in turn. */
        if (step % 4 == 0) {
            uint32_t visited = banks / gcd_(banks, (uint32_t)(step / 4 % banks));

            return ceil_div_(smrf_count_bits(in->mask), visited);
        }
    }
    return list_passes_(in, bytes, banks);
}

uint32_t smrf_shared_atomic_passes(const struct smrf_inst *in, uint32_t banks)
{
    uint8_t lanes[64] = {0}; /* as many as ldst.shared_banks may be */
    uint64_t room[SMRF_LANES];
    const uint64_t *address = addresses_(in, room);
    const uint32_t active = smrf_count_bits(in->mask);
    uint32_t most = 1;

    for (uint32_t i = 0; i < active; i++) {
        const uint32_t count = ++lanes[address[i] / 4 % banks];

        most = count > most ? count : most;
    }
    return most;
}

/* Which of the known patterns a list may be. */
static uint32_t pattern_of_(const uint64_t *address)
{
    const uint64_t some = (address[1] - address[0]) + 3 * (address[8] - address[0]) +
                          5 * (address[16] - address[0]) + 7 * (address[31] - address[0]);

    return (uint32_t)(some >> 2 ^ some >> 6) % SMRF_KNOWN_PATTERNS;
}

static bool follows_(const struct smrf_known_pattern *p, const uint64_t *address, uint64_t word)
{
    uint64_t different = 0;

    for (uint32_t i = 0; i < SMRF_LANES; i++) {
        different |= (address[i] - word) ^ p->offset[i];
    }
    return different == 0;
}

/* Where all addresses move by the same number of words, so do the banks, in turn. */
uint32_t smrf_shared_passes_known(struct smrf_known_passes *known, const struct smrf_inst *in,
                                  uint32_t bytes, uint32_t banks)
{
    struct smrf_known_pattern *p;
    uint64_t word, room[SMRF_LANES];
    const uint64_t *lane;

    if (in->addr_kind != SMRF_ADDR_LIST || in->mask != UINT32_MAX) {
        return smrf_shared_passes(in, bytes, banks);
    }
    lane = smrf_inst_list(in, room);
    p = &known->pattern[pattern_of_(lane)];
    word = lane[0] & ~UINT64_C(3);
    if (p->bytes != bytes || !follows_(p, lane, word)) {
        for (uint32_t i = 0; i < SMRF_LANES; i++) {
            p->offset[i] = lane[i] - word;
        }
        p->bytes = bytes;
        p->passes = smrf_shared_passes(in, bytes, banks);
    }
    return p->passes;
}
