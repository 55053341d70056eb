// SPDX-License-Identifier: Apache-2.0
// How a processor of your own computes on smrf's register file: an in-order core that issues an
// instruction, gets its operands, computes on 32 lanes and writes back. It multiplies two matrices
// of 32 x 32 whose rows are registers, and compares with plain C.
//
//     small_core [BANKS]
#include "models/rf/register_file.h"
#include "models/tlm/has_process.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

namespace
{

constexpr unsigned N = 32;

struct SmallCore : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<SmallCore> Issue{"Issue"}, Registers{"Registers"},
        Status{"Status"};
    tlm_utils::simple_target_socket<SmallCore> Operands{"Operands"};
    unsigned Instructions = 0, Errors = 0;
    sc_core::sc_time End;

    SMRF_HAS_PROCESS(SmallCore);
    explicit SmallCore(const sc_core::sc_module_name &name) : sc_module(name)
    {
        Operands.register_b_transport(this, &SmallCore::Arrive);
        SC_THREAD(Program);
    }

  private:
    uint32_t Sources_[3][N];
    sc_core::sc_event Arrived_;

    // Warp 0 holds the rows of A, warp 1 those of B, warp 2 those of C.
    void Program()
    {
        uint32_t a[N][N], b[N][N], c[N][N] = {};
        for (unsigned i = 0; i < N * N; i++) {
            a[i / N][i % N] = i * 7 + 3;
            b[i / N][i % N] = i ^ 0x55;
        }
        for (unsigned r = 0; r < N; r++) {
            Access(tlm::TLM_WRITE_COMMAND, 0, r, a[r]);
            Access(tlm::TLM_WRITE_COMMAND, 1, r, b[r]);
        }
        for (unsigned i = 0; i < N; i++) {
            for (unsigned k = 0; k < N; k++) {
                MultiplyAdd(i, k, a[i][k]);
                for (unsigned j = 0; j < N; j++) {
                    c[i][j] += a[i][k] * b[k][j];
                }
            }
        }
        for (unsigned r = 0; r < N; r++) {
            uint32_t row[N];
            Access(tlm::TLM_READ_COMMAND, 2, r, row);
            Errors += std::memcmp(row, c[r], sizeof row) != 0;
        }
        uint32_t delivered = 0;
        Send(Status, tlm::TLM_READ_COMMAND, 4 * SMRF_RF_DELIVERED, &delivered, 4);
        Errors += delivered != Instructions;
        End = sc_core::sc_time_stamp();
    }

    // C[i] += a x B[k]: both rows in a warp's registers, so B's row goes by way of the
    // accumulator's warp.
    void MultiplyAdd(unsigned i, unsigned k, uint32_t a)
    {
        Collect(1, {static_cast<uint8_t>(k)});
        uint32_t row[N];
        std::memcpy(row, Sources_[0], sizeof row);
        Access(tlm::TLM_WRITE_COMMAND, 2, N, row);
        Collect(2, {static_cast<uint8_t>(i), N});
        for (unsigned lane = 0; lane < N; lane++) {
            row[lane] = Sources_[0][lane] + a * Sources_[1][lane];
        }
        Access(tlm::TLM_WRITE_COMMAND, 2, i, row);
    }

    void Collect(uint32_t warp, std::initializer_list<uint8_t> registers)
    {
        smrf_rf_instruction in{};
        in.warp = warp;
        in.lanes = UINT32_MAX;
        for (uint8_t r : registers) {
            in.src[in.num_src++] = r;
        }
        Send(Issue, tlm::TLM_WRITE_COMMAND, 0, &in, sizeof in);
        wait(Arrived_);
        Instructions++;
    }

    void Access(tlm::tlm_command command, unsigned warp, unsigned reg, uint32_t *row)
    {
        Send(Registers, command, (warp * 64 + reg) * 128, row, 128);
    }

    void Send(tlm_utils::simple_initiator_socket<SmallCore> &socket, tlm::tlm_command command,
              uint64_t address, void *data, unsigned bytes)
    {
        tlm::tlm_generic_payload gp;
        sc_core::sc_time delay;
        gp.set_command(command);
        gp.set_address(address);
        gp.set_data_ptr(static_cast<unsigned char *>(data));
        gp.set_data_length(bytes);
        gp.set_streaming_width(bytes);
        socket->b_transport(gp, delay);
        wait(delay);
        Errors += !gp.is_response_ok();
    }

    void Arrive(tlm::tlm_generic_payload &gp, sc_core::sc_time &)
    {
        std::memcpy(Sources_, gp.get_data_ptr(), gp.get_data_length());
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        Arrived_.notify(sc_core::SC_ZERO_TIME);
    }
};

} // namespace

extern "C" int sc_main(int argc, char *argv[])
{
    smrf::register_file::setup setup{};
    setup.rf.banks = argc > 1 ? static_cast<uint32_t>(std::atoi(argv[1])) : 2;
    setup.rf.collectors = 2;
    setup.rf.collector_slots = 1;
    setup.rf.steps = 1;
    setup.rf.collector_ports = 1;
    setup.rf.dispatch = 1;
    setup.sm.subcores = 1;
    setup.sm.registers = 256 * 32;
    setup.warps = 3;
    setup.registers_per_warp = 64;
    smrf::register_file file("file", setup);
    SmallCore core("core");
    core.Issue.bind(file.issue());
    core.Registers.bind(file.registers());
    file.operands().bind(core.Operands);
    core.Status.bind(file.status());
    sc_core::sc_start();
    std::printf("%u instructions in %.0f cycles, %u bank reads, %u bank writes, %u errors\n",
                core.Instructions, core.End / setup.period, file.word(SMRF_RF_BANK_READS),
                file.word(SMRF_RF_BANK_WRITES), core.Errors);
    return core.Errors == 0 && core.Instructions == 2 * N * N ? 0 : 1;
}
