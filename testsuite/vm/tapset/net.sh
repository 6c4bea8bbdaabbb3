# SPDX-License-Identifier: GPL-2.0-or-later
# Connections and messages over the loopback device of a network namespace: lengths, addresses and ports as the program has them, and the
# counters of TCP, IP and the device as the kernel has them.
#: long: connections and messages of every protocol
#: scripts: _net.stp
#: host: cc -O2 -o net "$AREA/_net.c"
#: records: also
"$STAPRUN" _net.ko -c "exec $W/net >$W/expected" -o seen
grep -v '^counters' expected >lines
grep -v '^counted\|^seen\|^odd' seen | diff lines - >&2 || fail 'events differ'
is_equal 'the end' "$(tail -1 seen)" 'seen all'
grep '^odd' seen >&2 && fail 'odd events'
is_equal 'the program ended' "$(grep -c '^counters done' expected)" 1

# kernel TABLE NAME: a counter of the kernel's.
kernel() { awk -v t="$1:" -v c="$2" '$2 == t && !n { for (i = 3; i <= NF; i++) if ($i == c) n = i; next } $2 == t { print $n }' expected; }
counted() { awk -v c="$1" '$1 == "counted" { for (i = 2; i < NF; i += 2) if ($i == c) print $(i + 1) }' seen; }
seen() { awk -v c="$1" -v i="${2:-3}" '$1 == "seen" && $2 == c { print $i }' seen; }
for counter in ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab InSegs RetransSegs OutRsts; do
    is_equal "$counter" "$(counted $counter)" "$(kernel Tcp $counter)"
    [ "$(counted $counter)" -gt 0 ] || fail "no $counter"
done
# Segments that are not sent through a connection's socket are not in OutSegs; those sent again are not in the kernel's.
answered=$(($(seen resets) - 2))
is_equal OutSegs "$(($(counted OutSegs) - $(counted RetransSegs) + $(seen synacks)))" "$(($(kernel Tcp OutSegs) - answered))"
for counter in ListenOverflows ListenDrops DelayedACKs; do
    is_equal "$counter" "$(counted $counter)" "$(kernel TcpExt $counter)"
    [ "$(counted $counter)" -gt 0 ] || fail "no $counter"
done
for counter in InReceives OutRequests FragOKs ReasmReqds InUnknownProtos; do
    is_equal "$counter" "$(counted $counter)" "$(kernel Ip $counter)"
    [ "$(counted $counter)" -gt 0 ] || fail "no $counter"
done
is_equal 'segments' "$(seen segments)" "$(kernel Tcp InSegs)"
set -- $(sed -n 's/^counters *lo: *//p' expected)
is_equal 'received' "$(seen receive) $(seen receive 4)" "$2 $1"
is_equal 'sent' "$(seen transmit) $(($(seen transmit 4) - 14 * $(seen transmit)))" "${10} $9"
is_equal 'handed to the driver' "$(seen hard)" "${10}"
is_equal 'queued by the driver' "$(seen rx)" "$2"
is_equal 'written' "$(seen write_iter)" 3
is_equal 'read' "$(seen read_iter)" 3
[ "$(seen ours)" -gt 20 ] && [ "$(seen "kernel's")" -gt 0 ] &&
    [ "$(seen closed)" -gt 20 ] && [ "$(seen closed)" -le "$(seen created)" ] || fail "$(seen ours) and $(seen "kernel's") sockets, $(seen created) made, $(seen closed) closed"
