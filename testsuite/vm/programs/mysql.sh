# SPDX-License-Identifier: GPL-2.0-or-later
# tools/servers/mysql.stp with Debian's MariaDB, against its own log of queries.
#: requires: program python3 mariadb mariadb-install-db
#: requires: file /usr/sbin/mariadbd
#: long: a server of others, which is slow to begin
#: host: [ ! -e /usr/sbin/mariadbd ] || "$STAP" -p4 -r "$R" -m mysql run mysql >/dev/null
#: host: ! command -v mariadb-install-db >/dev/null || mariadb-install-db --no-defaults --user=root --datadir="$W/data" --auth-root-authentication-method=normal --skip-test-db >install.log 2>&1
#: host: [ ! -d data ] || { tar -cf data.tar -C data . && rm -rf data; }
#: timeout: 300
. "$AREA/_lib.sh"
data=$(mktemp -d /tmp/mysql.XXXXXX)
tar -xf data.tar -C "$data"
mkdir "$data/birds"
mariadbd --no-defaults --user=root --datadir="$data" --skip-networking --socket="$data/socket" --skip-innodb --default-storage-engine=Aria \
    --slow-query-log=1 --long-query-time=0 --slow-query-log-file="$data/slow.log" >server.log 2>&1 &
query() { mariadb --no-defaults -u root -S "$data/socket" birds "$@"; }
eventually 120 query -e 'select 1' >/dev/null 2>&1
query -e 'create table nests(place int)'
logged() { grep -c "^$1" "$data/slow.log" || :; }
# around NAME=VALUE...: a session, and in it what three clients ask. What the log has of it then is in `log`.
around() {
    : >"$data/slow.log"
    begin mysql "$@"
    for client in 1 2 3; do
        for i in 1 2 3 4; do echo "insert into nests values($i); select count(*) from nests;"; done | query >/dev/null &
        clients="${clients:-} $!"
    done
    query -e 'select sleep(0.7)' >/dev/null
    query -e 'select no_such_place from nests' >/dev/null 2>&1 || :
    wait $clients
    clients=
    finish
}
around rows=1000
for i in 1 2 3 4; do is_equal 'inserts' "$(row queries 1 "insert into nests values($i)")" "$(logged "insert into nests values($i)")"; done
is_equal 'inserts of all clients' "$(logged 'insert into')" 12
is_equal 'counts' "$(row queries 1 'select count(*) from nests')" 12
is_equal 'a query that fails' "$(row queries 1 'select no_such_place from nests')" 1
around min=700000 each=1 length=12
is_equal 'a slow query' "$(rows queries | cut -f 1,5)" "$(printf '1\tselect sleep')"
all_took queries 2 700000
is_equal 'each' "$(rows one | cut -f 5)" 'select sleep'
begin mysql
finish
grep -q 'no query ended' out || fail 'the tool says nothing when there is nothing'
query -e shutdown
wait
