# SPDX-License-Identifier: GPL-2.0-or-later
# A thread has four debug registers. The variable of a fifth probe is not watched; the script says so and goes on with the others.
#: host: cc -g -O2 -pthread -o writers "$AREA/_writers.c"
#: host: "$STAP" -p4 -r "$R" -m many "$AREA/_many.stp" "$W/writers" >/dev/null
#: timeout: 180
grep -q '^flags.* de ' /proc/cpuinfo || skip 'the processor has no debug registers as x86 has them'
"$STAPRUN" many.ko -c "./writers others=25 threads=2,10 others=15" >out 2>err || { cat out err; fail "status $?"; }
cat out err
# Each ++ of a variable in memory reads and writes it in one instruction or in two.
two=$(sed -n 's/^2: //p' out)
[ "$two" = 40 ] || [ "$two" = 80 ] || fail "$two accesses"
is_equal 'what is watched' "$(grep -v '^2:' out | grep -v '^did')" '1: 40
3: 40
4: 20
5: 0'
grep -Eq '^WARNING: probe process\("[^"]*/writers"\)\.data\("writes"\)\.write: thread [0-9]+ is not watched, nor are those that it makes: all debug registers of the processor are in use \(-ENOSPC\)$' err || fail 'the message'
[ "$(wc -l <err)" = 1 ] || fail 'more messages'
