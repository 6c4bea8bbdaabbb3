# SPDX-License-Identifier: GPL-2.0-or-later
# examples/redis-commands.stp with Debian's redis-server, stripped, under load: every command is counted once.
#: long: a whole program of others is installed and run
#: host: "$AREA/_unpack.sh" redis-server redis-tools
#: host: [ -e missing ] || "$STAP" -p4 -r "$R" -m redis_commands "$AREA/../../../examples/redis-commands.stp" "$W/root/usr/bin/redis-server" >/dev/null
#: timeout: 200
. "$AREA/_lib.sh"
cat >work.sh <<'END'
redis-server --port 7777 --save '' >server.log 2>&1 &
until redis-cli -p 7777 ping 2>/dev/null | grep -q PONG; do
    kill -0 $! || exit 1
    sleep 0.2
done
redis-benchmark -p 7777 -n 500 -c 8 -q -t set,get,lpush >/dev/null 2>&1
for i in 1 2 3; do redis-cli -p 7777 incr counter; done >replies
redis-cli -p 7777 no_such_command >/dev/null
redis-cli -p 7777 shutdown nosave
wait
END
"$STAPRUN" redis_commands.ko --ledger ledger.json -c "bash $W/work.sh" >out 2>err || { cat out err server.log; fail 'the run'; }
cat out err
is_equal 'messages' "$(cat err)" ''
is_equal 'the server' "$(tail -n 1 replies)" 3
for command in SET GET LPUSH; do
    is_equal "calls of $command" "$(awk -v c=$command '$1 == c { print $2 }' out)" 500
done
is_equal 'calls of incr' "$(awk '$1 == "incr" { print $2 }' out)" 3
awk '$1 == "SET" { exit !($3 > 0 && $4 >= $3) }' out || fail 'times'
