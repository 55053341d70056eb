/* SPDX-License-Identifier: Apache-2.0 */
#include "values.h"

#include "models/common/smrf_apart.h"

const uint32_t *smrf_register_values_result(const struct smrf_register_values *v, uint32_t flight,
                                            unsigned i, uint32_t *scratch, uint32_t *version)
{
    const struct smrf_flight *f = &v->flights->record[flight];
    if (f->micro) {
        v->micro->write(v->mechanism_state, f, i, scratch, version);
        return scratch;
    }
    *version = f->version;
    if (f->unit == SMRF_UNIT_MERGE) {
        v->wires->merged(v->wires->ctx, flight, i, scratch);
        SMRF_CALL_LISTENERS(v->hooks, merged, flight, i, scratch);
        return scratch;
    }
    return smrf_oracle_result(v->oracle, flight, f, i, scratch);
}

/* Of an operation of the mechanism's own. */
static SMRF_APART void give_(const struct smrf_register_values *v, const struct smrf_flight *f,
                             uint32_t sources, const struct smrf_operand_latches *latches)
{
    for (uint32_t m = sources; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        v->micro->read(v->mechanism_state, f, i, latches->data[i], latches->version[i]);
    }
}

void smrf_register_values_operands(const struct smrf_register_values *v, uint32_t flight,
                                   uint32_t sources, const struct smrf_operand_latches *latches,
                                   bool cached)
{
    const struct smrf_flight *f = &v->flights->record[flight];
    if (f->micro) {
        give_(v, f, sources, latches);
    }
    if (*v->wires->values) {
        SMRF_CALL_LISTENERS(v->hooks, operands, flight, sources, latches, cached);
    }
}

void smrf_register_values_shared(const struct smrf_register_values *v, uint32_t flight, unsigned i,
                                 const struct smrf_bank *bank)
{
    static const uint32_t never_written[SMRF_LANES];
    const unsigned at = v->flights->record[flight].dst[i].row;
    struct smrf_bank_row scratch;
    const struct smrf_bank_row *row = smrf_bank_probe(bank, at, &scratch);
    SMRF_CALL_LISTENERS(v->hooks, shared, flight, i, row ? row->lane : never_written,
                        row ? bank->tags[at].version : 0);
}
