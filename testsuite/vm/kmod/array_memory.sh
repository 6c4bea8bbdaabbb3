# SPDX-License-Identifier: GPL-2.0-or-later
# Arrays grow up to their share of the machine's memory: the error says which array, how many elements, how much memory, and what to do.
# After the session all memory is back. An emptied array gives back unneeded memory while the script runs. Memory that is not free yet, on
# a busy machine, comes later.
#: append: mem=512M
#: host: "$STAP" -p4 -r "$R" -m bound -DMAXSTRINGLEN=1024 -DMAXMAPENTRIES=1000000 -e 'global paths, n, bounded probe timer.ms(5) { if (bounded) paths[sprintf("%0900d", n)] = 1 else try { for (i = 0; i < 50; i++) { paths[sprintf("%0900d", n)] = 1; n++ } } catch (why) { if (why !~ "is free yet") bounded = 1 } } probe error { println(n) }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m empty -DMAXMAPENTRIES=1000000 -e 'global a, n, full, go probe timer.ms(5) { if (full == go) { goal = full ? 2000 : 300000; try { for (i = 0; i < 2000 && n < goal; i++) { a[n] = 1; n++ } } catch { next } if (n == goal) { printf("%d\n", n); delete a; n = 0; full++ } } } probe procfs("go").write { go = 1 }' >/dev/null
#: long: it fills a quarter of the memory
#: timeout: 180
available() { awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo; }
has_available() { [ "$(available)" -ge "$1" ]; }

before=$(available)
status=0
"$STAPRUN" bound.ko >out 2>err || status=$?
cat out err
is_equal 'status at the bound' $status 1
read -r count share < <(sed -nE "s/^ERROR: Array overflow, no memory for more than ([0-9]+) elements of 'paths' near identifier 'paths' at <input>:1:[0-9]+ in probe timer.ms\(5\) \(all arrays take ([0-9]+) MB; they may take a quarter of the available memory\)$/\1 \2/p" err | tail -n 1) || :
[ "${count:-0}" -gt 10000 ] || fail 'it does not say how many elements, and how much memory'
[ "$share" -ge $((before / 8)) ] && [ "$share" -le $((before / 4)) ] || fail "$share MB of $before MB"
[ "$count" -gt $((share * 1024 * 6 / 10)) ] && [ "$count" -lt $((share * 1024 * 11 / 10)) ] || fail "$count elements of 1 KB in $share MB"
grep -q '^help: delete what is done with, .* \[man error::limits]$' err || fail 'no way out'
eventually 10 has_available $((before - 30))

"$STAPRUN" empty.ko >out 2>err &
pid=$!
eventually 60 grep -qx 300000 out
kept=$(available)
echo 1 >/proc/systemtap/empty/go
eventually 60 grep -qx 2000 out
# 300,000 elements take 18 MB, and those ahead of them a quarter more.
eventually 10 has_available $((kept + 15))
kill -INT $pid
wait $pid || fail "$(cat err)"
