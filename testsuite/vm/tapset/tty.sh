# SPDX-License-Identifier: GPL-2.0-or-later
# A pseudo terminal: opened, measured, written to from both sides, asked, read and closed.
#: scripts: _tty.stp
#: host: cc -O2 -o tty "$AREA/_tty.c"
"$STAPRUN" _tty.ko -c "exec $W/tty >$W/expected" -o seen
is_equal 'the end' "$(tail -1 seen)" '0 odd'
# Another task hands on the arriving bytes: their place among the other events is not known.
head -n -1 seen | sort | diff <(sort expected) - >&2 || fail 'events differ'
