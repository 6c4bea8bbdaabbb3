#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# check.sh BUILD: runs the demo cases, most of which fail on purpose, and compares the report, without times, addresses
# and the kernel's own words, with expected.tap.
here=$(cd "$(dirname "$0")" && pwd)
tests() { "$1/bin/guest-tests" --build "$1" --cases "$here" --cpus 2 "${@:2}"; }
plain() { sed -E -e '/^# kernel /d' -e '/^#   \[/d' -e 's/ # [0-9.]+ s(, flaky)?$/\1/' -e 's/(running after )[0-9]+/\1N/' -e 's/(kernel complained: ).*(WARNING: ).*/\1\2/'; }
rm -f "$1"/guest-tests/*/demo/flaky_failed
tests "$1" --no-retry | plain | diff -u "$here/expected.tap" - || exit 1
echo "the report is as expected"
rm "$1"/guest-tests/*/demo/flaky_failed
diff -u "$here/expected_again.tap" <(tests "$1" demo/j_flaky demo/a_passes demo/b_host | plain) || exit 1
echo "what fails is run again, alone"
[ "$(tests "$1" --repeat 3 demo/j_flaky | grep -c '^not ok')" = 2 ] || exit 1
rm "$1"/guest-tests/*/demo/flaky_failed
echo "a case is repeated"
[ "$(tests "$1" --quick --list | grep -c .)" = "$(($(tests "$1" --list | grep -c .) - 1))" ] || exit 1
echo "quick runs leave out what takes long"
list() { "$1/bin/guest-tests" --build "$1" --cases "$here" --list "${@:2}"; }
[ "$(list "$1" demo/c_skips)" = demo/c_skips ] && [ "$(list "$1" c_skips | wc -l)" = 2 ] || exit 1
echo "a whole name means that case alone"
diff -u <(list "$1") <({ list "$1" --part 1/3 && list "$1" --part 2/3 && list "$1" --part 3/3; } | LC_ALL=C sort) || exit 1
[ "$(list "$1" --part 2/3 | wc -l)" -lt "$(list "$1" | wc -l)" ] || exit 1
for part in 0/2 3/2 1 1/2x 5/-1; do
    if list "$1" --part $part >/dev/null 2>&1; then echo "--part $part is accepted" && exit 1; fi
done
echo "parts are the whole"
records=$(tests "$1" --records demo/a_passes demo/l_records | plain)
grep -q '^not ok 1 - demo/a_passes$' <<<"$records" && grep -q 'no session has written records' <<<"$records" || exit 1
grep -q '^not ok 2 - demo/l_records$' <<<"$records" && grep -q 'is not valid' <<<"$records" || exit 1
echo "with --records, a case without records fails, and so does one whose records are wrong"
