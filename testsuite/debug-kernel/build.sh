#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# build.sh [--clang]: builds the debug kernel for guests, or one of clang (see README.md), and puts it where stap -r and stap-vm -k look.
# The last line it prints is the kernel's release. Does nothing when that kernel is there; when it was interrupted, it goes on.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${TAPIR_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/tapir}
work=$cache/debug-kernel

fail() {
    echo "build.sh: $*" >&2
    exit 1
}

variant=debug compiler=gcc programs=gcc arguments=()
case $*:$# in
:0) ;;
--clang:1) variant=clang compiler=clang programs='clang ld.lld llvm-ar llvm-nm llvm-objcopy llvm-strip' arguments=(LLVM=1) ;;
*) fail "usage: build.sh [--clang]" ;;
esac
build=$work/build-$variant

say() { echo "build.sh: $*" >&2; }

missing=
for program in $programs make flex bison bc perl xz strip depmod apt-get apt-cache dpkg-deb; do
    command -v "$program" >/dev/null || missing+=" $program"
done
[ -z "$missing" ] || fail "these programs are missing:$missing"
[ -e /usr/include/gelf.h ] || fail "gelf.h is missing: install libelf-dev"

package=$(apt-cache depends linux-source | sed -n 's/^  Depends: //p')
version=$(apt-cache show --no-all-versions "$package" 2>/dev/null | sed -n 's/^Version: //p')
[ -n "$version" ] || fail "apt knows no package of the kernel's source: run apt-get update, and see that deb lines name a Debian suite"
source=$work/$package
inputs=$({ echo "$package $version"; "$compiler" --version; cat "$here/config" "$here/config-$variant" "$here/build.sh"; } | sha256sum | cut -d ' ' -f 1)

mkdir -p "$work" "$cache/kernels"
exec 9>"$work/lock"
flock 9
if [ "$(cat "$work/installed-$variant" 2>/dev/null)" = "$inputs" ]; then
    release=$(cat "$build/include/config/kernel.release")
    [ -e "$cache/kernels/$release/boot/vmlinuz-$release" ] && echo "$release" && exit
fi

# unpack_package NAME DIRECTORY: downloads and unpacks a package of this machine's suite.
unpack_package() {
    mkdir -p "$2"
    # apt-get downloads as a user of its own, who may not write here, and says so.
    (cd "$2" && apt-get -qq -o APT::Sandbox::User=root download "$1" && dpkg-deb -x "$1"_*.deb . && rm "$1"_*.deb)
}

if ! command -v pahole >/dev/null; then
    [ -x "$work/tools/usr/bin/pahole" ] || unpack_package pahole "$work/tools"
    PATH=$work/tools/usr/bin:$PATH
    pahole --version >/dev/null || fail "pahole, which makes BTF, does not run: install the package pahole"
fi

if [ "$(cat "$source/.tapir-version" 2>/dev/null)" != "$version" ]; then
    say "unpacking $package $version"
    rm -rf "$source" "$work"/build-* "$work/package"
    unpack_package "$package" "$work/package"
    mkdir "$source"
    tar -xJf "$work/package/usr/src/$package.tar.xz" --strip-components=1 -C "$source"
    rm -r "$work/package"
    echo "$version" >"$source/.tapir-version"
fi

mkdir -p "$build"
make() { nice -n 10 make -s -C "$source" O="$build" "${arguments[@]}" "$@"; }

cat "$here/config" "$here/config-$variant" >"$build/wanted"
make KCONFIG_ALLCONFIG="$build/wanted" alldefconfig
lost=$(grep -E '^(# )?CONFIG_' "$build/wanted" | grep -vxFf "$build/.config") || :
[ -z "$lost" ] || fail "this kernel cannot be configured as wanted:"$'\n'"$lost"
release=$(make kernelrelease)
say "building $release"
make -j"$(nproc)" all

say "installing $release"
root=$(mktemp -d "$cache/kernels/.install-$release.XXXXXX")
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
mkdir -p "$root/boot" "$root/usr/lib/debug/boot"
cp "$build/arch/x86/boot/bzImage" "$root/boot/vmlinuz-$release"
cp "$build/System.map" "$root/boot/System.map-$release"
cp "$build/.config" "$root/boot/config-$release"
cp "$build/vmlinux" "$root/usr/lib/debug/boot/vmlinux-$release"
make modules_install INSTALL_MOD_PATH="$root" INSTALL_MOD_STRIP=1
make modules_install INSTALL_MOD_PATH="$root/usr/lib/debug" DEPMOD=true

# The tree that modules are built with, as a distribution's header package has it: one tree of the source's files and
# of generated ones.
headers=$root/usr/src/linux-headers-$release
mkdir -p "$headers"
(
    cd "$source"
    find . arch/x86 -maxdepth 1 \( -name 'Makefile*' -o -name 'Kconfig*' -o -name Kbuild \) -type f
    find scripts include arch/x86/include ! -type d
) | tar -C "$source" -c -T - | tar -C "$headers" -x
(
    cd "$build"
    find scripts include arch/x86/include ! -type d ! -name '*.cmd' ! -name '*.d'
    echo .config
    echo Module.symvers
    echo tools/objtool/objtool
) | tar -C "$build" -c -T - | tar -C "$headers" -x
modules=$root/lib/modules/$release
rm -f "$modules/build" "$modules/source" "$root/usr/lib/debug/lib/modules/$release/build" "$root/usr/lib/debug/lib/modules/$release/source"
ln -s "../../../usr/src/linux-headers-$release" "$modules/build"

rm -rf "$cache/kernels/$release"
mv "$root" "$cache/kernels/$release"
echo "$inputs" >"$work/installed-$variant"
echo "$release"
