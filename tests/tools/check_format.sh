#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every C and C++ source is laid out as clang-format 14 does it with .clang-format. Other versions of
# clang-format differ in details, so they are not asked.
#
# usage: check_format.sh SOURCE_DIR
# Each finding is one line "file:line: ..."; the exit status is 1 if there is any, 77 without
# clang-format 14. To mend: clang-format -i FILE..
set -u
cd "$1" || exit 1

format=
for name in clang-format-14 clang-format; do
    if "$name" --version 2>/dev/null | grep -q 'version 14\.'; then
        format=$name
        break
    fi
done
if [ -z "$format" ]; then
    echo "skipped: clang-format 14 is not installed"
    exit 77
fi

sources=$(find models platform firmware traces tests cmake sc_main.c \
    -name '*.[ch]' -o -name '*.cpp' | sort)
if [ -z "$sources" ]; then
    echo "no sources in $1"
    exit 1
fi
# shellcheck disable=SC2086 # no file name has white space
printf '%s\n' $sources | xargs -P 2 -n 50 "$format" --dry-run -Werror 2>&1 | grep 'error:' && exit 1
echo "$(printf '%s\n' $sources | wc -l) files are formatted"
