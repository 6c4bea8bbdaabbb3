# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers that read arguments and results without a context see the right ones: attached alone, shared, and while hits are timed.
#: host: "$STAP" -p4 -r "$R" -m leaf "$AREA/_leaf.stp" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m alone -e 'global n, m probe kernel.function("vfs_read") { if ($count == 777) n++ } probe kernel.function("vfs_write").return { if ($return == 777) m++ } probe end { println(n, " ", m) }' >/dev/null
#: setup: head -c 100000 /dev/zero >data
cat >load <<'END'
dd if=data of=/dev/null bs=777 count=20 status=none
trap "" USR2
kill -USR2 $$
kill -USR2 $$
END
for options in "" "-t"; do
    "$STAPRUN" $options leaf.ko -c "sh load" >out
    grep '^entries' out
    grep -qx 'entries 20 15540 returns 20 15540 conditional 20 signals 2' out || fail "wrong with '$options'"
done
"$STAPRUN" alone.ko -c "dd if=data of=copy bs=777 count=20 status=none" >out
is_equal "what was counted" "$(cat out)" "20 20"
