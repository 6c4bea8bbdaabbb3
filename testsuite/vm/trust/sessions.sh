# SPDX-License-Identifier: GPL-2.0-or-later
# The rights of a set-user-ID staprun, and the owner of a session.
#: timeout: 300
#: long: some twenty sessions
#: scripts: _ticks.stp
#: requires: program openssl setpriv python3
#: records: no, it runs a copy of staprun that has a set-user-ID bit
. "$AREA/_common.sh"
cp _ticks.ko $place
sign --for=stapusr $place/_ticks.ko
out=$place/4001/out

# The command is the caller's, with the caller's environment and no more rights than that; staprun itself can only remove the module.
cat >$place/command <<'END'
id -u >$1/id
grep Cap /proc/self/status >$1/capabilities
env >$1/environment
grep -E '^(Uid|Gid|CapPrm|CapEff|CapInh|CapAmb):' /proc/$PPID/status >$1/parent
ls /proc/self/fd >$1/descriptors
END
MINE=yes become user $place/staprun -c "sh $place/command $place/4001" $place/_ticks.ko >$out 2>$place/err 7</etc/hostname || true
is_equal 'what staprun says' "$(cat $place/err)" ''
is_equal 'the user of the command' "$(cat $place/4001/id)" 4001
is_equal 'capabilities of the command' "$(grep -E '^Cap(Prm|Eff|Inh|Amb)' $place/4001/capabilities | grep -cv 0000000000000000)" 0
grep -q '^MINE=yes$' $place/4001/environment || fail "the command does not have the caller's environment"
grep -q '^SYSTEMTAP_MODULE=_ticks$' $place/4001/environment || fail 'the command does not have SYSTEMTAP_MODULE'
is_equal 'capabilities of staprun' "$(grep Cap $place/4001/parent | tr '\t' ' ' | sort | tr '\n' ';')" \
    'CapAmb: 0000000000000000;CapEff: 0000000000000000;CapInh: 0000000000000000;CapPrm: 0000000000010000;'
is_equal 'users of staprun' "$(grep Uid $place/4001/parent | tr '\t' ' ')" 'Uid: 4001 4001 4001 4001'
! grep -q '^7$' $place/4001/descriptors || fail 'a descriptor went through'

# A user who may not point a script at others' processes cannot start a set-user-ID program as its target, but may from the outside.
cp /usr/bin/id $place/root-id
chmod 4755 $place/root-id
is_equal 'who a set-user-ID program is' "$(become user $place/root-id -u)" 0
become user $place/staprun -c "$place/root-id -u" -o $place/4001/ignored $place/_ticks.ko >$place/4001/id 2>$place/err || fail "$(cat $place/err)"
is_equal 'who it is as a target' "$(cat $place/4001/id)" 4001
cp $place/_ticks.ko $place/4004/own.ko
chown 4004:4004 $place/4004/own.ko
become developer $place/staprun -c "$place/root-id -u" -o $place/4004/ignored $place/4004/own.ko >$place/4004/id 2>$place/err || fail "$(cat $place/err)"
is_equal "who it is as a developer's target" "$(cat $place/4004/id)" 0

# Files are written with the caller's rights.
refuses user "Couldn't open output file '/etc/tapir/out': Permission denied" -o /etc/tapir/out $place/_ticks.ko
is_gone _ticks || fail 'the module is there'
logged 'event=insert decision=refused uid=4001 .* module="_ticks" .*tag="set-up"'
refuses user "Couldn't run 'no-such-command'" -c no-such-command $place/_ticks.ko
logged 'event=insert decision=refused uid=4001 .* module="/run/tapir-trust/_ticks.ko" .*tag="set-up"'
refuses user 'unknown option --frobnicate' --frobnicate
logged 'event=insert decision=refused uid=4001 .*tag="usage" reason="unknown option --frobnicate"'

# A module that is inserted and then cannot be set up is removed as well.
refuses user "Couldn't set 'nothing' to '1': the script has no such scalar global variable" $place/_ticks.ko nothing=1
is_gone _ticks || fail 'the module is there'
logged 'event=end decision=failed uid=4001 .* module="_ticks" .*reason="Couldn.t set .nothing. to .1.: the script has no such scalar global variable"'

