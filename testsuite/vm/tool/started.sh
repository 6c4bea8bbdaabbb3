# SPDX-License-Identifier: GPL-2.0-or-later
# Tools on what services wait for and what is on terminals, against control groups with known programs and what script(1) has seen.
#: host: for t in bootwait ttysnoop; do "$STAP" -p4 -r "$R" -m $t run $t >/dev/null || exit 1; done
#: requires: program script
#: timeout: 120
#: long: some five sessions
. "$AREA/_tools.sh"
groups=/sys/fs/cgroup
[ -e $groups/cgroup.procs ] || mount -t cgroup2 none $groups
mkdir $groups/one.service $groups/two.service
begin bootwait
bash -c "echo \$\$ >$groups/one.service/cgroup.procs; /bin/true; sleep 0.7; exec sleep 0.3"
bash -c "echo \$\$ >$groups/two.service/cgroup.procs; for i in 1 2 3 4 5; do /bin/true; done"
finish
cat rows
row() { grep "/$1.service\$" rows; }
is_equal 'programs' "$(row one | cut -d , -f 3) $(row two | cut -d , -f 3)" '3 5'
row one | awk -F, '{ exit !($2 - $1 >= 1000 && $5 >= 990000 && $6 == "sleep" && $7 >= 990000) }' || fail 'what a service waited for'
[ "$(row one | cut -d , -f 1)" -lt "$(row two | cut -d , -f 1)" ] || fail 'which was first'
begin bootwait starts=1
bash -c "echo \$\$ >$groups/two.service/cgroup.procs; for i in 1 2 3 4 5; do /bin/true; done"
finish
is_equal 'starts' "$(grep -c ',true,[0-9]*,.*/two.service$' rows)" 5
rmdir $groups/one.service $groups/two.service

begin ttysnoop
script -qec 'echo something; echo else' seen >/dev/null
finish
cat rows
is_equal 'lines' "$(grep -cE '^pts/[0-9]+,.*"(something|else)\\n"' rows)" 2
is_equal 'lines that script saw' "$(grep -acE '^(something|else)' seen)" 2
sample "ttysnoop -c 'script -qec hostname seen'" ttysnoop -c 'script -qec hostname seen >/dev/null'
for tool in bootwait ttysnoop; do
    "$STAPRUN" "$W/$tool.ko" --duration 0.3 >out || fail "$tool: status $?"
    grep -q . out || fail "$tool says nothing when there is nothing"
done
