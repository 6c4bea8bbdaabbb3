# SPDX-License-Identifier: GPL-2.0-or-later
# The same script, unchanged, on a live process by the kernel, on GDB's core of it, and on the kernel's core: the same output.
#: requires: program gdb gcc
#: long: gcc and GDB take their time in a guest
#: host: cc -g -pthread -o program "$AREA/../../core/program.c"
#: host: "$STAP" -p4 -r "$R" -m walk -DMAXACTION=1000000 -e "$(sed 's#probe process.begin#probe process("'"$W"'/program").begin#; s#"list"#"list@program.c"#' "$AREA/../../core/walk.stp")" >/dev/null
#: timeout: 300
export TAPIR_CACHE_DIR=$(mktemp -d)
ulimit -c unlimited
./program 1000 3 tick >ready & pid=$!
eventually 30 grep -q ready ready
"$STAPRUN" walk.ko -x $pid >live 2>errors & staprun=$!
eventually 60 grep -q '^program' live
kill -INT $staprun
wait $staprun
cat errors
kill -STOP $pid
gdb -batch -nx -p $pid -ex 'generate-core-file gcore' >gdb.log 2>&1
echo core >/proc/sys/kernel/core_pattern
kill -SEGV $pid
kill -CONT $pid
wait $pid || :
for of in gcore core*; do
    "$STAP" --core "$of" "$AREA/../../core/walk.stp" >dead
    is_equal "the output on $of" "$(cat dead)" "$(cat live)"
done
is_equal 'the output on the live process' "$(cat live)" "$(cat "$AREA/../../core/walk.expect")"
