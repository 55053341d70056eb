/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of docs/ip.md, from the headers that say what they tell. */
#include "firmware/driver/gpu_registers.h"
#include "models/rf/rf_instruction.h"

#include <stdio.h>

#define REGISTER(name, offset, access, reset, meaning)                                             \
    printf("| 0x%02x | %s | %s | 0x%x | %s |\n", (unsigned)(offset), #name, #access,               \
           (unsigned)(reset), meaning);
#define BIT(register, name, value, meaning)                                                        \
    printf("| %s.%s | 0x%x | %s |\n", #register, #name, (unsigned)(value), meaning);
#define ERROR(name, value, meaning) printf("| %u | %s | %s |\n", (unsigned)(value), #name, meaning);
#define STATUS(name, meaning)                                                                      \
    printf("| 0x%02x | %s | %s |\n", 4u * (unsigned)SMRF_RF_##name, #name, meaning);

int main(void)
{
    printf("| offset | register | access | after reset | meaning |\n| --- | --- | --- | --- | --- "
           "|\n");
    SMRF_GPU_REGISTERS(REGISTER)
    printf("\n| bit | value | meaning |\n| --- | --- | --- |\n");
    SMRF_GPU_BITS(BIT)
    printf("\n| ERROR | name | cause |\n| --- | --- | --- |\n");
    SMRF_GPU_ERRORS(ERROR)
    printf("\n| offset | status word | meaning |\n| --- | --- | --- |\n");
    SMRF_RF_STATUS(STATUS)
    return 0;
}
