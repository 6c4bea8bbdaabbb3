# SPDX-License-Identifier: GPL-2.0-or-later
# Every tool whose probe points this kernel has, and that needs no program of its own: beside no load it ends well after its time, and says
# something. Six at once. The cases quiet_records and quiet_members do the same with records, and as a member of stapusr.
#: host: "$STAP" run --check-all -r "$R" | sed -nE 's/^([^ ]+) +ok, .*/\1/p' >resolved
#: host: xargs -P 2 -I NAME sh -c '"$STAP" -w -p4 -r "$R" -m "tool_$(echo NAME | tr - _)" run NAME >NAME.made 2>&1 || echo NAME >>refused' <resolved
#: timeout: 1200
#: long: a session of each tool
#: records: no, records have a case of their own
. "$AREA/_quiet.sh"
as_text() { "$STAPRUN" $1 --format=text --duration 1; }
beside_no_load text as_text
