/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/exec/lanes.h"

int smrf_exec_bind_table(struct smrf_exec_op *op, char *error, const struct smrf_exec_opcode *table,
                         unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(op->inst->opcode, table[i].name) == 0) {
            struct smrf_exec_binding b;
            smrf_exec_bind_begin(&b, op, error);
            table[i].bind(&b);
            return smrf_exec_bind_end(&b);
        }
    }
    return 0;
}

uint32_t smrf_exec_bind_compare(struct smrf_exec_binding *b, bool integer)
{
    static const char *const name[] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                       "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"};
    unsigned compare = smrf_exec_bind_one_of(b, name, integer ? 7 : 16, 16);
    if (compare == 16 && integer && smrf_exec_bind_has(b, "T")) {
        compare = 15;
    }
    if (compare == 16) {
        smrf_exec_bind_fail(b, "%s names no comparison that is supported", b->inst->mnemonic);
    }
    return compare;
}

uint32_t smrf_exec_bind_combine(struct smrf_exec_binding *b)
{
    static const char *const name[] = {"AND", "OR", "XOR"};
    return smrf_exec_bind_one_of(b, name, 3, SMRF_EXEC_AND);
}

uint32_t smrf_exec_bind_rounding(struct smrf_exec_binding *b)
{
    static const char *const name[] = {"RN", "RM", "RP", "RZ"};
    return smrf_exec_bind_one_of(b, name, 4, SMRF_EXEC_NEAREST);
}

int smrf_exec_bind_integer(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES])
{
    int rc = smrf_exec_bind_int_arith(op, error);
    if (rc == 0) {
        rc = smrf_exec_bind_int_logic(op, error);
    }
    return rc == 0 ? smrf_exec_bind_int_select(op, error) : rc;
}
