# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of Python, as the interpreter itself says them at the same moment.
#: requires: file /usr/bin/python3.11
#: host: sed 's/STACK/py_stack/' "$AREA/_compare.stp" >compare.stp
#: host: "$STAP" -p4 -r "$R" -m compare -D MAXSTRINGLEN=6000 compare.stp >/dev/null
#: timeout: 300
#: long: Python is slow in a guest
#: records: also
. "$AREA/_compare.sh"
compare /usr/bin/python3.11 "$AREA/_python.py"
# A thread that has made other interpreters has a state in each.
compare /usr/bin/python3.11 "$AREA/_subinterpreters.py"
