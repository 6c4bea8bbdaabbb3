# SPDX-License-Identifier: GPL-2.0-or-later
# Packets of the loopback device, counted, described and dropped.
#: scripts: _packets.stp
#: stap: -g
#: host: cc -O2 -static -o packets "$AREA/_packets.c"
#: requires: program ip unshare
ip link set lo up
"$STAPRUN" _packets.ko >out &
pid=$!
eventually 20 grep -q ready out
is_equal 'what arrived' "$(./packets)" '20 0 1'
# And in a network namespace that is made while the probes are armed.
is_equal 'what arrived in a namespace' "$(unshare -n sh -c 'ip link set lo up; ./packets')" '20 0 1'
kill -INT $pid
wait $pid
is_equal 'what was seen' "$(tail -n 1 out)" 'in 40, out 40, bytes 128 to 128, odd 0, opened 2, answered 2, dropped 10'
is_equal 'what arrives afterwards' "$(./packets)" '20 5 1'
