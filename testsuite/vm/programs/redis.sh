# SPDX-License-Identifier: GPL-2.0-or-later
# tools/servers/redis.stp with Debian's redis-server, stripped, under load: every command is counted once.
#: requires: program python3
#: long: a whole program of others is installed and run
#: host: "$AREA/_unpack.sh" redis-server redis-tools
#: host: [ -e missing ] || "$STAP" -p4 -r "$R" -m redis run redis "$W/root/usr/bin/redis-server" >/dev/null
#: timeout: 300
#: records: also
. "$AREA/_lib.sh"
cat >server.sh <<'END'
redis-server --port 7777 --save '' --enable-debug-command yes >server.log 2>&1 &
until redis-cli -p 7777 ping 2>/dev/null | grep -q PONG; do
    kill -0 $! || exit 1
    sleep 0.2
done
END
cat >work.sh <<'END'
. ./server.sh
redis-benchmark -p 7777 -n 500 -c 8 -q -t set,get,lpush >/dev/null 2>&1
for i in 1 2 3; do redis-cli -p 7777 incr counter; done >replies
redis-cli -p 7777 no_such_command >/dev/null
redis-cli -p 7777 shutdown nosave
wait
END
cat >less.sh <<'END'
. ./server.sh
redis-cli -p 7777 incr counter
redis-cli -p 7777 debug sleep 0.5
redis-cli -p 7777 shutdown nosave
wait
END
# calls COMMAND: how many there were
calls() { rows commands | awk -F '\t' -v c="$1" 'tolower($1) == c { sum += $2 } END { print sum + 0 }'; }
traced "bash $W/work.sh" redis hist=1
is_equal 'messages' "$(cat err)" ''
is_equal 'the server' "$(tail -n 1 replies)" 3
for command in set get lpush; do
    is_equal "calls of $command" "$(calls $command)" 500
    is_equal "calls of $command in the histogram" "$(rows - | awk -F '\t' -v c=$command 'tolower($1) == c { print $2 }')" 500
done
is_equal 'calls of incr' "$(calls incr)" 3
rows commands | awk -F '\t' '{ if ($3 < 0 || $4 < $3 || $5 < $4 || $5 > $4 * $2) exit 1 }' || fail 'times'
traced "bash $W/less.sh" redis min=400000
is_equal 'slow calls' "$(calls debug)" 1
all_took commands 3 400000
traced "bash $W/less.sh" redis rows=1
is_equal 'the command that takes most' "$(rows commands | cut -f 1,2 | tr '[:upper:]' '[:lower:]')" "$(printf 'debug\t1')"
sample redis redis -c "bash $W/work.sh"
