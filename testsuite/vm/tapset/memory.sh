# SPDX-License-Identifier: GPL-2.0-or-later
# vm.*: every page a program touches, what it maps and frees, what is allocated for its pipe, and who is killed when memory runs out.
#: long: a machine that has run out of memory
#: scripts: _memory.stp
#: requires: debug-info
#: host: cc -O2 -static -o memory "$AREA/_memory.c"
pipe=$(mktemp -u /run/pipe.XXXXXX)
mkfifo "$pipe"
exec 3<>"$pipe"
"$STAPRUN" _memory.ko -c ./memory <"$pipe" >out &
staprun=$!
eventually 30 grep -q ^top out
# Allocates for a node.
modprobe pktgen
modprobe -r pktgen
mkdir /run/cgroup
mount -t cgroup2 none /run/cgroup
echo +memory >/run/cgroup/cgroup.subtree_control
mkdir /run/cgroup/small
echo 8M >/run/cgroup/small/memory.max
bash -c 'echo $$ >/run/cgroup/small/cgroup.procs; exec ./memory hog' &
hog=$!
wait $hog && fail 'memory did not run out'
echo >&3
wait $staprun || fail "staprun ended with $?"
rmdir /run/cgroup/small
umount /run/cgroup
rmdir /run/cgroup
value() { sed -n "s/^$1 //p" out; }
written=$(value written) read=$(value read) shared=$(value shared)
# in_range TYPE FROM PAGES FIELD: how many lines of a type are of so many pages from an address on, each once
in_range() { cat out faults | grep "^$1 " | awk -v from="$2" -v pages="$3" -v field="$4" '$field >= from && $field < from + pages * 4096 && !seen[$field]++ { n++ } END { print n + 0 }'; }
sed -n 's/^fault \([0-9]*\) \([01]\) /fault\2 \1 /p' out >faults
is_equal 'pages written to' "$(in_range fault1 "$written" 64 2)" 64
is_equal 'pages read' "$(in_range fault0 "$read" 64 2)" 64
is_equal 'pages then written to' "$(in_range fault1 "$read" 64 2)" 16
is_equal 'pages never read' "$(in_range fault0 "$written" 64 2)" 0
total=$(grep '^fault' out | awk '{ n += $4 } END { print n }')
set -- $(value faults)
[ "$total" -ge $(($1 + $2)) ] && [ "$total" -le $(($1 + $2 + 4)) ] || fail "$total faults, by getrusage() $1 + $2"
is_equal 'results' "$(value result)" "1 0 $total"
is_equal 'copies of the page of zeros' "$(in_range 'copy 1 1' "$read" 16 4) $(in_range 'copy 1 0' "$read" 16 4)" '16 0'
is_equal 'copies of shared pages' "$(in_range 'copy 0 0' "$shared" 64 4)" 20
is_equal 'shared pages' "$(in_range 'share 0' "$shared" 64 3)" 20
is_equal 'maps' "$(grep -c '^mmap 0$' out)" 3
is_equal 'unmapped' "$(value munmap)" "$written"
top=$(value top)
is_equal 'heap' "$(value brk | tail -n 1)" "$top $((5 * 4096))"
# With the kernel's checks of memory an object is longer.
grep -Eq '^kmalloc 640 (1024|2048) [A-Z_|]*__GFP_ZERO[A-Z_|]* 1 0$|^kmalloc 640 (1024|2048) GFP_[A-Z_]*\|__GFP_ZERO 1 0$' out || fail 'buffers of the pipe'
grep -Eq '^kfree 640 free_pipe_info$' out || fail 'freeing the buffers of the pipe'
set -- $(awk '$1 == "filp" { print $4 }' /proc/slabinfo)
grep -Eq "^object [0-9]+ $1 GFP_KERNEL" out || fail "a file is of $1 bytes"
[ "$(value freed)" -gt 0 ] || fail 'no file was freed'
is_equal 'killed' "$(value oom)" "memory $hog"
is_equal 'nodes' "$(value nodes)" '1 0'
