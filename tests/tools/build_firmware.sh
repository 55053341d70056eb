#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The driver's program for a bare RV64 core: IMAGE, as it lies in memory, and IMAGE.end, the address at
# which it has ended.
#
# usage: build_firmware.sh SOURCE_DIR RISCV_GCC IMAGE
set -eu
driver=$1/firmware/driver
gcc=$2
image=$3
"$gcc" -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany -std=c11 -ffreestanding -nostdlib -Os \
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Werror -I"$1" \
    -Wl,--no-warn-rwx-segments -T "$driver/riscv/link.ld" "$driver"/riscv/start.S "$driver"/riscv/main.c "$driver"/*.c \
    -o "$image.elf"
"${gcc%gcc}objcopy" -O binary "$image.elf" "$image"
"${gcc%gcc}nm" "$image.elf" | sed -n 's/ T ended$//p' >"$image.end"
