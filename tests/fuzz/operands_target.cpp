// SPDX-License-Identifier: Apache-2.0
// Files of operands beside a trace.
#include "fuzz.h"

#include "traces/opcode.h"
#include "traces/operands.h"
#include "traces/trace_error.h"

#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const std::string text(reinterpret_cast<const char *>(data), size);
    smrf_operand_table table;
    smrf_trace_error_text error;
    std::memset(&table, 0, sizeof table);
    std::memset(&error, 0, sizeof error);
    const int rc = smrf_operand_table_read(&table, "input", text.c_str(), size, &error);
    FUZZ_DEMAND(rc >= 0 || std::strncmp(error.text, "input", 5) == 0);
    for (uint32_t i = 0; rc >= 0 && i < table.num; i++) {
        smrf_listed_inst listed;
        uint64_t second;
        std::memset(&listed, 0, sizeof listed);
        FUZZ_DEMAND(table.row[i].num <= SMRF_OPERANDS_MAX);
        smrf_operands_list(&table.row[i], 5, &listed, nullptr);
        smrf_operands_list(&table.row[i], 6, &listed, &second);
        (void)smrf_operand_table_find(&table, i * 16);
    }
    smrf_operand_table_close(&table);
    return 0;
}
