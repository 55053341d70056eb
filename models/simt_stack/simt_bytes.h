// SPDX-License-Identifier: Apache-2.0
// A trace line and what it meant as the bytes of a transaction: fields in the order of their
// structs, each little-endian, no gaps.
#ifndef SMRF_SIMT_BYTES_H
#define SMRF_SIMT_BYTES_H

#include "models/simt_stack/simt_stack.h"

#include <array>

namespace smrf
{

constexpr unsigned simt_line_bytes = 25;
constexpr unsigned simt_out_bytes = 56;
using simt_line_data = std::array<uint8_t, simt_line_bytes>;
using simt_out_data = std::array<uint8_t, simt_out_bytes>;

simt_line_data to_bytes(const smrf_simt_line &line);
simt_out_data to_bytes(const smrf_simt_out &out);
smrf_simt_line simt_line_from(const uint8_t *bytes);
smrf_simt_out simt_out_from(const uint8_t *bytes);

} // namespace smrf

#endif
