// SPDX-License-Identifier: Apache-2.0
// Two GPUs, and a processor that launches a trace on both through the driver: two_gpus TRACE
#include <smrf/driver.h>
#include <smrf/gpu.h>
#include <smrf/smrf.h>

#include <iostream>
#include <tlm_utils/simple_initiator_socket.h>

namespace
{

class processor : public sc_core::sc_module
{
  public:
    tlm_utils::simple_initiator_socket_tagged<processor> gpu_0{"gpu_0"}, gpu_1{"gpu_1"};
    uint64_t cycles[2] = {};

    SC_HAS_PROCESS(processor);
    explicit processor(const sc_core::sc_module_name &name) : sc_module(name)
    {
        SC_THREAD(run);
    }

  private:
    uint32_t access(unsigned gpu, tlm::tlm_command command, uint64_t at, uint32_t word)
    {
        tlm::tlm_generic_payload gp;
        sc_core::sc_time delay;
        gp.set_command(command);
        gp.set_address(at);
        gp.set_data_ptr(reinterpret_cast<unsigned char *>(&word));
        gp.set_data_length(sizeof word);
        gp.set_streaming_width(sizeof word);
        (gpu ? gpu_1 : gpu_0)->b_transport(gp, delay);
        wait(delay);
        return word;
    }
    uint32_t read(unsigned gpu, uint64_t at)
    {
        return access(gpu, tlm::TLM_READ_COMMAND, at, 0);
    }

    void run()
    {
        for (unsigned gpu = 0; gpu < 2; gpu++) {
            access(gpu, tlm::TLM_WRITE_COMMAND, SMRF_GPU_PROGRAM, 0);
            access(gpu, tlm::TLM_WRITE_COMMAND, SMRF_GPU_DOORBELL, SMRF_GPU_DOORBELL_REGISTERS);
        }
        for (unsigned gpu = 0; gpu < 2; gpu++) {
            while (!(read(gpu, SMRF_GPU_STATUS) & SMRF_GPU_STATUS_DONE)) {
                wait(1, sc_core::SC_US);
            }
            cycles[gpu] = read(gpu, SMRF_GPU_CYCLES_LO);
        }
        sc_core::sc_stop();
    }
};

} // namespace

int sc_main(int argc, char *argv[])
{
    if (argc != 2) {
        std::cerr << "usage: two_gpus TRACE\n";
        return 2;
    }
    smrf::gpu_options options;
    options.set = {"gpu.sms=2"};
    options.programs = {argv[1]};
    smrf::gpu first("first", options), second("second", options);
    processor cpu("cpu");
    cpu.gpu_0.bind(first.control);
    cpu.gpu_1.bind(second.control);
    sc_core::sc_start();
    std::cout << SMRF_VERSION_TEXT << ": " << cpu.cycles[0] << " and " << cpu.cycles[1]
              << " cycles\n";
    return cpu.cycles[0] == 0 || cpu.cycles[0] != cpu.cycles[1];
}
