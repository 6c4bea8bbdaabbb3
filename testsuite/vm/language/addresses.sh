# SPDX-License-Identifier: GPL-2.0-or-later
#: host: perl "$AREA/_addresses.pl" "$AREA/../../../tapsets" >sweep.stp && "$STAP" -p4 -g -r "$R" -m sweep sweep.stp >/dev/null
#: timeout: 200
#: long: every function that reads memory, at 990 addresses
# A script that reads or writes any address gets a value or an error; the kernel logs nothing.
if grep -qw la57 /proc/cpuinfo; then . "$AREA/_addresses.sh" 5; else . "$AREA/_addresses.sh" 4; fi
