// SPDX-License-Identifier: Apache-2.0
// Issue stage of a sub-core: sends what the scheduler chose to a collector unit, and control flow
// to the SIMT stack; asks the operand cache, where there is one, which warps go before others;
// takes what operand collection, write-back and the load/store unit report.
//
// | socket          | what passes                                                 | address    |
// | --------------- | ----------------------------------------------------------- | ---------- |
// | instr_out       | write: the instruction's number in flight, 4 bytes          | unit       |
// | simt_out        | write: a line's bytes, then a read of what it meant         | warp slot  |
// | constant_out    | an ignored command of 4 bytes: a constant. The annotated    | bank x     |
// |                 | time that comes back is that from which it is there         | 64 KiB +   |
// |                 |                                                             | offset     |
// | status_out      | port R: a read of 8 bytes                                   | 0          |
// | flush_out       | write: the warp slot whose memory barrier is over, 4 bytes  | sub-core   |
// | result_in[0]    | write: the number of an instruction, 4 bytes                | of results |
// | answer_in[0]    | write: write answers, or the number of an atomic, 4 bytes   | of answers |
// | collected_in[0] | write: sources (bit i) that have been read, 4 bytes         | flight     |
//
// Addresses of results (SMRF_RESULT_..) and of answers (SMRF_ANSWERED_..): models/wires/words.h.
// All are completed at once.
#ifndef SMRF_ISSUE_MODULE_H
#define SMRF_ISSUE_MODULE_H

#include "models/issue/issue.h"
#include "models/simt_stack/simt_bytes.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/tlm/zeroed.h"
#include "models/wires/words.h"

namespace smrf
{

class issue_module : public sc_core::sc_module
{
    tlm::tlm_sync_enum result(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                              sc_core::sc_time &delay);
    tlm::tlm_sync_enum answer(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                              sc_core::sc_time &delay);
    tlm::tlm_sync_enum sources_read(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                    sc_core::sc_time &delay);

  public:
    struct place {
        bool cached; // there is an operand cache
        window_clock *clock;
        rf_pool *pool;
        // What the targets call: released, retired, settled, answered, stores, collected.
        const smrf_wires *ends;
        smrf_issue *core = nullptr; // its own
        bool constants = false;     // there is a constant cache
    };

    issue_module(const sc_core::sc_module_name &name, const smrf_issue_config &cfg, const place &p);

  private:
    alignas(64) port_payload instr_;
    const smrf_wires &ends_;
    window_clock &clock_;

  public:
    initiator_ports<issue_module, 1> instr_out{"instr_out", *this, 1};
    target_ports<issue_module, 1, &issue_module::result> result_in{"result_in", *this, 1};
    target_ports<issue_module, 1, &issue_module::sources_read> collected_in{"collected_in", *this,
                                                                            1};
    initiator_ports<issue_module, 1> simt_out{"simt_out", *this, 1};

  private:
    port_payload line_, meaning_, status_, flush_, constant_;

  public:
    initiator_ports<issue_module, 1> status_out;
    initiator_ports<issue_module, 1> flush_out{"flush_out", *this, 1};
    initiator_ports<issue_module, 1> constant_out;
    target_ports<issue_module, 1, &issue_module::answer> answer_in{"answer_in", *this, 1};

    smrf_issue *core()
    {
        return core_.get();
    }
    // As after construction; what its core is connected to stays.
    void reset()
    {
        smrf_issue_reset(core_.get());
    }

    // The wires of the issue stage, as in struct smrf_wires.
    void allocate(unsigned collector, uint32_t flight);
    smrf_simt_out line(unsigned warp, const smrf_simt_line &line);
    uint64_t status();
    void flush(unsigned warp);
    uint64_t constant(uint32_t address);

    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "everything is completed at once", gp);
    }

  private:
    const uint32_t sub_;
    const carried<smrf_issue> core_;
    const zeroed_ptr<smrf_issue_store> store_; // of its own core
};

} // namespace smrf

#endif
