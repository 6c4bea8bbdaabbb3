# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that return, and are left by exceptions, longjmp(), coroutines that are given up, and the end of threads; deep recursion
# and signal handlers. Each return sees what its own entry saved, the program is not disturbed, and each call is accounted for.
#: host: g++ -O1 -g -fno-optimize-sibling-calls -pthread -o leaves "$AREA/_leaves.cc"
#: host: "$STAP" -p4 -r "$R" -m leaves "$AREA/_leaves.stp" "$W/leaves" >/dev/null
#: timeout: 300
#: long: six programs call many functions
#: records: also
. "$AREA/_followed.sh"
for way in exceptions jumps recursion switches threads handlers; do
    followed_as_counted $way leaves "./leaves $way"
done
