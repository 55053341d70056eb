// SPDX-License-Identifier: Apache-2.0
// Reports that a test provokes on purpose: while an object lives, reports whose id starts with its
// prefix are collected instead of failing the test; all others fail it as ever.
#ifndef SMRF_TESTS_EXPECTED_REPORTS_H
#define SMRF_TESTS_EXPECTED_REPORTS_H

#include <gtest/gtest.h>
#include <systemc>

#include <string>
#include <vector>

namespace smrf_test
{

class expected_reports
{
  public:
    explicit expected_reports(std::string prefix) : prefix_(std::move(prefix))
    {
        active() = this;
        previous_ = sc_core::sc_report_handler::get_handler();
        sc_core::sc_report_handler::set_handler(&expected_reports::handle);
    }
    ~expected_reports()
    {
        sc_core::sc_report_handler::set_handler(previous_);
        active() = nullptr;
    }
    expected_reports(const expected_reports &) = delete;
    expected_reports &operator=(const expected_reports &) = delete;

    struct report {
        std::string id, text;
    };
    std::vector<report> seen;

    size_t count(const std::string &id) const
    {
        size_t n = 0;
        for (const report &r : seen) {
            n += r.id == id;
        }
        return n;
    }

  private:
    static expected_reports *&active()
    {
        static expected_reports *object = nullptr;
        return object;
    }
    static void handle(const sc_core::sc_report &r, const sc_core::sc_actions &actions)
    {
        expected_reports *self = active();
        if (std::string(r.get_msg_type()).rfind(self->prefix_, 0) == 0) {
            self->seen.push_back({r.get_msg_type(), r.get_msg()});
        } else {
            self->previous_(r, actions);
        }
    }

    std::string prefix_;
    sc_core::sc_report_handler_proc previous_ = nullptr;
};

} // namespace smrf_test

#endif
