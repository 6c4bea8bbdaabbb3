# SPDX-License-Identifier: GPL-2.0-or-later
# Names of addresses of the kernel and of modules against /proc/kallsyms, in every sort of context.
#: scripts: _symbols.stp
#: requires: program modprobe
#: requires: file /proc/sys/vm/dirty_ratio
modprobe -C /dev/null dummy || skip 'the module dummy cannot be loaded here'
address() { awk -v name="$1" -v module="$2" '$3 == name && $4 == module { print "0x" $1; exit }' /proc/kallsyms; }
kernel=$(address vfs_read '')
module=$(address dummy_xmit '[dummy]')
data=$(address vm_dirty_ratio '')
[ -n "$kernel" ] && [ -n "$module" ] && [ -n "$data" ] || skip 'these symbols are not there'
"$STAPRUN" _symbols.ko "kernel_address=$kernel" "module_address=$module" "data_address=$data" >out &
pid=$!
eventually 20 grep -q ready out
ratio=$(cat /proc/sys/vm/dirty_ratio)
watched() { echo "$ratio" >/proc/sys/vm/dirty_ratio; grep -q '^watch at' out; }
eventually 20 watched
eventually 20 grep -q '^clock text' out
eventually 20 grep -q '^timer text' out
kill -INT $pid
wait $pid
cat out
for where in begin timer clock watch; do
    grep -Eqx "$where kernel vfs_read vfs_read\+0x3/0x[0-9a-f]+ \[kernel\] kernel" out || fail "$where: the kernel's function"
    grep -Eqx "$where module dummy_xmit dummy_xmit\+0x1/0x[0-9a-f]+ \[dummy\] dummy" out || fail "$where: the module's function"
    grep -Fqx "$where data vm_dirty_ratio kernel" out || fail "$where: the variable"
    grep -Fqx "$where none 0x10 0xffffffffffffffff <unknown>" out || fail "$where: no address"
    grep -A 1 "^$where text" out | tr '\n' ' ' | grep -Fq "$where text vfs_read+0x0 [kernel] dummy_xmit+0x0 [dummy]" || fail "$where: the list"
done
grep -Eqx 'watch at [a-z_]*proc[a-z_]* kernel' out || fail 'what wrote'
# The size, by the next symbol of the kernel.
size=$(awk -v from="${kernel#0x}" '$4 == "" && $1 > from { print $1 }' /proc/kallsyms | sort | head -n 1)
is_equal 'size' "$(sed -n 's|^begin kernel .*+0x3/\(0x[0-9a-f]*\) .*|\1|p' out)" "$(printf '0x%x' $((0x$size - kernel)))"
