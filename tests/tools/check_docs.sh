#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The documents tell the truth: their commands run, their code is code that the tests compile, what they
# say the program printed is what the program prints, and every option, preset and path in them exists.
#
# usage: check_docs.sh [--update] [SOURCE_DIR [BUILD_DIR [DOCUMENT..]]]
#   --update: write the printed parts anew instead of comparing them.
#   DOCUMENT: relative to SOURCE_DIR; default: README.md and all of docs/.
# Marks in a document, each on a line before a block:
#   <!-- printed by: COMMAND -->   the block is what COMMAND prints (times and paths apart)
#   <!-- presets -->               the rows of the table before <!-- end --> are made here
#   <!-- from FILE -->             the block stands in FILE word for word
#   <!-- FILE -->                  the block is a file that commands use
#   <!-- file FILE -->             the block is a file that the reader makes (write_blocks.sh)
# Blocks of language sh are run; console and other languages are not. Each document has a folder of its
# own to run in, so that it holds all that its commands need.
set -u
update=no
if [ "${1-}" = --update ]; then
    update=yes
    shift
fi
here=$(cd "$(dirname "$0")" && pwd)
source_dir=${1:-$(cd "$here/../.." && pwd)}
build_dir=${2:-$source_dir/build}
[ $# -le 2 ] && set -- || shift 2
if [ $# -eq 0 ]; then
    whole=yes
    cd "$source_dir" || exit 1
    # shellcheck disable=SC2046 # no blanks in names of documents
    set -- README.md $(find docs -name '*.md' | LC_ALL=C sort)
else
    whole=no
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
count=0
checked=0
printed=0

fail() {
    printf '%s: %s\n' "$name_of" "$*"
    failed=1
}

# enter: a folder like the repository's root, in which the commands of one document may write.
enter() {
    root=$work/root
    rm -rf "$root"
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
}

# block MARK: the lines of the fenced block that follows the line "<!-- MARK -->".
block() {
    awk -v mark="<!-- $1 -->" '
        $0 == mark { armed = 1; next }
        armed && /^```/ { if (inside) exit; inside = 1; next }
        inside { print }' "$document"
}

# What differs from run to run, or from machine to machine.
settled() {
    grep -vE '^(simulated in|traced in|JSON|sim\.)' || true
}

# replace MARK FILE END: the document with FILE in place of the lines between MARK and END.
replace() {
    awk -v mark="$1" -v file="$2" -v end="$3" '
        skip && $0 == end { skip = 0 }
        skip { next }
        { print }
        $0 == mark { armed = 1 }
        armed && (end != "```" || /^```/) {
            while ((getline line < file) > 0) print line
            close(file); armed = 0; skip = 1
        }' "$document" >"$work/new" && cat "$work/new" >"$document"
}

# Printed blocks.
check_printed() {
    sed -n 's/^<!-- \(printed by: .*\) -->$/\1/p' "$document" >"$work/printed"
    while IFS= read -r mark; do
        printed=$((printed + 1))
        if ! sh -c "${mark#printed by: }" >"$work/out" 2>"$work/err" </dev/null; then
            fail "'${mark#printed by: }' failed: $(cat "$work/err")"
        elif [ $update = yes ]; then
            replace "<!-- $mark -->" "$work/out" '```'
        else
            block "$mark" | settled >"$work/said"
            settled <"$work/out" >"$work/is"
            diff "$work/said" "$work/is" >"$work/diff" ||
                fail "'${mark#printed by: }' prints something else (< document, > program)" \
                    "$(printf '\n'; cat "$work/diff")"
        fi
    done <"$work/printed"
}

# The table of presets, from what the program says.
value() {
    build/smrf --explain "$2" | awk -v preset="$1" '
        $1 == "presets" { on = 1; $1 = ""; $0 = substr($0, 2) }
        on && $1 == preset { $1 = ""; sub(/^ +/, ""); print }'
}
check_presets() {
    grep -qx '<!-- presets -->' "$document" || return 0
    tables=$((tables + 1))
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
            "$document" | diff - "$work/table" ||
            fail "the table of presets differs (< document, > program)"
    fi
}

# Code that stands in a file.
check_code() {
    sed -n 's/^<!-- from \(.*\) -->$/\1/p' "$document" | sort -u >"$work/from"
    while IFS= read -r file; do
        [ -r "$file" ] || { fail "there is no $file"; continue; }
        awk -v mark="<!-- from $file -->" '
            NR == FNR {
                if ($0 == mark) { armed = 1; next }
                if (armed && /^```/) {
                    if (inside) { armed = inside = 0 } else { inside = 1; blocks++; n[blocks] = 0 }
                    next
                }
                if (inside) want[blocks, ++n[blocks]] = $0
                next
            }
            { have[++m] = $0 }
            END {
                for (b = 1; b <= blocks; b++) {
                    found = 0
                    for (i = 1; i + n[b] - 1 <= m && !found; i++) {
                        for (j = 1; j <= n[b] && have[i + j - 1] == want[b, j]; j++) ;
                        found = j > n[b]
                    }
                    if (!found) exit 1
                }
                exit blocks == 0
            }' "$document" "$file" || fail "the code from $file does not stand there"
    done <"$work/from"
}

# Files that commands use, and the commands.
check_commands() {
    for file in $(sed -n 's/^<!-- \([a-z]*\.[a-z]*\) -->$/\1/p' "$document"); do
        block "$file" >"$file"
    done
    awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on { print }' "$document" >"$work/commands"
    while IFS= read -r command; do
        count=$((count + 1))
        sh -c "$command" >"$work/out" 2>"$work/err" </dev/null ||
            fail "'$command' ends with status $?: $(tail -n 3 "$work/err")"
    done <"$work/commands"
}

# Names in backticks: options and statistics, presets, paths.
check_names() {
    grep -o '`[^`]*`' "$document" | tr -d '`' | sort -u >"$work/names"
    while IFS= read -r name; do
        case $name in
        *' '* | -*) continue ;;
        *-paper | *-accelsim) found=$(grep -cx -- "$name" "$work/known") ;;
        models/* | platform/* | traces/* | tests/* | cmake/* | docs/* | build/*)
            # shellcheck disable=SC2086 # a pattern
            found=$(ls -d $name 2>/dev/null | wc -l)
            grep -qxF "<!-- file $name -->" "$document" && found=1 ;;
        *.*)
            printf '%s\n' "$name" | grep -qE "^($sections)\.[a-z0-9_.]+$" || continue
            found=$(grep -cx -- "$name" "$work/known") ;;
        *) continue ;;
        esac
        checked=$((checked + 1))
        [ "$found" -gt 0 ] || fail "there is no $name"
    done <"$work/names"
}

"$build_dir/smrf" list --all | awk '{ print $1 }' | sort -u >"$work/known"
sections=$(sed -n 's/^\([a-z0-9_]*\)\..*/\1/p' "$work/known" | sort -u | paste -sd '|')
tables=0
for name_of in "$@"; do
    document=$source_dir/$name_of
    enter
    check_printed
    check_presets
    check_code
    check_commands
    check_names
done
name_of=documents
if [ $whole = yes ]; then
    [ "$count" -gt 50 ] || fail "only $count commands were found"
    [ "$checked" -gt 120 ] || fail "only $checked names were found"
    [ "$printed" -gt 3 ] || fail "only $printed printed blocks were found"
    [ "$tables" -eq 1 ] || fail "$tables tables of presets"
fi
[ $failed -eq 0 ] && echo "$# documents: $count commands run, $printed outputs compared, $checked names checked"
exit $failed
