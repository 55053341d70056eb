// SPDX-License-Identifier: Apache-2.0
// The base of the IP modules: a platform with a configuration.
#ifndef SMRF_IP_MACHINE_H
#define SMRF_IP_MACHINE_H

#include "platform/platform_tlm.h"

#include <string>
#include <vector>

namespace smrf
{

struct machine_options {
    std::string preset, mechanism; // empty = the default
    std::vector<std::string> set;  // "key=value"
};

// Makes a built platform, which the caller destroys. binder: empty = the in-tree memory. Throws
// std::invalid_argument with the platform's text.
smrf_platform *build_machine(const machine_options &options,
                             const std::function<void(smrf_platform *)> &bind);

// Value of a key of the configuration, "" if there is none; as a number.
std::string value_of(const smrf_platform *p, const char *key);
uint64_t number_of(const smrf_platform *p, const char *key);
uint32_t sms_of(const smrf_platform *p);

} // namespace smrf

#endif
