# SPDX-License-Identifier: GPL-2.0-or-later
# examples/sqlite-statements.stp with Debian's SQLite, stripped, used by several processes at once: statements, their rows, the library that
# a running script finds in processes that start later. Fewer statements than the script shows.
#: long: a whole program of others is installed and run
#: host: "$AREA/_unpack.sh" sqlite3 libsqlite3-0
#: host: [ -e missing ] || "$STAP" -p4 -r "$R" -m sqlite_statements "$AREA/../../../examples/sqlite-statements.stp" "$W/root/usr/lib/*/libsqlite3.so.0" >/dev/null
#: timeout: 200
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
"$STAPRUN" sqlite_statements.ko --ledger ledger.json -c "bash $W/work.sh" >out 2>err || { cat out err; fail 'the run'; }
cat out err
is_equal 'what SQLite answered' "$(cat [abc].out | wc -l)" 45
is_equal 'rows of a statement' "$(row out 2 '  select name from birds;')" 15
is_equal 'how often it was prepared' "$(row out 1 '  select name from birds;')" 3
is_equal 'counts' "$(row out 2 'select count(*) from birds;')" 15
is_equal 'a table' "$(row out 1 'create table birds(name text, eggs int)')" 3
