#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the guest tests with the programs of a build folder (--build DIR, default build/). See README.md.
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build
previous=
for word; do
    [ "$previous" = --build ] && build=$word
    previous=$word
done
if [ ! -x "$build/bin/guest-tests" ]; then
    echo "run.sh: there is no $build/bin/guest-tests; build the project first, or name its build folder with --build" >&2
    exit 2
fi
. "$here/../own_library.sh"
exec "$build/bin/guest-tests" --build "$build" "$@"
