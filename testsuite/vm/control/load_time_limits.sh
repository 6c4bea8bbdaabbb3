# SPDX-License-Identifier: GPL-2.0-or-later
# Every limit can be set when the module is loaded; values the module cannot work with are refused with a reason.
# Tags: SettingRefused.
#: scripts: _limits.stp
run() { status=0; "$STAPRUN" "$@" >out 2>err || status=$?; }
run _limits.ko
is_equal 'by default' "$status $(cat out)" '0 4 elements, depth 10'
run _limits.ko --limit MAXMAPENTRIES=3
is_equal 'exit status with small arrays' $status 1
grep -q '^ERROR: Array overflow, check MAXMAPENTRIES near' err || fail "$(cat err)"
run _limits.ko --limit MAXACTION_INTERRUPTIBLE=5
grep -q '^ERROR: MAXACTION exceeded near .* in probe begin' err || fail "$(cat err)"
run _limits.ko --limit MAXACTION_INTERRUPTIBLE=0
grep -q '^ERROR: MAXACTION exceeded near .* in probe begin' err || fail "$(cat err)"
for wrong in MAXMAPENTRIES=0 MAXNESTING=0; do
    run _limits.ko --limit $wrong
    is_equal "exit status for $wrong" $status 1
    grep -q -- "--limit ${wrong%=0}: '0' is not a positive number" err || fail "$(cat err)"
done
run _limits.ko --limit MAXACTION=100000001
is_equal 'exit status for a huge MAXACTION' $status 1
grep -q 'the module refuses its settings: a limit is out of range' err || fail "$(cat err)"
