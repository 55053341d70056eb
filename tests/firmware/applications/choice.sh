#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# choice.sh SMRF APPLICATION: which device a program finds.
set -e
smrf=$1
application=$2

# finds RESULT OPTIONS IMAGE..: the status of a launch from each image, and the device.
finds() {
    wanted=$1
    options=$2
    shift 2
    got=$("$smrf" trace -q --no-trace $options -- "$application" "$@" 2>/dev/null)
    test "$got" = "$wanted" || {
        echo "$options $*: '$got', not '$wanted'"
        exit 1
    }
}
yes=cudaSuccess
no=cudaErrorNoKernelImageForDevice

# The machine's, if all images have code for it; else the oldest for which all have.
finds "$yes on sm_75" "" 75+80+90
finds "$yes on sm_80" "" 80+90
finds "$yes, $yes on sm_80" "" 75+80 80+90
finds "$yes on sm_75" "--preset qv100-accelsim" 75+80+90
finds "$yes on sm_86" "--preset rtx3070-accelsim" 75+80
finds "$yes on sm_90" "--preset h100-accelsim" 75+80+90
finds "$yes on sm_75" "--preset h100-accelsim" 75
# No architecture has all: as with a static cuBLAS.
finds "$yes, $no, $no, $yes on sm_75" "" 75+80+90 80+90 90 75
finds "$yes, $yes, $yes, $no on sm_90" "--preset h100-accelsim" 75+80+90 80+90 90 75
finds "$yes, $no, $yes on sm_80" "" 80 75 80+90
# The user's word.
finds "$yes, $no on sm_86" "--arch sm_86" 75+80 90

"$smrf" trace --no-trace -- "$application" 75 90 2>&1 >/dev/null |
    grep -q "no machine code for sm_75 (there is: sm_90): .*, or choose a device with --arch$"
echo "1 passed, 0 failed"
