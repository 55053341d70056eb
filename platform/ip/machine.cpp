// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace smrf
{

std::string value_of(const smrf_platform *p, const char *key)
{
    const char *at = nullptr;
    char value[64];
    for (size_t i = 0; smrf_platform_config_at(p, i, &at, value, sizeof value) == SMRF_OK; i++) {
        if (std::strcmp(at, key) == 0) {
            return value;
        }
    }
    return "";
}

uint64_t number_of(const smrf_platform *p, const char *key)
{
    return std::strtoull(value_of(p, key).c_str(), nullptr, 10);
}

uint32_t sms_of(const smrf_platform *p)
{
    return static_cast<uint32_t>(number_of(p, "gpu.sms"));
}

smrf_platform *build_machine(const machine_options &options,
                             const std::function<void(smrf_platform *)> &bind)
{
    smrf_platform *p = nullptr;
    int err = smrf_platform_create(&p);
    if (err == SMRF_OK && !options.preset.empty()) {
        err = smrf_platform_preset(p, options.preset.c_str());
    }
    if (err == SMRF_OK && !options.mechanism.empty()) {
        err = smrf_platform_mechanism(p, options.mechanism.c_str());
    }
    for (size_t i = 0; err == SMRF_OK && i < options.set.size(); i++) {
        err = smrf_platform_set(p, options.set[i].c_str());
    }
    if (err == SMRF_OK && bind) {
        bind(p);
    }
    err = err == SMRF_OK ? smrf_platform_build(p) : err;
    if (err != SMRF_OK) {
        const std::string text = smrf_platform_error(p);
        smrf_platform_destroy(p);
        throw std::invalid_argument(text);
    }
    return p;
}

} // namespace smrf
