#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Debian packages, each unpacked into an empty folder: what they hold and need, the program, Python. Then
# projects of others, in C and in C++, against what is installed: by the packages (find_package), and by an
# install into an empty prefix (pkg-config).
#
# usage: check_install.sh SOURCE BUILD
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trace=$source/traces/bundled/hotspot

fail() {
    echo "check_install.sh: $*" >&2
    exit 1
}

# expect PATTERN COMMAND..: it ends well and prints a line of that form.
expect() {
    pattern=$1
    shift
    "$@" >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "'$*' ends with status $?"; }
    grep -Eq "$pattern" "$work/said" || { cat "$work/said" >&2; fail "'$*' prints no line '$pattern'"; }
}

# The packages: what each has and needs.
(cd "$build" && cpack -G DEB -B "$work/deb" >"$work/cpack.log" 2>&1) || { cat "$work/cpack.log" >&2; fail cpack; }
deb() { echo "$work/deb/$1"_*.deb; }
has() { # has PACKAGE FILE..
    package=$1
    shift
    dpkg-deb -c $(deb "$package") >"$work/contents"
    for file in "$@" "share/doc/$package/copyright" "share/doc/$package/changelog.gz"; do
        grep -q " ./usr/$file$" "$work/contents" || fail "package $package lacks $file"
    done
}
has smrf bin/smrf bin/smrf-gen lib/smrf/cuda/libcuda.so.1 share/smrf/presets/rtx2060-paper.yaml \
    share/man/man1/smrf.1.gz share/man/man1/smrf-run.1.gz share/man/man1/smrf-gen.1.gz \
    share/bash-completion/completions/smrf
has libsmrf0
grep -q ' ./usr/lib/.*libsmrf\.so\.0 ->' "$work/contents" || fail "libsmrf0 has no libsmrf.so.0"
has libsmrf-dev include/smrf/smrf.h include/smrf/gpu.h include/smrf/protocol_monitor.h lib/libsmrf.a \
    "lib/\(.*-linux-gnu/\)\?pkgconfig/smrf.pc"
for package in smrf libsmrf0; do
    needs=$(dpkg-deb -f $(deb $package) Depends)
    case $needs in
    *-dev*) fail "$package needs a package for compilers: $needs" ;;
    *libsystemc*) ;;
    *) fail "$package does not need libsystemc: $needs" ;;
    esac
done
if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error "$work"/deb/*.deb >"$work/lintian" 2>&1 ||
        { cat "$work/lintian" >&2; fail "lintian finds errors"; }
    # The two calls of ldconfig are written by CPack.
    ! grep '^W:' "$work/lintian" | grep -v 'libsmrf0: maintscript-calls-ldconfig' >&2 || fail "lintian warns"
fi

# The program alone, and Python with the shared library alone.
for package in smrf libsmrf0; do dpkg-deb -x $(deb $package) "$work/$package"; done
expect '^cycles ' "$work/smrf/usr/bin/smrf" run "$trace"
man=$work/smrf/usr/share/man/man1
[ "$(zcat "$man/smrf-gen.1.gz" | head -c 12)" = ".TH SMRF-GEN" ] || fail "smrf-gen has no manual page"
if command -v python3 >/dev/null; then
    has python3-smrf lib/python3/dist-packages/smrf/__init__.py
    dpkg-deb -x $(deb python3-smrf) "$work/libsmrf0"
    expect '^[0-9]+$' env PYTHONPATH="$work/libsmrf0/usr/lib/python3/dist-packages" \
        PYTHONDONTWRITEBYTECODE=1 python3 -c "import smrf; print(smrf.run('$trace').cycles)"
fi

# All of them in one place, for compilers.
for package in "$work"/deb/*.deb; do dpkg-deb -x "$package" "$work/root"; done
usr=$work/root/usr

for language in c cxx; do
    cmake -S "$source/tests/install/$language" -B "$work/$language" -DCMAKE_PREFIX_PATH="$usr" \
        >"$work/log" 2>&1 && cmake --build "$work/$language" >>"$work/log" 2>&1 ||
        { cat "$work/log" >&2; fail "the project in $language does not build"; }
done
expect '^0\..*: [0-9]+ cycles' "$work/c/replay" "$trace" direct
expect '^0\..*: [0-9]+ cycles' "$work/c/replay" "$trace" systemc
expect '^granted: 7 9 [|] 8 [|]$' "$work/c/arbiter"
[ "$(ldd "$work/c/arbiter" | grep -Ec 'systemc|stdc')" = 0 ] || fail "an arbiter needs more than C"
expect ': ([0-9]+) and \1 cycles' "$work/cxx/two_gpus" "$trace"
expect '^1 transaction, 1 violation' "$work/cxx/watched"

# The prefix.
cmake --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail install; }
pc=$(dirname "$(find "$work/prefix" -name smrf.pc)")
flags() { PKG_CONFIG_PATH=$pc pkg-config "$@"; }
[ "$(flags --modversion smrf)" = "$("$work/prefix/bin/smrf" --version | sed 's/^smrf \([0-9.]*\).*/\1/')" ] ||
    fail "pkg-config and the program tell different versions"
[ "$(grep -l '^Description: .*-std=c++17' "$pc/smrf.pc" "$pc/smrf-monitor.pc" | wc -l)" = 2 ] ||
    fail "the pkg-config files do not say for which C++ SystemC was built"
# shellcheck disable=SC2046 # flags are words
cc -c -o "$work/replay.o" "$source/tests/install/c/replay.c" $(flags --cflags smrf)
# shellcheck disable=SC2046
cc -o "$work/replay" "$work/replay.o" $(flags --libs smrf)
expect ': [0-9]+ cycles' "$work/replay" "$trace"
# shellcheck disable=SC2046
cc -o "$work/arbiter" "$source/tests/install/c/arbiter.c" $(flags --cflags --libs smrf-core)
expect '^granted: 7 9 [|] 8 [|]$' "$work/arbiter"
# shellcheck disable=SC2046
c++ -std=c++17 -o "$work/watched" "$source/tests/install/cxx/watched.cpp" $(flags --cflags --libs smrf-monitor)
expect '^1 transaction, 1 violation' "$work/watched"

# As a part of another project: it configures, and offers the same target.
mkdir "$work/part"
cat >"$work/part/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(part LANGUAGES C CXX)
add_subdirectory($source smrf)
if(NOT TARGET smrf::smrf OR NOT TARGET smrf::monitor)
    message(FATAL_ERROR "no target")
endif()
add_executable(watched $source/tests/install/cxx/watched.cpp)
target_link_libraries(watched smrf::monitor)
END
cmake -S "$work/part" -B "$work/part/build" >"$work/log" 2>&1 &&
    cmake --build "$work/part/build" --target watched >>"$work/log" 2>&1 ||
    { cat "$work/log" >&2; fail "add_subdirectory"; }
expect '^1 transaction, 1 violation' "$(find "$work/part/build" -name watched -type f)"
echo "installed, packaged, used from C and C++"
