# SPDX-License-Identifier: GPL-2.0-or-later
# A Python program that writes wild words into its own frames ends its own stack with "?", not the session.
#: requires: file /usr/bin/python3.11
#: host: "$STAP" -p4 -r "$R" -m wild "$AREA/_wild.stp" >/dev/null
#: timeout: 120
"$STAPRUN" wild.ko -c "sh -c 'exec /usr/bin/python3.11 $AREA/_wild.py 60 >/dev/null'" >out 2>err || { cat out err; fail "status $?"; }
cat out
is_equal 'messages' "$(cat err)" ''
is_equal 'stacks' "$(tail -n 1 out)" 'ended 60, else 0'
