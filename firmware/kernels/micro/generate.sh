#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes ffma-*.sass.xz from ffma.sass.xz (compile.sh micro/ffma first): the same kernel, its code written
# anew with chosen registers. The compiler picks registers itself, and what these programs are for
# is exactly which ones.
#
#   ffma-conflict{1,2,3}  the most of the three sources of an FFMA that share a bank, for 4 or 8
#                         banks (register number modulo banks); 8 registers of each kind, 8 apart, and as
#                         many registers a thread in all three
#   ffma-reuse{1,3,10,40} every source was last touched that many instructions before
#   ffma-regs{40,64,128,255} the chain of distance 8 and as many registers a thread as named, which
#                         sets how many warps an SM can hold
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

# name, distance, first register of the accumulators, of the two factors, step from one register to
# the next, registers a thread
generate() {
    xzcat ffma.sass.xz | awk -v distance="$2" -v a="$3" -v b="$4" -v c="$5" -v step="$6" -v registers="$7" '
        function put(text) {
            printf "        /*%04x*/       %s%s ;\n", address, \
                text ~ /^@/ ? "        " : "            ", text
            address += 16
        }
        function number(x) { return x ? sprintf("%.10g", x) : "RZ" }
        function body(k, i) {
            put("MOV R1, c[0x0][0x28]")
            put("S2R R0, SR_CTAID.X")
            put("S2R R3, SR_TID.X")
            put("MOV R2, 0x4")
            put("IMAD R0, R0, c[0x0][0x0], R3")
            put("IMAD.WIDE R4, R0, R2, c[0x0][0x168]")
            put("LDG.E.SYS R6, [R4]")
            put("MOV R7, c[0x0][0x170]")
            for (k = 0; k < distance; k++) {
                put("FADD R" a + step * k ", R6, " number(0.0625 * k))
                put("FADD R" b + step * k ", R6, " number(0.125 * k))
                put("FADD R" c + step * k ", R6, " number(-0.03125 * k))
            }
            print ".L_x_0:"
            for (k = 0; k < 120; k++) {
                i = step * (k % distance)
                put("FFMA R" a + i ", R" b + i ", R" c + i ", R" a + i)
            }
            put("IADD3 R7, R7, -0x1, RZ")
            put("ISETP.NE.AND P0, PT, R7, RZ, PT")
            put("@P0 BRA `(.L_x_0)")
            for (k = 1; k < distance; k++)
                put("FADD R" a ", R" a ", R" a + step * k)
            put("IMAD.WIDE R4, R0, R2, c[0x0][0x160]")
            put("STG.E.SYS [R4], R" a)
            exit_at = address
            put("EXIT")
            print ".L_x_1:"
            put("BRA `(.L_x_1)")
            while (address % 128)
                put("NOP")
            print ".L_x_2:"
        }
        /EIATTR_/ { attribute = $NF }
        # the words that follow a heading: index and count of registers, places of EXIT
        attribute == "EIATTR_REGCOUNT" && /\.word\t0x/ {
            sub(/0x[0-9a-f]+$/, sprintf("0x%08x", registers))
            attribute = ""
        }
        attribute == "EIATTR_EXIT_INSTR_OFFSETS" && /\.word\t0x/ {
            sub(/0x[0-9a-f]+$/, "EXIT_AT")
            attribute = ""
        }
        /SHI_REGISTERS=/ { sub(/SHI_REGISTERS=[0-9]+/, "SHI_REGISTERS=" registers) }
        /^\.text\.ffma_chain:/ { in_code = 1; lines[++n] = $0; code = n; next }
        in_code && /^$/ { in_code = 0 }
        in_code { next }
        { lines[++n] = $0 }
        /\.size +ffma_chain,/ { sub(/\(\.L_x_[0-9]+/, "(.L_x_2", lines[n]) }
        END {
            # the place of EXIT is that of the last instruction but the padding
            exit_at = 16 * (8 + 3 * distance + 123 + distance - 1 + 2)
            for (i = 1; i <= n; i++) {
                sub(/EXIT_AT/, sprintf("0x%08x", exit_at), lines[i])
                print lines[i]
                if (i == code)
                    body()
            }
        }' | xz --check=crc32 --lzma2=preset=9e,dict=1MiB >"$1.sass.xz"
    printf '%s\n' "$1.sass.xz"
}

#        name           distance  a    b    c  step registers
generate ffma-conflict1        8 16   17   18     8       208
generate ffma-conflict2        8 16   17   81     8       208
generate ffma-conflict3        8 16   80  144     8       208
generate ffma-reuse1           1 16   17   18     3        24
generate ffma-reuse3           3 16   17   18     3        32
generate ffma-reuse10         10 16   17   18     3        48
generate ffma-reuse40         40 16   17   18     3       136
generate ffma-regs40           8 16   17   18     3        40
generate ffma-regs64           8 16   17   18     3        64
generate ffma-regs128          8 16   17   18     3       128
generate ffma-regs255          8 16   17   18     3       255
