# SPDX-License-Identifier: GPL-2.0-or-later
# Each write to a variable is a hit, whichever thread makes it, with the value that was written; also in a program that is loaded where
# it was linked, and where the kernel writes.
#: host: cc -g -O2 -pthread -o writers "$AREA/_writers.c"
#: host: cc -O2 -pthread -no-pie -static -o fixed-writers "$AREA/_writers.c"
#: host: "$STAP" -p4 -r "$R" -m moved "$AREA/_count.stp" "$W/writers" >/dev/null
#: host: "$STAP" -p4 -r "$R" -m fixed -e 'global hits probe process(@1).data("watched").write { hits++ } probe end { printf("saw %d\n", hits) }' "$W/fixed-writers" >/dev/null
#: timeout: 180
. "$AREA/_lib.sh"
"$STAPRUN" moved.ko -c "./writers threads=4,250 nested=3,40 kernel=25" >out 2>err || { cat out err; fail "status $?"; }
cat out err
is_equal 'hits and values' "$(grep '^saw' out)" "saw $(did out)"
is_equal 'the program' "$(did out)" "1145 627760"
is_equal 'threads' "$(grep '^threads' out)" 'threads 7, odd 0'
is_equal 'messages' "$(cat err)" ''

"$STAPRUN" fixed.ko -c "./fixed-writers threads=4,100 kernel=20" >out 2>err || { cat out err; fail "status $?"; }
cat out err
is_equal 'hits of what is fixed' "$(grep '^saw' out)" "saw 420"
is_equal 'messages of what is fixed' "$(cat err)" ''
