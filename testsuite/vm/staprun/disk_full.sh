# SPDX-License-Identifier: GPL-2.0-or-later
# A full disk ends the session with an error, and what could not be written is counted.
#: long: a disk is filled several times
#: timeout: 180
#: scripts: _flood.stp _million.stp
. "$AREA/_common.sh"
mkdir small
mount -t tmpfs -o size=256k tmpfs small
run "$STAPRUN" -o small/out --ledger=ledger --limit MAXACTION_INTERRUPTIBLE=10000000 _million.ko n=100000 2>err
is_equal 'exit status' $status 1
grep -q "^ERROR: Couldn't write to output file 'small/out': No space left on device$" err || fail 'no message'
eventually 5 is_gone _million
written=$(stat -c %s small/out)
grep -q "\"bytes_written\": $written," ledger || fail "the ledger does not say that $written bytes were written"
is_balanced ledger
rm small/out
make_load
run "$STAPRUN" -o small/out _flood.ko 2>err
is_equal 'exit status' $status 1
grep -q 'No space left on device' err || fail 'no message'
eventually 5 is_gone _flood
end_load
umount small
