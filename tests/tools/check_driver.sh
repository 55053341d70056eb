#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The firmware driver is freestanding: compiled without a library for this machine and, where the
# compilers are there, for 32- and 64-bit RISC-V, it calls nothing but itself.
#
# usage: check_driver.sh SOURCE_DIR CC
set -u
driver=$1/firmware/driver
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# compile NAME COMPILER OPTIONS..
compile() {
    name=$1
    shift
    if ! command -v "$1" >/dev/null; then
        echo "$name: skipped: $1 is not installed"
        return
    fi
    "$@" -std=c11 -ffreestanding -nostdlib -nostdinc -isystem "$("$1" -print-file-name=include)" -Os \
        -Wall -Wextra -Wpedantic -Werror -r -o "$work/$name.o" "$driver"/*.c || failed=1
    calls=$(nm -u "$work/$name.o" 2>/dev/null)
    [ -z "$calls" ] || {
        echo "$name: calls from outside:" $calls
        failed=1
    }
    echo "$name: $(ls -l "$work/$name.o" | awk '{print $5}') bytes, nothing from outside"
}

compile host "$2"
compile rv64 riscv64-unknown-elf-gcc -march=rv64imac -mabi=lp64
compile rv32 riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32
exit $failed
