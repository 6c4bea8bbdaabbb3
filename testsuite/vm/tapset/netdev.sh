# SPDX-License-Identifier: GPL-2.0-or-later
# The life of a network device, from being made to being removed, and what it is told meanwhile.
#: scripts: _netdev.stp
#: requires: program ip
cat >work <<'END'
ip link add tap0 type dummy
cat /sys/class/net/tap0/address >first
ip link set tap0 address 02:11:22:33:44:5f
ip link set tap0 mtu 1400
ip link set tap0 up
ip link set tap0 promisc on
ip link set tap0 promisc off
ip -s link show tap0
ip link set tap0 down
ip link del tap0
END
modprobe dummy numdummies=0
"$STAPRUN" _netdev.ko -c "sh -e $W/work >/dev/null" -o seen
cat >expected <<END
register tap0
mac tap0 6 $(cat first) 02:11:22:33:44:5f
mtu tap0 1500 1400
open tap0
promiscuity tap0 1 1 0
rx tap0 0x100
promiscuity tap0 -1 1 0
rx tap0 0x100
close tap0
unregister tap0
counters read
END
diff expected seen >&2 || fail 'events differ'
