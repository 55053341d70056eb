// SPDX-License-Identifier: Apache-2.0
#include "sm.h"

#include "platform/ip/temporary_folder.h"

namespace smrf
{

namespace
{

machine_options one_sm(machine_options options)
{
    options.set.push_back("gpu.sms=1");
    return options;
}

} // namespace

sm::sm(const sc_core::sc_module_name &name, const machine_options &options)
    : sc_core::sc_module(name), platform_(build_machine(one_sm(options), [this](smrf_platform *p) {
          bind_memory(
              p, [this](unsigned, tlm::tlm_initiator_socket<> &socket) { socket.bind(memory); });
      }))
{
    SC_THREAD(run);
    set_stack_size(512 * 1024); // a run checks laws and writes texts on it
    SC_METHOD(restart);
    sensitive << reset.pos();
    dont_initialize();
}

sm::~sm()
{
    smrf_platform_destroy(platform_);
    for (const std::string &folder : written_) {
        remove_temporary_folder(folder);
    }
}

void sm::before_end_of_elaboration()
{
    if (reset.bind_count() == 0) {
        reset.bind(no_reset_);
    }
}

void sm::start(const std::string &trace)
{
    waiting_.push_back(trace);
    work_.notify(sc_core::SC_ZERO_TIME);
}

int sm::start(const std::function<int(smrf_trace_writer *)> &source)
{
    std::string folder;
    if (!make_temporary_folder("source", folder)) {
        return SMRF_ERR_IO;
    }
    written_.push_back(folder);
    smrf_trace_writer *w = nullptr;
    int err = smrf_trace_writer_open(&w, folder.c_str(), SMRF_TRACE_V6, SMRF_COMPRESS_NONE);
    err = err == SMRF_OK ? source(w) : err;
    const int closed = smrf_trace_writer_close(w);
    err = err == SMRF_OK ? closed : err;
    if (err == SMRF_OK) {
        start(folder);
    }
    return err;
}

void sm::restart()
{
    waiting_.clear();
    reset_pending_ = true;
    smrf_platform_abandon(platform_);
    work_.notify(sc_core::SC_ZERO_TIME);
}

void sm::run()
{
    reset_pending_ = reset.read(); // what has been given to it before waits for the reset's end
    for (;;) {
        while (!reset_pending_ && waiting_.empty()) {
            wait(work_);
        }
        if (reset_pending_) {
            result_ = smrf_platform_reset(platform_);
            while (reset.read()) {
                wait(reset.negedge_event());
            }
            reset_pending_ = false;
        } else {
            running_ = true;
            const std::string trace = waiting_.front();
            waiting_.pop_front();
            result_ = smrf_platform_continue(platform_, trace.c_str());
            if (result_ == SMRF_OK) {
                result_ = smrf_platform_run(platform_, SMRF_NO_LIMIT);
            }
            running_ = false;
            if (result_ != SMRF_RUN_DONE) {
                waiting_.clear();
            }
        }
        if (!busy()) {
            idle_.notify(sc_core::SC_ZERO_TIME);
        }
    }
}

} // namespace smrf
