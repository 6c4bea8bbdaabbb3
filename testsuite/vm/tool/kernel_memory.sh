# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on what memory is used for and what the kernel allocates, against /proc and a program that keeps as much as it is told.
#: host: cc -O1 -static -pthread -o loads "$AREA/_loads.c"
#: host: for t in memuse kmem; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: host: "$STAP" -p4 -r "$R" -m slabgrow run slabgrow --cache=filp >/dev/null
#: timeout: 200
#: long: some ten sessions
. "$AREA/_tools.sh"

"$W/loads" own 1000 60000 &
own=$!
eventually 30 grep -q 'State:.*S' /proc/$own/status
sleep 0.5
# of NAME: bytes, by /proc
of() { awk -v n="$1:" '$1 == n { print $2 * 1024 }' /proc/$own/status; }
"$STAPRUN" "$W/memuse.ko" --format=csv -x $own >out
is_equal 'memory of a process' "$(values out | cut -d , -f 1-3,6)" "$(of RssAnon),$(of RssFile),$(of RssShmem),loads($own)"
[ "$(of RssAnon)" -ge 4096000 ] || fail 'the program has no memory'
kill $own

# Some thousand pages of each kind, so that those which processors keep to themselves do not matter.
"$W/loads" sparse 4000 60000 &
sparse=$!
"$W/loads" memory 40000000 60000 &
shared=$!
eventually 30 sh -c "test -e /proc/$shared/fd/3 && test \$(stat -Lc %b /proc/$shared/fd/3) -ge 78120"
eventually 30 grep -q 'State:.*S' /proc/$sparse/status
"$STAPRUN" "$W/memuse.ko" --format=csv >out
values out >rows
# kind NAME IN_MEMINFO: at most 5 percent and 2 MB from each other
kind() {
    awk -F, -v kind="$1" -v there="$(awk -v n="$2:" '$1 == n { print $2 * 1024 }' /proc/meminfo)" '$2 == kind { d = $1 - there; if (d < 0) d = -d; n++
        if (d > there * 0.05 + 2000000) exit 1 } END { exit !n }' rows || { cat rows /proc/meminfo; fail "$1"; }
}
is_equal 'all memory' "$(sed -n 's/,all of it$//p' rows)" "$(awk '$1 == "MemTotal:" { print $2 * 1024 }' /proc/meminfo)"
kind free MemFree
kind 'page tables' PageTables
kind 'shared memory and files in memory' Shmem
kind 'of programs (anonymous)' AnonPages
kind 'of the kernel (which can be given back)' SReclaimable
kind 'of the kernel (which cannot)' SUnreclaim
kind 'stacks of the kernel' KernelStack
kill $sparse $shared

begin slabgrow cache=filp
"$W/loads" kept 100 2 60000 &
kept=$!
eventually 30 sh -c "test \$(ls /proc/$kept/fd | wc -l) -ge 53"
finish
is_equal 'files that are kept' "$(grep ',loads,' rows | awk -F, '{ n += $1 } END { print n }')" "$(($(ls /proc/$kept/fd | wc -l) - 3))"
kill $kept

# pieces FIELD: of the function that makes open files
pieces() { awk -F, -v f="$1" '$1 ~ /^(__alloc_file|alloc_empty_file)[+]/ { n += $f } END { print n + 0 }' rows; }
traced kmem 'descriptors 10 2' rows=1000
few=$(pieces 2)
traced kmem 'descriptors 110 2' rows=1000
is_equal 'files that are made' $(($(pieces 2) - few)) 100
bash -c 'kill -STOP $$; exec "$0" kept 100 2 60000' "$W/loads" &
kept=$!
eventually 30 grep -q 'State:.*T' /proc/$kept/status
before=$(ls /proc/$kept/fd | wc -l)
begin kmem -x $kept kept=1 rows=1000
kill -CONT $kept
eventually 30 sh -c "test \$(ls /proc/$kept/fd | wc -l) -ge 53"
finish
# One is the program's.
is_equal 'pieces that are kept' "$(pieces 4)" "$(($(ls /proc/$kept/fd | wc -l) - before + 1))"
"$STAPRUN" "$W/slabgrow.ko" --duration 0.3 -x $kept cache=pid >out
grep -q '^nothing is kept of the cache pid' out || fail 'slabgrow says nothing when there is nothing'
"$STAPRUN" "$W/kmem.ko" --duration 0.3 -x $kept >out
grep -q '^the kernel allocated nothing' out || fail 'kmem says nothing when there is nothing'
kill $kept
