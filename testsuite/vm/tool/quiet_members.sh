# SPDX-License-Identifier: GPL-2.0-or-later
# Like tool/quiet, by a member of stapusr, for whom each tool is signed.
#: host: "$STAP" run --check-all -r "$R" | sed -nE 's/^([^ ]+) +ok, .*/\1/p' >resolved
#: host: xargs -P 2 -I NAME sh -c '"$STAP" -w -p4 -r "$R" -m "tool_$(echo NAME | tr - _)" run NAME >NAME.made 2>&1 || echo NAME >>refused' <resolved
#: requires: program openssl setpriv python3
#: timeout: 1200
#: long: a session of each tool
#: records: no, it looks at text
. "$AREA/../trust/_common.sh"
. "$AREA/_quiet.sh"
for module in *.ko; do sign --for=stapusr $module >/dev/null || fail "$module was not signed"; done
cp ./*.ko ./*.sig "$BIN/stap-report" $place
export place
export -f become group
as_member() { cd $place/4001 && become user $place/staprun $place/$1 --duration 1; }
beside_no_load member as_member
