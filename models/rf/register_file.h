// SPDX-License-Identifier: Apache-2.0
// The register file of a sub-core as a piece of IP: banks, crossbar, arbiter and collector units of
// a kind, with a clock of its own. A plain module, for any processor that computes on registers of
// 128 bytes. The blocks are those of an SM; what passes between them passes through their sockets.
//
// - issue: TLM target: a write of one struct smrf_rf_instruction to any address. It enters a
// collector,
//   and is answered when it has.
// - operands: TLM initiator: a write of all its sources, 128 bytes each, in its order, to address =
// its
//   tag. A target that holds it up holds up collectors.
// - registers[p]: TLM target: memory; register r of warp w lies at (w x registers_per_warp + r) x
// 128.
//   Write-backs and plain reads, within one register, byte enables obeyed. Debug accesses, too.
// - status: TLM target: reads of 32-bit words: enum smrf_rf_status x 4; may stay unbound.
//
// All are base protocol, nb_transport with four phases and b_transport, and need no extension. A
// bank does one access a cycle; writes go before reads; reads are granted by the arbiter, oldest
// first, and answered in the cycle after their grant, plus the bank's own time. Requests that find
// no room are not taken: END_REQ, or the return of b_transport, waits.
//
// Loosely timed (setup::loosely_timed): the same blocks do the same work, but within the call,
// ahead of time, each transaction by itself. What comes back is annotated: an access waits for its
// banks in the order of the calls; an instruction enters when a collector is free, which it holds
// until the processor has its operands. Instructions want b_transport, registers and status take
// either. DMI is granted a register at a time, for reads, and for writes where the collectors keep
// no operands.
//
// Hazards between instructions are the processor's to see to.
#ifndef SMRF_RF_REGISTER_FILE_H
#define SMRF_RF_REGISTER_FILE_H

#include "models/arbiter/arbiter_module.h"
#include "models/bank/bank_module.h"
#include "models/rf/collector_stage.h"
#include "models/tlm/has_process.h"
#include "models/xbar/xbar_module.h"

#include <array>
#include <memory>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

namespace smrf
{

class register_file : public sc_core::sc_module
{
    // Receives grants for the collectors, or for the reads of the memory view.
    tlm::tlm_sync_enum granted(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                               sc_core::sc_time &delay);

  public:
    struct setup : collector_setup {
        uint32_t ports = 1;       // of `registers`
        uint32_t plain_reads = 8; // reads of the memory view that wait for grants
        bool loosely_timed = false;
    };

    SMRF_HAS_PROCESS(register_file);
    // Throws std::invalid_argument if it cannot be built.
    register_file(const sc_core::sc_module_name &name, const setup &s);
    ~register_file() override;

    tlm::tlm_target_socket<> &issue()
    {
        return stage_.issue.socket;
    }
    tlm::tlm_initiator_socket<> &operands()
    {
        return stage_.operands.socket;
    }
    tlm::tlm_target_socket<> &registers(unsigned port = 0)
    {
        return registers_[port]->socket;
    }
    tlm::tlm_target_socket<> &status()
    {
        return status_in_.socket;
    }

    // Resets to the state after elaboration. Accesses in flight get an error.
    void reset();
    uint32_t word(unsigned status_word) const; // enum smrf_rf_status
    // Found by the monitors inside.
    uint64_t violations() const
    {
        return stage_.violations() + links_.violations();
    }

    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "everything is completed at once", gp);
    }

  private:
    void before_end_of_elaboration() override;

    struct plain_read {
        inlet *port = nullptr;
        tlm::tlm_generic_payload *gp = nullptr;
        smrf_register_place at{};
    };

    void build_blocks();

    void step();
    void access(inlet &port);
    tlm::tlm_response_status locate(const tlm::tlm_generic_payload &gp, unsigned &warp,
                                    unsigned &reg) const;
    bool write(tlm::tlm_generic_payload &gp, unsigned warp, unsigned reg);
    void request(inlet *port, tlm::tlm_generic_payload &gp, unsigned warp, unsigned reg);
    void collect();
    void show();
    void show(tlm::tlm_generic_payload &gp);
    inlet::calls calls_of(int kind);
    sc_core::sc_time first_edge(const sc_core::sc_time &delay);
    void one_cycle();
    using accesses = std::array<uint64_t, SMRF_MAX_BANKS>;
    accesses bank_accesses() const;
    sc_core::sc_time wait_for_banks(const accesses &before, const sc_core::sc_time &first);
    void access_loosely(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay);
    void issue_loosely(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay);
    bool grant_dmi(tlm::tlm_generic_payload &gp, tlm::tlm_dmi &dmi);
    bool work_left() const;
    unsigned look(tlm::tlm_generic_payload &gp);

    void follow(unsigned warp, unsigned reg);
    unsigned bank_debug(smrf_register_place at, uint64_t offset, tlm::tlm_command command,
                        uint8_t *data, unsigned bytes);
    void answer(inlet &port, tlm::tlm_generic_payload &gp, tlm::tlm_response_status status,
                const sc_core::sc_time &late = sc_core::SC_ZERO_TIME);

    const setup setup_;
    const uint32_t rows_, plain_; // rows of a bank; the memory view's number among the requesters
    edge_clock clock_{setup_.period};
    rf_pool pool_{"rf_pool"};
    std::vector<plain_read> plain_reads_; // by flight
    uint32_t plain_count_ = 0;
    // Loosely timed.
    uint64_t loose_cycle_ = 0;                     // of the blocks
    std::vector<sc_core::sc_time> collector_free_; // cycle from which each bank is free
    std::array<sc_core::sc_time, SMRF_MAX_BANKS> bank_free_{};
    sc_core::sc_time processor_free_, read_late_; // bank time of the latest read
    std::vector<unsigned char> collected_;        // operands of the latest instruction
    bool granted_dmi_ = false;
    smrf_wires wires_{}; // the arbiter's
    smrf_xbar map_{};

    collector_stage stage_;
    connections links_{setup_.monitors};
    inlet status_in_;
    std::unique_ptr<tlm_utils::simple_initiator_socket<register_file>> nobody_; // reads the status
    std::vector<std::unique_ptr<inlet>> registers_;
    std::unique_ptr<xbar_module> xbar_;
    std::unique_ptr<arbiter_module> arbiter_;
    std::vector<std::unique_ptr<bank_module>> banks_;
    target_ports<register_file, 1, &register_file::granted> grant_in_{"grant_in", *this, 1};
    initiator_ports<register_file, 1> grant_out_{"grant_out", *this, 1};
    initiator_ports<register_file, 1> request_out_{"request_out", *this, 1};
    initiator_ports<register_file, 1> read_out_{"read_out", *this, 1};
    initiator_ports<register_file> write_out_;
};

} // namespace smrf

#endif
