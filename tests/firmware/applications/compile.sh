#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The device's half of each application, compiled again where nvcc is installed (CUDA 11.8).
set -e
cd "$(dirname "$0")"
for source in *.cu; do
    stem=${source%.cu}
    nvcc -arch=sm_75 -cubin -o "$stem.cubin" "$source"
    nvdisasm -hex "$stem.cubin" | xz -9 >"$stem.sass.xz"
    rm "$stem.cubin"
done
