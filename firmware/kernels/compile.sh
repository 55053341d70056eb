#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Regenerates the SASS texts of the suite, compressed, from its CUDA sources. Needed only after a change of a
# .cu file: building and testing smrf uses the text that lies beside the sources.
#
#   firmware/kernels/compile.sh                all of the suite
#   firmware/kernels/compile.sh rodinia/lud .. these SASS files
#
# The tool chain (nvcc, nvlink, nvdisasm of CUDA 11.8) comes from Debian's non-free packages, which
# are fetched and unpacked into a folder of their own ($SMRF_CUDA, default build/cuda); nothing is
# installed. <group>/builds.txt lists what is compiled: SASS file, source, further options. With
# -rdc=true -dlink among them, further sources may follow: they are compiled apart and linked.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
cuda=${SMRF_CUDA:-$here/../../build/cuda}
packages=(nvidia-cuda-toolkit nvidia-cuda-dev libnvvm4 libcu++-dev libthrust-dev libcub-dev)

fail() { printf 'compile.sh: %s\n' "$*" >&2; exit 1; }

# The mirror that the system itself uses, with component non-free, in lists of our own.
fetch_tools() {
    mkdir -p "$cuda"/lists/partial "$cuda"/cache/archives/partial "$cuda"/debs
    local site
    site=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI) $(CODENAME)' \
        'Created-By: Packages' | sed -n 's/^Debian|Debian|//p' | grep -v -- -updates | head -n 1)
    [ -n "$site" ] || fail "apt knows no Debian mirror: run apt-get update once, or set SMRF_CUDA"
    printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s main non-free\n' \
        "$site" >"$cuda/sources.list"
    cat >"$cuda/apt.conf" <<EOF
Dir::Etc::sourcelist "$cuda/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$cuda/lists";
Dir::Cache "$cuda/cache";
APT::Sandbox::User "root";
EOF
    (
        export APT_CONFIG=$cuda/apt.conf
        apt-get -q update && cd "$cuda/debs" && apt-get -q download "${packages[@]}"
    ) || fail "the packages could not be fetched: ${packages[*]}"
    local deb
    for deb in "$cuda"/debs/*.deb; do # the static and shared host libraries are not needed
        dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$cuda" --exclude='*_static*.a' \
            --exclude='*.so*' --exclude='./usr/share/*'
    done
    rm -rf "$cuda/debs" "$cuda/cache" "$cuda/lists"
}

[ -x "$cuda/usr/lib/nvidia-cuda-toolkit/bin/nvcc" ] || fetch_tools
cuda=$(cd "$cuda" && pwd)
host_compiler=$(command -v g++) # before the tool chain's own wrapper of that name
export PATH=$cuda/usr/lib/nvidia-cuda-toolkit/bin:$cuda/usr/bin:$PATH
export LD_LIBRARY_PATH=$cuda/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export NVVMIR_LIBRARY_DIR=$cuda/usr/lib/nvidia-cuda-toolkit/libdevice
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Sections that a loader never reads are left out of the text, and so are the blanks that align the
# encodings, which would double it.
without_debug() {
    awk '/^\/\/-----.* \.(debug|nv_debug|rel[a]?\.debug)/ { skip = 1 }
         /^\/\/-----/ && !/ \.(debug|nv_debug|rel[a]?\.debug)/ { skip = 0 }
         /\/\* 0x[0-9a-f]+ \*\/$/ { gsub(/  +/, " ") }
         !skip'
}

# Files by what they are called in the repository and in the tool chain, not where they lie here.
with_own_names() {
    sed -E "/\/\/## File /{
        s|\"$scratch/[0-9]+-|\"firmware/kernels/$(basename "$PWD")/|
        s|\"$here/|\"firmware/kernels/|; s|\"$cuda/usr/|\"cuda/|; s|/\./|/|
    }"
}

# No text is longer than the dictionary, which is what unpacking needs as memory.
packed() {
    xz --check=crc32 --lzma2=preset=9e,dict=1MiB
}

# One function of a module; the others are declared. Functions begin at FUNCTION, METHOD or LEVEL at
# the start of a line and end at a closing brace there (LEVEL: in its line). Lines keep their numbers.
part_of() { # part, source
    awk -v part="$1" '
        /^(FUNCTION|METHOD|LEVEL)/ { unit++; inside = 1; method = /^METHOD/; declared = 0 }
        inside && unit != part {
            text = ""
            if (/^}/ || /^LEVEL/) { inside = 0 }
            else if (/^{/) { if (!method) text = ";"; declared = 1 }
            else if (!method && !declared) { text = $0 }
            print text
            next
        }
        /^}/ { inside = 0 }
        { print }' "$2"
}

compile() { # sass file, source, options.. (with -dlink: further sources, compiled apart)
    local sass=$1 source=$2 link= split= word part parts=() options=() sources=("$2") n arch=sm_75
    shift 2
    for word in "$@"; do
        case $word in
        -dlink) link=1 ;;
        -split) split=1 ;;
        -arch=*) arch=${word#-arch=} ;;
        *.cu)
            if [ -n "$split" ]; then
                for ((n = 1; n <= $(grep -cE '^(FUNCTION|METHOD|LEVEL)' "$word"); n++)); do
                    part=$scratch/$n-$word
                    part_of "$n" "$word" >"$part"
                    sources+=("$part")
                done
            else
                sources+=("$word")
            fi
            ;;
        *) options+=("$word") ;;
        esac
    done
    for source in "${sources[@]}"; do
        part=$scratch/$(basename "$source").cubin
        nvcc -allow-unsupported-compiler -ccbin "$host_compiler" -I"$cuda/usr/include" -I"$here" -I. \
            -L"$cuda/usr/lib/x86_64-linux-gnu" -arch="$arch" -O3 -lineinfo -cubin "${options[@]}" \
            -o "$part" "$source"
        parts+=("$part")
    done
    # By hand, as nvcc -dlink drops kernels that no host code of the same objects launches.
    if [ -n "$link" ]; then
        nvlink -m64 --arch="$arch" --suppress-stack-size-warning -o "$scratch/out.cubin" \
            "${parts[@]}"
    else
        mv "${parts[0]}" "$scratch/out.cubin"
    fi
    nvdisasm -hex -g "$scratch/out.cubin" | without_debug | with_own_names | packed >"$scratch/out.sass.xz"
    mv "$scratch/out.sass.xz" "$sass"
    printf '%s\n' "$sass"
}

found=0
for list in "$here"/*/builds.txt; do
    group=$(dirname "$list")
    while read -r stem source options; do
        case $stem in '' | '#'*) continue ;; esac
        if [ $# -gt 0 ] && [[ " $* " != *" $(basename "$group")/$stem "* ]]; then
            continue
        fi
        found=1
        # shellcheck disable=SC2086 # options are words
        (cd "$group" && compile "$stem.sass.xz" "$source" $options)
    done <"$list"
done
# SASS that is made from compiled SASS.
if [ $# = 0 ]; then
    for script in "$here"/*/generate.sh; do
        "$script"
    done
fi
[ $found = 1 ] || fail "nothing of that name in the builds.txt files: $*"
