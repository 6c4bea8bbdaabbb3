# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on processes, signals, system calls and locks, on a program that does it all as often as it is told.
#: host: cc -O1 -static -pthread -o loads "$AREA/_loads.c"
#: host: for t in execsnoop exitsnoop exectime killsnoop capable; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: host: for t in syscount syserr futexes flocks unixsock; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: timeout: 300
#: long: some fifteen sessions
. "$AREA/_tools.sh"

traced exitsnoop 'children 4'
is_equal 'how children end' "$(grep ^loads rows | cut -d , -f 6-7 | sort | tr '\n' ' ')" '0, 0, 0,KILL 0,SEGV 0,TERM 1, 2, 3, '
traced exitsnoop 'children 4' failed=1
is_equal 'how children fail' "$(grep -c ^loads rows)" 6

traced exectime 'children 4'
is_equal 'processes that lived a short time' "$(grep -c '^loads,[78],' rows)" 1

"$STAPRUN" "$W/execsnoop.ko" --format=csv -c "sh -c 'for i in 1 2 3; do /bin/true \$i; done'" >out
is_equal 'programs that are started' "$(values out | grep -c ',0,/bin/true,.*true.*[123]')" 3
cat >script <<'E'
#!/not/there
E
chmod +x script
"$STAPRUN" "$W/execsnoop.ko" --format=csv -c "sh -c './script 2>/dev/null; true'" failed=1 >out
is_equal 'programs that could not be started' "$(values out | awk -F, '$4 != 0' | grep -c ',./script,')" 1

traced killsnoop 'signals 6'
is_equal 'signals to itself' "$(grep -cE '^loads,([0-9]+),USR1,loads,\1,ignored$' rows)" 6
traced killsnoop 'children 0' wanted=TERM
is_equal 'signals of one kind' "$(cut -d , -f 1,3,4,6 rows)" 'loads,TERM,loads,delivered'

traced syscount 'stats 50 7'
is_equal 'calls' "$(grep -E '^(newfstatat|stat),' rows | cut -d , -f 1-3)" 'newfstatat,57,7'
traced syscount 'stats 50 7' failed=1 by=process
is_equal 'calls that fail' "$(grep ^loads rows | cut -d , -f 2-3)" '7,7'
traced syserr 'stats 50 7'
is_equal 'errors' "$(grep loads rows | cut -d , -f 1,2,4,5)" '7,loads,newfstatat,ENOENT'
traced syserr 'stats 50 7' error=EACCES
is_equal 'errors of another kind' "$(grep -c loads rows)" 0
traced syserr 'stats 50 7' each=1

is_equal 'each call that fails' "$(grep -c 'stat.*(.*/not/there.*ENOENT$' rows)" 7

traced futexes 'futexes 5 3'
is_equal 'futex calls' "$(cut -d , -f 1,2,4,5 rows)" '5,loads,WAIT,ETIMEDOUT'$'\n''3,loads,WAIT,EAGAIN'

# Each of three children holds the lock for 100 ms.
traced flocks 'locks 3 100' min=50000
is_equal 'waits for the lock of a file' "$(grep 'loads(.*locked$' rows | awk -F, '$4 >= 90000 && $5 >= 270000 { print $1, $3 }')" 'loads 3'

traced unixsock 'unix 30 1000'
is_equal 'bytes through a socket' "$(grep messages.sock rows | cut -d , -f 1,2)" '30,30000'
traced unixsock 'unix 30 1000' path=other
is_equal 'bytes through another socket' "$(wc -l <rows)" 0

# Without rights, what needs CHOWN is refused for each of three names; root asks for SYS_CHROOT once for each chroot().
cp "$W/loads" mine
"$STAPRUN" "$W/capable.ko" --format=csv -c "setpriv --reuid 1000 --clear-groups sh -c 'chown 0 mine mine mine 2>/dev/null; true'" refused=1 >out
is_equal 'rights that are refused' "$(values out | grep -c '^3,3,chown,[0-9]*,1000,CHOWN$')" 1
"$STAPRUN" "$W/capable.ko" --format=csv -c 'chroot / chroot / true' >out
is_equal 'rights that are used' "$(values out | awk -F, '$6 == "SYS_CHROOT" { used += $1; refused += $2 } END { print used, refused }')" '2 0'
for tool in exectime capable flocks unixsock futexes killsnoop; do quiet $tool; done
