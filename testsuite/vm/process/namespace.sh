# SPDX-License-Identifier: GPL-2.0-or-later
# PIDs are those of the loader's namespace, also when that is not the machine's: of -x and of process(PID). A target may live in
# another one than the loader. A descendant stays one when its parent is gone.
#: long: many sessions in namespaces of processes
#: host: cc -O2 -pthread -o life "$AREA/_life.c"
#: host: sleep 600 >/dev/null 2>&1 & echo $! >pid
#: host: "$STAP" -p4 -r "$R" -m family "$AREA/_family.stp" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m number "$AREA/_number.stp" $(cat pid) >/dev/null
#: host: kill $(cat pid)
#: requires: program unshare
#: requires: config CONFIG_CHECKPOINT_RESTORE=y
#: timeout: 120
pipe=$(mktemp -u)
mkfifo $pipe
echo 4194304 >/proc/sys/kernel/pid_max

# The target and the loader in another namespace.
unshare --pid --fork --mount-proc bash -eu -c '
    ./life wait fork=3 <"$0" &
    exec 4>"$0"
    "$1" -x $! family.ko >inside & staprun=$!
    until grep -qs started inside; do sleep 0.1; done
    echo >&4
    wait %1
    kill -INT $staprun
    wait $staprun' $pipe "$STAPRUN"
is_equal 'inside' "$(cat inside)" 'started
3 forked, 4 ended, as target 1'

# The process of this number there, and not the machine's.
cat >as_numbered.sh <<'END'
echo $(($(cat pid) - 1)) >/proc/sys/kernel/ns_last_pid
"$@" <$input &
[ $! = "$(cat pid)" ] || { echo "it is $!"; exit 1; }
END
cat >numbered.sh <<'END'
input=$1
. ./as_numbered.sh ./life wait fork=2
exec 4>$1
$2 number.ko >number & staprun=$!
until grep -qs started number; do sleep 0.1; done
echo >&4
wait %1
kill -INT $staprun
wait $staprun
END
input=/dev/null
. ./as_numbered.sh ./life fork=1000000
other=$!
unshare --pid --fork --mount-proc bash -eu numbered.sh $pipe "$STAPRUN"
kill $other
wait $other || :
is_equal 'the process of a number' "$(cat number)" 'started
forks 2 ends 1'

# It is not there.
"$STAPRUN" number.ko >none 2>&1 && fail 'a process that is not there'
grep -q "^ERROR: probe process($(cat pid)).syscall.* registration error: there is no process $(cat pid)\$" none || { cat none; fail 'the message'; }

# The loader outside of the target's namespace.
unshare --pid --fork --mount-proc ./life wait fork=3 <$pipe & container=$!
exec 4>$pipe
eventually 10 eval "pgrep -P $container life >inner"
"$STAPRUN" -x "$(cat inner)" family.ko >outside & staprun=$!
eventually 30 grep -qs started outside
echo >&4
wait $container
kill -INT $staprun
wait $staprun
is_equal 'outside' "$(cat outside)" 'started
3 forked, 4 ended, as target 1'

# A daemon: its parent has ended, and it and its children count.
cat >daemon.sh <<'END'
( (sleep 0.3; ./life fork=5; echo done >ready) & )
until grep -qs done ready; do sleep 0.1; done
END
"$STAPRUN" family.ko -c 'sh daemon.sh' >daemon
grep -q '^5 forked, 6 ended' daemon || { cat daemon; fail 'children of a daemon'; }
