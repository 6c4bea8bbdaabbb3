# SPDX-License-Identifier: GPL-2.0-or-later
#: append: no5lvl
#: host: perl "$AREA/_addresses.pl" "$AREA/../../../tapsets" >sweep.stp && "$STAP" -p4 -g -r "$R" -m sweep sweep.stp >/dev/null
#: timeout: 200
#: long: every function that reads memory, at 990 addresses
# The same where the kernel has four levels of page tables and the processor, if it is emulated, could have five.
. "$AREA/_addresses.sh" 4
