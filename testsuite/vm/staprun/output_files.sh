# SPDX-License-Identifier: GPL-2.0-or-later
# -o, -S, --bulk, -D and SIGUSR2.
#: long: a million lines of output
#: scripts: _flood.stp _million.stp
#: timeout: 300
. "$AREA/_common.sh"
run "$STAPRUN" -o no/such/folder/out _flood.ko 2>err
is_equal 'exit status' $status 1
is_equal 'message' "$(cat err)" "ERROR: Couldn't open output file 'no/such/folder/out': No such file or directory"

"$STAPRUN" -o series -S 1,3 --limit MAXACTION_INTERRUPTIBLE=10000000 _million.ko n=500000
is_equal 'number of files' "$(ls series.* | wc -l)" 3
for file in series.*; do [ "$(stat -c %s $file)" -le 1048576 ] || fail "$file is too large"; done
cat $(ls series.* | sort -t. -k2n) | awk '/the end/ { next } n && $2 != n + 1 { exit 1 } { n = $2 }' || fail 'lines are missing between files'
rm series.*

make_load
several() { [ "$(ls bulk_* 2>/dev/null | wc -l)" -gt 1 ] || [ "$(nproc)" = 1 ]; }
"$STAPRUN" --bulk -o bulk _flood.ko 2>lost &
pid=$!
eventually 30 several
kill -INT $pid
wait_for $pid
ends_well $status lost
for file in bulk_*; do grep -v '^total' $file | grep -v -q "^cpu ${file#bulk_} " && fail "$file has lines of other CPUs"; done

"$STAPRUN" -D -o "day-%Y" _flood.ko >pid 2>err
grep -q '^[0-9][0-9]*$' pid || fail 'no process id'
file=day-$(date +%Y)
starts $file
mv $file moved
kill -USR2 "$(cat pid)"
starts $file
kill -TERM "$(cat pid)"
eventually 120 is_gone _flood # what is left in the buffers is written first
tail -n 1 $file | grep -q '^total' || fail 'the end probe did not run'
ends_well 0 $file.log
end_load
run "$STAPRUN" -D -o no/such/out _flood.ko >pid 2>err
is_equal 'exit status of a daemon that cannot start' $status 1
