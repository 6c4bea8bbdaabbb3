# SPDX-License-Identifier: GPL-2.0-or-later
# tools/servers/pg-queries.stp with Debian's PostgreSQL: marks in several server processes, with the texts of queries.
#: requires: program python3
#: long: a whole program of others is installed and run
#: host: "$AREA/_unpack.sh" postgresql-15 postgresql-client-15
#: host: [ -e missing ] || "$STAP" -p4 -r "$R" -m pg_queries run pg-queries "$W/root/usr/lib/postgresql/15/bin/postgres" >/dev/null
#: host: [ -e missing ] || "$AREA/_cluster.sh" "$W/root" "$W/cluster.tar" >initdb.log 2>&1
#: timeout: 400
#: records: also
. "$AREA/_lib.sh"
export PATH=$root/usr/lib/postgresql/15/bin:$PATH
# The server does not run as root.
user() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp LC_ALL=C "$@"; }
data=$(mktemp -d /tmp/postgresql.XXXXXX)
tar -xf cluster.tar -C "$data"
chown -R 65534:65534 "$data"
chmod 700 "$data"
cat >server.sh <<END
query() { psql -q -h $data -U tapir postgres "\$@"; }
postgres -D $data -k $data -h '' -F >$W/server.log 2>&1 &
until query -c 'select 1' >/dev/null 2>&1; do
    kill -0 \$! || exit 1
    sleep 0.2
done
finish() {
    kill -INT \$(head -n 1 $data/postmaster.pid)
    wait
}
END
cat >work.sh <<END
. $W/server.sh
query -c 'create table birds(name text, eggs int)'
for client in 1 2 3; do
    for i in 1 2 3 4 5; do printf "insert into birds values('wren', %d);\nselect count(*) from birds;\n" \$i; done | query >/dev/null &
    clients="\${clients:-} \$!"
done
wait \$clients
query -At -c 'select count(*) from birds' >$W/answer
query -c 'begin; drop table birds; rollback'
finish
END
# On a slow machine the first query takes longer than half a second.
cat >less.sh <<END
. $W/server.sh
query -c 'select pg_sleep($PATIENCE)' -c 'select pg_sleep(0.25)' -c 'select 2' -c 'select 3' >/dev/null
finish
END
touch server.log answer
chown 65534 server.log answer
export -f user
traced "bash -c 'user bash $W/work.sh'" pg_queries hist=1 rows=1000
is_equal 'what the server answered' "$(cat answer)" 15
is_equal 'inserted' "$(rows queries | awk -F '\t' '$4 ~ /^insert into birds values/ { sum += $1 } END { print sum }')" 15
is_equal 'counted' "$(rows queries | awk -F '\t' '$4 ~ /^select count\(\*\) from birds;?$/ { sum += $1 } END { print sum }')" 16
is_equal 'queries in histograms' "$(rows - | awk -F '\t' '{ sum += $2 } END { print sum }')" "$(rows queries | awk '{ sum += $1 } END { print sum }')"
# Each insert and the table are one; one was rolled back.
rows transactions | awk -F '\t' '$1 < 16 || $2 < 1 { exit 1 }' || fail "transactions: $(rows transactions)"
traced "bash -c 'user bash $W/less.sh'" pg_queries min=200000 length=15
is_equal 'slow queries, of which the texts are cut' "$(rows queries | awk -F '\t' '$4 == "select pg_sleep" { print $1 }')" 2
all_took queries 2 200000
traced "bash -c 'user bash $W/less.sh'" pg_queries rows=1
is_equal 'the query that takes most' "$(rows queries | cut -f 1,4 | tr -d ';')" "$(printf '1\tselect pg_sleep(%d)' $PATIENCE)"
