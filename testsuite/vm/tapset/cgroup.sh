# SPDX-License-Identifier: GPL-2.0-or-later
# Control groups by their number and path in every kind of handler, against what stat and /proc say.
#: scripts: _cgroup.stp
groups=/sys/fs/cgroup
[ -e $groups/cgroup.procs ] || mount -t cgroup2 none $groups
id=$(printf '%064d' 7 | tr 7 f)
group=$groups/tapir.slice/docker-$id.scope
mkdir -p "$group/init.scope"
# Asks for its parent's number, and else only counts.
bash -c 'echo 0 >"$0/init.scope/cgroup.procs"; exec perl -e "for (;;) { getppid(); \$n++ for 1 .. 1000 }"' "$group" &
task=$!
within() { grep -q '^0::/tapir.slice' /proc/$task/cgroup; }
eventually 10 within
"$STAPRUN" _cgroup.ko -x $task >out
path=$(sed -n 's/^0:://p' /proc/$task/cgroup)
number=$(stat -c %i "$group/init.scope")
is_equal 'the path' "$path" "/tapir.slice/docker-$id.scope/init.scope"
for place in target "$task task" interrupt perf scheduler; do
    is_equal "$place" "$(sed -n "s/^$place //p" out | sort -u)" "$number $path [$id]"
done
is_equal 'the root' "$(sed -n 's/^kthread //p' out)" "$(stat -c %i $groups) / []"
is_equal 'this' "$(sed -n 's/^mine //p' out)" "$(stat -c %i $groups) / []"
is_equal 'faults' "$(grep -c '^read fault .* at 0x' out)" 2
kill $task
wait $task || :
rmdir "$group/init.scope" "$group" $groups/tapir.slice
