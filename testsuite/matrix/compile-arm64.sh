#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compiles for AArch64 what can be compiled for it without such a machine: all of kmod/ and runtime/ as a module, against the arm64
# headers of this machine's Debian suite, and staprun. Nothing is run. See README.md.
set -u -o pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
CACHE=${TAPIR_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/tapir}
STATE=$CACHE/arm64
CROSS=aarch64-linux-gnu-
. "$HERE/fetch.sh"

usage() {
    cat <<EOF
usage: compile-arm64.sh [kernel|staprun]...
  kernel   a module of all of kmod/ and runtime/, with every symbol looked up in the arm64 kernel's list
  staprun  staprun, linked statically, and with it unwind/, machine/ and trust/
Default: both. Packages are kept in Tapir's cache, in arm64/. Status 1 if something does not compile, 2 if something could not be had.
EOF
}

fail() {
    echo "compile-arm64.sh: $1" >&2
    exit "${2:-2}"
}

parts=()
for part; do
    case $part in
    kernel | staprun) parts+=("$part") ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
    esac
done
[ ${#parts[@]} -gt 0 ] || parts=(kernel staprun)

for tool in "${CROSS}gcc" "${CROSS}g++" dpkg-deb apt-get make; do
    command -v "$tool" >/dev/null || fail "there is no $tool (Debian: apt-get install gcc-aarch64-linux-gnu g++-aarch64-linux-gnu)"
done
mkdir -p "$STATE/packages" "$STATE/none"
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:?}") || fail "this is no Debian"

# get PACKAGE...: unpacks arm64 packages, or with `of_host` before them the machine's own, into $STATE/root.
get() {
    local architecture=arm64 package
    [ "$1" != of_host ] || { architecture= && shift; }
    for package; do
        (
            [ -z "$architecture" ] || export APT_CONFIG=$STATE/apt.conf
            mkdir -p "$STATE/packages/$package" && cd "$STATE/packages/$package" || exit
            ls ./*.deb >/dev/null 2>&1 || apt-get -qq -o APT::Sandbox::User=root download "$package" || exit
            [ -e unpacked ] || { dpkg-deb -x ./*.deb "$STATE/root" && touch unpacked; }
        ) || fail "cannot get $package${architecture:+ for $architecture}"
    done
}

# A view of the archive as an arm64 machine has it.
use_arm64() {
    use_suites "$suite,$suite-security" || exit 2
    sed "s|$STATE/apt/[^/\"]*|$STATE/apt/arm64|g" "$APT_CONFIG" >"$STATE/apt.conf"
    printf '%s\n' 'APT::Architecture "arm64";' 'APT::Architectures { "arm64"; };' >>"$STATE/apt.conf"
    mkdir -p "$STATE/apt/arm64/lists/partial" "$STATE/apt/arm64/archives/partial" "$STATE/apt/arm64/none"
    cp "${APT_CONFIG%apt.conf}sources" "$STATE/apt/arm64/sources"
    unset APT_CONFIG
    [ -n "$(find "$STATE/apt/arm64/updated" -mmin -1440 2>/dev/null)" ] ||
        { APT_CONFIG=$STATE/apt.conf apt-get -qq update && touch "$STATE/apt/arm64/updated"; } || exit 2
}

# depends PACKAGE PATTERN: the first dependency of an arm64 package that matches.
depends() {
    APT_CONFIG=$STATE/apt.conf apt-cache depends --important "$1" | sed -n 's/^ *Depends: //p' | grep -m 1 -E "$2"
}

kernel() {
    local headers common kbuild tree work=$STATE/module log=$STATE/kernel.log status=0
    headers=$(depends linux-headers-arm64 '^linux-headers-[0-9]') || fail "the archive has no linux-headers-arm64"
    common=$(depends "$headers" '^linux-headers-.*-common')
    kbuild=$(depends "$headers" '^linux-kbuild-')
    get "$headers" "$common"
    get of_host "$kbuild" # programs that run here
    tree=$STATE/root/usr/src/$headers
    echo "include $STATE/root/usr/src/$common/Makefile" >"$tree/Makefile"
    rm -rf "$work" && mkdir -p "$work/tmp"
    mkdir "$work/arch"
    cp -r "$ROOT/arch/c" "$work/arch"
    cp -r "$ROOT/kmod" "$ROOT/runtime" "$work"
    cat >"$work/Kbuild" <<'KBUILD'
include $(src)/kmod/Kbuild
obj-m := trial.o
trial-objs := script.o $(tapir-objs)
KBUILD
    cat >"$work/script.c" <<'SCRIPT'
#include <tapir/tapir.h>
const struct tapir_module tapir_module = { .abi = TAPIR_ABI };
SCRIPT
    local arguments=(ARCH=arm64 CROSS_COMPILE=$CROSS CC=${CROSS}gcc)
    TMPDIR=$work/tmp sh "$work/kmod/compat/features.sh" "$tree" "${arguments[@]}" >"$work/tapir_kernel_features.h" || return
    make -k -j "$(nproc)" -C "$tree" M="$work" "${arguments[@]}" KCFLAGS=-Werror modules >"$log" 2>&1 || status=1
    [ "$status" = 0 ] || grep -E 'error|warning|ERROR' "$log" >&2
    [ "$status" = 0 ] && echo "kernel: a module for ${headers#linux-headers-}, $(wc -c <"$work/trial.ko") bytes"
    return "$status"
}

staprun() {
    local work=$STATE/staprun folder=$STATE/root/usr source status=0
    get zlib1g-dev libssl-dev
    rm -rf "$work" && mkdir -p "$work"
    for source in "$ROOT"/{common,module,unwind,machine,trust,staprun,arch}/*.cc; do
        case $source in */sign_main.cc | *"/*.cc") continue ;; esac
        echo "$source $work/$(basename "$(dirname "$source")")_$(basename "$source" .cc).o"
    done >"$work/list"
    # shellcheck disable=SC2016 # expanded by the inner shell
    xargs -P "$(nproc)" -L 1 sh -c '
        '"${CROSS}"'g++ -std=c++20 -O1 -Wall -Wextra -Werror -ffunction-sections -fdata-sections -DTAPIR_VERSION=\"trial\" \
            -I"$0" -I"$0/staprun" -I"$0/translator" -I"$0/runtime/include" -I"$1/include" -I"$1/include/aarch64-linux-gnu" \
            -c "$2" -o "$3"' "$ROOT" "$folder" <"$work/list" || return 1
    ${CROSS}gcc -c "$ROOT/staprun/closed_doors.c" -o "$work/closed_doors.o" || return 1
    # shellcheck disable=SC2046 # one word per object
    ${CROSS}g++ -static -s -Wl,--gc-sections,--wrap=dlopen,--wrap=getaddrinfo,--wrap=gethostbyname -o "$work/staprun" \
        $(cut -d ' ' -f 2 "$work/list") "$work/closed_doors.o" \
        "$folder/lib/aarch64-linux-gnu/libcrypto.a" "$folder/lib/aarch64-linux-gnu/libz.a" || status=1
    [ "$status" = 0 ] && echo "staprun: $(wc -c <"$work/staprun") bytes, $(file -b "$work/staprun" | cut -d , -f 1-2)"
    return "$status"
}

use_arm64
status=0
for part in "${parts[@]}"; do
    "$part" || { echo "$part: does not compile for arm64" >&2 && status=1; }
done
exit $status
