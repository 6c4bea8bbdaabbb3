# SPDX-License-Identifier: GPL-2.0-or-later
# Processes whose program has no name: it was deleted, replaced by another, or never had one. By their number, as the target, and
# by the kernel's link to their program.
#: host: cc -O2 -g -Wl,--build-id -o waits "$AREA/_waits.c"
#: host: "$STAP" -p4 -r "$R" -m first -e 'probe never { }' >/dev/null
#: long: the guest translates six scripts
#: timeout: 400
id=$(readelf -n waits | sed -n 's/.*Build ID: //p')
# The directory of a case is the host's: it has no pipes, and files that are deleted there are gone.
mkdir /tmp/nameless
cp waits /tmp/nameless
cd /tmp/nameless
# start NAME COMMAND...: leaves its pid in `pid`; descriptor 4 is its input.
start() {
    rm -f input
    mkfifo input
    "${@:2}" <input &
    pid=$! name=$1
    exec 4>input
    eventually 30 eval 'readlink /proc/$pid/exe | grep -q "$name"'
}
stop() {
    exec 4>&-
    wait $pid
}
list() { "$STAP" -r "$R" "${@:1:$#-1}" -l "${@: -1}" | sed "s,$pid,PID,g; s,weigh@.*_waits.c:[0-9]*,weigh,"; }

for kind in deleted replaced memory; do
    cp waits program
    case $kind in
    memory) start memfd ./program copy ;;
    *) start program ./program ;;
    esac
    [ $kind = memory ] || rm program
    [ $kind != replaced ] || cp /bin/true program
    is_equal "$kind: its number" "$(list "process($pid).function(\"weigh\")")" 'process(PID).function("weigh")'
    is_equal "$kind: its link" "$(list "process(\"/proc/$pid/exe\").function(\"weigh\")")" 'process("/proc/PID/exe").function("weigh")'
    is_equal "$kind: the target" "$(list -x $pid 'process.function("weigh")')" 'process("/proc/PID/exe").function("weigh")'
    stop
done

cp waits program
start program ./program
rm program
is_equal 'its build-id' "$(list "process(\"$id\").function(\"weigh\")")" 'process("/proc/PID/exe").function("weigh")'
cat >run.stp <<'END'
probe process($1).function("weigh").return { printf("weigh %d %d in %d\n", $line, $return, pid() == $1) }
probe process(@2).function("weigh").call { lines++ if ($line == 3) exit() }
probe timer.ms(50) { if (!said++) println("started") }
probe end { printf("%d lines\n", lines) }
global said, lines
END
"$STAP" -r "$R" run.stp $pid /proc/$pid/exe >out & stap=$!
eventually 200 grep -qs started out
printf '\n\n\n' >&4
wait $stap
stop
is_equal 'a run' "$(cat out)" 'started
weigh 1 2 in 1
weigh 2 4 in 1
3 lines'
