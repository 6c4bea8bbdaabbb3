# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on full buffers, the table of connections and look-ups of names, against the kernel's counters and what programs do so often.
#: host: cc -O1 -static -o peers "$AREA/_peers.c"
#: host: for t in sockbuf conntrack dns; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: requires: program tc getent
#: timeout: 200
#: long: some ten sessions
. "$AREA/_tools.sh"
ip link set lo up
# run TOOL "WORDS OF peers" NAME=VALUE...
run() {
    local tool=$1 words=$2
    shift 2
    "$STAPRUN" "$W/$tool.ko" --format=csv -c "$W/peers $words" "$@" >out 2>err || { cat out err; fail "$tool $*: status $?"; }
    values out >rows
}
counter() { awk -v name="$1" '$1 == "TcpExt:" { if (!n) { for (i = 2; i <= NF; i++) if ($i == name) n = i } else { print $n; exit } }' /proc/net/netstat; }

before=$(counter TCPToZeroWindowAdv)
run sockbuf 'full 4 9101'
zero=$(($(counter TCPToZeroWindowAdv) - before))
cat rows
is_equal 'windows of zero' "$(grep ',window of zero,9101,127.0.0.1,' rows | cut -d , -f 1)" $zero
[ $zero -ge 4 ] || fail "the window was $zero times zero"
run sockbuf 'raw 50'
cat rows err
# Later kernels drop packets for raw sockets before they look for a place.
[[ ! $R =~ ^(5\.10|6\.1)\. ]] || is_equal 'packets without a place' "$(awk -F, '$2 ~ /place/ { n += $1 } END { print n + 0 }' rows)" "$(grep -E '^[0-9]+$' err)"
[ "$(grep -E '^[0-9]+$' err)" -ge 10 ] || fail 'all packets found a place'

# The look-ups of the table are those of a rule that has every packet of the loopback looked up.
modprobe nf_conntrack && modprobe act_ct && modprobe cls_matchall && modprobe sch_ingress || skip 'the kernel cannot track connections this way'
tc qdisc add dev lo clsact
tc filter add dev lo ingress protocol ip matchall action ct commit
passed() { tc -s filter show dev lo ingress | awk '/Sent/ { print $4; exit }'; }
tracked() { cat /proc/sys/net/netfilter/nf_conntrack_count; }
before=$(passed)
run conntrack 'datagrams 40 9200'
cat rows
is_equal 'packets that were looked up' "$(cut -d , -f 1,2 rows)" "$(($(passed) - before)),40"
# Connections that are set up are found another way then.
before=$(tracked)
run conntrack 'connections 7 9111'
cat rows
is_equal 'new connections' "$(cut -d , -f 2 rows)" 7
is_equal 'connections in the table' "$(($(cut -d , -f 2 rows) - $(cut -d , -f 3 rows)))" $(($(tracked) - before))
sample 'conntrack -c "./peers connections 5 9121"' conntrack -c "$W/peers connections 5 9121"
echo $(($(tracked) + 10)) >/proc/sys/net/netfilter/nf_conntrack_max
# drops: connections that found no place, of all processors
drops() { awk 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "drop") n = i } NR > 1 { print $n }' /proc/net/stat/nf_conntrack | while read -r n; do echo $((0x$n)); done | awk '{ n += $1 } END { print n }'; }
before=$(drops)
run conntrack 'datagrams 30 9300'
cat rows /proc/net/stat/nf_conntrack
is_equal 'packets that are dropped' "$(cut -d , -f 4 rows)" $(($(drops) - before))
[ "$(cut -d , -f 4 rows)" -ge 5 ] || fail 'the table was not full'
tc qdisc del dev lo clsact

hosts=$(mktemp)
echo '127.0.0.9 the-host.test' >"$hosts"
mount --bind "$hosts" /etc/hosts
resolver=$(mktemp)
printf 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n' >"$resolver"
mount --bind "$resolver" /etc/resolv.conf
"$W/peers" deaf 53 60000 &
deaf=$!
"$STAPRUN" "$W/dns.ko" --format=csv -c 'sh -c "for i in 1 2 3; do getent ahosts the-host.test; done; getent ahosts not-there.test"' >out 2>err || :
values out >rows
cat rows out err
is_equal 'names that are found' "$(grep -cE '^getent,[0-9]+,[0-9]+,0,the-host.test$' rows)" 3
is_equal 'names that are not' "$(awk -F, '$4 != 0 && $5 == "not-there.test" && $3 >= 1000000' rows | wc -l)" 1
"$STAPRUN" "$W/dns.ko" --format=csv -c 'sh -c "for i in 1 2 3; do getent ahosts the-host.test; done; getent ahosts not-there.test"' sum=1 >out 2>err || :
values out >rows
is_equal 'sums of names' "$(cut -d , -f 1-3 rows | sort | tr '\n' ' ')" 'not-there.test,1,1 the-host.test,3,0 '
kill $deaf
umount /etc/hosts /etc/resolv.conf
for tool in sockbuf conntrack dns; do
    "$STAPRUN" "$W/$tool.ko" -c 'sleep 0.3' >out 2>err || fail "$tool: status $?"
    grep -q . out || fail "$tool says nothing when there is nothing"
done
