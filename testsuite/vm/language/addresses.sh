# SPDX-License-Identifier: GPL-2.0-or-later
#: host: perl "$AREA/_addresses.pl" "$AREA/../../../tapsets" >sweep.stp && "$STAP" -p4 -g -r "$R" -m sweep sweep.stp >/dev/null
#: timeout: 200
#: long: every function that reads memory, at 990 addresses
# Whatever address a script reads or writes, it gets a value or an error; the kernel has nothing to say of it.
if grep -qw la57 /proc/cpuinfo; then . "$AREA/_addresses.sh" 5; else . "$AREA/_addresses.sh" 4; fi
