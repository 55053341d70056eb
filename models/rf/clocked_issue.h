// SPDX-License-Identifier: Apache-2.0
// The issue stage of a sub-core with a clock of its own, for platforms of others: instruction
// buffers, scoreboard and scheduler before smrf::register_file, or before collectors.
//
// | port      | kind          | what passes                                                   |
// | --------- | ------------- | ------------------------------------------------------------- |
// | instr_in  | TLM target    | a write of one struct smrf_issue_instruction, to any address: |
// |           |               | answered when its warp's buffer has room                      |
// | instr_out | TLM initiator | a write of its struct smrf_rf_instruction to address 0, one   |
// |           |               | at a time: the next leaves when that is answered              |
// | result_in | TLM target    | a write of any bytes to address = tag: the instruction has    |
// |           |               | ended, its operands have been read, its results are in place  |
//
// Results first, then new instructions, then the issue of one. No warp ever ends.
#ifndef SMRF_RF_CLOCKED_ISSUE_H
#define SMRF_RF_CLOCKED_ISSUE_H

#include "models/issue/issue.h"
#include "models/rf/rf_instruction.h"
#include "models/tlm/edge_clock.h"
#include "models/tlm/has_process.h"
#include "models/tlm/inlet.h"
#include "models/tlm/zeroed.h"

#include <deque>
#include <memory>
#include <systemc>
#include <unordered_map>
#include <vector>

namespace smrf
{

class clocked_issue : public sc_core::sc_module
{
  public:
    struct setup {
        smrf_issue_config issue; // one sub-core
        uint32_t warps = 1, registers_per_warp = 1;
        uint32_t depth = 2; // instructions in a warp's buffer
        sc_core::sc_time period{1, sc_core::SC_NS};
    };

    SMRF_HAS_PROCESS(clocked_issue);
    // Throws std::invalid_argument if it cannot be built.
    clocked_issue(const sc_core::sc_module_name &name, const setup &s);

    inlet instr_in, result_in;
    outlet instr_out;

    const smrf_issue *core() const
    {
        return core_.get();
    }
    // As after elaboration; what is under way is answered with an error, or forgotten.
    void reset();

  private:
    struct entry {
        smrf_issue_instruction in;
        smrf_static_inst op;
        smrf_inst inst;
        uint32_t flight;
    };

    void connect();
    void start();
    void step();
    void take_results();
    void take_instructions();
    bool decode(const tlm::tlm_generic_payload &gp, smrf_issue_instruction &in) const;
    void buffer(const smrf_issue_instruction &in);
    const smrf_inst *issued(uint32_t flight);

    const setup setup_;
    edge_clock clock_;
    const zeroed_ptr<smrf_issue> core_ = make_zeroed<smrf_issue>();
    const zeroed_ptr<smrf_issue_store> store_ = make_zeroed<smrf_issue_store>();
    const zeroed_ptr<smrf_flights> flights_ = make_zeroed<smrf_flights>();
    uint32_t free_ = 1;                                              // bit 0: instr_out is free
    std::vector<std::deque<std::unique_ptr<entry>>> buffers_;        // by warp
    std::unordered_map<uint32_t, std::unique_ptr<entry>> under_way_; // by tag
    uint32_t leaving_ = 0;                                           // tag of the latest
};

} // namespace smrf

#endif
