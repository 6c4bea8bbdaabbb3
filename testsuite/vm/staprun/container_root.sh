# SPDX-License-Identifier: GPL-2.0-or-later
# Root without the right to insert modules, as in a container, does not command sessions either.
#: scripts: _quiet.stp
#: requires: program setpriv
#: records: no, it looks at the process of staprun
"$STAPRUN" _quiet.ko -L >out 2>err || fail "$(cat err)"
control=/proc/tapir-_quiet/control
eventually 10 test -e $control
without="setpriv --inh-caps=-all --bounding-set=-sys_module"
for mode in '<' '>'; do
    if $without sh -c "exec 3$mode$control" 2>refused; then fail "it can open it ($mode)"; fi
    grep -q 'not permitted' refused || fail "$(cat refused)"
done
status=0
$without "$STAPRUN" -A _quiet >out 2>err || status=$?
is_equal "exit status" $status 1
[ -e $control ] || fail "the session has ended"
sh -c "exec 4>$control" || fail "root cannot open it"
"$STAPRUN" -d _quiet
