# SPDX-License-Identifier: GPL-2.0-or-later
# A function has one user of ftrace, however it is probed: two would make the kernel walk all of them at each call.
#: host: "$STAP" -p4 -r "$R" -m both -e 'global n, r probe kernel.function("vfs_read").return { r++ } probe kernel.function("vfs_read") { n++ } probe kernel.function("vfs_write") { n++ } probe kernel.function("vfs_rea?") { n++ } probe kernel.function("vfs_read").return { r += $return > 0 }' >/dev/null
enabled=/sys/kernel/debug/tracing/enabled_functions
kprobes=/sys/kernel/debug/kprobes/list
[ -e "$enabled" ] || enabled=/sys/kernel/tracing/enabled_functions
"$STAPRUN" both.ko -c "sh -c 'cat $enabled $kprobes >seen'"
cat seen
# The number after the name is how many users of ftrace a function has.
for f in vfs_read vfs_write; do
    is_equal "users of $f" "$(sed -n "s/^$f ([^0-9]*\([0-9]*\).*/\1/p" seen)" 1
done
is_equal "left behind" "$(grep -c '^vfs_' "$enabled" || true)" 0
