#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The check of the book finds what it is for: each mistake below, put into a copy, must be named.
#
# usage: check_book_test.sh CHECK SOURCE_DIR
set -u
check=$1
source_dir=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

mkdir "$work/tree"
for name in "$source_dir"/* "$source_dir"/.clang*; do
    case ${name##*/} in
    README.md | mkdocs.yml | docs | build* | out) ;;
    *) ln -s "$name" "$work/tree/${name##*/}" ;;
    esac
done
cp -r "$source_dir/README.md" "$source_dir/mkdocs.yml" "$source_dir/docs" "$work/tree"

sh "$check" "$work/tree" >"$work/out" 2>&1 || { echo "the copy has findings:"; cat "$work/out"; failed=1; }

printf '\n[x](docs/none.md) [y](docs/glossary.md#none) [z](/tmp)\n' >>"$work/tree/README.md"
printf '\n# Lost\n\n![w](../none.svg)\n' >"$work/tree/docs/lost.md"
printf '\n## Two  blanks & more\n\n[v](#two--blanks--more)\n' >>"$work/tree/docs/style.md"
printf '\n[in a block](none-at-all.md)\n' | sed '1i\\n```text' | sed '$a```' >>"$work/tree/docs/style.md"
sed -i '/glossary\.md/d' "$work/tree/mkdocs.yml" "$work/tree/docs/README.md"
printf '  - Gone: gone.md\n' >>"$work/tree/mkdocs.yml"
head -c 12000 /dev/zero | tr '\0' '\n' >>"$work/tree/README.md"

sh "$check" "$work/tree" >"$work/out" 2>&1
status=$?
[ $status -eq 1 ] || { echo "status $status, expected 1"; failed=1; }
while IFS= read -r expected; do
    grep -qF -- "$expected" "$work/out" || { echo "'$expected' is not among the findings"; failed=1; }
done <<'END'
README.md: there is no docs/none.md
README.md: docs/glossary.md#none: no heading is called that
README.md: the link /tmp is absolute
docs/lost.md: there is no ../none.svg
docs/style.md: #two--blanks--more: no heading is called that
mkdocs.yml: lost.md is missing
docs/README.md: lost.md is missing
mkdocs.yml: glossary.md is missing
docs/README.md: glossary.md is missing
mkdocs.yml: there is no docs/gone.md
at most 12,288
END
if grep -q none-at-all "$work/out"; then
    echo "a block of code has no links"
    failed=1
fi
[ $failed -eq 0 ] || cat "$work/out"
exit $failed
