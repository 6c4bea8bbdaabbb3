# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of sleeping tasks and where they wait, against /proc/PID/stack and wchan.
#: scripts: _task_stack.stp
#: stap: -D MAXACTION=100000
#: requires: kernel 5.16
#: cpus: 2
#: timeout: 90
# Older kernels have no wchan here: they look for frame pointers.
cp "$(command -v bash)" spinner
(sleep 1000 | cat) &
"$STAPRUN" _task_stack.ko >out &
staprun=$!
eventually 30 grep -qx all out
# Without other programs, which would take long: there are many tasks.
declare -A sites switches stacks
while read -r word second third fourth _; do
    case $word in
    task)
        tid=$second
        switches[$tid]=$third
        sites[$tid]=$fourth
        ;;
    # " 0xffffffff81234567 : pipe_read+0x1f5/0x3b0 [kernel]"
    0x*) [ -z "${stacks[$tid]:-}" ] && [ "${third%%+*}" != "${sites[$tid]}" ] || stacks[$tid]+="$third " ;;
    esac
done <out
compared=0
for tid in "${!sites[@]}"; do
    [ "${sites[$tid]}" != -1 ] && [ -r /proc/$tid/stack ] || continue
    stack=
    now=0
    # "[<0>] pipe_read+0x1f5/0x3b0"
    while read -r _ name _; do stack+="$name "; done </proc/$tid/stack || continue
    read -r wchan </proc/$tid/wchan || [ -n "$wchan" ] || continue
    while read -r key value; do [[ $key != *voluntary_ctxt_switches: ]] || now=$((now + value)); done </proc/$tid/status
    # It has not run since.
    [ "$now" = "${switches[$tid]}" ] && [ "$wchan" != 0 ] || continue
    is_equal "where $tid waits" "${sites[$tid]}" "$wchan"
    is_equal "stack of $tid" "${stacks[$tid]}" "$stack"
    compared=$((compared + 1))
done
echo "$compared tasks"
[ $compared -ge 20 ] || fail "only $compared tasks were asleep all the time"
eventually 20 is_armed _task_stack
cat /etc/hostname >/dev/null
./spinner -c 'while :; do :; done' &
spinner=$!
runs() { [ "$(awk '{ print $14 }' /proc/$spinner/stat)" -gt 100 ]; }
eventually 40 runs
kill $spinner
kill -INT $staprun
wait $staprun
is_equal 'none' "$(sed -n 's/^none //p' out)" '[] -1 [unknown]'
is_equal 'beside' "$(sed -n 's/^beside //p' out)" '[] -1 [unknown]'
grep '^own\|^running' out
is_equal 'the current one' "$(grep '^own' out)" 'own 1 1'
grep -q '^running -1 \[\] \[unknown\]' out || fail 'a task that runs'
