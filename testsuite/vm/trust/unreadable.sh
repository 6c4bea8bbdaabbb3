# SPDX-License-Identifier: GPL-2.0-or-later
# A user's session opens no program for its user that the user cannot read, though the user can run it.
#: long: two runs of a program that a loader samples from its first moment
#: timeout: 200
#: scripts: _stacks.stp
#: requires: program openssl setpriv python3
. "$AREA/_common.sh"
cp _stacks.ko $place
sign --for=stapusr $place/_stacks.ko
cp "$BIN/unwind_program" $place/spin
ledger=$place/4001/ledger.json
count() { sed -n "s/.*\"user_stacks\": {.*\"$1\": \([0-9]*\).*/\1/p" $ledger; }

for mode in 755 711; do
    chmod $mode $place/spin
    rm -f $ledger
    become user $place/staprun --ledger $ledger -c "$place/spin spin shapes" $place/_stacks.ko >$place/out 2>$place/err || { cat $place/err; fail "with mode $mode"; }
    is_equal 'output' "$(cat $place/out)" walked
    grep -o '"user_stacks".*' $ledger
    case $mode in
    # The first of a program may come before its table does (docs/stacks.md).
    755) [ "$(count complete)" -ge 10 ] && [ $(($(count no_table) * 100)) -le "$(count complete)" ] || fail 'the stacks of a program that can be read' ;;
    # Those of its start are complete while it is the dynamic linker that runs.
    711) [ "$(count no_table)" -gt "$(count complete)" ] || fail 'the stacks of a program that cannot be read' ;;
    esac
done
