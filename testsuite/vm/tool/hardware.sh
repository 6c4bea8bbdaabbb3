# SPDX-License-Identifier: GPL-2.0-or-later
# A tool on errors of the hardware: pages of which a program says that they failed, and machine checks that the kernel is told of.
#: host: cc -O1 -static -pthread -o machine "$AREA/_machine.c"
#: host: "$STAP" -p4 -r "$R" -m hwerr run hwerr >/dev/null
#: requires: config CONFIG_MEMORY_FAILURE=y
#: allow-log: Memory failure|Injecting memory failure|mce:|Hardware Error|Machine check|poison
#: long: memory that failed
. "$AREA/_tools.sh"
corrupted() { awk '$1 == "HardwareCorrupted:" { print $2 / 4 }' /proc/meminfo; }
before=$(corrupted)
"$STAPRUN" "$W/hwerr.ko" --format=csv -c "$W/machine poisoned 5" >out
values out >rows
cat rows
is_equal 'pages that failed' "$(grep -c ',memory,handled,page [0-9]*,0x[0-9a-f]*000$' rows)" 5
is_equal 'the kernel has' $(($(corrupted) - before)) 5

inject=/sys/kernel/debug/mce-inject
mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
if modprobe mce-inject && [ -e $inject/status ]; then
    begin hwerr
    echo sw >$inject/flags
    for i in 1 2 3; do
        # A corrected error whose address is known.
        printf '0x%x' $((0x8c00000000000000 + i)) >$inject/status
        printf '0x%x' $((0x100000 * i)) >$inject/addr
        echo 3 >$inject/bank
    done
    eventually 20 sh -c 'test $(grep -c "machine check" out) -ge 3'
    finish
    cat rows
    is_equal 'machine checks' "$(grep -cE ',machine check,corrected,"?processor [0-9]+, bank 3"?,0x[123]00000$' rows)" 3
fi
sample 'hwerr -c "./machine poisoned 2"' hwerr -c "$W/machine poisoned 2"

"$STAPRUN" "$W/hwerr.ko" -c 'sleep 0.3' >out
grep -q 'reported no error' out || fail 'hwerr says nothing when there is nothing'
