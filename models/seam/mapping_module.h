// SPDX-License-Identifier: Apache-2.0
// The mapping controller as a block: it answers the load/store unit's questions about loads, and
// hears of everything that may make the answers out of date. The mechanism's C functions decide (an
// address mapping table, for instance); this carries.
//
// | socket    | what passes                                                | address |
// | --------- | ---------------------------------------------------------- | ------- |
// | map_in[0] | write: a question or a report (SMRF_QUESTION_WORDS); after | flight  |
// |           | a question a read: the answer (SMRF_ANSWER_WORDS)          |         |
//
// Words: models/wires/words.h. All are completed at once, in the cycle of their annotation.
#ifndef SMRF_MAPPING_MODULE_H
#define SMRF_MAPPING_MODULE_H

#include "models/seam/mapping.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/tlm/zeroed.h"
#include "models/wires/words.h"

namespace smrf
{

class mapping_module : public sc_core::sc_module
{
    tlm::tlm_sync_enum asked(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                             sc_core::sc_time &delay);

  public:
    struct place {
        const smrf_mechanism *mechanism;
        void *state; // of the mechanism
        const smrf_flights *flights;
        window_clock *clock;
        smrf_mapping *core = nullptr; // its own
    };

    mapping_module(const sc_core::sc_module_name &name, const place &p);

    target_ports<mapping_module, 1, &mapping_module::asked> map_in{"map_in", *this, 1};

    // No question has been asked. The mechanism is reset apart.
    void reset()
    {
        asked_ = SMRF_NO_FLIGHT;
    }

  private:
    void take(uint32_t flight, const uint32_t *word);
    void question(uint32_t flight, smrf_map_question what, const smrf_memory_request &r);

    const place place_;
    const carried<smrf_mapping> core_;
    uint32_t asked_ = SMRF_NO_FLIGHT; // whose answer waits to be read
    uint32_t answer_[SMRF_ANSWER_WORDS] = {};
};

} // namespace smrf

#endif
