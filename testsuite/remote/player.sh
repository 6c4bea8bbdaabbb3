#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Stands in for ssh (--remote-ssh): a host answers what stap asks, and plays $FLEET/HOST.records as what its script prints. $FLEET_RELEASE
# is the kernel of all hosts. Names of hosts decide their fate: "dead..." refuses connections, "lost..." breaks in the middle, "early..." has
# a clock that is an hour behind, "late..." one that is an hour ahead, and that of "set..." is put forward by two hours while the script
# runs. "stuck..." does not end, "noisy..." sends what is no record, without an end. All say one thing on standard error.
for word; do
    case $word in
    -N) master=1 ;;
    ControlPath=*) socket=${word#*=} ;;
    esac
    before=$last last=$word
done
if [ "$master" ]; then
    case $last in dead*) echo "ssh: connect to host $last port 22: Connection refused" >&2; exit 255 ;; esac
    : >"$socket"
    exec sleep 100000
fi
host=$before
case $last in
*".part"*) wc -c; exit ;;
"exec sh -c 'T="*) ;;
*) exit 1 ;;
esac
token=${last#*"'T="} token=${token%%;*}
printf '%s\n' "" "$token release $FLEET_RELEASE" "$token machine x86_64" "$token version #1" "$token uid 0" "$token directory /tmp/tapir-$token" \
    "$token boot ${FLEET_BOOT:-$host}" "$token staprun /usr/bin/staprun"
echo "$FLEET_VERSION" | sed "s/^/$token answer /"
echo "$token ready"
while read -r word rest; do [ "$word" = run ] && break; done
now=$(date +%s%N)
hour=3600000000000
case $host in
early*) now=$((now - hour)) ;;
late*) now=$((now + hour)) ;;
esac
echo 'one of its disks is full' >&2
echo '{"v":1,"type":"meta","t":1,"tapir":"played","host":"'"$host"'","clock":{"monotonic":1,"realtime":'"$now"',"within":1000}}'
case $host in
lost*) head -n 5 "$FLEET/$host.records"; exit 255 ;;
noisy*) exec yes "what is no record" ;;
esac
cat "$FLEET/$host.records"
case $host in stuck*) while read -r word; do [ "$word" = TERM ] && exec sleep 1000; done ;; esac
later=$now
case $host in set*) later=$((now + 2 * hour)) ;; esac
echo '{"v":1,"type":"end","t":99999999,"status":0,"clock":{"monotonic":1001,"realtime":'$((later + 1000))',"within":1000}}'
