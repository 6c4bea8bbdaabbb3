# SPDX-License-Identifier: GPL-2.0-or-later
# Percentiles that are merged over processors are within 1 % of what sorting the samples gives.
#: scripts: _percentiles.stp
#: stap: -D MAXACTION=100000
#: cpus: 2
"$STAPRUN" _percentiles.ko >out 2>err &
pid=$!
eventually 20 is_armed _percentiles
for cpu in 0 1; do
    taskset -c $cpu dd if=/dev/zero of=/dev/null bs=64 count=2000 2>/dev/null &
    load="${load:-} $!"
done
wait $load
kill -INT $pid
wait $pid || fail "exit status $?: $(cat err)"
grep -q '^done$' out || fail "no end: $(tail -3 out)"
grep -q '^wrong$' out && fail 'a median is below the smallest sample'
is_equal 'processors' "$(grep -c '^CPU' out)" 2
awk '$1 == "S" { print $2, 2, $2 % 2 ? 1 : 0 }' out | sort -n >sorted
awk '
    NR == FNR { all[++n["all"]] = $1; of[$3, ++n[$3]] = $1; next }
    $1 == "P" {
        rank = n[$2] * $3 / 100
        rank = rank == int(rank) ? rank : int(rank) + 1
        if (rank < 1) rank = 1
        exact = $2 == "all" ? all[rank] : of[$2, rank]
        off = $4 - exact
        size = exact < 0 ? -exact : exact
        if (off < 0) off = -off
        if (off > size / 100 || (($3 == 0 || $3 == 100) && off)) print "percentile", $3, "of", $2 ":", $4, "for", exact
        compared++
    }
    END { print "samples", n["all"], "compared", compared }' sorted out >verdict
cat verdict
is_equal 'percentiles beside' "$(grep -c '^percentile ' verdict)" 0
read -r _ samples _ compared <<<"$(grep '^samples' verdict)"
[ "$samples" -ge 4000 ] || fail "only $samples samples"
is_equal 'compared' "$compared" 144
