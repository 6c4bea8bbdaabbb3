# SPDX-License-Identifier: GPL-2.0-or-later
# A script translated by debug information runs with the kernel that this describes, and with no other build of it.
#: timeout: 120
#: requires: debug-info
#: host: "$STAP" -p4 -r "$R" -m tapir_id -e 'probe kernel.function("vfs_read") { if ($count > 0) exit() } probe timer.s(20) { error("not hit") }' >/dev/null
"$STAPRUN" tapir_id.ko >out 2>&1 || { cat out; fail "the right kernel is refused"; }

id=$(od -An -v -tx1 /sys/kernel/notes | tr -d ' \n' | sed 's/.*14000000030000\(00\)474e5500\(.\{40\}\).*/\2/')
grep -q "$id" tapir_id.ko || fail "the module does not know the kernel's build-id $id"
other=$(echo "$id" | tr 0123456789abcdef 123456789abcdef0)
sed "s/$id/$other/" tapir_id.ko >other.ko
if "$STAPRUN" other.ko >out 2>&1; then fail "another kernel's probes were started"; fi
cat out
is_equal "what is said" "$(cat out)" "ERROR: the script was translated by debug information for a build of the kernel with build-id $other, but the one that is running has build-id $id; their addresses differ, so its probes would be put in wrong places. Translate the script again with debug information of this build"
