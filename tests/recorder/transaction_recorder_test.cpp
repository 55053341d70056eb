// SPDX-License-Identifier: Apache-2.0
// What LWTR4SC's text has of transactions that pass a recorder. Built where LWTR4SC is installed.
#include "models/tlm/transaction_recorder.h"
#include "tests/support/tlm_mocks.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace smrf_test;

namespace
{

struct manager : tlm::tlm_mm_interface {
    void free(tlm::tlm_generic_payload *gp) override
    {
        gp->reset();
    }
};

struct bench {
    const std::string path = testing::TempDir() + "recorded-" + std::to_string(getpid());
    std::unique_ptr<lwtr::tx_db> db;
    mock_initiator initiator{"initiator"};
    mock_target target{"target"};
    std::unique_ptr<smrf::transaction_recorder> recorder;
    uint8_t bytes[32] = {};
    manager owner;
    tlm::tlm_generic_payload gp{&owner};

    explicit bench(bool with_database = true)
    {
        lwtr::tx_text_init();
        if (with_database) {
            db = std::make_unique<lwtr::tx_db>(path, sc_core::SC_NS);
        }
        recorder = std::make_unique<smrf::transaction_recorder>("recorder");
        initiator.socket.bind(recorder->in);
        recorder->out.bind(target.socket);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        gp.acquire();
        gp.set_command(tlm::TLM_READ_COMMAND);
        gp.set_address(0x400);
        gp.set_data_ptr(bytes);
        gp.set_data_length(32);
        gp.set_streaming_width(32);
    }
    std::string text()
    {
        recorder.reset();
        db.reset();
        std::ifstream file(path + ".lwtrt");
        std::stringstream all;
        all << file.rdbuf();
        std::remove((path + ".lwtrt").c_str());
        return all.str();
    }
};

unsigned times(const std::string &text, const std::string &what)
{
    unsigned n = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        n++;
    }
    return n;
}

void expect_one_read(const std::string &text, const std::string &begins, const std::string &ends)
{
    EXPECT_EQ(1u, times(text, "tx_begin")) << text;
    EXPECT_EQ(1u, times(text, "tx_end")) << text;
    EXPECT_NE(std::string::npos, text.find("\"recorder\"")) << text;
    EXPECT_NE(std::string::npos, text.find("\"read\"")) << text;
    EXPECT_NE(std::string::npos, text.find("\"address\" UNSIGNED = 1024")) << text;
    EXPECT_NE(std::string::npos, text.find("\"status\" STRING = \"TLM_OK_RESPONSE\"")) << text;
    EXPECT_NE(std::string::npos, text.find(begins)) << text;
    EXPECT_NE(std::string::npos, text.find(ends)) << text;
}

} // namespace

TEST(TransactionRecorder, RecordsABlockingCallFromItsDelayToTheTargets)
{
    bench b;
    b.target.b = [](tlm::tlm_generic_payload &gp, sc_core::sc_time &delay) {
        delay += ns(7);
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    };
    sc_core::sc_time delay = ns(3);
    b.initiator.socket->b_transport(b.gp, delay);
    EXPECT_EQ(ns(10), delay);
    expect_one_read(b.text(), "tx_begin 1 2 3 ns", "tx_end 1 2 10 ns");
}

TEST(TransactionRecorder, RecordsFourPhasesFromRequestToEndOfResponse)
{
    bench b;
    EXPECT_EQ(tlm::TLM_ACCEPTED, b.initiator.fw(b.gp, tlm::BEGIN_REQ));
    b.target.bw(b.gp, tlm::END_REQ, ns(1));
    sc_core::sc_start(ns(20));
    b.gp.set_response_status(tlm::TLM_OK_RESPONSE);
    b.target.bw(b.gp, tlm::BEGIN_RESP);
    sc_core::sc_start(ns(4));
    b.initiator.fw(b.gp, tlm::END_RESP);
    expect_one_read(b.text(), "tx_begin 1 2 0 s", "tx_end 1 2 24 ns");
}

TEST(TransactionRecorder, RecordsACallThatCompletesAtOnce)
{
    bench b;
    b.target.fw = [](tlm::tlm_generic_payload &gp, tlm::tlm_phase &, sc_core::sc_time &delay) {
        delay += ns(5);
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    };
    EXPECT_EQ(tlm::TLM_COMPLETED, b.initiator.fw(b.gp, tlm::BEGIN_REQ));
    expect_one_read(b.text(), "tx_begin 1 2 0 s", "tx_end 1 2 5 ns");
}

TEST(TransactionRecorder, PassesCallsWithoutADatabase)
{
    bench b(false);
    b.target.b = [](tlm::tlm_generic_payload &gp, sc_core::sc_time &) {
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    };
    sc_core::sc_time delay;
    b.initiator.socket->b_transport(b.gp, delay);
    EXPECT_TRUE(b.gp.is_response_ok());
    b.initiator.fw(b.gp, tlm::BEGIN_REQ);
    EXPECT_EQ(1u, b.target.calls.size());
}
