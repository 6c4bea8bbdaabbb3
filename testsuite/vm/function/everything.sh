# SPDX-License-Identifier: GPL-2.0-or-later
# Some thousands of functions are attached and detached quickly. Then every function of the kernel that may be probed is, for
# SECONDS_OF_LOAD (default 4), while files are searched and read, processes come and go and the network is busy: the machine keeps
# answering, nothing is lost, and every hit is accounted for.
#: long: every function of the kernel
#: requires: debug-info
#: timeout: 600
#: host: "$STAP" -p4 -r "$R" -m everything -e 'global n probe begin { println("started") } probe kernel.function("*").call { n <<< 1 } probe timer.s($1) { if (@count(n) > 10000) exit() } probe end { printf("hits %d\n", @count(n)) }' ${SECONDS_OF_LOAD:-4} >/dev/null
#: host: "$STAP" -p4 -r "$R" -m many "$AREA/_many.stp" '*@fs/*.c' '*@mm/*.c' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m one "$AREA/_many.stp" vfs_fsync vfs_fallocate >/dev/null
ip link set lo up 2>/dev/null || true

attached() { grep -o '"attached": *[0-9]*' ledger.json | awk '{ n += $2 } END { print n }'; }
# Not one by one: together they take less than a tenth of what as many single ones do, at their best.
took() { sed -n "s/^$2 in \([0-9]*\) ms$/\1/p" $1; }
together() {
    local what
    "$STAPRUN" one.ko >one || fail "staprun ended with $?"
    "$STAPRUN" many.ko --ledger=ledger.json enough=100 >out || fail "staprun ended with $?"
    cat one out
    [ "$(attached)" -gt 3000 ] || fail "only $(attached) functions"
    for what in armed disarmed; do
        [ "$(took out $what)" -lt $((($(took one $what) + 1) * $(attached) / 2 / 10)) ] || return 1
    done
}
eventually 30 together

busy() { while :; do "$@"; done >/dev/null 2>&1; }
local_traffic() { head -c 200000 /dev/zero >/dev/udp/127.0.0.1/9; }
busy find / -xdev -path /proc -prune -o -name '*.nothing' -print &
busy dd if=/dev/zero of=blocks bs=4k count=500 conv=fsync &
busy sh -c 'for i in 1 2 3 4 5 6 7 8; do (:) & done; wait' &
busy local_traffic &
"$STAPRUN" everything.ko --ledger=ledger.json >out 2>err &
staprun=$!
eventually 300 grep -q started out
started=0
while kill -0 $staprun 2>/dev/null; do
    cat /etc/hostname >/dev/null
    started=$((started + 1))
    sleep 0.2
done
status=0
wait $staprun || status=$?
cat out err
is_equal status $status 0
echo "$(attached) functions; $started programs were started meanwhile"
[ "$(attached)" -gt 20000 ] || fail "only $(attached) functions"
[ $started -gt 0 ] || fail 'no program was started'
grep -q '"balanced": true' ledger.json || fail "the ledger does not add up"
grep -q '"lost": false' ledger.json || fail "something was lost"
kill %1 %2 %3 %4
