#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pictures.sh BUILD [DIRECTORY]: makes the pictures of pages again that the documentation shows, by default in docs/pictures. Needs what run.sh
# needs, and takes what that has fetched into BUILD/pages.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
directory=${2:-$here/../../docs/pictures}
. "$here/../../devel/packages.sh"
. "$here/modules.sh"
fetch_modules "$build" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node "$here/pictures.mjs" "$build/pages" "$build/bin" "$work" "$directory"
