#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The register map as SystemRDL and as IP-XACT has the registers of the header, and what reads such
# files takes them: Python's XML parser, and the SystemRDL compiler where it is installed.
#
# usage: check_register_map.sh REGISTER_MAP PRINT_REGISTERS
set -u
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" rdl "$work/map.rdl" || failed=1
"$1" ipxact "$work/map.xml" || failed=1
"$2" | sed -n 's/^| 0x\([0-9a-f]*\) | \([A-Z_]*\) | [RW][O1WC]*C* |.*/\2 \1/p' >"$work/header"
[ -s "$work/header" ] || failed=1
sed -n 's/^    } \([A-Z_]*\)\(\[[0-9]*\]\)* @ 0x\([0-9a-f]*\);$/\1 \3/p' "$work/map.rdl" |
    diff "$work/header" - || { echo "SystemRDL: other registers than the header's"; failed=1; }
python3 - "$work/map.xml" >"$work/ipxact" <<'END' || failed=1
import sys
import xml.etree.ElementTree as tree
space = "{http://www.accellera.org/XMLSchema/IPXACT/1685-2014}"
for reg in tree.parse(sys.argv[1]).iter(space + "register"):
    print(reg.find(space + "name").text, "%02x" % int(reg.find(space + "addressOffset").text, 16))
END
diff "$work/header" "$work/ipxact" || { echo "IP-XACT: other registers than the header's"; failed=1; }
if python3 -c "import systemrdl" 2>/dev/null; then
    python3 - "$work/map.rdl" <<'END' || { echo "SystemRDL: its compiler refuses the map"; failed=1; }
import sys
from systemrdl import RDLCompiler
compiler = RDLCompiler()
compiler.compile_file(sys.argv[1])
compiler.elaborate()
END
else
    echo "the SystemRDL compiler is not installed: the map's syntax was not checked"
fi
"$1" other "$work/map" 2>/dev/null && { echo "an unknown format is no error"; failed=1; }
"$1" rdl "$work/none/map" 2>/dev/null && { echo "a file that cannot be made is no error"; failed=1; }
exit $failed
