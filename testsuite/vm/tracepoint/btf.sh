# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel without debug information: parameters, results and types come from BTF, and are those that the file system tells.
#: host: SYSTEMTAP_DEBUGINFO_PATH=/nonexistent "$BIN/stap" -r "$R" -p4 -m btf_only "$AREA/_btf.stp"
mkdir files
mount -t tmpfs none files
head -c 100 /dev/zero >files/file
"$STAPRUN" btf_only.ko -c "dd if=files/file of=/dev/null bs=777 count=1 status=none" >out
inode=$(stat -c %i files/file)
umount files
is_equal 'what was seen' "$(cat out)" "read 777 $inode 1 3
returned 100 0
exit 1 same"
