# SPDX-License-Identifier: GPL-2.0-or-later
# A module that was left running can be removed while its probes fire.
#: long: many rounds beside load
#: scripts: _hotplug.stp
#: host: cc -O2 -static -o calls "$AREA/_calls.c"
#: timeout: 120
(while :; do ./calls 2 500; done) &
load=$!
for round in 1 2 3 4 5; do
    "$STAPRUN" -L _hotplug.ko >/dev/null 2>&1
    sleep 0.1
    rmmod _hotplug
    [ ! -e /proc/tapir-_hotplug ] || fail 'the control file is still there'
done
kill $load
