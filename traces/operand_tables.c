/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of earlier launches: most later launches have a sidecar with the same text. */
#include "operands.h"

#include <stdlib.h>
#include <string.h>

bool smrf_operand_tables_take(struct smrf_operand_tables *before, struct smrf_operand_table *t)
{
    for (size_t i = 0; i < SMRF_OPERAND_TABLES; i++) {
        struct smrf_operand_table *known = &before->table[i];
        if (known->text != NULL && known->text_bytes == t->text_bytes &&
            memcmp(known->text, t->text, t->text_bytes) == 0) {
            char *const path = t->path;
            free(t->text);
            free(known->path);
            *t = *known;
            t->path = path;
            *known = (struct smrf_operand_table){0};
            return true;
        }
    }
    return false;
}

void smrf_operand_table_keep(struct smrf_operand_table *t, struct smrf_operand_tables *before)
{
    size_t free_place = 0;
    while (free_place < SMRF_OPERAND_TABLES - 1 && before->table[free_place].text != NULL) {
        free_place++;
    }
    smrf_operand_table_close(&before->table[free_place]);
    memmove(&before->table[1], &before->table[0], free_place * sizeof *t);
    before->table[0] = *t;
    *t = (struct smrf_operand_table){0};
}

void smrf_operand_tables_close(struct smrf_operand_tables *before)
{
    for (size_t i = 0; i < SMRF_OPERAND_TABLES; i++) {
        smrf_operand_table_close(&before->table[i]);
    }
}
