# SPDX-License-Identifier: GPL-2.0-or-later
# examples/postgresql-queries.stp with Debian's PostgreSQL: marks in several server processes, with the texts of queries.
#: long: a whole program of others is installed and run
#: host: "$AREA/_unpack.sh" postgresql-15 postgresql-client-15
#: host: [ -e missing ] || "$STAP" -p4 -r "$R" -m postgresql_queries "$AREA/../../../examples/postgresql-queries.stp" "$W/root/usr/lib/postgresql/15/bin/postgres" >/dev/null
#: host: [ -e missing ] || "$AREA/_cluster.sh" "$W/root" "$W/cluster.tar" >initdb.log 2>&1
#: timeout: 200
. "$AREA/_lib.sh"
export PATH=$root/usr/lib/postgresql/15/bin:$PATH
# The server does not run as root.
user() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp LC_ALL=C "$@"; }
data=$(mktemp -d /tmp/postgresql.XXXXXX)
tar -xf cluster.tar -C "$data"
chown -R 65534:65534 "$data"
chmod 700 "$data"
cat >work.sh <<END
query() { psql -q -h $data -U tapir postgres "\$@"; }
postgres -D $data -k $data -h '' -F >$W/server.log 2>&1 &
until query -c 'select 1' >/dev/null 2>&1; do
    kill -0 \$! || exit 1
    sleep 0.2
done
query -c 'create table birds(name text, eggs int)'
for client in 1 2 3; do
    for i in 1 2 3 4 5; do printf "insert into birds values('wren', %d);\nselect count(*) from birds;\n" \$i; done | query >/dev/null &
    clients="\${clients:-} \$!"
done
wait \$clients
query -At -c 'select count(*) from birds'
query -c 'begin; drop table birds; rollback'
kill -INT \$(head -n 1 $data/postmaster.pid)
wait
END
touch server.log
chown 65534 server.log
export -f user
"$STAPRUN" postgresql_queries.ko --ledger ledger.json -c "bash -c 'user bash $W/work.sh'" >out 2>err || { cat out err server.log; fail 'the run'; }
cat out err
is_equal 'what the server answered' "$(head -n 1 out)" 15
is_equal 'inserted' "$(awk '/insert into birds values/ { sum += $1 } END { print sum }' out)" 15
is_equal 'counted' "$(awk '/ select count\(\*\) from birds;?$/ { sum += $1 } END { print sum }' out)" 16
grep -q 'transactions committed, ' out || fail 'transactions'
