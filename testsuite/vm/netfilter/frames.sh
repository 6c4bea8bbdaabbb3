# SPDX-License-Identifier: GPL-2.0-or-later
# A spanning tree message and an ARP request that reach a bridge, as its filters see them.
#: long: a bridge has to forward before it is filtered
#: scripts: _frames.stp
#: host: cc -O2 -static -o frames "$AREA/_frames.c"
#: requires: program ip modprobe
#: records: also
{ modprobe veth && modprobe bridge; } 2>/dev/null || skip 'veth or bridge cannot be loaded here'
trap 'ip link del outer 2>/dev/null; ip link del second 2>/dev/null; ip link del tree 2>/dev/null; rmmod br_netfilter 2>/dev/null || :' EXIT
ip link add outer type veth peer name port
ip link add second type veth peer name beyond
ip link add tree type bridge stp_state 0 forward_delay 0
for device in port second; do ip link set $device master tree; done
ip address add 192.0.2.1/24 dev tree
for device in outer port second beyond tree; do ip link set $device up; done
forwards() { [ "$(cat /sys/class/net/port/brport/state)$(cat /sys/class/net/second/brport/state)" = 33 ]; }
eventually 20 forwards
ip link set lo up
# Bridges ask the filters of ARP only where they were told to.
modprobe br_netfilter 2>/dev/null && echo 1 >/proc/sys/net/bridge/bridge-nf-call-arptables && forwards_arp=1
"$STAPRUN" _frames.ko >out &
pid=$!
eventually 20 grep -q ready out
./frames outer
echo x >/dev/udp/::1/4747
for last in '^local_out ' '^ipv6 ' $(is_configured CONFIG_NETFILTER_FAMILY_ARP && echo :6:4:2); do eventually 10 grep -q "$last" out; done
kill -INT $pid
wait $pid
cat out
address() { cat "/sys/class/net/$1/address"; }
line() { is_equal "$1" "$(grep "^$1 " out | sort -u)" "$1 $2"; }
line tree 'bridge port/ 38 0:2:0:66:7c 8001-02:11:22:33:44:55 80000 9003-02:aa:bb:cc:dd:ee 8005 256 5120 512 3840'
line header '3 66'
line mac "$(address port) 6 [] 0"
line hex 424203000002007c800102112233445500013880900302aabbccddee80050100140002000f00
grep -Fqx 'str "BB\003\000\000\002\000|\200\001\002\021\"3DU\000\0018\200\220\003\002\252\273\314\335\356\200\005\001\000\024\000\002\000\017\000"' out ||
    fail 'the text of the data'
line bridged '28 0 [] 0'
line forward 'port second'
line post_routing second
line local_in port
line local_out port
if is_configured CONFIG_NETFILTER_FAMILY_ARP; then
    grep -Fqx 'arp 0 tree/ 28 1:800:6:4:1 02:00:00:00:00:07 192.0.2.7 00:00:00:00:00:00 192.0.2.1 8 14' out || fail 'the request'
    # With the Ethernet header that it has by then.
    grep -Fqx "arp 0 /tree 42 1:800:6:4:2 $(address tree) 192.0.2.1 02:00:00:00:00:07 192.0.2.7 8 14" out || fail 'the answer'
    [ -z "${forwards_arp-}" ] || grep -Fqx 'arp 0 port/second 28 1:800:6:4:1 02:00:00:00:00:07 192.0.2.7 00:00:00:00:00:00 192.0.2.1 8 14' out ||
        fail 'the request, forwarded'
fi
line ipv6 'ipv6 ::1 ::1 1 17 10 50 40 lo 780a'
grep -Fqx 'none [] -10' out || fail 'without a packet'
