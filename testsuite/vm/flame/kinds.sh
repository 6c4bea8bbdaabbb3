# SPDX-License-Identifier: GPL-2.0-or-later
# The kinds that truth.sh leaves out, against what the kernel or the program counts itself: locks of the kernel, block I/O, any probe, and
# events of the hardware where there are any.
#: host: gcc -O1 -g -pthread -o kernel-lock "$AREA/_kernel_lock.c"
#: host: for t in klocks biostacks cycles; do "$STAP" -p4 -r "$R" -m $t -c /bin/true run $t >/dev/null || exit; done
#: host: "$STAP" -p4 -r "$R" -m stackcount -c /bin/true run stackcount 'syscall.write' >/dev/null
#: host: gcc -O1 -g -o requests "$AREA/_requests.c"
#: host: "$STAP" -p4 -r "$R" -m nginx_cpu -c "$W/requests" run nginx-cpu "$W/requests" >/dev/null
#: timeout: 200
#: long: a loop device and a module for each tool
# run TOOL COMMAND...: its stacks are in TOOL.folded. Status 3 is that of programs without names.
run() {
    local tool=$1 status=0
    "$STAPRUN" $tool.ko -o $tool.folded -c "$2" >$tool.out 2>err || status=$?
    [ $status = 0 ] || [ $status = 3 ] || { cat $tool.out err; fail "$tool: status $status"; }
    ! grep '^ERROR' err || fail "$tool: an error"
}
# sum TOOL FRAME
sum() { awk -v f="$2" '!/^#/ && (";" $0 ";" ~ ";" f "[; ]") { s += $NF } END { print s + 0 }' $1.folded; }
taken() { sed -n 's/^# samples: \([0-9]*\) taken.*/\1/p' $1.folded; }

run stackcount "dd if=/dev/zero of=/dev/null bs=1 count=1000 status=none"
is_equal 'writes of dd' "$(sum stackcount write)" 1000

run klocks ./kernel-lock
is=$(sum klocks wait_for_pipe) said=$(awk '$1 == "wait_for_pipe" { print $2 }' klocks.out)
((is * 100 >= said * 60 && is * 100 <= said * 101)) || { cat klocks.folded; fail "klocks: $is ns, the program says $said"; }
grep -q 'wait_for_pipe;.*pipe_write' klocks.folded || fail 'klocks: not the write to the pipe'

run nginx_cpu ./requests
small=$(sum nginx_cpu '[^;]*/small[^;]*') large=$(sum nginx_cpu '[^;]*/large[^;]*')
awk -v small="$small" -v large="$large" '
    { said[$1] = $2 }
    END { d = small / (small + large) - said["/small"] / (said["/small"] + said["/large"]); exit !(small + large >= 100 && d < 0.1 && d > -0.1) }' nginx_cpu.out ||
    { cat nginx_cpu.out nginx_cpu.folded; fail "nginx-cpu: $small and $large samples"; }
is_equal 'samples of requests outside of any' "$(grep -c '^main;' nginx_cpu.folded)" 0

modprobe loop 2>/dev/null || true
disk=
if dd if=/dev/zero of=/dev/shm/disk bs=1M count=4 status=none 2>/dev/null; then
    disk=$(losetup --find --show /dev/shm/disk 2>/dev/null) || true
fi
if [ -n "$disk" ]; then
    before=$(awk '{ print $1 }' /sys/block/${disk#/dev/}/stat)
    run biostacks "dd if=$disk of=/dev/null iflag=direct bs=4k count=200 status=none"
    after=$(awk '{ print $1 }' /sys/block/${disk#/dev/}/stat)
    losetup -d "$disk"
    rm /dev/shm/disk
    # The device's counters and the stacks of reads agree; the loop device's own file is in memory.
    is_equal 'reads that the device counts' "$((after - before))" 200
    is_equal 'block I/O of dd' "$(taken biostacks)" 200
    grep -q 'sys_read.*submit_bio' biostacks.folded || { cat biostacks.folded; fail 'biostacks: not the reads'; }
else
    echo '# no loop device here: block I/O is not looked at'
fi

# Emulated processors have no counters.
status=0
"$STAPRUN" cycles.ko -o cycles.folded -c "dd if=/dev/zero of=/dev/null bs=1M count=200 status=none" >out 2>err || status=$?
if [ $status = 1 ]; then
    grep -q 'this machine has no performance event' err || { cat err; fail 'cycles: why not'; }
    echo '# this machine counts no cycles'
else
    [ "$(sum cycles '[^;]*sys_read')" -gt 0 ] || { cat cycles.folded; fail 'cycles: no stacks of dd'; }
fi