# Somebody else's session is neither seen nor ended; one's own control file is not one's own either.
rm $out
become user $place/staprun $place/_ticks.ko >$out 2>$place/err &
session=$!
starts $out
control=/proc/tapir-_ticks/control
is_equal 'whose session it is' "$(stat -c %u /proc/tapir-_ticks)" 4001
! become user cat $control 2>/dev/null || fail 'its user can open the control file'
refuses other "module '_ticks' is another user's" -A _ticks
refuses other "Couldn't remove module '_ticks': it is another user's" -d _ticks
refuses developer "Couldn't remove module '_ticks': it is another user's" -d _ticks
become other $place/staprun -d '*'
is_loaded _ticks || fail 'the module is gone'
logged 'event=attach decision=refused uid=4002 .* module="_ticks" .*tag="not-own"'
logged 'event=remove decision=refused uid=4002 .* module="_ticks"'
refuses other "module '../../run/x' is not loaded, or not a module made by Tapir" -A ../../run/x
logged 'event=attach decision=refused uid=4002 .* module="../../run/x" .*tag="not-loaded"'
refuses user "another staprun is attached to module '_ticks'" -A _ticks
logged 'event=attach decision=refused uid=4001 .* module="_ticks" .*tag="busy"'

# The log is told of an insertion before the kernel is, and then that it was none.
refuses other "Couldn't insert module '$place/_ticks.ko':" $place/_ticks.ko
logged 'event=insert decision=failed uid=4002 .* module="_ticks" .*tag="kernel" reason="File exists"'
is_equal 'what is logged of it' "$(grep -o 'event=insert decision=[a-z]* uid=4002' $place/log | tail -n 2 | cut -d ' ' -f 2 | tr '\n' ' ')" \
    'decision=allowed decision=failed '
pid=$(pgrep -u 4001 -x staprun)
! become user cat /proc/$pid/mem >/dev/null 2>&1 || fail 'its user can read its memory'

# Killed: the probes are off; its user can clean up, others cannot.
kill -KILL $pid
wait_for $session
lines=$(wc -l <$out)
sleep 3
is_equal 'lines after the end' "$(wc -l <$out)" "$lines"
refuses other "Couldn't remove module '_ticks': it is another user's" -d _ticks
become user $place/staprun -d _ticks
is_gone _ticks || fail 'the module is there'
logged 'event=remove decision=allowed uid=4001 .* module="_ticks"'

# The same by '*'.
rm $out
become user $place/staprun $place/_ticks.ko >$out 2>$place/err &
session=$!
starts $out
pkill -KILL -u 4001 -x staprun
wait_for $session
removals=$(grep -c 'event=remove' $place/log)
become other $place/staprun -d '*'
is_loaded _ticks || fail 'the module is gone'
is_equal 'removals in the log' "$(grep -c 'event=remove' $place/log)" "$removals"
become user $place/staprun -d '*'
is_gone _ticks || fail 'the module is there'
eventually 10 eval '[ "$(grep -c "event=remove decision=allowed uid=4001" $place/log)" = 2 ]'

# Sessions that outlive staprun are for developers.
rm $out
become user $place/staprun $place/_ticks.ko >$out 2>$place/err &
session=$!
starts $out
pkill -QUIT -u 4001 -x staprun
wait_for $session
is_gone _ticks || fail 'the session was detached'
refuses user '-L is for root and members of the group stapdev; you are a member of stapusr' -L $place/_ticks.ko
become developer $place/staprun -L $place/_ticks.ko 2>/dev/null
is_loaded _ticks || fail 'the module is not there'
refuses user "module '_ticks' is another user's" -A _ticks
become developer $place/staprun -d _ticks
is_gone _ticks || fail 'the module is there'
refuses user '-x: process 1 is not one of yours' -x 1 $place/_ticks.ko
logged 'decision=refused uid=4001 .*tag="target-refused"'
