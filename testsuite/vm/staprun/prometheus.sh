# SPDX-License-Identifier: GPL-2.0-or-later
# Prometheus scrapes stap-exporter with ten tools under a load. What it stores is what the tools told, what they report at their ends, and
# what the program that makes the load and the kernel have counted. The exporter's memory is flat, and the tools keep to their budget.
# SECONDS_OF_LOAD=600 takes ten minutes.
#: host: cc -O1 -Wall -Werror -o worker "$AREA/_worker.c"
#: host: for t in biolatency cachestat ctxsw fsdist runqlat; do "$STAP" -p4 -r "$R" -m $t run $t --format=json --metrics --budget=20% >/dev/null || exit 1; done
#: host: for t in runqlen syscount syserr tcpretrans tcprtt; do "$STAP" -p4 -r "$R" -m $t run $t --format=json --metrics --budget=20% >/dev/null || exit 1; done
#: requires: program prometheus ip losetup
#: requires: file /usr/bin/python3
#: timeout: 1200
#: long: ten tools, and Prometheus in a guest
. "$AREA/_common.sh"
tools='biolatency cachestat ctxsw fsdist runqlat runqlen syscount syserr tcpretrans tcprtt'
modprobe loop 2>/dev/null || :
modprobe dummy 2>/dev/null || :
ip link set lo up
# Segments to this network find no end: TCP sends them again.
ip link add silent type dummy || skip 'the kernel has no dummy network device'
ip addr add 10.66.0.1/24 dev silent
ip link set silent up
work=$(mktemp -d -p /run)
cd "$work"
mkdir files conf.d records && mount -t tmpfs none files
for i in 0 1; do truncate -s 8M disk$i.img && losetup /dev/loop$i disk$i.img; done

mkfifo rounds
"$W/worker" files /dev/loop0 /dev/loop1 9033 <rounds >files/done 2>worker.err &
worker=$!
exec 8>rounds
for tool in $tools; do printf 'tool=%s\n' "$tool" >"conf.d/$tool.conf"; done
# In place of stap, which would compile for long here.
cat >session <<END
#!/bin/bash
tool=\$2
case \$tool in
biolatency) words='device=loop0 by=kind' ;;
tcprtt) words='port=9033' ;;
runqlen | tcpretrans) words= ;;
*) words='-x $worker' ;;
esac
exec "$STAPRUN" --format=json --commands "\$TAPIR_LIVE" --budget=20% "$W/\$tool.ko" \$words > >(exec tee -i "$work/records/\$tool")
END
chmod 755 session conf.d
"$BIN/stap-exporter" --folder conf.d --listen 127.0.0.1:9779 --deadline 8 --stap "$work/session" 2>exporter.log 8>&- &
exporter=$!
cat >prometheus.yml <<'END'
global: {scrape_interval: 10s, scrape_timeout: 10s}
scrape_configs: [{job_name: tapir, static_configs: [{targets: ["127.0.0.1:9779"]}]}]
END
prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address=127.0.0.1:9090 >prometheus.log 2>&1 8>&- &
AREA=$AREA run /usr/bin/python3 "$AREA/_scrapes.py" "$worker" "$exporter" "${SECONDS_OF_LOAD:-60}" $((PATIENCE * 120)) $tools 9>&8
cp exporter.log prometheus.log worker.err "$W"
cp -r records "$W"
is_equal 'exit status' $status 0
exec 8>&-
wait_for $worker
is_equal 'exit status of the load' $status 0
losetup -d /dev/loop0
losetup -d /dev/loop1
umount files
