# SPDX-License-Identifier: GPL-2.0-or-later
# --target-namespaces: IDs as the namespaces of another process have them, also when that process ends; without it, those of staprun.
#: scripts: _namespaces.stp
#: requires: program unshare setpriv
chmod 777 .
setpriv --reuid=1000 --regid=1001 --clear-groups unshare --user --map-root-user --pid --fork \
    perl -e 'open(my $f, ">", "inside"); print $f readlink("/proc/self") . "\n"; close $f; for (;;) { syscall(110); sleep 0.05 }' &
eventually 20 grep -q . inside
read -r inside <inside
look() {
    "$STAPRUN" _namespaces.ko "$@" >out 2>err &
    staprun=$!
    eventually 30 grep -q '^here' out
    kill -INT $staprun
    wait $staprun || fail "staprun ended with $?: $(cat err)"
    sort -u out
}
is_equal 'as staprun has them' "$(look -x $inside)" "here $inside $inside 1000 1001
loader 1"
is_equal 'as the process has them' "$(look -x $inside -N $inside)" "here 1 1 0 0
loader cannot resolve id in namespace"
# Tags: SettingRefused.
"$STAPRUN" _namespaces.ko -N 4194304 2>err && fail 'namespaces of no process'
is_equal 'no process' "$(cat err)" 'ERROR: -N: there is no process 4194304'
