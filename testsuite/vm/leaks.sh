# SPDX-License-Identifier: GPL-2.0-or-later
# Memory that nobody refers to any more, by the kernel's own search. Every guest ends with this if its kernel has one.
#: timeout: 120
leaks=/sys/kernel/debug/kmemleak
require file $leaks
# What is younger than five seconds is not suspected, and what has changed since the search before is looked at again.
sleep 6
echo scan >$leaks
echo scan >$leaks
cat $leaks >records
[ ! -s records ] || fail "memory leaked:
$(head -n 100 records)"
