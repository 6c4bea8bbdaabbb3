# SPDX-License-Identifier: GPL-2.0-or-later
# The build server limits the memory of its sandboxes by control groups of version 2, which the machine that tests run on may not have.
#: long: compilations run into their memory limit
#: requires: program bwrap setpriv
#: requires: config CONFIG_MEMCG=y CONFIG_USER_NS=y
#: timeout: 240
[ -x "$BIN/test_server" ] && [ -x "$BIN/stap-server" ] || skip "test_server and stap-server are not built"
groups=/sys/fs/cgroup
[ -e $groups/cgroup.controllers ] || mount -t cgroup2 none $groups
"$BIN/test_server" --gtest_filter='MemoryGroups.*' >report 2>&1 || fail "$(cat report)"
cat report
grep -q 'PASSED.* 1 test' report || fail "it was skipped"

# serve GROUP [COMMAND...]: what a server says that was started in GROUP, by COMMAND, with a certificate that is not there.
serve() {
    local group=$1
    shift
    # bash, which joins it, becomes the server.
    bash -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$group" "$@" "$BIN/stap-server" --state="$state" --certificate=/none --key=/none --policy=/none \
        --tokens=/none --port=0 >out 2>&1 && fail "it serves"
    grep memory out | sed 's/[0-9][0-9]*$/PID/'
}
state=/tmp/state
echo +memory >$groups/cgroup.subtree_control
mkdir -p $groups/service $groups/shared $groups/given $groups/plain
is_equal "of root" "$(serve $groups/service)" "memory of compilations is limited by control groups in $groups/service/tapir-server-PID"
# A group that a service manager has given to the user.
chown nobody $groups/given $groups/given/cgroup.procs $groups/given/cgroup.subtree_control
mkdir -m 777 /tmp/state-of-nobody
state=/tmp/state-of-nobody/s
is_equal "of a user" "$(serve $groups/given setpriv --reuid=nobody --clear-groups)" \
    "memory of compilations is limited by control groups in $groups/given/tapir-server-PID"
warning="WARNING: there is no limit for the memory of all processes of a compilation together, only for each of them:"
is_equal "of a user who was given none" "$(serve $groups/plain setpriv --reuid=nobody --clear-groups)" \
    "$warning $groups/plain/tapir-server-$(sed -n 's/.*tapir-server-\([0-9]*\).*/\1/p' out): Permission denied"
state=/tmp/state
sleep 100 &
echo $! >$groups/shared/cgroup.procs
is_equal "not alone" "$(serve $groups/shared)" "$warning $groups/shared/cgroup.subtree_control: Device or resource busy"
is_equal "what is left there" "$(ls -d $groups/shared/*/ 2>/dev/null)" ""
kill %1
