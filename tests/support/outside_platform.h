// SPDX-License-Identifier: Apache-2.0
// A platform as others build theirs: a bus, a memory and a CPU that is a thread process, with a
// protocol monitor at every socket of ours.
#ifndef SMRF_TESTS_OUTSIDE_PLATFORM_H
#define SMRF_TESTS_OUTSIDE_PLATFORM_H

#include "models/tlm/has_process.h"
#include "models/tlm/protocol_monitor.h"

#include <gtest/gtest.h>
#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace outside
{

// Bytes behind b_transport; accesses beyond its end are errors, and so are those at `bad`, to which
// debug accesses are none.
class ram : public sc_core::sc_module
{
  public:
    tlm_utils::simple_target_socket<ram> in{"in"};
    std::vector<unsigned char> bytes;
    uint64_t bad = UINT64_MAX;
    unsigned long reads = 0, writes = 0;

    ram(const sc_core::sc_module_name &name, size_t size) : sc_module(name), bytes(size)
    {
        in.register_b_transport(this, &ram::b_transport);
        in.register_transport_dbg(this, &ram::transport_dbg);
    }

    template <class T> void put(uint64_t at, const std::vector<T> &values)
    {
        std::memcpy(&bytes[at], values.data(), values.size() * sizeof(T));
    }
    template <class T> std::vector<T> get(uint64_t at, size_t count) const
    {
        std::vector<T> values(count);
        std::memcpy(values.data(), &bytes[at], count * sizeof(T));
        return values;
    }

  private:
    void carry_out(tlm::tlm_generic_payload &gp)
    {
        const unsigned char *enables = gp.get_byte_enable_ptr();
        for (unsigned i = 0; i < gp.get_data_length(); i++) {
            unsigned char &byte = bytes[gp.get_address() + i];
            if (gp.is_read()) {
                gp.get_data_ptr()[i] = byte;
            } else if (gp.is_write() &&
                       (enables == nullptr || enables[i % gp.get_byte_enable_length()] != 0)) {
                byte = gp.get_data_ptr()[i];
            }
        }
    }
    unsigned transport_dbg(tlm::tlm_generic_payload &gp)
    {
        if (gp.get_address() + gp.get_data_length() > bytes.size()) {
            return 0;
        }
        carry_out(gp);
        return gp.get_data_length();
    }
    void b_transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay)
    {
        const uint64_t at = gp.get_address(), length = gp.get_data_length();
        if (at + length > bytes.size() || (bad >= at && bad - at < length)) {
            gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        carry_out(gp);
        ++(gp.is_read() ? reads : writes);
        delay += sc_core::sc_time(20, sc_core::SC_NS);
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

// Decodes by address / window, and takes the window's base off.
class bus : public sc_core::sc_module
{
  public:
    using target = tlm_utils::simple_target_socket_tagged<bus>;
    using initiator = tlm_utils::simple_initiator_socket_tagged<bus>;
    sc_core::sc_vector<target> in{"in"};
    sc_core::sc_vector<initiator> out{"out"};
    static constexpr uint64_t window = 0x100000;

    bus(const sc_core::sc_module_name &name, unsigned masters, unsigned slaves) : sc_module(name)
    {
        in.init(masters);
        out.init(slaves);
        for (unsigned i = 0; i < masters; i++) {
            in[i].register_b_transport(this, &bus::b_transport, static_cast<int>(i));
            in[i].register_transport_dbg(this, &bus::transport_dbg, static_cast<int>(i));
        }
    }

  private:
    unsigned transport_dbg(int, tlm::tlm_generic_payload &gp)
    {
        const uint64_t address = gp.get_address();
        if (address / window >= out.size()) {
            return 0;
        }
        gp.set_address(address % window);
        const unsigned done = out[address / window]->transport_dbg(gp);
        gp.set_address(address);
        return done;
    }
    void b_transport(int, tlm::tlm_generic_payload &gp, sc_core::sc_time &delay)
    {
        const uint64_t address = gp.get_address();
        if (address / window >= out.size()) {
            gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        gp.set_address(address % window);
        delay += sc_core::sc_time(5, sc_core::SC_NS);
        out[address / window]->b_transport(gp, delay);
        gp.set_address(address);
    }
};

// Runs a function as its program.
class cpu : public sc_core::sc_module
{
  public:
    tlm_utils::simple_initiator_socket<cpu> out{"out"};
    sc_core::sc_in<bool> irq{"irq"};
    using sc_core::sc_module::wait; // for the program
    std::function<void(cpu &)> program;
    bool ended = false;
    unsigned bus_errors = 0;

    SMRF_HAS_PROCESS(cpu);
    explicit cpu(const sc_core::sc_module_name &name) : sc_module(name)
    {
        SC_THREAD(run);
        set_stack_size(256 * 1024);
    }

    tlm::tlm_response_status access(tlm::tlm_command command, uint64_t address, void *data,
                                    unsigned bytes)
    {
        tlm::tlm_generic_payload gp;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        gp.set_command(command);
        gp.set_address(address);
        gp.set_data_ptr(static_cast<unsigned char *>(data));
        gp.set_data_length(bytes);
        gp.set_streaming_width(bytes);
        gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        out->b_transport(gp, delay);
        wait(delay);
        bus_errors += !gp.is_response_ok();
        return gp.get_response_status();
    }
    uint32_t read(uint64_t address)
    {
        uint32_t word = 0xdeadbeef;
        access(tlm::TLM_READ_COMMAND, address, &word, sizeof word);
        return word;
    }
    void write(uint64_t address, uint32_t word)
    {
        access(tlm::TLM_WRITE_COMMAND, address, &word, sizeof word);
    }

  private:
    void run()
    {
        program(*this);
        ended = true;
    }
};

// A pipelined memory of fixed latency behind a GPU's memory socket.
class far_memory : public sc_core::sc_module
{
  public:
    tlm_utils::simple_target_socket<far_memory> in{"in"};
    unsigned long reads = 0, writes = 0, under_way = 0, most = 0;

    far_memory(const sc_core::sc_module_name &name, double latency_ns)
        : sc_module(name), latency_(latency_ns, sc_core::SC_NS)
    {
        in.register_nb_transport_fw(this, &far_memory::fw);
    }

  private:
    tlm::tlm_sync_enum fw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay)
    {
        if (phase != tlm::BEGIN_REQ) {
            return tlm::TLM_COMPLETED;
        }
        ++(gp.is_read() ? reads : writes);
        most = std::max(most, ++under_way);
        gp.acquire();
        answers_.notify(gp, tlm::BEGIN_RESP, delay + latency_);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void answer(tlm::tlm_generic_payload &gp, const tlm::tlm_phase &)
    {
        tlm::tlm_phase to = tlm::BEGIN_RESP;
        sc_core::sc_time delay;
        under_way--;
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        in->nb_transport_bw(gp, to, delay);
        gp.release();
    }

    const sc_core::sc_time latency_;
    tlm_utils::peq_with_cb_and_phase<far_memory> answers_{this, &far_memory::answer};
};

// Connections with a monitor in each.
class monitors
{
  public:
    template <class From, class To> void connect(From &from, To &to)
    {
        smrf::protocol_monitor_options options;
        const std::string name = "line_" + std::to_string(lines_.size());
        lines_.push_back(std::make_unique<smrf::protocol_monitor>(name.c_str(), options));
        from.bind(lines_.back()->in);
        lines_.back()->out.bind(to);
    }
    void expect_clean()
    {
        for (const auto &line : lines_) {
            EXPECT_TRUE(line->check_quiescent());
            EXPECT_EQ(line->violations(), 0u) << line->name();
        }
    }
    smrf::protocol_monitor &at(size_t i)
    {
        return *lines_.at(i);
    }
    uint64_t transactions() const
    {
        uint64_t sum = 0;
        for (const auto &line : lines_) {
            sum += line->transactions();
        }
        return sum;
    }

  private:
    std::vector<std::unique_ptr<smrf::protocol_monitor>> lines_;
};

} // namespace outside

#endif
