# SPDX-License-Identifier: GPL-2.0-or-later
# Options that are "live" change while the script runs; a probe's condition follows. Their type, range and choices are checked, and
# other globals do not change. What is opened while the condition holds is what the program says.
#: scripts: _live_options.stp
#: stap: --refresh
#: long: Python is slow in a guest
#: requires: program python3
#: timeout: 300
. "$AREA/_common.sh"

# Opens 10 files each time that it is told to.
cat >opener.py <<'END'
import os, sys
for line in open(sys.argv[1]):
    if line == "end\n":
        break
    for _ in range(10):
        try:
            os.close(os.open("/nothing/at/all", os.O_RDONLY))
        except OSError:
            pass
    open("opened", "a").write(line)
END
mkfifo "/tmp/asked.$$" "/tmp/orders.$$"
exec 7<>"/tmp/asked.$$" 8<>"/tmp/orders.$$"
"$STAPRUN" --format=json --refresh 0.2 --commands 7 -c "python3 opener.py /tmp/orders.$$" _live_options.ko >json 2>err &
session=$!
ask() { printf '%s\n' "$1" >&7; }
has() { eventually 30 grep -qF "$1" "$2"; }
eventually 30 is_armed _live_options
has '"type":"refresh"' json
echo 1 >&8
has 1 opened
ask 'set min=250'
has '"type":"set"' json
ask 'set word=some'
has '"name":"word","value":"some"' json
for wrong in min=1001 min=-1 min=ten word=som word=somewhat word=none\|some on=2; do ask "set $wrong"; done
ask 'set fixed=2'
ask 'set seen=1'
ask 'set nothing'
ask 'set on=1'
has '"name":"on","value":"1"' json
eventually 30 grep -q '"name":"armed","value":[1-9]' json
echo 2 >&8
has 2 opened
ask 'set on=0'
has '"name":"on","value":"0"' json
echo 3 >&8
has 3 opened
echo end >&8
wait_for $session
is_equal 'exit status' $status 0
for refused in min=1001 min=-1 word=som word=somewhat "word=none|some" on=2; do
    grep -qF "'$refused' is not set: the option does not take this value" err || fail "$refused: $(cat err)"
done
grep -qF "'min=ten' is not set: Invalid parameters" err || fail "$(cat err)"
grep -qF "'fixed=2' is not set: it is not an option that may change" err || fail "$(cat err)"
grep -qF "'nothing' is not set" err || fail "$(cat err)"
grep -qF "'seen=1' is not set" err || fail "$(cat err)"
python3 - json <<'END'
import json, sys
records = [json.loads(line) for line in open(sys.argv[1])]
values = {(r["name"], *map(str, r.get("keys", []))): r["value"] for r in records if r["type"] == "value"}
assert values[("seen", "100")] and values[("seen", "250")], values
assert {k[1] for k in values if k[0] == "seen"} == {"100", "250"}, values
assert {k[1] for k in values if k[0] == "words"} == {"none", "some"}, values
# The ten, and the file in which the program says so.
assert values[("opens",)] == 11, values
END
