# SPDX-License-Identifier: GPL-2.0-or-later
# @errno of two threads. Where the C library's debug information is not installed, stap says so.
#: host: cc -O1 -g -o failing "$AREA/_errno.c" -lpthread
#: host: "$STAP" -p4 -r "$R" -m look -e 'probe process(@1).function("look") { println(@errno, " ", pid() == tid()) }' "$W/failing" >/dev/null 2>why || grep -q 'libc.so.6' why
[ -e look.ko ] || skip 'no debug information of the C library'
is_equal 'errno' "$("$STAPRUN" -c ./failing look.ko | sort)" '2 1
9 0'
