# SPDX-License-Identifier: GPL-2.0-or-later
# The target's children and theirs are in the target set, other processes are not, nor is who has ended.
#: scripts: _target_set.stp
#: host: cc -O2 -static -o family "$AREA/_target_set.c"
"$STAPRUN" _target_set.ko -c ./family >out
cat out
sed '/^--$/,$d' out >hits
is_equal 'members' "$(grep -c '^in 1$' hits) $(grep -c '^in 0$' hits || :)" '3 0'
# At the end the target itself is gone, as are all that ended before.
is_equal 'the report' "$(sed -n '/^target set:$/,$p' out)" "target set:
$(sed -n 's/^target \([0-9]*\)$/\1/p' out) begat $(sed -n 's/^stays //p' out)"
