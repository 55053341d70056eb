#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The device's half of each application, compiled again where nvcc is installed (CUDA 11.8).
set -e
cd "$(dirname "$0")"
codes=
for arch in 75 80 86 90; do
    codes="$codes -gencode arch=compute_$arch,code=sm_$arch"
done
for source in *.cu; do
    nvcc -fatbin $codes -o "${source%.cu}.fatbin" "$source"
done
