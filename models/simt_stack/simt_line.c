/* SPDX-License-Identifier: Apache-2.0 */
#include "models/simt_stack/simt_line.h"

#include <stdbool.h>
#include <stddef.h>

/* Letter i of the opcode, '\0' past its end. */
static char letter_(const struct smrf_static_inst *op, size_t i)
{
    for (size_t k = 0; op->text != NULL && k <= i; k++) {
        if (op->text[k] == '\0') {
            return '\0';
        }
    }
    return op->text != NULL ? op->text[i] : '\0';
}

/* Does the opcode have this modifier, its dot included? */
static bool modified_(const struct smrf_static_inst *op, const char *modifier)
{
    for (const char *text = op->text; text != NULL && *text != '\0'; text++) {
        size_t k = 0;
        while (modifier[k] != '\0' && text[k] == modifier[k]) {
            k++;
        }
        if (modifier[k] == '\0') {
            return true;
        }
    }
    return false;
}

/* A predicate operand stands beside the guard and only the sidecar of a trace has it: the lanes of
 * "@!P0 BRA P1, target" in the trace are those with P0 clear, whatever P1. */
static enum smrf_simt_flow branch_(const struct smrf_static_inst *op)
{
    if (letter_(op, 2) == 'X') { /* BRX, JMX, BRXU, JMXU */
        return SMRF_SIMT_FLOW_BRANCH_REGISTER;
    }
    bool condition =
        (op->pred_src | op->upred_src) != 0 || modified_(op, ".DIV") || modified_(op, ".CONV");
    return condition ? SMRF_SIMT_FLOW_BRANCH_IF : SMRF_SIMT_FLOW_BRANCH;
}

static enum smrf_simt_flow warpsync_(const struct smrf_static_inst *op)
{
    /* .COLLECTIVE and .EXCLUSIVE have a code address as immediate. */
    return letter_(op, 8) != '.'   ? SMRF_SIMT_FLOW_WARPSYNC
           : letter_(op, 9) == 'A' ? SMRF_SIMT_FLOW_WARPSYNC_ALL
                                   : SMRF_SIMT_FLOW_WARPSYNC_ANY;
}

enum smrf_simt_flow smrf_simt_flow_of(const struct smrf_static_inst *op)
{
    switch (op->flow) {
    case SMRF_FLOW_BRANCH:
        return branch_(op);
    case SMRF_FLOW_CALL:
        return op->num_src_base + op->num_dst_base != 0 ? SMRF_SIMT_FLOW_CALL_REGISTER
                                                        : SMRF_SIMT_FLOW_CALL;
    case SMRF_FLOW_RET:
        return SMRF_SIMT_FLOW_RET;
    case SMRF_FLOW_BSSY:
        return SMRF_SIMT_FLOW_BSSY;
    case SMRF_FLOW_BSYNC:
        return SMRF_SIMT_FLOW_BSYNC;
    case SMRF_FLOW_BREAK:
        return SMRF_SIMT_FLOW_BREAK;
    case SMRF_FLOW_WARPSYNC:
        return warpsync_(op);
    case SMRF_FLOW_YIELD:
        return SMRF_SIMT_FLOW_YIELD;
    case SMRF_FLOW_SSY:
        return letter_(op, 0) != 'P'   ? SMRF_SIMT_FLOW_SSY
               : letter_(op, 1) == 'C' ? SMRF_SIMT_FLOW_PCNT
                                       : SMRF_SIMT_FLOW_PBK;
    case SMRF_FLOW_SYNC:
        return letter_(op, 0) == 'B'   ? SMRF_SIMT_FLOW_BRK
               : letter_(op, 0) == 'C' ? SMRF_SIMT_FLOW_CONT
                                       : SMRF_SIMT_FLOW_SYNC;
    case SMRF_FLOW_EXIT:
        return SMRF_SIMT_FLOW_EXIT;
    default:
        return SMRF_SIMT_FLOW_NONE;
    }
}
