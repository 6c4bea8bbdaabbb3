# SPDX-License-Identifier: GPL-2.0-or-later
# --cgroup limits the handlers of every kind of probe to the tasks of a group and of those below it, of every kind and
# origin. The programs say how often they did what is probed.
#: scripts: _cgroup.stp
#: timeout: 180
#: long: six sessions, each with programs that count
#: records: also
groups=/sys/fs/cgroup
[ -e $groups/cgroup.procs ] || mount -t cgroup2 none $groups
mkdir -p $groups/tapir-a/below $groups/tapir-ab
calls=200
# worker GROUP: a process in it that waits, asks so often who its parent is, and computes for a moment.
worker() {
    bash -c 'echo 0 >"$0/cgroup.procs"; exec perl -e "sleep 0.05 until -e q(go); syscall(110) for 1 .. $1; \$n++ for 1 .. 3e5"' \
        "$groups/$1" $calls &
}
start() {
    rm -f go out err
    worker tapir-a; inside=$!
    worker tapir-a/below; below=$!
    worker tapir-ab; beside=$!
    worker .; outside=$!
    "$STAPRUN" _cgroup.ko --ledger=ledger "$@" >out 2>err &
    staprun=$!
    eventually 30 is_armed _cgroup
    : >go
    wait $inside $below $beside $outside
}
finish() {
    ticks=$(cat /proc/systemtap/_cgroup/ticks)
    kill -INT $staprun
    wait $staprun || fail "staprun ended with $?: $(cat err)"
    is_equal 'warnings' "$(cat err)" ''
    is_equal 'the session' "$(grep -E '^(begin|ticks|leaf) [01]$' out | tr '\n' ' ')" 'begin 0 leaf 0 ticks 1 '
    [ "$ticks" -gt 0 ] || fail "no timer, by a procfs probe: $ticks"
}
# row KIND PID: how often
row() { sed -n "s/^$1 $2 //p" out; }
for options in '' -t; do
    start --cgroup=/tapir-a $options
    finish
    cat out
    for who in $inside $below; do
        for kind in trace call result function return entry; do
            is_equal "$kind $options" "$(row $kind $who)" $calls
        done
        is_equal 'an end' "$(row end $who)" 1
        [ "$(row sample $who)" -gt 0 ] || fail 'no samples'
    done
    for who in $beside $outside; do
        is_equal "rows of who is outside $options" "$(grep -c " $who " out || :)" 0
    done
    is_equal 'rows of others' "$(grep -Ec '^(trace|call|result|function|return|entry|sample) ' out)" 14
    # Events outside of the group are neither hits nor skips.
    perl -MJSON::PP -e 'local $/; my $ledger = decode_json(<>);
        for (@{$ledger->{probes}}) {
            my $skipped = 0;
            $skipped += $_ for grep { !ref } values %{$_->{skipped}};
            print "$_->{point} hits $_->{hits} skipped $skipped\n" if $_->{point} =~ /__x64_sys_getppid/;
        }' ledger >rows
    cat rows
    is_equal 'the ledger' "$(grep -vc " hits $((2 * calls)) skipped 0\$" rows || :)" 0
done
# A path that goes back, and all of the machine.
start --cgroup=tapir-a/../tapir-ab
finish
is_equal 'beside' "$(row trace $beside) $(grep -c '^trace ' out)" "$calls 1"
start --cgroup=$groups
finish
is_equal 'all' "$(row trace $inside) $(row trace $below) $(row trace $beside) $(row trace $outside)" "$calls $calls $calls $calls"
# A task that joins the group is limited from then on, and a group stays known when its directory is gone.
rm -f go
worker .
moved=$!
"$STAPRUN" _cgroup.ko --cgroup=tapir-a/below >out 2>err &
staprun=$!
eventually 30 is_armed _cgroup
echo $moved >$groups/tapir-a/below/cgroup.procs
: >go
wait $moved
rmdir $groups/tapir-a/below
finish
is_equal 'who moved' "$(row trace $moved)" $calls
# Names that are no group. Tags: SettingRefused.
refused() {
    "$STAPRUN" _cgroup.ko --cgroup="$1" >out 2>err && fail "$1 is taken"
    is_equal "of $1" "$(head -n 1 err)" "ERROR: --cgroup: $2"
}
known="'cat /proc/PID/cgroup' shows the groups of a process; that behind '0::' can be given here"
refused /no/such "there is no control group '$groups/no/such'; $known"
refused cgroup.procs "'$groups/cgroup.procs' is not a directory; $known"
refused ../../../proc "'../../../proc' leads out of $groups, where control groups are; $known"
mkdir -p plain
mount --bind plain $groups/tapir-ab
refused tapir-ab "'$groups/tapir-ab' is not a control group of version 2; 'mount -t cgroup2 none DIRECTORY' makes that hierarchy available"
umount $groups/tapir-ab
rmdir $groups/tapir-a $groups/tapir-ab
