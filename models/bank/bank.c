/* SPDX-License-Identifier: Apache-2.0 */
#include "bank.h"

#include "models/common/smrf_assert.h"

#include <string.h>

int smrf_bank_init(struct smrf_bank *b, struct smrf_bank_row *rows, uint32_t *versions,
                   uint32_t num_rows)
{
    if (!rows || !versions || num_rows == 0 || num_rows >= SMRF_ROW_NONE) {
        return SMRF_ERR_INVAL;
    }
    b->rows = rows;
    b->versions = versions;
    b->num_rows = num_rows;
    b->used = 0;
    smrf_bank_reset(b);
    return SMRF_OK;
}

void smrf_bank_reset(struct smrf_bank *b)
{
    memset(b->rows, 0, b->used * sizeof *b->rows);
    memset(b->versions, 0, b->used * sizeof *b->versions);
    b->used = 0;
    b->reads = 0;
    b->writes = 0;
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
    memcpy(data, b->rows[row].lane, SMRF_WARP_REG_BYTES);
    return b->versions[row];
}

void smrf_bank_write(struct smrf_bank *b, uint32_t row, const uint32_t *data, uint32_t lane_mask,
                     uint32_t version)
{
    b->writes++;
    if (row == SMRF_ROW_NONE || !data || !lane_mask) {
        return; /* without lanes the version stays, too: a younger write may have come before */
    }
    SMRF_ASSERT(row < b->num_rows);
    uint32_t *lanes = b->rows[row].lane;
    if (lane_mask == UINT32_MAX) {
        memcpy(lanes, data, SMRF_WARP_REG_BYTES);
    } else {
        for (uint32_t m = lane_mask; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            lanes[lane] = data[lane];
        }
    }
    b->versions[row] = version;
    b->used = row < b->used ? b->used : row + 1;
}

const struct smrf_bank_row *smrf_bank_probe(const struct smrf_bank *b, uint32_t row)
{
    return row < b->num_rows ? &b->rows[row] : NULL;
}

struct smrf_bank_row *smrf_bank_poke(struct smrf_bank *b, uint32_t row)
{
    SMRF_ASSERT(row < b->num_rows);
    b->used = row < b->used ? b->used : row + 1;
    return &b->rows[row];
}
