#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# README.md tells the truth: its commands run, its code is code that the tests compile, what it says
# the program printed is what the program prints, and every option, preset and path in it exists.
#
# usage: check_readme.sh [--update] [SOURCE_DIR [BUILD_DIR]]
#   --update: write the printed parts anew instead of comparing them.
# Marks in README.md, each on a line before a block:
#   <!-- printed by: COMMAND -->   the block is what COMMAND prints (times and paths apart)
#   <!-- presets -->               the rows of the table before <!-- end --> are made here
#   <!-- from FILE -->             the block stands in FILE word for word
#   <!-- FILE -->                  the block is a file that commands use
# Blocks of language sh are run; console and other languages are not.
set -u
update=no
if [ "${1-}" = --update ]; then
    update=yes
    shift
fi
here=$(cd "$(dirname "$0")" && pwd)
source_dir=${1:-$(cd "$here/../.." && pwd)}
build_dir=${2:-$source_dir/build}
readme=$source_dir/README.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
    printf 'README.md: %s\n' "$*"
    failed=1
}

# The commands see a folder like the repository's root, in which they may write.
root=$work/root
mkdir "$root" "$root/out"
for name in "$source_dir"/*; do
    case ${name##*/} in
    build* | out) ;;
    *) ln -s "$name" "$root/${name##*/}" ;;
    esac
done
ln -s "$build_dir" "$root/build"
ln -s "$source_dir/traces/bundled/divergent" "$root/my-trace"
printf '%s\n' '-gpgpu_n_clusters 4' >"$root/gpgpusim.config"
cd "$root" || exit 1

# block MARK: the lines of the fenced block that follows the line "<!-- MARK -->".
block() {
    awk -v mark="<!-- $1 -->" '
        $0 == mark { armed = 1; next }
        armed && /^```/ { if (inside) exit; inside = 1; next }
        inside { print }' "$readme"
}

# What differs from run to run, or from machine to machine.
settled() {
    grep -vE '^(simulated in|traced in|JSON|sim\.)' || true
}

# replace MARK FILE END: README.md with FILE in place of the lines between MARK and END.
replace() {
    awk -v mark="$1" -v file="$2" -v end="$3" '
        skip && $0 == end { skip = 0 }
        skip { next }
        { print }
        $0 == mark { armed = 1 }
        armed && (end != "```" || /^```/) {
            while ((getline line < file) > 0) print line
            close(file); armed = 0; skip = 1
        }' "$readme" >"$work/new" && cat "$work/new" >"$readme"
}

# Printed blocks.
sed -n 's/^<!-- \(printed by: .*\) -->$/\1/p' "$readme" >"$work/printed"
while IFS= read -r mark; do
    if ! sh -c "${mark#printed by: }" >"$work/out" 2>"$work/err" </dev/null; then
        fail "'${mark#printed by: }' failed: $(cat "$work/err")"
    elif [ $update = yes ]; then
        replace "<!-- $mark -->" "$work/out" '```'
    else
        block "$mark" | settled >"$work/said"
        settled <"$work/out" >"$work/is"
        diff "$work/said" "$work/is" >"$work/diff" ||
            fail "'${mark#printed by: }' prints something else (< README, > program)" \
                "$(printf '\n'; cat "$work/diff")"
    fi
done <"$work/printed"

# The table of presets, from what the program says.
value() {
    build/smrf --explain "$2" | awk -v preset="$1" '
        $1 == "presets" { on = 1; $1 = ""; $0 = substr($0, 2) }
        on && $1 == preset { $1 = ""; sub(/^ +/, ""); print }'
}
build/smrf list presets | sed -n 's/^  \([a-z0-9-]*\)  *\(.*\)$/\1 \2/p' |
    while read -r preset description; do
        printf '| `%s` | %s | %s | %s, %s | %s |\n' "$preset" "$description" \
            "$(value "$preset" gpu.sms)" "$(value "$preset" rf.banks)" \
            "$(value "$preset" rf.collectors)" "$(value "$preset" issue.scheduler)"
    done >"$work/presets"
{
    printf '\n| preset | machine | SMs | banks, collector units a sub-core | scheduler |\n'
    printf '| --- | --- | --- | --- | --- |\n'
    cat "$work/presets"
    printf '\n'
} >"$work/table"
if [ $update = yes ]; then
    replace '<!-- presets -->' "$work/table" '<!-- end -->'
else
    awk '$0 == "<!-- end -->" { on = 0 } on { print } $0 == "<!-- presets -->" { on = 1 }' \
        "$readme" | diff - "$work/table" || fail "the table of presets differs (< README, > program)"
fi

# Code that stands in a file.
sed -n 's/^<!-- from \(.*\) -->$/\1/p' "$readme" >"$work/from"
while IFS= read -r file; do
    block "from $file" >"$work/code"
    awk 'NR == FNR { want[++n] = $0; next }
        { have[++m] = $0 }
        END {
            for (i = 1; i + n - 1 <= m; i++) {
                for (j = 1; j <= n && have[i + j - 1] == want[j]; j++) ;
                if (j > n) exit 0
            }
            exit 1
        }' "$work/code" "$file" || fail "the code from $file does not stand there"
done <"$work/from"

# Files that commands use.
for file in $(sed -n 's/^<!-- \([a-z]*\.[a-z]*\) -->$/\1/p' "$readme"); do
    block "$file" >"$file"
done

# Commands.
awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on { print }' "$readme" >"$work/commands"
count=0
while IFS= read -r command; do
    count=$((count + 1))
    sh -c "$command" >"$work/out" 2>"$work/err" </dev/null ||
        fail "'$command' ends with status $?: $(tail -n 3 "$work/err")"
done <"$work/commands"
[ "$count" -gt 5 ] || fail "only $count commands were found"

# Names in backticks: options and statistics, presets, paths; links.
build/smrf list | awk '{ print $1 }' | sort -u >"$work/known"
sections=$(sed -n 's/^\([a-z0-9_]*\)\..*/\1/p' "$work/known" | sort -u | paste -sd '|')
grep -o '`[^`]*`' "$readme" | tr -d '`' | sort -u >"$work/names"
checked=0
while IFS= read -r name; do
    case $name in
    *' '* | -*) continue ;;
    *-paper | *-accelsim) found=$(grep -cx -- "$name" "$work/known") ;;
    models/* | platform/* | traces/* | tests/* | cmake/* | docs/* | build/*)
        found=$(ls -d $name 2>/dev/null | wc -l) ;;
    *.*)
        printf '%s\n' "$name" | grep -qE "^($sections)\.[a-z0-9_.]+$" || continue
        found=$(grep -cx -- "$name" "$work/known") ;;
    *) continue ;;
    esac
    checked=$((checked + 1))
    [ "$found" -gt 0 ] || fail "there is no $name"
done <"$work/names"
[ "$checked" -gt 20 ] || fail "only $checked names were found"
for path in $(awk '/^```/ { code = !code } !code' "$readme" | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//' | grep -v '^https'); do
    [ -e "$source_dir/$path" ] || fail "there is no $path"
done

[ $failed -eq 0 ] && echo "README.md: $count commands run, $checked names checked"
exit $failed
