# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of Perl, as the interpreter itself says them at the same moment.
#: requires: file /usr/bin/perl
#: host: sed 's/STACK/perl_stack/' "$AREA/_compare.stp" >compare.stp
#: host: "$STAP" -p4 -r "$R" -m compare -D MAXSTRINGLEN=6000 compare.stp >/dev/null
#: timeout: 180
#: long: a stack at each of many calls of an interpreter
. "$AREA/_compare.sh"
compare /usr/bin/perl "$AREA/_perl.pl"
