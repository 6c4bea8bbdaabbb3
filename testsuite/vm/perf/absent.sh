# SPDX-License-Identifier: GPL-2.0-or-later
# An event that the machine does not have ends the session and says so; an optional one is left out.
#: scripts: _absent.stp _absent_optional.stp _no_program.stp _twice.stp _hardware.stp
"$STAPRUN" _absent.ko >out 2>err && fail 'it ran'
is_equal 'output' "$(cat out)" ''
grep -Fqx 'ERROR: probe perf.type(99).config(7) registration error: this machine has no performance event of type 99 with configuration 7' err ||
    fail "the message: $(cat err)"
"$STAPRUN" _absent_optional.ko >out
is_equal 'output' "$(cat out)" 'the others run'
refused() {
    "$STAPRUN" "$1.ko" >out 2>err && fail "$1 ran"
    is_equal "output of $1" "$(cat out)" ''
    grep -Fqx "ERROR: probe $2" err || fail "the message of $1: $(cat err)"
}
refused _no_program "perf.type(1).config(0).process(\"/no/such/program\") registration error: there is no file '/no/such/program' (-ENOENT)"
refused _twice 'perf.type(1).config(2).counter("c") registration error: another probe counts under this name'
# With a processor that counts, what it counted; without, why there is nothing.
"$STAPRUN" _hardware.ko >out
grep -Eqx "[0-9]+|no events are counted as 'cycles'" out || fail "$(cat out)"
