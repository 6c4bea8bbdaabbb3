# SPDX-License-Identifier: GPL-2.0-or-later
# --format=json: each line is valid by the shipped schema, in the order of time; the texts are those of the text format; messages are
# records and on standard error; output of commands is not among records.
#: scripts: _records.stp
#: requires: program python3
#: long: Python is slow in a guest
#: timeout: 300
. "$AREA/_common.sh"
schema=$AREA/../../../docs/output.schema.json
python3 -c 'import jsonschema' || skip 'needs python3-jsonschema'

run "$STAPRUN" --limit MAXERRORS=5 -c true _records.ko >text 2>err
is_equal 'exit status' $status 1
run "$STAPRUN" --limit MAXERRORS=5 --format=json -c 'echo from the command' _records.ko >json 2>err
is_equal 'exit status' $status 1
for line in 'from the shell' 'from the command' 'WARNING: careful' 'ERROR: wrong'; do
    grep -q "^$line" err || fail "standard error lacks '$line'"
done
python3 "$AREA/../../check_records.py" "$schema" json >records
# The same bytes, but for histograms, whose layout records do not tell.
"$BIN/records-staprun" --text <json >printed
{ LC_ALL=C sed -n '1,/^no newline10$/p' text; printf 'of of of '; grep -aE '^(plain|word|pairs|times|none)' text; } >expected
cmp printed expected || fail "the texts are $(od -c printed | tail -20)"
cat >expected <<'END'
meta
print {"args": [42, "cat42"], "text": "pid=42 name=cat42\n"}
END
head -n 2 records | cmp - expected || fail "$(head -n 2 records)"
for line in 'value {"name": "plain", "value": 7}' \
    'value {"name": "word", "value": "a\"b"}' \
    'value {"keys": ["x", 1], "name": "pairs", "value": 10}' \
    'value {"keys": ["y", 2], "name": "pairs", "value": -20}' \
    'value {"avg": 2, "count": 4, "keys": ["r"], "max": 4, "min": 1, "name": "times", "sum": 10}' \
    'hist {"buckets": [[5, 9, 1]], "count": 1, "keys": ["w", 1], "name": "sizes", "scale": "linear", "sum": 5}' \
    'value {"count": 0, "name": "none"}' \
    'print {"latin1": true, "text": "\u00ff\u00fe no UTF-8\n"}' \
    'warning {"text": "careful"}' 'end {"status": 1}'; do
    grep -qxF "$line" records || fail "no record '$line' in $(cat records)"
done
grep -q '^error {"text": "wrong' records || fail 'no record of the error'
grep -q '^hist {"buckets": \[\[0, 0, 1\], \[512, 1023, 1\], \[1024, 2047, 1\]' records || fail "$(grep ^hist records)"
