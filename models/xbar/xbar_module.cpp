// SPDX-License-Identifier: Apache-2.0
#include "xbar_module.h"

namespace smrf
{

xbar_module::xbar_module(const sc_core::sc_module_name &name, uint32_t collectors, uint32_t banks,
                         uint32_t ports)
    : sc_core::sc_module(name), read_in("read_in", *this, banks),
      bank_out("bank_out", *this, banks)
{
    smrf_xbar_init(&core_, collectors, ports);
}

} // namespace smrf
