# SPDX-License-Identifier: GPL-2.0-or-later
# tools/servers/sqlite.stp with Debian's SQLite, stripped, used by several processes at once: statements, their rows, the library that a running
# script finds in processes that start later.
#: requires: program python3
#: long: a whole program of others is installed and run
#: host: "$AREA/_unpack.sh" sqlite3 libsqlite3-0
#: host: [ -e missing ] || "$STAP" -p4 -r "$R" -m sqlite run sqlite "$W/root/usr/lib/*/libsqlite3.so.0" >/dev/null
#: timeout: 300
#: records: also
. "$AREA/_lib.sh"
cat >work.sh <<'END'
use() {
    sqlite3 "$1.db" 'create table birds(name text, eggs int)'
    for i in $(seq 5); do echo "insert into birds values('wren', $i); select name from birds where eggs = $i; select count(*) from birds;"; done | sqlite3 "$1.db"
    sqlite3 "$1.db" 'select name from birds; select nothing from birds' 2>/dev/null
}
for database in a b c; do use $database >$database.out & done
wait
END
cat >less.sh <<'END'
sqlite3 :memory: 'with recursive n(x) as (select 1 union all select x + 1 from n where x < 1000000) select max(x) from n; select 1; select 2;'
END
traced "bash $W/work.sh" sqlite rows=1000
is_equal 'what SQLite answered' "$(cat [abc].out | wc -l)" 45
is_equal 'rows of a statement' "$(row statements 2 'select name from birds')" 15
is_equal 'how often it was prepared' "$(row statements 1 'select name from birds')" 3
is_equal 'counts' "$(row statements 2 'select count(*) from birds')" 15
is_equal 'a table' "$(row statements 1 'create table birds(name text, eggs int)')" 3
rm -f -- *.db
traced "bash $W/work.sh" sqlite length=11 rows=1000
is_equal 'how often statements that begin so were prepared' "$(row statements 1 'select name')" 18
traced "bash $W/less.sh" sqlite min=1000 length=14
is_equal 'a statement that takes long' "$(row statements 2 'with recursive')" 1
all_took statements 3 1000
traced "bash $W/less.sh" sqlite rows=1 length=14
is_equal 'the statement that takes most' "$(rows statements | cut -f 1,2,4)" "$(printf '1\t1\twith recursive')"
