# SPDX-License-Identifier: GPL-2.0-or-later
# --record keeps the rows of tables: stap-report prints them as the run did, in each form, and they are what the program counts. A capture
# of a session that was killed has the rows until then.
#: scripts: _record_rows.stp
#: records: no, it asks for records itself
. "$AREA/_common.sh"
report() { run "$BIN/stap-report" "$@"; }

# 5 files in 5 turns.
cat >load.sh <<'END'
for turn in 1 2 3 4 5; do
    for name in one two three four five; do
        : 2>/dev/null <"/nothing/$name" || :
    done
done
END
# The program did this: a row for each file of each turn, and one for each turn.
for turn in 1 2 3 4 5; do
    for name in one two three four five; do echo "/nothing/$name $turn"; done
done >expected

run "$STAPRUN" --record text.cap -c 'bash load.sh' _record_rows.ko >text 2>err
is_equal 'exit status' $status 0
grep -q 'wrote text.cap, 30 rows' err || fail "$(cat err)"
report text.cap --table >again
is_equal 'exit status' $status 0
grep -v '^behind' text | cmp - again || fail "$(cat text again)"
report text.cap --table=opens --format=csv | tr -d '\r' >opens
head -n 1 opens | grep -qx 't (ns),path,tid,n (count),took (ns)' || fail "$(head -n 1 opens)"
tail -n +2 opens | awk -F , '{ print $2, $4 }' | cmp - expected || fail "$(cat opens)"
report text.cap --table=turns --sort=turn --top=1 --format=csv | tr -d '\r' | cut -d , -f 2- >last
printf 'turn,sum (count)\n5,25\n' | cmp - last || fail "$(cat last)"
is_equal 'rows of one file' "$(report text.cap --table=opens --match=/two --format=csv | grep -c /nothing/two)" 5

# A run's own rows as records and as CSV.
run "$STAPRUN" --format=json --record json.cap -c 'bash load.sh' _record_rows.ko >json 2>err
is_equal 'exit status' $status 0
report json.cap --table --format=json >again
grep -e '"type":"table"' -e '"type":"row"' json | cmp - again || fail "$(cat again)"
is_equal 'rows' "$(grep -c '"type":"row"' again)" 30
run "$STAPRUN" --format=csv --record csv.cap -c 'bash load.sh' _record_rows.ko >csv 2>err
report csv.cap --table --format=csv | cmp - csv || fail "$(cat csv)"

# Killed: what was there a second before is in the capture.
echo '. ./load.sh; exec sleep 1000' >longer.sh
"$STAPRUN" --record killed.cap -c 'bash longer.sh' _record_rows.ko >text 2>err &
killed=$!
eventually 30 grep -q '^behind 20' text
held() { "$BIN/stap-report" killed.cap --table=opens --format=csv 2>/dev/null | grep -c /nothing/; }
has_rows() { [ "$(held)" -ge 20 ]; }
eventually 30 has_rows
kill -KILL $killed
wait_for $killed
report killed.cap --table=opens --format=csv >rows 2>said
is_equal 'exit status' $status 3
grep -q 'the capture is not sealed' said || fail "$(cat said)"
tail -n +2 rows | tr -d '\r' | awk -F , '{ print $2, $4 }' >found
head -n "$(wc -l <found)" expected | cmp - found || fail "$(cat rows)"
"$STAPRUN" -d _record_rows 2>/dev/null || :
eventually 30 is_gone _record_rows
