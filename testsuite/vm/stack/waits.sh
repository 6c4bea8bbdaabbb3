# SPDX-License-Identifier: GPL-2.0-or-later
# Kinds of waits, against a program that waits in known ways and counts how often by getrusage().
# ROUNDS: how often each way; the default is for some 1,000 waits, 650 are for 10,000.
#: scripts: _waits.stp
#: host: cc -O2 -o waits "$AREA/_waits.c" -pthread -lutil
#: host: printf 'obj-m := _locks.o\n' > Makefile && cp "$AREA/_locks.c" . && "$AREA/../make-module.sh" "$TREE" "$PWD"
#: timeout: 120
dir=$(mktemp -d /run/waits.XXXXXX)
cp waits _waits.ko "$dir"
insmod _locks.ko
cd "$dir"
"$STAPRUN" _waits.ko -c "./waits ${ROUNDS:-60}" >out || fail "staprun ended with $?"
rmmod _locks
sed -n 's/^site //p' out
# Each thread: all its waits are of its kind.
sed -n 's/^waits //p' out | sort >said
sed -n 's/^kind //p' out | sort >counted
diff said counted || fail 'kinds of waits differ'
[ "$(awk '{ print $2 }' said | sort -u | wc -l)" -eq 13 ] || fail "not all ways were tried"
waits=$(awk '{ n += $3 } END { print n }' said)
[ "$waits" -ge $((${ROUNDS:-60} * 15)) ] || fail "only $waits waits"
echo "$waits waits"
