# SPDX-License-Identifier: GPL-2.0-or-later
# A tool on file systems that others serve: FUSE by a program that counts its requests and sleeps before reads, and NFS, whose client counts.
#: host: cc -O1 -w -static -o fuse "$AREA/_fuse.c"
#: host: cc -O1 -w -static -o mount_nfs "$AREA/../tapset/_nfs_mount.c"
# The kernel has a module of the tool's name.
#: host: "$STAP" -p4 -r "$R" -m netfs_requests run netfs >/dev/null
#: timeout: 200
#: long: two servers
. "$AREA/_tools.sh"
modprobe fuse 2>/dev/null || grep -q 'fuse$' /proc/filesystems || skip 'the kernel has no FUSE'
[ -e /dev/fuse ] || mknod /dev/fuse c 10 229
mkdir served
begin netfs_requests
"$W/fuse" served 50 >counts &
fuse=$!
eventually 30 grep -q ' fuse.test ' /proc/mounts
cat served/file >/dev/null
for i in 1 2 3; do cat served/other 2>/dev/null || :; done
umount served
wait $fuse
finish
cat counts rows
# requests OPCODE: as the server counted them
requests() { awk -v n="$1" '$1 == n { print $2 }' counts; }
is_equal 'what was looked up' "$(grep '^fuse,.*,lookup,' rows | cut -d , -f 4)" "$(requests 1)"
[ "$(requests 1)" -ge 4 ] || fail 'names'
reads=$(grep '^fuse,.*,read,' rows | cut -d , -f 4)
# Linux 5.10 does not describe its module, and these run in the background.
if [[ $R != 5.10.* ]]; then
    is_equal 'reads' "$reads" "$(requests 15)"
    awk -F, '$3 == "read" && $1 == "fuse" { exit !($5 >= 50000 && $7 >= 50000 * $4) }' rows || fail 'the time of reads'
fi
is_equal 'the server' "$(grep '^fuse,' rows | cut -d , -f 2 | sort -u | sed 's/ .*//')" test

for module in nfsd nfs nfsv4; do
    modprobe $module || skip "there is no module $module here"
done
ip link set lo up
"$W/mount_nfs"
server=/proc/fs/nfsd
mkdir export four
mount -t tmpfs export export
mount -t nfsd nfsd $server
echo "nfsd 127.0.0.1 2147480000 clients" >/proc/net/rpc/auth.unix.ip/channel
# As in tapset/nfs: flags, and the file system's number.
echo "clients $PWD/export 2147480000 $((0x2000 | 0x0002 | 0x0400)) -2 -2 0" >/proc/net/rpc/nfsd.export/channel
echo "clients 1 \\x00000000 2147480000 $PWD/export" >/proc/net/rpc/nfsd.fh/channel
echo 10 >$server/nfsv4gracetime
echo '+4' >$server/versions
echo 'tcp 2049' >$server/portlist
echo 2 >$server/threads
echo Y >$server/v4_end_grace 2>/dev/null || :
"$W/mount_nfs" four
# operations: "NAME COUNT" of the client, as it counts them itself
operations() { awk '/^device .* mounted on .*four/ { on = 1 } /^device / && !/four/ { on = 0 } on && /^\t *[A-Z_]+: [0-9]/ { sub(/:/, "", $1); print $1, $2 }' /proc/self/mountstats; }
operations >before
begin netfs_requests
echo something >four/one
cat four/one >/dev/null
sync
for i in 1 2 3 4 5; do mkdir four/d$i; done
rm -r four/d*
operations >after
finish
cat rows
checked=0
while read -r name count; do
    had=$(awk -v n="$name" '$1 == n { print $2 }' before)
    [ $((count - had)) -gt 0 ] || continue
    seen=$(awk -F, -v n="$name" '$1 ~ /^nfs/ && toupper($3) == n { print $4 }' rows)
    is_equal "requests $name" "$seen" $((count - had))
    checked=$((checked + 1))
done <after
[ $checked -ge 3 ] || { cat before after; fail "$checked kinds of requests"; }
umount four
echo 0 >$server/threads
umount $server export
