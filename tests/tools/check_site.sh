#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# MkDocs makes a site of docs/ without a warning, with a page for each chapter and an index to search.
#
# usage: check_site.sh SOURCE_DIR
# Exit status 77: there is no MkDocs, or not its theme.
set -u
mkdocs=$(command -v mkdocs) || { echo "there is no mkdocs: not checked"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$1" || exit 1
if ! "$mkdocs" build --quiet --strict --site-dir "$work/site" >"$work/log" 2>&1; then
    cat "$work/log"
    grep -q "Unrecognised theme" "$work/log" && exit 77
    exit 1
fi
failed=0
pages=0
for chapter in $(cd docs && find . -name '*.md'); do
    case $chapter in
    */README.md) page=${chapter%README.md}index.html ;;
    *) page=${chapter%.md}/index.html ;;
    esac
    pages=$((pages + 1))
    [ -s "$work/site/$page" ] || { echo "there is no page $page"; failed=1; }
done
grep -q '"location":"glossary/' "$work/site/search/search_index.json" ||
    { echo "the index to search has no glossary"; failed=1; }
[ $failed -eq 1 ] || echo "$pages pages"
exit $failed
