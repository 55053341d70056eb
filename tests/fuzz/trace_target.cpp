// SPDX-License-Identifier: Apache-2.0
// Traces: text of every version, .tracez, compressed ones, and lists.
#include "fuzz.h"

#include "traces/trace.h"

namespace
{

const uint64_t MOST_INSTS = 200000; // of an input, as a few bytes of .xz or a loop can mean many

int read_block(smrf_trace_block *block, uint64_t *left)
{
    for (uint32_t w = 0; w < smrf_trace_block_warps(block); w++) {
        smrf_inst inst;
        uint64_t n = 0;
        int rc = 0;
        while (*left > 0 && (rc = smrf_trace_next_inst(block, w, &inst)) == 1) {
            FUZZ_DEMAND(inst.op->num_src <= SMRF_MAX_SRC && inst.op->num_dst <= SMRF_MAX_DST);
            FUZZ_DEMAND(inst.op->op_class < SMRF_CLASS_COUNT);
            n++;
            --*left;
        }
        FUZZ_DEMAND(*left == 0 || (rc == 0 && n == smrf_trace_warp_length(block, w)));
    }
    return *left > 0;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const memory_file file(data, size);
    smrf_trace *trace = nullptr;
    smrf_kernel_info info;
    smrf_trace_block *block;
    uint64_t left = MOST_INSTS;
    int rc = smrf_trace_open(&trace, file.path(), nullptr);
    for (unsigned kernels = 0; rc >= 0 && left > 0 && kernels < 100; kernels++) {
        rc = smrf_trace_next_kernel(trace, &info);
        if (rc <= 0) {
            break;
        }
        while (left > 0 && (rc = smrf_trace_next_block(trace, &block)) > 0) {
            (void)read_block(block, &left);
            smrf_trace_release_block(trace, block);
        }
    }
    FUZZ_DEMAND(rc >= 0 || smrf_trace_error(trace)[0] != '\0');
    smrf_trace_close(trace);
    return 0;
}
