# SPDX-License-Identifier: GPL-2.0-or-later
# The name of a module may have capitals, which is then the name of its folder.
#: host: "$STAP" -p4 -r "$R" -m PROCFS "$AREA/_capitals.stp" >/dev/null
"$STAPRUN" PROCFS.ko >out 2>err &
pid=$!
there() { [ -e /proc/systemtap/PROCFS/name ]; }
eventually 20 there
is_equal 'name' "$(cat /proc/systemtap/PROCFS/name)" PROCFS
[ -d /sys/module/PROCFS ] || fail 'no such module'
kill -INT $pid
wait $pid
is_equal 'messages' "$(cat err)" ''
