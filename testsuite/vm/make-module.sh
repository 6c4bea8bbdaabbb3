#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make-module.sh TREE DIRECTORY: builds the module in DIRECTORY for the kernel whose build tree is TREE, with the compiler stap takes:
# the kernel's own, of this machine or of a system in the cache's toolchains/ (docs/build.md), else gcc or clang.
set -eu -o pipefail
tree=$1 directory=$2
cache=${TAPIR_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/tapir}
text=$(sed -n 's/^CONFIG_CC_VERSION_TEXT="\(.*\)".*/\1/p' "$tree/.config")
make=(make -s -C "$tree" M="$directory" CONFIG_DEBUG_INFO_BTF_MODULES=)
if grep -qx CONFIG_CC_IS_CLANG=y "$tree/.config"; then
    # It does not say by what name it was called: "Debian clang version 14.0.6".
    compiler=clang-$(sed 's/.*clang version \([0-9]*\).*/\1/' <<<"$text") plain=clang
    make+=(LLVM=1)
else
    compiler=${text%% *}
    plain=gcc${compiler##*gcc}
fi
for name in "$compiler" "$plain"; do
    command -v "$name" >/dev/null && exec "${make[@]}" CC="$name" modules
done
for system in "$cache"/toolchains/*; do
    [ -L "$system/usr/bin/$plain" ] || [ -x "$system/usr/bin/$plain" ] || continue
    exec unshare --mount bash -euc 'system=$1; shift; mount --bind "$system/etc" /etc; mount --rbind "$system/usr" /usr; exec "$@"' make \
        "$system" "${make[@]}" CC="$plain" modules
done
exec "${make[@]}" CC="${plain%%-*}" modules
