#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The glossary has at most 30 words, in order, and each names a place that is there; words that it
# replaced have not come back.
#
# usage: check_glossary.sh SOURCE_DIR
# Each finding is one line; the exit status is 1 if there is any.
set -u
cd "$1" || exit 1
found=0
rows=$(sed -n 's/^| \([a-z][a-z -]*\) | .* | \(.*\) |$/\1|\2/p' docs/glossary.md | grep -v '^word|')
count=$(printf '%s\n' "$rows" | wc -l)
if [ "$count" -gt 30 ] || [ "$count" -lt 10 ]; then
    echo "docs/glossary.md: $count words, expected 10 to 30"
    found=1
fi
if ! printf '%s\n' "$rows" | cut -d'|' -f1 | LC_ALL=C sort -c 2>/dev/null; then
    echo "docs/glossary.md: the words are not in order"
    found=1
fi
for path in $(printf '%s\n' "$rows" | grep -o '`[^`]*`' | tr -d '`'); do
    # shellcheck disable=SC2086 # a pattern
    if ! ls -d $path >/dev/null 2>&1; then
        echo "docs/glossary.md: $path is not there"
        found=1
    fi
done
# stir: wake; alarm: wake-up time; nap: sleep; lone: single, or what it says of a destination.
if grep -rnwiE 'stir|stirs|stirred|alarms?|nap|naps|lone|lone_[a-z]+' models platform firmware traces \
    --include='*.[ch]' --include='*.cpp'; then
    echo "these words have others in the field: see docs/glossary.md"
    found=1
fi
[ $found = 1 ] || echo "$count words"
exit $found
