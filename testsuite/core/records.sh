#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --format of scripts on a process: records are valid by the shipped schema, and have the bytes of the text format. CSV is read back by
# Python's reader.
#
# Usage: records.sh BIN
BIN=$1
. "$(dirname "$0")/lib.sh"
python3 -c 'import jsonschema' 2>/dev/null || {
    echo 'needs python3-jsonschema'
    exit 77
}
root=$here/../..
sleep 1000 &
pid=$!
started=$pid

# as_json SCRIPT: runs it, sets `records` to what the checker lists. `$work/json` has the records.
as_json() {
    run_stap -x "$pid" --snapshot=run --format=json "$1"
    printf '%s\n' "$out" >"$work/json"
    records=$(python3 "$here/../check_records.py" "$root/docs/output.schema.json" "$work/json" 2>&1) || fail "$1: $records"
}
# Writes the text of $work/json.
texts() { "$BIN/records-staprun" --text <"$work/json"; }

# ---- scripts that print text alone

for name in print_family print_edges printf_bytes printf_conversions printf_flags string_functions foreach_order; do
    awk '/^### /{on = $2 == "script"; next} on' "$here/../native/cases/$name.case" >"$work/$name.stp"
    "$BIN/stap" -w -x "$pid" --snapshot=run "$work/$name.stp" >"$work/text" 2>/dev/null
    as_json "$work/$name.stp"
    texts >"$work/texts"
    [ -s "$work/text" ] || fail "$name prints nothing"
    cmp "$work/text" "$work/texts" || fail "the texts of $name"
done

# ---- tables

cat >"$work/tables.stp" <<'END'
@table(lat, "device: name", "p99: us of a request", "n")
@table("second one", "text: text")
probe begin {
    @row(lat, "sd\"a, b", 9223372036854775807, -1)
    @row("second one", "line\nend")
    println("left out")
    @row(lat, "", -9223372036854775807, no_value())
}
END
as_json "$work/tables.stp"
expect 'records of tables' 'meta
table {"columns": [{"name": "device", "unit": "name"}, {"name": "p99", "subject": "a request", "unit": "us"}, {"name": "n"}], "name": "lat"}
row {"row": {"device": "sd\"a, b", "n": -1, "p99": 9223372036854775807}, "table": "lat"}
table {"columns": [{"name": "text", "unit": "text"}], "name": "second one"}
row {"row": {"text": "line\nend"}, "table": "second one"}
print {"text": "left out\n"}
row {"row": {"device": "", "n": null, "p99": -9223372036854775807}, "table": "lat"}
quality
end {"status": 0}
lost 0 of 0' "$records"
# ---- triggers, and what was before

cat >"$work/triggers.stp" <<'END'
@table(lat, "device: name")
probe begin {
    for (i = 0; i < 5; i++) @recall(loops, 3, "turn %d of %#x", i, 5)
    @trigger(never, i < 5, "%d", i)
    for (i = 0; i < 4; i++) again(i)
}
function again (n) { @trigger(often, 1, "%d %s", n, "é", limit=2) { println("fired ", n) } }
END
as_json "$work/triggers.stp"
expect 'records of triggers' 'meta
trigger {"args": [0, "\u00e9"], "name": "often", "suppressed": 0, "text": "0 \u00e9"}
recall {"args": [2, 5], "name": "loops", "text": "turn 2 of 0x5"}
recall {"args": [3, 5], "name": "loops", "text": "turn 3 of 0x5"}
recall {"args": [4, 5], "name": "loops", "text": "turn 4 of 0x5"}
print {"args": [0], "text": "fired 0\n"}
trigger {"args": [1, "\u00e9"], "name": "often", "suppressed": 0, "text": "1 \u00e9"}
print {"args": [1], "text": "fired 1\n"}
quality
end {"status": 0}
lost 0 of 0' "$(sed -E 's/"(age|at|at_cpu|pid|program|tid|time)": ("[^"]*"|[0-9]+)(, )?//g; s/, \}/}/' <<<"$records")"
run_stap -x "$pid" --snapshot=run --until often "$work/triggers.stp"
expect 'a trigger as text' "TRIGGER often HH:MM:SS.US sleep($pid, $pid): 0 é
    AGE s  loops, $pid: turn 2 of 0x5
    AGE s  loops, $pid: turn 3 of 0x5
    AGE s  loops, $pid: turn 4 of 0x5
fired 0" "$(sed -E 's/[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}/HH:MM:SS.US/; s/^ +-[0-9]+\.[0-9]{6} s/    AGE s/' <<<"$out")"
run_stap -x "$pid" --snapshot=run --until ofter "$work/triggers.stp"
expect 'status of an unknown trigger' 1 "$status"

# ---- samples without room

run_stap -x "$pid" --snapshot=run --format=json -D MAXMAPENTRIES=8 -e 'probe begin { for (i = 0; i < 20; i++) @sample_label(sprint(i), "", 1) }'
expect 'samples that are lost' '"complete":false "lost_samples":12' "$(sed -nE '/"type":"quality"/s/.*("complete":[a-z]+).*("lost_samples":[0-9]+).*/\1 \2/p' <<<"$out")"

run_stap -x "$pid" --snapshot=run --format=csv "$work/tables.stp"
printf '%s\n' "$out" >"$work/csv"
expect 'CSV' "['lat', 't (ns)', 'device', 'p99 (us)', 'n']
['lat', 'sd\"a, b', '9223372036854775807', '-1']
['second one', 't (ns)', 'text']
['second one', 'line\nend']
['lat', '', '-9223372036854775807', '']" "$(python3 -c 'import csv, sys
for line in csv.reader(open(sys.argv[1], newline=""), strict=True):
    print(line if line[1] == "t (ns)" else line[:1] + line[2:])' "$work/csv")"
run_stap -x "$pid" --snapshot=run --format=yaml "$work/tables.stp"
expect 'status of another format' 1 "$status"

kill $pid
started=
[ $failures = 0 ] && echo "all passed"
exit $((failures > 0))
