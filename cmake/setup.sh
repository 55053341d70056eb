# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2120
# What demo.sh and test.sh share: install what is missing, configure, build. Sourced by bash, with
# the repository's root as working directory. The packages stand in cmake/packages.txt.

say() {
    printf '==> %s\n' "$*" >&2
}

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Packages of a list that are not installed, one a line.
missing_packages() {
    local installed
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null |
        sed -n 's/^installed //p')
    grep -vxF -f <(printf '%s\n' "$installed") "$1" || true
}

# Debian and its relatives only; elsewhere CMake names what it does not find. apt is not touched
# when nothing is missing, so that a machine without a network can build.
install_missing() {
    local missing=() as_root=()
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "no apt on this system: the packages of cmake/packages.txt are taken to be installed"
        return
    fi
    mapfile -t missing < <(missing_packages cmake/packages.txt)
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            die "needs the packages: ${missing[*]}. Neither root nor sudo is at hand; as root" \
                "run: apt-get install ${missing[*]}"
        # A password can be asked for only where someone sits.
        if ! sudo -n true 2>/dev/null && ! [ -t 0 ]; then
            die "needs the packages: ${missing[*]}. sudo wants a password and there is no" \
                "terminal; as root run: apt-get install ${missing[*]}"
        fi
        as_root=(sudo)
    fi
    say "installing ${missing[*]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q </dev/null ||
        say "apt-get update failed; trying with the package lists that are there"
    # Images without documentation leave out /usr/share/doc; tests compile SystemC's examples there.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
        --no-install-recommends \
        -o 'Dpkg::Options::=--path-include=/usr/share/doc/libsystemc*' \
        "${missing[@]}" </dev/null ||
        die "apt-get could not install: ${missing[*]}. Its reason stands above; with a working" \
            "network and package source, run this again"
}

# What single tests need and are skipped without: a cross compiler and an instruction-set simulator for the
# firmware, clang's checks of layout and mistakes. Where they cannot be had, everything else goes on.
install_extras() {
    local missing=() as_root=()
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 0
    mapfile -t missing < <(missing_packages cmake/packages_extra.txt)
    [ ${#missing[@]} -gt 0 ] || return 0
    [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
    say "installing ${missing[*]} for the tests of the firmware, the sources and the documents"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        -o Acquire::Retries=0 -o Acquire::http::Timeout=20 "${missing[@]}" </dev/null ||
        say "not to be had: the tests that need them will be skipped"
}

# For a build folder that is new: one that is there keeps its setting, and what it has compiled.
warnings_are_errors() {
    [ -e build/CMakeCache.txt ] || configure_options+=(-DCMAKE_COMPILE_WARNING_AS_ERROR=ON)
}

configure_options=()

# configure_and_build [TARGET..]: the preset release, in build/; no target: everything.
configure_and_build() {
    local targets=()
    [ $# -eq 0 ] || targets=(--target "$@")
    if [ -e build ] && ! [ -w build ]; then
        die "$PWD/build cannot be written (made by another user?): remove it and run this again"
    fi
    if command -v ccache >/dev/null; then
        export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-ccache}
        export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
    fi
    say "configuring in $PWD/build"
    mkdir -p build
    cmake --preset release "${configure_options[@]}" >build/configure.log 2>&1 </dev/null || {
        cat build/configure.log >&2
        die "CMake could not configure; its reason stands above"
    }
    say "building${1:+ $*}"
    NINJA_STATUS='[%f/%t, %es] ' cmake --build build "${targets[@]}" </dev/null >&2 ||
        die "the build failed; the first error stands above"
}
