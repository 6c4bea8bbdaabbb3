# SPDX-License-Identifier: GPL-2.0-or-later
# Another argument and another result than the function was called with and had.
#: stap: -g
#: scripts: _registers_guru.stp
#: host: cc -O2 -static -o registers_guru "$AREA/_registers_guru.c"
"$STAPRUN" _registers_guru.ko -c ./registers_guru >out
cat out
grep -qx slept out || fail 'it did not sleep'
is_equal 'parent' "$(sed -n 's/^parent //p' out)" 4242
is_equal 'bits' "$(sed -n 's/^bits //p' out | sort -u)" '0 8 8'
is_equal 'errors' "$(grep -c 'cannot be set at this\|set_returnval() is for' out)" 3
