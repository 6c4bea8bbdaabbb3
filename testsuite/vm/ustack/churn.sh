# SPDX-License-Identifier: GPL-2.0-or-later
# Processes come and go, and threads map and unmap, while everybody's stacks are walked; nothing is left behind, nor in the log.
#: long: many rounds beside load
#: scripts: _churn.stp _profile.stp
#: timeout: 180
#: records: also
while :; do /bin/true; done &
while :; do timeout 1 "$BIN/unwind_program" spin threads; done &
while :; do sh -c 'cat /etc/passwd | wc -l' >/dev/null; done &
"$STAPRUN" --ledger ledger.json _churn.ko >out 2>err
kill %1 %2 %3
cat out err
grep -o '"user_stacks".*' ledger.json
grep -q '^stacks of all sorts$' out || fail 'some sort of stack'
# Code that is in no file ends a stack, and the run says so.
"$STAPRUN" -c "$BIN/unwind_program spin made" --ledger ledger.json _profile.ko >out 2>err || fail 'made'
cat out err
grep -Eq '^user stacks: .* ended in code that is in no file' err || fail 'the summary'
count() { sed -n "s/.*\"user_stacks\": {.*\"$1\": \([0-9]*\).*/\1/p" ledger.json; }
[ "$(count no_object)" -ge 50 ] || fail "only $(count no_object) ended there"
