#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# README.md and docs/ are one book: every relative link and anchor in them leads somewhere, every chapter
# is in the table of contents (docs/README.md) and in the site's (mkdocs.yml), and README.md is short.
#
# usage: check_book.sh SOURCE_DIR
# Each finding is one line; the exit status is 1 if there is any.
set -u
cd "$1" || exit 1
found=0
links=0
finding() {
    printf '%s\n' "$*"
    found=1
}

# text DOCUMENT: the lines outside of blocks of code.
text() {
    awk '/^ *```/ { code = !code; next } !code' "$1"
}

# anchors DOCUMENT: what its headings are called in links. Headings for which GitHub and MkDocs have
# different names (two blanks or hyphens in a row after punctuation is gone) have none.
anchors() {
    text "$1" | sed -n 's/^##* //p' | sed 's/\[\([^]]*\)\]([^)]*)/\1/g; s/`//g' |
        tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_ -]//g; s/ /-/g' | grep -v -e '--'
}

chapters=$(find docs -name '*.md' | LC_ALL=C sort)
for document in README.md $chapters; do
    folder=$(dirname "$document")
    # Links and pictures, one a line; code in backticks is no link.
    for link in $(text "$document" | sed 's/`[^`]*`//g' | grep -o '](\([^) ]*\))' | sed 's/^](//; s/)$//' | sort -u); do
        case $link in
        http://* | https://*) continue ;;
        /*) finding "$document: the link $link is absolute"; continue ;;
        esac
        links=$((links + 1))
        path=${link%%#*}
        target=$document
        [ -z "$path" ] || target=$folder/$path
        if [ ! -e "$target" ]; then
            finding "$document: there is no $link"
            continue
        fi
        case $link in
        *#*)
            anchors "$target" | grep -qxF -- "${link#*#}" ||
                finding "$document: $link: no heading is called that" ;;
        esac
    done
done

# The tables of contents.
for chapter in $chapters; do
    name=${chapter#docs/}
    grep -qE "^ *- .*: $name\$|^ *- $name\$" mkdocs.yml || finding "mkdocs.yml: $name is missing"
    [ "$name" = README.md ] || grep -qF "($name)" docs/README.md ||
        finding "docs/README.md: $name is missing"
done
for name in $(sed -n 's/^ *- .*: \([a-z/-]*\.md\)$/\1/p' mkdocs.yml); do
    [ -e "docs/$name" ] || finding "mkdocs.yml: there is no docs/$name"
done

size=$(wc -c <README.md)
[ "$size" -le 12288 ] || finding "README.md: $size bytes, at most 12,288: move what is long to docs/"
[ "$links" -gt 100 ] || finding "only $links links were found"
[ $found = 1 ] || echo "$links links lead somewhere, README.md has $size bytes"
exit $found
