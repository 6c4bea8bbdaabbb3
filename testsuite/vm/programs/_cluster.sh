#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# _cluster.sh ROOT ARCHIVE: makes an archive of a PostgreSQL cluster with the programs below ROOT, which do not run as root. A guest would take long.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "$1" "$scratch/root"
mkdir "$scratch/cluster"
as_user=()
if [ "$(id -u)" -eq 0 ]; then
    chmod 755 "$scratch"
    chown 65534:65534 "$scratch/cluster"
    as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
fi
for directory in "$scratch"/root/usr/lib/*-linux-gnu; do export LD_LIBRARY_PATH=$directory; done
"${as_user[@]}" env LC_ALL=C "$scratch/root/usr/lib/postgresql/15/bin/initdb" -D "$scratch/cluster" -U tapir -A trust --no-sync --no-locale -E UTF8
tar -cf "$2" -C "$scratch/cluster" .
