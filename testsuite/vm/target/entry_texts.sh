# SPDX-License-Identifier: GPL-2.0-or-later
# The values that a return keeps of its call's entry: numbers and texts in any order, each in its own room; and more than the kernel keeps.
#: host: "$STAP" -p4 -r "$R" -m mixed -e 'global ok, bad probe kernel.function("ksys_read").return { if (pid() != target()) next; t = @entry(execname()); n = @entry(pid()); s = @entry(sprintf("%d-%d", tid(), pid())); v = @entry(tid()); w = @entry(uid()); x = @entry(gid()); y = @entry(ppid()); z = @entry(pid() + 7); if (t == execname() && n == pid() && s == sprintf("%d-%d", tid(), pid()) && v == tid() && w == uid() && x == gid() && y == ppid() && z == pid() + 7) ok++; else bad++ } probe end { printf("%d %d\n", ok >= 20, bad) }' >/dev/null
#: host: "$STAP" -p4 -r "$R" -m large -D MAXSTRINGLEN=8192 -e 'probe kernel.function("ksys_read").return ? { println(@entry(execname())) }' >/dev/null
"$STAPRUN" mixed.ko -c "perl -e 'open(F, q(/dev/zero)); sysread(F, \$x, 1) for 1 .. 20'" >out
is_equal 'values' "$(cat out)" '1 0'
"$STAPRUN" large.ko >out 2>err && fail "$(cat out err)"
cat err
grep -q ': the kernel keeps no more than 4096 bytes of a call from its entry to its return; ' err
