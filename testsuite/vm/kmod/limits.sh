# SPDX-License-Identifier: GPL-2.0-or-later
# An array larger than the machine is refused; no process is killed for it.
#: scripts: _huge.stp
run() { status=0; "$@" || status=$?; }
run "$STAPRUN" _huge.ko >out 2>err
is_equal 'exit status' $status 1
[ ! -s out ] || fail 'a handler ran'
grep -qi 'memory' err || fail "it does not say why: $(cat err)"
