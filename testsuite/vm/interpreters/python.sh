# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of Python, as the interpreter itself says them at the same moment.
#: requires: file /usr/bin/python3.11
#: host: sed 's/@1/py_stack()/' "$AREA/_compare.stp" >compare.stp
#: host: "$STAP" -p4 -r "$R" -m python_compare -D MAXSTRINGLEN=6000 compare.stp >/dev/null
#: timeout: 180
"$STAPRUN" python_compare.ko -c "/usr/bin/python3.11 $AREA/_python.py ${HITS:-150}" >out 2>err || { cat out err; fail "status $?"; }
cat out err
is_equal 'messages' "$(cat err)" ''
[[ "$(tail -n 1 out)" =~ ^same\ ([0-9]+),\ differ\ 0$ ]] || fail 'a stack differs'
[ "${BASH_REMATCH[1]}" -ge "${HITS:-150}" ] || fail 'too few stacks'
