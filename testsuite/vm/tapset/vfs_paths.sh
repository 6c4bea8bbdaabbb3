# SPDX-License-Identifier: GPL-2.0-or-later
# Paths, inode and device numbers of files of all kinds, and the results of reading them, as the program that reads sees them.
#: scripts: _vfs_paths.stp
#: host: cc -O2 -o paths "$AREA/_vfs_paths.c"
"$STAPRUN" _vfs_paths.ko -c "exec $W/paths >$W/expected" -o seen
count=$(wc -l <expected)
[ "$count" -ge 26 ] || fail "only $count files were read: $(tail -1 expected)"
is_equal 'what was asked for' "$(tail -1 seen)" "$count asked"
head -n -1 seen | diff expected - >&2 || fail 'files differ'
