#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the programs that tools look at from Debian's sources, with debug information: nginx with LuaJIT, Redis, SQLite, and jemalloc for
# a program of its own. Takes some minutes. Programs that are there already stay.
#
# Usage: build.sh DIR [nginx|redis|sqlite|jemalloc...]
set -eu
mkdir -p "$1/bin"
programs=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Sources alone: the machine's own lists stay as they are.
mkdir -p apt/lists/partial apt/cache/archives/partial
key="signed-by=/usr/share/keyrings/debian-archive-keyring.gpg"
echo "deb-src [$key] http://deb.debian.org/debian $release main" >apt/sources.list
cat >apt/apt.conf <<END
Dir::Etc::SourceList "$work/apt/sources.list";
Dir::Etc::SourceParts "-";
Dir::State::Lists "$work/apt/lists";
Dir::Cache "$work/apt/cache";
APT::Sandbox::User "root";
END
export APT_CONFIG=$work/apt/apt.conf

updated=
sources_of() { # PACKAGE...: unpacked below this directory, without Debian's changes
    [ -n "$updated" ] || apt-get -qq update
    updated=1
    apt-get -qq source --download-only "$@"
    local archive
    for archive in *.orig.tar.*; do
        tar xf "$archive"
        rm "$archive"
    done
}

build_redis() {
    sources_of redis
    make -C redis-* -j"$(nproc)" MALLOC=libc OPTIMIZATION=-O1 redis-server redis-cli >make.log 2>&1
    cp redis-*/src/redis-server redis-*/src/redis-cli "$programs/bin"
}

build_sqlite() {
    sources_of sqlite3
    rm -rf sqlite3*-www
    (cd sqlite3-* && ./configure >/dev/null && make sqlite3.c) >make.log 2>&1
    gcc -g -O1 -pthread -Wl,--build-id -DSQLITE_OMIT_LOAD_EXTENSION -I"$(echo sqlite3-*)" -o "$programs/bin/sqlite" "$here/sqlite.c" sqlite3-*/sqlite3.c -lm
}

# Once as a library, once in the program.
build_jemalloc() {
    sources_of jemalloc
    (cd jemalloc-* && CFLAGS='-g -O1' ./configure --disable-cxx --disable-doc --prefix="$programs" &&
        make -j"$(nproc)" EXTRA_CFLAGS=-O1 build_lib install_include install_lib) >make.log 2>&1
    gcc -g -pthread -Wl,--build-id -I"$programs/include" -o "$programs/bin/jemalloc-static" "$here/jemalloc.c" "$programs/lib/libjemalloc.a" -lm
    gcc -g -pthread -Wl,--build-id -I"$programs/include" -o "$programs/bin/jemalloc" "$here/jemalloc.c" -L"$programs/lib" \
        -Wl,-rpath,"$programs/lib" -ljemalloc
}

build_nginx() {
    sources_of luajit nginx libnginx-mod-http-lua libnginx-mod-http-ndk
    # The archive of LuaJIT has no directory of its own.
    make -j"$(nproc)" CCDEBUG=-g XCFLAGS=-DLUAJIT_ENABLE_GC64 PREFIX="$programs" install >make.log 2>&1
    ln -sf luajit-2.1.0-beta3 "$programs/bin/luajit"
    export LUAJIT_LIB=$programs/lib LUAJIT_INC
    LUAJIT_INC=$(echo "$programs"/include/luajit-2*)
    (cd nginx-* && ./configure --prefix="$programs/nginx" --without-pcre2 --with-cc-opt='-g -O2' \
        --with-ld-opt="-Wl,-rpath,$programs/lib" --add-module="$(echo "$work"/ngx_devel_kit-*)" --add-module="$(echo "$work"/lua-nginx-module-*)" &&
        make -j"$(nproc)" && make install) >>make.log 2>&1
}

for one in ${*:-redis sqlite jemalloc nginx}; do
    case $one in
    nginx) made=$programs/nginx/sbin/nginx ;;
    *) made=$programs/bin/$one ;;
    esac
    [ "$one" != redis ] || made=$programs/bin/redis-server
    [ ! -x "$made" ] || continue
    "build_$one" || {
        tail -n 20 make.log
        exit 1
    }
done
