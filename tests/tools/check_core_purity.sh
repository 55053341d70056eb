#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The C cores stay pure: no symbol from outside but memory functions and their own, no header that
# allocates, prints, tells the time or computes with floating point, no floating-point word, no
# C++ or SystemC in their sources, and every one compiled as C11 without extensions.
#
# usage: check_core_purity.sh SOURCE_DIR BUILD_DIR INSTRUMENTED
#   INSTRUMENTED: ON where sanitizers or coverage add symbols of their own; exit 77 = skipped.
# Each finding is one line "file:line: what"; the exit status is 1 if there is any.
set -u
source_dir=$1
build_dir=$2
instrumented=$3
library=$build_dir/libsmrf_core.a
allow=$(dirname "$0")/core_symbols.allow
found=0
# Lists of files stand one a line; a path may hold spaces.
IFS='
'

report() {
    if [ -n "$1" ]; then
        printf '%s\n' "$1"
        found=1
    fi
}

# The sources of the cores, and the headers beside them that are C.
sources=$(find "$source_dir/models" -name '*.c' | sort)
headers=$(find "$source_dir/models" -name '*.h' -exec grep -LE '^(namespace|class|template)' {} + | sort)

# Comments and string literals may name what code may not.
code_of() {
    awk -v file="$1" '
    {
        line = $0; out = ""
        while (line != "") {
            if (comment) {
                end = index(line, "*/")
                if (!end) { line = ""; break }
                line = substr(line, end + 2); comment = 0; continue
            }
            c = substr(line, 1, 1); two = substr(line, 1, 2)
            if (two == "/*") { comment = 1; line = substr(line, 3); out = out " " }
            else if (two == "//") line = ""
            else if (c == "\"" && line !~ /^"[^"]*\.h"/) {
                line = substr(line, 2)
                while (line != "" && substr(line, 1, 1) != "\"")
                    line = substr(line, substr(line, 1, 1) == "\\" ? 3 : 2)
                line = substr(line, 2); out = out "\"\""
            }
            else { out = out c; line = substr(line, 2) }
        }
        print file ":" NR ": " out
    }' "$1"
}

for file in $sources; do
    code=$(code_of "$file")
    report "$(printf '%s\n' "$code" |
        grep -E '#[[:space:]]*include[[:space:]]*[<"]([^>"]*\.hpp|systemc|tlm|stdio\.h|stdlib\.h|math\.h|time\.h|sys/|unistd\.h|pthread\.h|threads\.h|stdatomic\.h|c?std[a-z]+>)' |
        sed 's/$/    <- header not allowed in a core/')"
    report "$(printf '%s\n' "$code" | grep -wE 'float|double|__float128|_Complex' |
        sed 's/$/    <- floating point in a core/')"
done
for file in $headers; do
    code=$(code_of "$file")
    report "$(printf '%s\n' "$code" | grep -wE 'float|double' | sed 's/$/    <- floating point in a core/')"
done

# Symbols and data of the library.
if [ "$instrumented" = ON ]; then
    echo "skipped: sanitizers or coverage add symbols to libsmrf_core.a"
    [ $found -eq 0 ] && exit 77
    exit 1
fi
if [ ! -f "$library" ]; then
    echo "$library: not built"
    exit 1
fi
pattern=$(grep -v '^#' "$allow" | paste -sd '|')
report "$(nm -A -u "$library" 2>/dev/null | awk '{ print $NF, $0 }' | grep -vE "^($pattern) " |
    sed 's/^[^ ]* //; s/$/    <- symbol from outside the cores/')"
# Variables that can change: cores keep state only in structs of their callers. Constant tables of
# pointers stand in .data.rel.ro where code is position-independent.
report "$(objdump -t "$library" 2>/dev/null | awk '
    /file format/ { object = $1 }
    / O / && $4 ~ /^(\.t?bss|\.t?data|\*COM\*)/ && $4 !~ /^\.data\.rel\.ro/ {
        print object $NF "    <- variable outside any state struct" }')"

# Every core is compiled as strict C11.
commands=$build_dir/compile_commands.json
if [ -f "$commands" ]; then
    for file in $sources; do
        # A path with spaces stands there in quotes of its own.
        command=$(grep -F "\"command\"" "$commands" |
            grep -F -e "-c $file\"" -e "-c \\\"$file\\\"\"" | head -n 1)
        case $command in
        '') report "$file:1: not compiled in $build_dir" ;;
        *' -std=c11 '*) ;;
        *) report "$file:1: not compiled with -std=c11" ;;
        esac
    done
fi

[ $found -eq 0 ] && echo "the cores are pure: $(printf '%s\n' $sources | grep -c .) C files"
exit $found
