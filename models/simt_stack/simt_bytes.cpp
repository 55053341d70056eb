// SPDX-License-Identifier: Apache-2.0
#include "models/simt_stack/simt_bytes.h"

#include "models/common/smrf_assert.h"

#include <cstring>

namespace smrf
{
namespace
{

// Where memory holds numbers as the bytes of a transaction do, a field is one move; the compiler
// does not make one of the loops.
constexpr bool little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

// One list of fields serves both directions.
struct writer {
    uint8_t *at;
    template <class T> void operator()(const T &field)
    {
        if constexpr (little_endian) {
            std::memcpy(at, &field, sizeof field);
        } else {
            for (unsigned i = 0; i < sizeof field; i++) {
                at[i] = static_cast<uint8_t>(field >> 8 * i);
            }
        }
        at += sizeof field;
    }
};

struct reader {
    const uint8_t *at;
    template <class T> void operator()(T &field)
    {
        if constexpr (little_endian) {
            std::memcpy(&field, at, sizeof field);
        } else {
            field = 0;
            for (unsigned i = 0; i < sizeof field; i++) {
                field = static_cast<T>(field | static_cast<T>(at[i]) << 8 * i);
            }
        }
        at += sizeof field;
    }
};

// L, O: struct smrf_simt_line, smrf_simt_out, const where they are read.
template <class Each, class L> const uint8_t *line_fields(Each each, L &l)
{
    each(l.pc), each(l.mask), each(l.imm), each(l.next_pc), each(l.next_mask), each(l.flow);
    return each.at;
}

template <class Each, class O> const uint8_t *out_fields(Each each, O &o)
{
    each(o.active), each(o.expected_pc), each(o.lanes);
    each(o.call_pc), each(o.target), each(o.call_lanes), each(o.called_pc);
    each(o.called_target), each(o.called_lanes), each(o.events);
    each(o.mismatch), each(o.splits), each(o.depth), each(o.call_depth), each(o.frames);
    each(o.released), each(o.call_frame), each(o.called_frame), each(o.own_frame), each(o.frame);
    return each.at;
}

} // namespace

simt_line_data to_bytes(const smrf_simt_line &line)
{
    simt_line_data data;
    SMRF_ASSERT(line_fields(writer{data.data()}, line) == data.data() + data.size());
    return data;
}

simt_out_data to_bytes(const smrf_simt_out &out)
{
    simt_out_data data;
    SMRF_ASSERT(out_fields(writer{data.data()}, out) == data.data() + data.size());
    return data;
}

smrf_simt_line simt_line_from(const uint8_t *bytes)
{
    smrf_simt_line line;
    line_fields(reader{bytes}, line);
    return line;
}

smrf_simt_out simt_out_from(const uint8_t *bytes)
{
    smrf_simt_out out;
    out_fields(reader{bytes}, out);
    return out;
}

} // namespace smrf
