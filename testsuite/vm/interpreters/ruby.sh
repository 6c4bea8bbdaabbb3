# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of Ruby, as the interpreter itself says them at the same moment.
#: requires: file /usr/bin/ruby3.1
#: host: sed 's/STACK/ruby_stack/' "$AREA/_compare.stp" >compare.stp
#: host: "$STAP" -p4 -r "$R" -m compare -D MAXSTRINGLEN=6000 compare.stp >/dev/null
#: timeout: 300
#: long: a stack at each of many calls of an interpreter
. "$AREA/_compare.sh"
compare /usr/bin/ruby3.1 "$AREA/_ruby.rb"
