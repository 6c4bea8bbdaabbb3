# SPDX-License-Identifier: GPL-2.0-or-later
# An event that the machine does not have ends the session and says so; an optional one is left out.
#: scripts: _absent.stp _absent_optional.stp
"$STAPRUN" _absent.ko >out 2>err && fail 'it ran'
is_equal 'output' "$(cat out)" ''
grep -Fqx 'ERROR: probe perf.type(99).config(7) registration error: this machine has no performance event of type 99 with configuration 7' err ||
    fail "the message: $(cat err)"
"$STAPRUN" _absent_optional.ko >out
is_equal 'output' "$(cat out)" 'the others run'
