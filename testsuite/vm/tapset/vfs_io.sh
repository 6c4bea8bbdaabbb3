# SPDX-License-Identifier: GPL-2.0-or-later
# Opening, reading, writing, seeking, mapping and splicing files of two file systems, their pages, and the names of their block devices.
#: long: two file systems are made and mounted
#: scripts: _vfs_io.stp
#: host: cc -O2 -o io "$AREA/_vfs_io.c"
#: requires: program mkfs.ext4 losetup
#: requires: debug-info
modprobe loop
mkdir /tmp/fat /tmp/ext4
# A floppy disk of 2880 sectors by FAT12: boot sector, and the beginning of both file allocation tables.
truncate -s 1440K fat.img
printf '\xeb\x3c\x90MSDOS5.0\x00\x02\x01\x01\x00\x02\xe0\x00\x40\x0b\xf0\x09\x00\x12\x00\x02\x00' | dd of=fat.img conv=notrunc status=none
printf '\x55\xaa\xf0\xff\xff' | dd of=fat.img bs=1 seek=510 conv=notrunc status=none
printf '\xf0\xff\xff' | dd of=fat.img bs=512 seek=10 conv=notrunc status=none
truncate -s 8M ext4.img
mkfs.ext4 -q -O ^has_journal ext4.img
mount -o loop -t msdos fat.img /tmp/fat
mount -o loop ext4.img /tmp/ext4
"$STAPRUN" _vfs_io.ko -c "exec $W/io /tmp/fat /tmp/ext4 >$W/expected" -o seen
sed -n 's/^file //p' expected >files
grep -v '^file ' expected >lines
grep -v '^pages \|^new$' seen | diff lines - >&2 || fail 'events differ'
is_equal 'the end' "$(tail -1 seen)" new
{ read -r fat; read -r ext4; } <files
# How many are read ahead is the kernel's affair.
grep -Eq "^pages $fat: added (1[0-2]), removed \1, read 4, written [1-9][0-9]*, marked [1-9][0-9]*$" seen || fail "pages of the first: $(grep "^pages $fat" seen)"
# Where several pages are one folio, they are added and removed as one.
grep -q "^pages $ext4: added [2-8], removed [1-4], read 4, written 0, marked 0$" seen || fail "pages of the second: $(grep "^pages $ext4" seen)"
umount /tmp/fat /tmp/ext4
