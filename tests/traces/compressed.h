// SPDX-License-Identifier: Apache-2.0
// Text in the forms that a reader decompresses.
#ifndef SMRF_TESTS_COMPRESSED_H
#define SMRF_TESTS_COMPRESSED_H

#include <cstdint>
#include <lzma.h>
#include <string>
#include <zlib.h>
#include <zstd.h>

namespace trace_files
{

inline std::string xz(const std::string &in)
{
    std::string out(lzma_stream_buffer_bound(in.size()), '\0');
    size_t n = 0;
    lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr,
                            reinterpret_cast<const uint8_t *>(in.data()), in.size(),
                            reinterpret_cast<uint8_t *>(out.data()), &n, out.size());
    return out.substr(0, n);
}

inline std::string gz(const std::string &in)
{
    z_stream z = {};
    deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&z, in.size()) + 64, '\0');
    z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(in.data()));
    z.avail_in = static_cast<uInt>(in.size());
    z.next_out = reinterpret_cast<Bytef *>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

inline std::string zst(const std::string &in)
{
    std::string out(ZSTD_compressBound(in.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), in.data(), in.size(), 3));
    return out;
}

} // namespace trace_files

#endif
