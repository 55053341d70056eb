// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/ports.h"

namespace smrf
{

tlm::tlm_sync_enum protocol_error(sc_core::sc_object &where, const char *rule,
                                  tlm::tlm_generic_payload &gp)
{
    SC_REPORT_ERROR("/smrf/tlm/phase", (std::string(where.name()) + ": " + rule).c_str());
    gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
}

} // namespace smrf
