# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on files, on a program that opens, reads, writes and forgets as often as it is told.
#: host: cc -O1 -static -pthread -o loads "$AREA/_loads.c"
#: host: for t in opensnoop statsnoop filelife filetop fsync; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: host: for t in fdleak filewait fsdist mountsnoop dcache; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: timeout: 300
#: long: some twenty sessions
. "$AREA/_tools.sh"

traced opensnoop 'opens 20 3'
is_equal 'opens' "$(grep -c '/etc/passwd$' rows) $(grep -c 'ENOENT.*/not/there$' rows)" '20 3'
traced opensnoop 'opens 20 3' failed=1
is_equal 'opens that failed' "$(grep -c '/etc/passwd$' rows) $(grep -c '/not/there$' rows)" '0 3'
traced opensnoop 'opens 20 3' sum=1
is_equal 'opens, added up' "$(grep -E '/etc/passwd|/not/there' rows)" "20,loads,,/etc/passwd"$'\n'"3,loads,ENOENT,/not/there"

traced statsnoop 'stats 9 4'
is_equal 'stats' "$(grep -c '/etc/passwd$' rows) $(grep -c 'ENOENT.*/not/there$' rows)" '9 4'
traced statsnoop 'stats 9 4' sum=1 failed=1
is_equal 'stats that failed, added up' "$(grep /not/there rows)" '4,loads,ENOENT,/not/there'

traced filelife 'files 7'
is_equal 'files that were made and removed' "$(grep -c 'short-lived$' rows)" 7

traced filetop 'writes 5 1000 0'
is_equal 'writes' "$(grep 'written$' rows | cut -d , -f 1,3-6)" 'loads,0,0,5,5000'
traced filetop 'reads 6 700' by=process
is_equal 'reads' "$(grep '^loads' rows | cut -d , -f 1,3-6)" 'loads,6,4200,0,0'

traced fsync 'writes 4 100 1'
is_equal 'fsync() calls' "$(grep 'written$' rows | cut -d , -f 1,3-4)" 'loads,fsync,4'

# Each third of the descriptors stays open; /proc says which these are.
begin fdleak
"$W/loads" kept 30 3 60000 &
kept=$!
eventually 30 sh -c "test \$(ls /proc/$kept/fd | wc -l) -ge 13"
finish
is_equal 'descriptors that stay open' "$(grep "loads,$kept,/dev/null$" rows | cut -d , -f 1)" "$(($(ls /proc/$kept/fd | wc -l) - 3))"
kill $kept

# A reader of a pipe waits as long as the writer sleeps.
mkfifo pipe
cat >slow <<'E'
(sleep 0.3; echo >pipe) &
read -r _ <pipe
E
"$STAPRUN" "$W/filewait.ko" --format=csv -c 'bash slow' min=150000 regular=0 >out 2>err || { cat out err; fail filewait; }
is_equal 'an open that was slow' "$(values out | awk -F, '$4 == "open" && $5 >= 290000' | grep -c pipe)" 1
"$STAPRUN" "$W/filewait.ko" -c "$W/loads writes 5 1000 0" min=10000000 >out
grep -q 'no operation took as long' out || fail 'filewait does not say that there was nothing'

traced fsdist 'writes 5 1000 1' hist=0
is_equal 'operations by file system' "$(grep -E '^tmpfs,(write|fsync),' rows | cut -d , -f 1-3 | sort)" "tmpfs,fsync,5"$'\n'"tmpfs,write,5"
traced fsdist 'writes 5 1000 1' hist=0 fs=ext4
is_equal 'operations of another file system' "$(grep -c tmpfs rows)" 0
# A pipe without a reader cannot be opened so, after it was looked up.
mkfifo /run/pipe
"$STAPRUN" "$W/fsdist.ko" --format=csv -c "sh -c 'for i in 1 2 3; do dd if=/dev/null of=/run/pipe oflag=nonblock conv=notrunc,nocreat; done; true'" hist=0 >out
is_equal 'opens that failed' "$(values out | grep -E '^tmpfs,open,' | cut -d , -f 3)" 3
rm /run/pipe

mkdir mounted
"$STAPRUN" "$W/mountsnoop.ko" --format=csv -c "sh -c 'for i in 1 2 3; do mount -t tmpfs none mounted; umount mounted; done'" >out
is_equal 'mounts' "$(values out | grep -c ',0,.*mount(.*mounted') $(values out | grep -c 'umount')" '6 3'

# A path of two names is looked up in two steps; of one that is not there, the first is known to be absent.
looked_up() { traced dcache "stats $1 $2"; cut -d , -f 2,4 rows | tr , ' '; }
set -- $(looked_up 10 10) $(looked_up 110 10) $(looked_up 10 110)
is_equal 'names that were looked up' "$(($3 - $1)) $(($4 - $2)) $(($5 - $1)) $(($6 - $2))" '200 0 100 100'

for tool in opensnoop statsnoop filelife fsync fdleak mountsnoop; do quiet $tool; done
