# SPDX-License-Identifier: GPL-2.0-or-later
# _addresses.sh LEVELS: sweeps over the addresses, with page tables of that many levels.
grep -qw la57 /proc/cpuinfo && levels=5 || levels=4
is_equal 'levels of page tables' $levels "$1"
"$STAPRUN" sweep.ko --limit MAXACTION_INTERRUPTIBLE=1000000000 --limit MAXACTION=1000000 levels=$levels \
    -c 'perl -e "getppid() while 1"' >out || { tail -n 20 out; fail 'the session fails'; }
tail -n 20 out
is_equal 'verdict' "$(tail -n 1 out)" good
is_equal 'extent' "$(grep addresses, out)" '990 addresses, all tried, no write succeeded'
