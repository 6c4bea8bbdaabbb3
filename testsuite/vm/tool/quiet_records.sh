# SPDX-License-Identifier: GPL-2.0-or-later
# Like tool/quiet, as records: they end, and are valid by the shipped schema.
#: host: "$STAP" run --check-all -r "$R" | sed -nE 's/^([^ ]+) +ok, .*/\1/p' >resolved
#: host: xargs -P 2 -I NAME sh -c '"$STAP" -w -p4 -r "$R" -m "tool_$(echo NAME | tr - _)" run NAME >NAME.made 2>&1 || echo NAME >>refused' <resolved
#: requires: program python3
#: timeout: 1200
#: long: a session of each tool
#: records: no, it asks for records itself
. "$AREA/_quiet.sh"
records() { "$STAPRUN" $1 --format=json --duration 1; }
beside_no_load json records
is_equal 'records that end' "$(tail -qn 1 ./*.json | grep -c '"type":"end"')" "$(ls ./*.json | wc -l)"
RECORDS_ASKED=200 python3 "$AREA/../../check_records.py" "$AREA/../../../docs/output.schema.json" ./*.json >checked 2>err || fail "$(cat err)"
