# SPDX-License-Identifier: GPL-2.0-or-later
# memory_pages_*() and slab_cache(), against /proc/meminfo and a file of known size in memory.
#: scripts: _pages.stp
value() { sed -n "s/^$1 //p" "$2"; }
"$STAPRUN" _pages.ko -c true >before
dd if=/dev/zero of=/dev/shm/of-the-test bs=1M count=40 2>/dev/null || dd if=/dev/zero of=/run/of-the-test bs=1M count=40 2>/dev/null
"$STAPRUN" _pages.ko -c true >after
rm -f /dev/shm/of-the-test /run/of-the-test
cat before after
is_equal 'all memory' "$(value total after)" "$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)"
is_equal 'no such kind' "$(value none after)" '0 0 0'
is_equal 'the cache of files' "$(value cache after)" 'filp 1'
# Each processor keeps a remainder of at most 125 pages to itself.
near() { [ $(($2 - $1)) -le $((125 * $(nproc))) ] && [ $(($1 - $2)) -le $((125 * $(nproc))) ] || fail "$3: $1, not about $2"; }
near $(($(value shmem after) - $(value shmem before))) 10240 'pages in memory'
# Other programs take and give back memory, too.
[ $(($(value free before) - $(value free after))) -ge 5000 ] || fail 'free memory'
