# SPDX-License-Identifier: GPL-2.0-or-later
# A function has one user of ftrace, however it is probed: two would make the kernel walk all of them at each call.
#: host: "$STAP" -p4 -r "$R" -m both -e 'global n, r probe begin { println("started") } probe kernel.function("vfs_read").return { r++ } probe kernel.function("vfs_read") { n++ } probe kernel.function("vfs_write") { n++ } probe kernel.function("vfs_rea?") { n++ } probe kernel.function("vfs_read").return { r += $return > 0 }' >/dev/null
enabled=/sys/kernel/debug/tracing/enabled_functions
kprobes=/sys/kernel/debug/kprobes/list
[ -e "$enabled" ] || enabled=/sys/kernel/tracing/enabled_functions
"$STAPRUN" both.ko >out 2>err &
pid=$!
eventually 20 grep -q started out
cat "$enabled" "$kprobes"
# The number after the name is how many users of ftrace a function has.
for f in vfs_read vfs_write; do
    is_equal "users of $f" "$(sed -n "s/^$f ([^0-9]*\([0-9]*\).*/\1/p" "$enabled")" 1
done
kill -INT $pid
wait $pid || fail "status $?: $(cat err)"
is_equal "left behind" "$(grep -c '^vfs_' "$enabled" || true)" 0
