# SPDX-License-Identifier: GPL-2.0-or-later
# Memory without references, by the kernel's own search. Every guest ends with this if its kernel has one.
#: timeout: 120
leaks=/sys/kernel/debug/kmemleak
require file $leaks
# The search does not suspect memory younger than five seconds, and looks again at memory that changed since the last one.
sleep 6
echo scan >$leaks
echo scan >$leaks
cat $leaks >records
[ ! -s records ] || fail "memory leaked:
$(head -n 100 records)"
