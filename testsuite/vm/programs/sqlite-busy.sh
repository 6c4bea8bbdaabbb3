# SPDX-License-Identifier: GPL-2.0-or-later
# tools/servers/sqlite-busy.stp with Debian's SQLite and a program that counts how often the database was locked.
#: requires: file /usr/bin/python3
#: host: "$STAP" -p4 -r "$R" -m sqlite_busy run sqlite-busy >/dev/null
#: timeout: 120
#: long: a session for each of three programs, in Python
#: records: also
. "$AREA/_lib.sh"
for mode in delete wal; do
    # Files with locks: the guest's folder is on the host.
    path=$(mktemp -u /tmp/tapir-XXXXXX.db)
    traced "bash -c '/usr/bin/python3 -S -E $AREA/_busy.py $path $mode 7 >said'" sqlite_busy name="$path"
    # When a connection with a WAL ends, it asks for the database alone, which others read.
    is_equal "$mode: refused, who, by whom" "$(rows busy | cut -f 1,3,4 | grep -v '(readers' | tr '\t' ' ')" "$(cat said)"
    rows busy | awk -F '\t' -v path="$path" 'index($6, path) != 1 || ($4 !~ /readers/ && $5 < 1) { exit 1 }' || fail "the file, and how long it was held: $(rows busy)"
    rm -f "$path"*
done
traced 'sleep 0.2' sqlite_busy
grep -q 'no lock' out || fail 'the tool says nothing when there is nothing'
path=/tmp/birds.db
sample sqlite-busy sqlite_busy -c "bash -c '/usr/bin/python3 -S -E $AREA/_busy.py $path wal 7 >said'"
rm -f "$path"*
