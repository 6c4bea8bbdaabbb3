# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of programs that have copied their code to memory of no file, and of one that is in a file of memory: while they run, and in
# a session that begins when they sleep. Their own functions are known; GDB knows the addresses.
#: host: cp "$AREA"/../../core/{copied,memfd}.c "$AREA/../../core/stay.h" . && gcc -g -O1 -o memfd memfd.c
#: host: gcc -g -O1 -o whole copied.c && gcc -g -O1 -static -o static copied.c && gcc -g -O1 -Wl,-z,noseparate-code -o joined copied.c
#: host: gcc -g -O1 -DFILL_BYTES=2097152 -Wl,-z,max-page-size=0x200000 -o huge copied.c && for i in part shared other; do ln -f whole $i; done
#: host: ! command -v ld.lld || gcc -fuse-ld=lld -g -O1 -Wl,-z,max-page-size=0x200000 -o apart copied.c
#: scripts: _copied.stp _copied_look.stp
#: script-args: "$W/whole" "$W/static" "$W/joined" "$W/huge"
#: stap: -g
#: timeout: 200
#: long: GDB reads the stacks of many programs
#: records: also
#: requires: program gdb
. "$AREA/_gdb.sh"
echo 4 >/proc/sys/vm/nr_hugepages
programs='whole static joined part shared huge'
# Where lld puts code, and where it is in the file, are far apart.
[ ! -e apart ] || programs="$programs apart"
how() { case $1 in static | joined | apart) echo whole ;; *) echo $1 ;; esac; }
for program in $programs other; do echo "./$program $(how $program) spin &"; done >run
echo './memfd spin & wait' >>run
"$STAPRUN" --duration $((60 * PATIENCE)) _copied.ko -c 'sh ./run' >out 2>err || { cat out err; fail 'programs that run'; }
cat out err
stack_of() { sed -n "s/^$1://p" out; }
is_whole() { case "$(stack_of $1)" in *' stay outer main '*' _start') ;; *) fail "$1, which $2: $(stack_of $1)" ;; esac; }
kept_of() { awk -v is="$1" '/^kept/ { on = $2 == is } on && / : / { sub(/\+.*/, ""); print $NF }' out | paste -sd' '; }
for program in $programs; do
    is_whole $program runs
    case " $(kept_of $program)" in *' stay outer main '*' _start') ;; *) fail "$program, kept: $(kept_of $program)" ;; esac
done
# The kernel calls what fexecve() runs by its descriptor, or by its file.
is_whole '\(3\|memfd.*\)' runs
! grep -E '^other:.*(stay|outer|main)' out || fail 'other code is taken for that of the file'
# Those that a program of their own runs.
programs='whole static joined huge'
pids=
for program in $programs; do
    ./$program $(how $program) >ready.$program &
    pids="$pids $!"
done
for program in $programs; do eventually 30 grep -q ready ready.$program; done
sleeps() { local pid; for pid in $pids; do grep -q '^State:.S' /proc/$pid/status || return 1; done; }
eventually 30 sleeps
"$STAPRUN" _copied_look.ko >out 2>err || { cat out err; fail 'programs that sleep'; }
cat out err
for program in $programs; do is_whole $program sleeps; done
# GDB's addresses of each.
gdb_stacks $pids | cut -d' ' -f3- | sort >gdb
sed -n '/^ /s/^ \(0x[0-9a-f]*\).*/\1/p; /^[a-z]*:/s/.*/-/p' out | paste -sd' ' | sed 's/ *- */\n/g' | sed '/^$/d' | sort >ours
diff gdb ours || fail 'GDB sees other stacks'
kill $pids
