# SPDX-License-Identifier: GPL-2.0-or-later
# Texts for which a string has no room are counted, and told of once; the exit status stays 0.
#: scripts: _cut.stp
#: stap: -DMAXSTRINGLEN=64
#: requires: function do_sys_openat2
"$STAPRUN" _cut.ko --ledger=ledger.json -c "cat /etc/$(printf './%.0s' $(seq 40))hostname" >out 2>err || { cat out err; fail "status $?"; }
cat out err
is_equal 'what it says' "$(cat err)" 'cut to MAXSTRINGLEN (64): 4 strings, 2 stacks; -D MAXSTRINGLEN=256 gives more room'
is_equal 'the ledger' "$(sed -n 's/^ *"cut": \(.*\),$/\1/p' ledger.json)" '{"strings": 4, "stacks": 2}'
grep -q '"lost": false' ledger.json || fail 'a cut text is no loss'
grep -qx 'ready 63 00001' out || fail 'what fits'
grep -qx '63 63 3 1 1' out || fail 'what was cut'
# Two keys became one.
is_equal 'keys' "$(tail -n 1 out)" "$(printf '%060d' 1)123 2"
"$STAPRUN" _cut.ko --ledger=ledger.json -c true >out 2>err || { cat out err; fail "status $?"; }
is_equal 'without a path' "$(cat err)" 'cut to MAXSTRINGLEN (64): 2 strings; -D MAXSTRINGLEN=256 gives more room'
