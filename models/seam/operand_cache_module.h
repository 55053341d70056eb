// SPDX-License-Identifier: Apache-2.0
// The operand cache of a sub-core as a block: caching collector units, for instance. The
// mechanism's C functions decide; this carries what comes and goes on its ports (addresses:
// models/wires/words.h):
//
// | port      | what passes                                                               |
// | --------- | ------------------------------------------------------------------------- |
// | port_h[c] | unit c, when an instruction enters: a read of the mask of sources that are |
// |           | missing, 4 bytes; then a read of each that is not, 128 bytes. Or a write  |
// |           | of 4 bytes: the instruction leaves its unit                               |
// | port_s[c] | unit c: a write of a source that has come from its bank, 128 bytes        |
// | port_d[0] | a write of a result that its bank has taken: the whole register after it,  |
// |           | 128 bytes. Comes back with `kept` in the extension, if there is one. A    |
// |           | read of 4 bytes: does no bank take the result (SMRF_WORD_YES)? Or a       |
// |           | write of a result that no bank takes, its lanes enabled; or a read of what |
// |           | goes to its bank now (an eviction), 34 words, at its token                |
// | port_r[0] | a read of 8 bytes: the warps (bit k) that go before others; a debug read  |
// |           | tells the same                                                            |
//
// All are completed at once, in the cycle of their annotation. Ignored commands of 128 bytes are
// the same without values: nothing moves.
#ifndef SMRF_OPERAND_CACHE_MODULE_H
#define SMRF_OPERAND_CACHE_MODULE_H

#include "models/seam/operand_cache.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"
#include "models/tlm/zeroed.h"

namespace smrf
{

class operand_cache_module : public sc_core::sc_module
{
  public:
    struct place {
        const smrf_mechanism *mechanism;
        void *state; // of the mechanism
        unsigned sub;
        uint32_t units; // collector units of the sub-core
        const smrf_flights *flights;
        const smrf_wires *wires;
        smrf_operand_cache *core = nullptr; // its own
    };

    operand_cache_module(const sc_core::sc_module_name &name, const place &p);

    smrf_operand_cache *core()
    {
        return core_.get();
    }
    // No instruction has entered. The mechanism is reset apart.
    void reset()
    {
        entered_ = SMRF_NO_FLIGHT;
        hits_ = 0;
    }

  private:
    tlm::tlm_sync_enum hit(unsigned unit, tlm::tlm_generic_payload &gp);
    tlm::tlm_sync_enum source(unsigned unit, tlm::tlm_generic_payload &gp);
    tlm::tlm_sync_enum result(unsigned, tlm::tlm_generic_payload &gp);
    tlm::tlm_sync_enum status(unsigned, tlm::tlm_generic_payload &gp);
    tlm::tlm_sync_enum is_alone(tlm::tlm_generic_payload &gp);
    tlm::tlm_sync_enum alone(tlm::tlm_generic_payload &gp, unsigned i);
    tlm::tlm_sync_enum eviction(tlm::tlm_generic_payload &gp);
    unsigned debug(tlm::tlm_generic_payload &gp, bool is_status);

    enum class kind { hit, source, result, status };
    // A group of ports that ends in the function of its name.
    template <kind Kind> struct group {
        operand_cache_module *own;

        tlm::tlm_sync_enum fw(unsigned port, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                              sc_core::sc_time &)
        {
            if (phase != tlm::BEGIN_REQ) {
                return protocol_error(*own, "a port takes whole accesses", gp);
            }
            switch (Kind) {
            case kind::hit:
                return own->hit(port, gp);
            case kind::source:
                return own->source(port, gp);
            case kind::result:
                return own->result(port, gp);
            default:
                return own->status(port, gp);
            }
        }
        unsigned debug(unsigned, tlm::tlm_generic_payload &gp)
        {
            return own->debug(gp, Kind == kind::status);
        }
    };

    const carried<smrf_operand_cache> core_;
    // The instruction that entered last, and what is held for it.
    uint32_t entered_ = SMRF_NO_FLIGHT, hits_ = 0;
    uint32_t data_[SMRF_MAX_SRC][SMRF_LANES], version_[SMRF_MAX_SRC];
    group<kind::hit> h_{this};
    group<kind::source> s_{this};
    group<kind::result> d_{this};
    group<kind::status> r_{this};

  public:
    target_ports<group<kind::hit>> port_h;
    target_ports<group<kind::source>> port_s;
    target_ports<group<kind::result>, 1> port_d;
    target_ports<group<kind::status>, 1> port_r;
};

} // namespace smrf

#endif
