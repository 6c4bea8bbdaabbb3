# SPDX-License-Identifier: GPL-2.0-or-later
# Addresses that the processor cannot watch end the session, with the reason.
#: scripts: _missing.stp _program.stp _many.stp _optional.stp
refused() {
    "$STAPRUN" "$1.ko" >out 2>err && fail "$1 ran"
    is_equal "output of $1" "$(cat out)" ''
    grep -Fqx "ERROR: probe $2" err || fail "the message of $1: $(cat err)"
}
refused _missing "kernel.data(\"there_is_no_such_thing\").write registration error: no symbol 'there_is_no_such_thing' in this kernel"
refused _program 'kernel.data(4096).write registration error: 0x1000 is not a kernel address'
refused _many 'kernel.data("dirty_background_ratio").write registration error: all debug registers of the processor are in use'
"$STAPRUN" _optional.ko >out
is_equal 'output' "$(cat out)" 'the others run'
