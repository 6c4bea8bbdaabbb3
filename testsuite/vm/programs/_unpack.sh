#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# _unpack.sh PACKAGE...: unpacks Debian packages, and what they need and is not installed, into root/ of the current folder, without installing
# them. They are downloaded once. When that cannot be done, the file `missing` says why.
set -u
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tapir/test-packages
mkdir -p "$cache" root
target=$PWD/root
key=$(printf '%s_' "$@")
list=$cache/${key}list

# Names of the packages, which are in the cache afterwards.
fetch() (
    set -e
    mkdir -p none/partial
    # apt would not list packages that it has downloaded already.
    names=$(apt-get -o Dir::Cache::archives="$PWD/none" install --reinstall --print-uris -y --no-install-recommends "$@" | sed -n "s/^'[^']*' \([^_ ]*\)_.*/\1/p")
    [ -n "$names" ]
    # shellcheck disable=SC2086 # a list of words
    (cd "$cache" && apt-get download $names >&2)
    printf '%s\n' "$names"
)
if [ ! -s "$list" ]; then
    fetch "$@" >"$list.new" 2>error
    if [ ! -s "$list.new" ] && [ "$(id -u)" -eq 0 ]; then
        apt-get update -qq >/dev/null 2>&1
        fetch "$@" >"$list.new" 2>error
    fi
    if [ ! -s "$list.new" ]; then
        echo "Debian packages could not be fetched ($*): $(grep '^E: ' error | tail -n 1)" >missing
        exit 0
    fi
    mv "$list.new" "$list"
fi
while read -r package; do
    dpkg -x "$(compgen -G "$cache/${package}_*.deb" | tail -n 1)" "$target" || exit 1
done <"$list"
