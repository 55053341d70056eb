#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the folder of a new mechanism that builds and runs, from the example in
# docs/write-a-mechanism.md: models/NAME/NAME.c with an option, counters, laws and an energy shape,
# tests/sm/NAME_test.cpp, and its line in platform/config/families.def.
#
# usage: models/new_mechanism.sh NAME [FOLDER]   (FOLDER: where to write, instead of this tree)
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
name=${1-}
folder=${2-$here}
fail() {
    echo "new_mechanism.sh: $*" >&2
    exit 2
}

echo "$name" | grep -qE '^[a-z][a-z0-9_]{0,30}$' ||
    fail "usage: models/new_mechanism.sh NAME, with a name of small letters, digits and _"
[ ! -e "$here/models/$name" ] && [ ! -e "$folder/models/$name" ] || fail "models/$name exists already"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$here/tests/tools/write_blocks.sh" "$here/docs/write-a-mechanism.md" "$work"

# The example is called recent; Recent and RECENT in names of tests and macros.
first=$(echo "$name" | cut -c1 | tr '[:lower:]' '[:upper:]')$(echo "$name" | cut -c2- | tr -d _)
upper=$(echo "$name" | tr '[:lower:]' '[:upper:]')
renamed() {
    sed "s/recent-4/$(echo "$name" | tr _ -)-4/g; s/recent/$name/g; s/Recent/$first/g; s/RECENT/$upper/g" "$1"
}
mkdir -p "$folder/models/$name" "$folder/tests/sm"
renamed "$work/models/recent/recent.c" >"$folder/models/$name/$name.c"
renamed "$work/tests/sm/recent_test.cpp" >"$folder/tests/sm/${name}_test.cpp"
echo "wrote models/$name/$name.c and tests/sm/${name}_test.cpp"
[ "$folder" = "$here" ] || exit 0
echo "FAMILY($name)" >>"$here/platform/config/families.def"
cat <<END
added FAMILY($name) to platform/config/families.def
Build and run it:
  cmake --preset dev && cmake --build build-dev --target smrf
  build-dev/smrf run --mechanism $name traces/bundled/hotspot
END
