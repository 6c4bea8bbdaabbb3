#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# check.sh BUILD: runs the demo cases, most of which fail on purpose, and compares the report, without times, addresses
# and the kernel's own words, with expected.tap.
here=$(cd "$(dirname "$0")" && pwd)
"$1/bin/guest-tests" --build "$1" --cases "$here" --cpus 2 |
    sed -E -e '/^# kernel /d' -e '/^#   \[/d' -e 's/ # [0-9.]+ s$//' -e 's/(kernel complained: ).*(WARNING: ).*/\1\2/' |
    diff -u "$here/expected.tap" - || exit 1
echo "the report is as expected"
