# SPDX-License-Identifier: GPL-2.0-or-later
# Marks that sys/sdt.h and dtrace make: a session raises the semaphore of the mark that it probes, in a process that runs already and in
# one that it starts, and gives it back. The other mark's stays 0.
#: host: "$BIN/dtrace" -h -s "$AREA/_shop.d" -o _shop.h && "$BIN/dtrace" -G -s "$AREA/_shop.d" -o _shop.o
#: host: cc -O2 -I. -isystem "$AREA/../../../sdt/include" -o shop "$AREA/_shop.c" _shop.o
#: scripts: _shop.stp
#: script-args: $W/shop
# Not in the folder of the host.
stop=$(mktemp -u)
mkfifo "$stop"
./shop <"$stop" >first &
exec 3>"$stop"
eventually 30 grep -qx 'semaphores 0 0' first
"$STAPRUN" _shop.ko >hits
is_equal 'hits' "$(cat hits)" '5 hits or more'
eventually 30 eval '[ "$(wc -l <first)" -eq 3 ]'
is_equal 'semaphores of the process that ran' "$(cat first)" 'semaphores 0 0
semaphores 1 0
semaphores 0 0'
echo >&3
wait %1
grep -qE '^sold [1-9]' first || fail 'no mark was reached'
"$STAPRUN" _shop.ko -c "sh -c 'exec ./shop 1000 >second'" >hits
is_equal 'hits' "$(cat hits)" '5 hits or more'
is_equal 'semaphores of a process from its start' "$(head -n 1 second)" 'semaphores 1 0'
