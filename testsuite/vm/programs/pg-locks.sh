# SPDX-License-Identifier: GPL-2.0-or-later
# tools/servers/pg-locks.stp and pg-wal.stp with Debian's PostgreSQL: waits as the server's log tells them, and counts of its own statistics.
#: requires: program python3
#: long: a whole program of others is installed and run
#: host: "$AREA/_unpack.sh" postgresql-15 postgresql-client-15
#: host: for t in pg-locks pg-wal; do [ -e missing ] || "$STAP" -p4 -r "$R" -m ${t/-/_} run $t "$W/root/usr/lib/postgresql/15/bin/postgres" >/dev/null || exit 1; done
#: host: [ -e missing ] || "$AREA/_cluster.sh" "$W/root" "$W/cluster.tar" >initdb.log 2>&1
#: timeout: 400
. "$AREA/_lib.sh"
. "$AREA/_loads.sh"
postgresql_data
touch server.log
chown 65534 server.log
user postgres -D "$data" -k "$data" -h '' -c autovacuum=off -c wal_level=minimal -c max_wal_senders=0 -c wal_buffers=32kB -c wal_writer_delay=10s \
    -c checkpoint_timeout=1h -c bgwriter_lru_maxpages=0 \
    -c deadlock_timeout=100ms -c log_lock_waits=on -c log_line_prefix='%p ' >server.log 2>&1 &
query() { user psql -q -h "$data" -U tapir postgres "$@" 3>&-; }
eventually 60 query -c 'select 1' >/dev/null 2>&1

query -c 'create table birds(name text, eggs int)' -c "insert into birds values('wren', 1)"
begin pg_locks each=1
orders=$(mktemp -u /tmp/orders.XXXXXX)
mkfifo "$orders"
query <"$orders" >/dev/null &
holder=$!
exec 3>"$orders"
held() { [ "$(query -At -c "select count(*) from pg_locks where granted and $1")" -ge 1 ]; }
waiting() { [ "$(grep -c 'still waiting' server.log)" -eq "$1" ]; }
echo 'begin; lock table birds in access exclusive mode;' >&3
eventually 60 held "mode = 'AccessExclusiveLock'"
query -c 'select count(*) from birds' >/dev/null & waiters=$!
query -c "insert into birds values('robin', 5)" & waiters="$waiters $!"
eventually 60 waiting 2
echo 'commit; select pg_advisory_lock(7); begin; update birds set eggs = 3;' >&3
wait $waiters
eventually 60 held "locktype = 'advisory'"
query -c 'select pg_advisory_lock(7)' >/dev/null & waiters=$!
eventually 60 waiting 3
eventually 60 held "mode = 'RowExclusiveLock' and relation = 'birds'::regclass"
query -c 'update birds set eggs = 4' & waiters="$waiters $!"
eventually 60 waiting 4
echo '\q' >&3
exec 3>&-
wait $holder $waiters
finish
sed -n 's/^.*: *process \([0-9]*\) acquired \([A-Za-z]*\)Lock on \(.*\) after \([0-9]*\)[.].*/\1 \2 \3 \4/p' server.log |
    sed 's/relation \([0-9]*\) of database \([0-9]*\)/relation \2\/\1/; s/advisory lock \[[0-9]*,0,\([0-9]*\),1\]/advisory \1/' >logged
rows one | awk -F '\t' '$3 !~ /^LWLock/ { print $2, $4, $3, int($5 / 1000) }' >seen
is_equal 'waits for locks' "$(sed 's/ [0-9]*$//' seen | sort)" "$(sed 's/ [0-9]*$//' logged | sort)"
is_equal 'how many' "$(wc -l <seen)" 4
# The server measures from a little later to a little earlier.
join <(awk '{ print $1, $NF }' seen | sort) <(awk '{ print $1, $NF }' logged | sort) | awk '{ print; if ($2 < $3) exit 1 }' || fail 'times of waits'
rows locks | awk -F '\t' '$5 < $4 || $6 > $5 * $3 { exit 1 }' || fail 'times'

# Counts of the server, which each look at them raises, too.
statistics() {
    query -At -F ' ' -c "select w.wal_records, w.wal_sync, w.wal_buffers_full, b.checkpoints_req, d.hit, d.read
        from pg_stat_wal w, pg_stat_bgwriter b, (select sum(blks_read + blks_hit) as read, sum(blks_hit) as hit from pg_stat_database) d"
    # The server counts what a client did when it has gone.
    eventually 30 sh -c '! pgrep -f "postgres: [t]apir" >/dev/null'
}
# Else it flushes the log now and then, also between the session and the statistics.
writer=$(pgrep -f 'postgres: walwriter')
kill -STOP "$writer"
statistics >/dev/null
statistics >first
statistics >second
written() { sed -n 's/.*checkpoint complete: wrote \([0-9]*\) buffers.*/\1/p' server.log | awk '{ sum += $1 } END { print sum + 0 }'; }
before=$(written)
begin pg_wal buffers=1 hist=1
query -c 'create table nests(place int, what text)' -c "insert into nests select i, repeat('twig', 50) from generate_series(1, 3000) i" -c checkpoint \
    -c 'update nests set place = place + 1 where place % 3 = 0' -c 'select pg_switch_wal()' -c checkpoint -c 'select count(*) from nests' >/dev/null
eventually 30 sh -c '! pgrep -f "postgres: [t]apir" >/dev/null'
finish
[ "$(rows log | cut -f 2)" -ge 1 ] || fail 'the switch of files'
seen="$(rows log | cut -f 1,3,6) $(rows checkpoints | cut -f 1) $(rows pages | cut -f 2)"
statistics >third
kill -CONT "$writer"
paste -d ' ' first second third | awk '{ for (i = 1; i <= 6; i++) print $(12 + i) - $(6 + i) - ($(6 + i) - $i) }' >expected
is_equal 'records, flushes, full buffers, checkpoints, pages that were found' "$(echo $seen)" "$(head -n 5 expected | tr '\n' ' ' | sed 's/ $//')"
is_equal 'pages that checkpoints wrote' "$(rows checkpoints | cut -f 4)" $(($(written) - before))
# Some pages belong to no table that the server has statistics of.
asked=$(rows pages | cut -f 1) counted=$(tail -n 1 expected)
[ "$asked" -ge "$counted" ] && [ $((asked * 100)) -le $((counted * 101)) ] || fail "$asked pages were asked for, not $counted"
is_equal 'flushes in the histogram' "$(rows -)" "$(rows log | cut -f 3)"
for tool in pg_locks pg_wal; do
    begin $tool
    finish
    grep -q 'no backend waited\|wrote no record' out || fail "$tool says nothing when there is nothing"
done
kill -INT "$(head -n 1 "$data/postmaster.pid")"
wait
