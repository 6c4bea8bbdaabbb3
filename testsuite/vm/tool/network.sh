# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on the network, on a program that connects, sends and refuses as often as it is told, and against the kernel's own counters.
#: host: cc -O1 -static -pthread -o loads "$AREA/_loads.c"
#: host: for t in tcpconn tcplife tcptop acceptq nagle netlat netqueue; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: host: for t in udpdrop sockwait tcprtt tcpretrans ports tcpdrop; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: timeout: 300
#: requires: program tc
#: long: some fifteen sessions
. "$AREA/_tools.sh"
ip link set lo up 2>/dev/null || ifconfig lo up
# counter FILE PROTOCOL NAME: of /proc/net/snmp or netstat
counter() {
    awk -v p="$2:" -v name="$3" '$1 == p { if (!n) { for (i = 2; i <= NF; i++) if ($i == name) n = i } else { print $n; exit } }' /proc/net/$1
}
# carried COLUMN: of the loopback, in /proc/net/dev: 1 bytes and 2 packets that came, 9 and 10 that went
carried() { sed -n 's/^ *lo://p' /proc/net/dev | awk -v column="$1" '{ print $column }'; }

traced tcpconn 'tcp 5 1000 2 9001'
is_equal 'connections' "$(grep -c '^out,loads,.*,127.0.0.1,9001,[0-9]*,connected$' rows) $(grep -c '^in,loads,[0-9]*,9001,127.0.0.1,.*,accepted$' rows)" '5 5'
is_equal 'connections that are refused' "$(grep -c ',9002,.*ECONNREFUSED$' rows)" 2
grep -q '^out,loads,[0-9]*,0,' rows && fail 'a connection has no port'
traced tcpconn 'tcp 5 1000 2 9003' failed=1
is_equal 'connections that failed' "$(wc -l <rows) $(grep -c ECONNREFUSED rows)" '2 2'

traced tcplife 'tcp 5 100000 0 9005'
is_equal 'what connections carried' "$(grep -cE '^loads,[0-9]+,127.0.0.1,[1-9][0-9]*,127.0.0.1,9005,100000,1,' rows)" 5
is_equal 'what the server had of them' "$(grep -cE '^loads,[0-9]+,127.0.0.1,9005,127.0.0.1,[0-9]+,1,100000,' rows)" 5
traced tcplife 'tcp 5 100 0 9007' states=1
is_equal 'steps of connections' "$(grep -c 'SYN_SENT,ESTABLISHED' rows)" 5

traced tcptop 'tcp 5 100000 0 9009'
is_equal 'bytes by connection' "$(grep ',9009$' rows | cut -d , -f 1,2)" '500000,5'
traced tcptop 'tcp 5 100000 0 9011' by=process
is_equal 'bytes by process' "$(grep loads rows | cut -d , -f 1,2)" '500005,500005'

traced acceptq 'tcp 5 1000 0 9013'
is_equal 'connections that waited' "$(cut -d , -f 1-3,5,6 rows)" '9013,5,0,5,5'
before=$(counter netstat TcpExt ListenOverflows)
traced acceptq 'queue 6 9015 200'
is_equal 'connections that found no place' "$(cut -d , -f 1-5 rows)" "9015,2,$(($(counter netstat TcpExt ListenOverflows) - before)),1,1"

traced nagle 'nagle 5 9017'
is_equal 'small writes that waited' "$(cut -d , -f 1,3-5 rows)" 'loads,127.0.0.1,9017,5'
quiet nagle

before=$(carried 10)
traced netlat 'tcp 5 1000 0 9019' hist=0
is_equal 'packets in the queue of the device' "$(grep '^queue,lo,' rows | cut -d , -f 3)" "$(($(carried 10) - before))"
is_equal 'packets that the program read' "$(grep '^program,lo,' rows | cut -d , -f 3)" 10
before="$(carried 1) $(carried 2) $(carried 10)"
traced netqueue 'tcp 5 1000 0 9021'
set -- $before $(carried 1) $(carried 2) $(carried 10)
is_equal 'packets of the device' "$(grep '^lo,' rows | head -1 | awk -F, '{ print $3, $2, $4 }')" "$(($4 - $1)) $(($5 - $2)) $(($6 - $3))"
before=$(counter snmp Udp RcvbufErrors)
traced udpdrop 'udp 30 500 9023'
dropped=$(($(counter snmp Udp RcvbufErrors) - before))
is_equal 'datagrams that were dropped' "$(cut -d , -f 1,2 rows) $(grep -E '^[0-9]+$' err)" "$dropped,9023 $dropped"
grep -qE '^[1-9]' rows || fail 'no datagram was dropped'

traced sockwait 'tcp 3 1000 0 9025 100' min=90000
is_equal 'waits for answers' "$(awk -F, '$3 == "receive" && $5 == 9025 && $8 >= 95000 { print $7 }' rows | sort | uniq -c | sed 's/^ *//')" '3 1'

# Port 9029 is 2345 in hexadecimal digits, 06 TIME_WAIT.
traced ports 'tcp 5 10 0 9029 0 1'
is_equal 'ports that stay in use' "$(cut -d , -f 1-5 rows)" "127.0.0.1,9029,5,0,$(grep -c '^ *[0-9]*: [0-9A-F:]* 0100007F:2345 06 ' /proc/net/tcp)"

before=$(counter snmp Tcp OutRsts)
traced tcpdrop 'tcp 1 10 2 9031'
# Linux 5.10 gives no reason.
why=NO_SOCKET
[[ $R != 5.10.* ]] || why='?'
is_equal 'packets for closed ports' "$(grep -F ",$why,tcp_v4_rcv," rows)" "$(($(counter snmp Tcp OutRsts) - before)),$why,tcp_v4_rcv,IPv4,lo"

for tool in tcpconn tcplife tcptop acceptq netlat udpdrop sockwait tcprtt tcpretrans ports tcpdrop; do quiet $tool; done

# A path that takes 30 ms each way, and then one that loses packets.
modprobe sch_netem 2>/dev/null || skip 'the kernel has no netem'
tc qdisc add dev lo root netem delay 30ms
traced tcprtt 'tcp 5 1000 0 9027' hist=0 by=port
[ "$(sed -n 's/^port 9027,//p' rows | awk -F, '{ print ($1 >= 10 && $2 >= 60000 && $3 >= 55000) }')" = 1 ] || { cat rows; fail 'round trips'; }
# States of /proc/net/tcp: 06 TIME_WAIT, 0A LISTEN. Others send again what the path loses, before the tool looks, too.
are_closed() { ! awk 'FNR > 1 && $4 !~ /^0[6A]$/ { open = 1 } END { exit !open }' /proc/net/tcp; }
eventually 30 are_closed || { cat /proc/net/tcp; fail 'connections stay open'; }
tc qdisc change dev lo root netem loss 20%
retransmitted() { echo $(($(counter snmp Tcp RetransSegs) - $(counter netstat TcpExt TCPSynRetrans))); }
before=$(retransmitted)
# The ends of connections are lost, too, and sent again after the program has gone.
begin tcpretrans
"$W/loads" nagle 60 9033
eventually 30 are_closed || { cat /proc/net/tcp; fail 'connections stay open'; }
finish
is_equal 'segments that were sent again' "$(grep -vc SYN_SENT rows)" "$(($(retransmitted) - before))"
grep -q ESTABLISHED rows || fail 'nothing was sent again'
tc qdisc del dev lo root
