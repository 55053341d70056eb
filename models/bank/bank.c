/* SPDX-License-Identifier: Apache-2.0 */
#include "bank.h"

#include "models/common/smrf_assert.h"
#include "models/common/smrf_value.h"

#include <string.h>

int smrf_bank_init(struct smrf_bank *b, struct smrf_bank_row *rows, struct smrf_bank_tag *tags,
                   uint32_t num_rows)
{
    if (!rows || !tags || num_rows == 0 || num_rows >= SMRF_ROW_NONE) {
        return SMRF_ERR_INVAL;
    }
    b->rows = rows;
    b->tags = tags;
    b->num_rows = num_rows;
    b->used = 0;
    b->open = false;
    smrf_bank_reset(b);
    return SMRF_OK;
}

void smrf_bank_reset(struct smrf_bank *b)
{
    memset(b->rows, 0, b->used * sizeof *b->rows);
    memset(b->tags, 0, b->used * sizeof *b->tags);
    b->used = 0;
    b->reads = 0;
    b->writes = 0;
}

/* The row is no series from now on. */
static void spread_(struct smrf_bank *b, uint32_t row)
{
    if (b->tags[row].series) {
        smrf_value_make_series(b->rows[row].lane, b->tags[row].first);
        b->tags[row].series = false;
    }
}

uint32_t smrf_bank_read(struct smrf_bank *b, uint32_t row, uint32_t *data)
{
    smrf_bank_pass(b, 1);
    if (!data) {
        return 0;
    }
    if (row == SMRF_ROW_NONE) {
        memset(data, 0, SMRF_WARP_REG_BYTES);
        return 0;
    }
    SMRF_ASSERT(row < b->num_rows);
    const struct smrf_bank_tag tag = b->tags[row];
    if (tag.series) {
        smrf_value_make_series(data, tag.first);
    } else {
        memcpy(data, b->rows[row].lane, SMRF_WARP_REG_BYTES);
    }
    return tag.version;
}

static void write_whole_(struct smrf_bank *b, uint32_t row, const uint32_t *data)
{
    struct smrf_bank_tag *tag = &b->tags[row];
    tag->first = data[0];
    tag->series = !b->open && smrf_value_is_series(data, data[0]);
    if (!tag->series) {
        memcpy(b->rows[row].lane, data, SMRF_WARP_REG_BYTES);
    }
}

static void write_lanes_(struct smrf_bank *b, uint32_t row, const uint32_t *data,
                         uint32_t lane_mask)
{
    uint32_t *lanes = b->rows[row].lane;
    spread_(b, row);
    for (uint32_t m = lane_mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        lanes[lane] = data[lane];
    }
}

void smrf_bank_write(struct smrf_bank *b, uint32_t row, const uint32_t *data, uint32_t lane_mask,
                     uint32_t version)
{
    b->writes++;
    if (row == SMRF_ROW_NONE || !data || !lane_mask) {
        return; /* without lanes the version stays, too: a younger write may have come before */
    }
    SMRF_ASSERT(row < b->num_rows);
    if (lane_mask == UINT32_MAX) {
        write_whole_(b, row, data);
    } else {
        write_lanes_(b, row, data, lane_mask);
    }
    b->tags[row].version = version;
    b->used = row < b->used ? b->used : row + 1;
}

const struct smrf_bank_row *smrf_bank_probe(const struct smrf_bank *b, uint32_t row,
                                            struct smrf_bank_row *scratch)
{
    if (row >= b->num_rows) {
        return NULL;
    }
    if (!b->tags[row].series) {
        return &b->rows[row];
    }
    smrf_value_make_series(scratch->lane, b->tags[row].first);
    return scratch;
}

struct smrf_bank_row *smrf_bank_poke(struct smrf_bank *b, uint32_t row)
{
    SMRF_ASSERT(row < b->num_rows);
    for (uint32_t r = 0; r < b->used && !b->open; r++) {
        spread_(b, r);
    }
    b->open = true;
    b->used = row < b->used ? b->used : row + 1;
    return &b->rows[row];
}
