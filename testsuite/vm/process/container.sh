# SPDX-License-Identifier: GPL-2.0-or-later
# Paths are those of the target's mount namespace: another file than here, which links lead to as they do there; a file that is the
# same here has its name.
#: long: what the script means is looked up in the guest
#: host: cc -O2 -g -DFUNCTION=outer -o outside "$AREA/_contained.c"
#: host: cc -O2 -g -DFUNCTION=inner -o inside "$AREA/_contained.c"
#: host: "$STAP" -p4 -r "$R" -m first -e 'probe never { }' >/dev/null
#: requires: program unshare
#: timeout: 300
place=$(mktemp -d)
mkfifo $place/pipe
mkdir $place/bin
cp outside $place/bin/program
unshare --mount bash -eu -c '
    mount -t tmpfs none $0/bin
    cp inside $0/bin/program
    ln -s $0/bin/program $0/bin/link
    exec $0/bin/program <$0/pipe' $place &
pid=$!
exec 4>$place/pipe
eventually 30 eval '[ "$(readlink /proc/$pid/exe)" = $place/bin/program ]'
list() {
    "$STAP" -r "$R" -x $pid -l "$1" | sed "s,$place,PLACE,; s,$pid,PID,; s,inner@.*:[0-9]*,inner,; s,outer@.*:[0-9]*,outer,"
}
is_equal 'the program of the process' "$(list 'process.function("*er")')" 'process("/proc/PID/rootPLACE/bin/program").function("inner")'
for path in $place/bin/program $place/bin/link "$place/b*/prog*"; do
    is_equal "$path" "$(list "process(\"$path\").function(\"*er\")")" 'process("/proc/PID/rootPLACE/bin/program").function("inner")'
done
is_equal 'by number' "$(list "process($pid).function(\"*er\")")" 'process(PID).function("inner")'
shell=$(readlink -f /bin/sh)
is_equal 'the same file' "$("$STAP" -r "$R" -x $pid -l 'process("/bin/sh").begin')" "process(\"$shell\").begin"
is_equal 'without a target' "$("$STAP" -r "$R" -l "process(\"$place/bin/program\").function(\"*er\")" | grep -o 'outer')" 'outer'

# It is attached there, too.
cat >run.stp <<'END'
probe process(@1).function("inner").call { printf("inner %d in %d %s\n", $n, pid() == target(), pp()) }
probe process.end { exit() }
probe timer.ms(50) { if (!said++) println("started") }
global said
END
"$STAP" -r "$R" -x $pid run.stp $place/bin/program >out & stap=$!
eventually 150 grep -qs started out
echo >&4
wait $pid
wait $stap
is_equal 'a run' "$(sed "s,$place,PLACE,; s,$pid,PID,; s,inner@.*:[0-9]*,inner," out)" 'started
inner 21 in 1 process("/proc/PID/rootPLACE/bin/program").function("inner").call'
