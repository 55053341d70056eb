#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the files that a document holds: each block below a line "<!-- file PATH -->" goes to PATH in
# FOLDER, several of one path behind one another, with an empty line between them.
#
# usage: write_blocks.sh DOCUMENT FOLDER
set -eu
document=$1
folder=$2
sed -n 's/^<!-- file \(.*\) -->$/\1/p' "$document" | sort -u | while IFS= read -r path; do
    mkdir -p "$folder/$(dirname "$path")"
    awk -v mark="<!-- file $path -->" '
        $0 == mark { armed = 1; next }
        armed && /^```/ { if (inside) armed = inside = 0; else { inside = 1; if (blocks++) print "" } next }
        inside { print }' "$document" >"$folder/$path"
done
