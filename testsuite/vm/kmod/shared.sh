# SPDX-License-Identifier: GPL-2.0-or-later
# Many handlers, several of them on the same functions: all see every hit, and nothing stays traced afterwards.
#: scripts: _shared.stp
#: host: cc -O2 -static -o calls "$AREA/_calls.c"
"$STAPRUN" _shared.ko -c './calls 2 1000' >out
is_equal 'what the handlers saw' "$(cat out)" "getppid 2000 2000 2000
getuid 2000 2000
__x64_sys_getppid __x64_sys_getuid"
[ ! -e /sys/kernel/tracing/enabled_functions ] || is_equal 'functions still traced' "$(cat /sys/kernel/tracing/enabled_functions)" ''
