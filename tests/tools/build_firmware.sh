#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program of the driver's for a bare RV64 core: IMAGE, as it lies in memory, and IMAGE.end, the address at
# which it has ended. PROGRAM names its main file, riscv/PROGRAM_main.c.
#
# usage: build_firmware.sh SOURCE_DIR RISCV_GCC PROGRAM IMAGE
set -eu
driver=$1/firmware/driver
gcc=$2
program=$3
image=$4
"$gcc" -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany -std=c11 -ffreestanding -nostdlib -Os \
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Werror -I"$1" -Wa,-I,"$1" \
    -ffunction-sections -fdata-sections -Wl,--gc-sections \
    -Wl,--no-warn-rwx-segments -T "$driver/riscv/link.ld" "$driver"/riscv/*.S "$driver/riscv/${program}_main.c" \
    "$driver"/*.c -o "$image.elf"
"${gcc%gcc}objcopy" -O binary "$image.elf" "$image"
"${gcc%gcc}nm" "$image.elf" | sed -n 's/ T ended$//p' >"$image.end"
