# SPDX-License-Identifier: GPL-2.0-or-later
# A server and a client of NFS 3 and 4 on one machine, without any daemon: what these would tell the kernel when it asks is told it before.
#: long: a server and two versions of clients begin
#: requires: debug-info nfs nfsd sunrpc
#: timeout: 120
#: scripts: _nfs.stp
#: host: cc -O1 -w -o mount_nfs "$AREA/_nfs_mount.c"
server=/proc/fs/nfsd
export=$(mktemp -d) three=$(mktemp -d) four=$(mktemp -d)
for module in nfsd nfs nfsv3 nfsv4; do
    modprobe $module || skip "there is no module $module here"
done
ip link set lo up
./mount_nfs
mount -t tmpfs export "$export"
mount -t nfsd nfsd $server
echo "nfsd 127.0.0.1 2147480000 clients" >/proc/net/rpc/auth.unix.ip/channel
# Flags: the file system has a number, clients may use any port, names below are not checked.
echo "clients $export 2147480000 $((0x2000 | 0x0002 | 0x0400)) -2 -2 0" >/proc/net/rpc/nfsd.export/channel
echo "clients 1 \\x00000000 2147480000 $export" >/proc/net/rpc/nfsd.fh/channel
echo 10 >$server/nfsv4gracetime
echo '+3 +4' >$server/versions
echo 'tcp 2049' >$server/portlist
echo 2 >$server/threads
echo Y >$server/v4_end_grace 2>/dev/null || : # not every kernel lets it be ended
exec 3<>$server/filehandle
echo "clients $export 64" >&3
read -r handle <&3
exec 3>&-
cat >work.sh <<'END'
set -e
folder=$1
shift
cd "$folder"
head -c 5000 /dev/zero >hello
sync hello
cd /
umount "$folder"
"$@"
cd "$folder"
dd if=hello of=/dev/null bs=4096 skip=1 2>/dev/null
mv hello world
mkdir deep
flock -x world true
rm world
rmdir deep
! cat gone 2>/dev/null
END
# Compares the events seen with the expected lines in the file $3.
watch() {
    "$STAPRUN" -o "$1.out" -c "bash work.sh $2" _nfs.ko 2>"$1.err" || { cat "$1.err"; fail "version $1"; }
    is_equal "errors with version $1" "$(cat "$1.err")" ''
    LC_ALL=C sort -u "$1.out" >"$1.seen"
    LC_ALL=C sort -u "$AREA/_nfs$1.lines" >"$1.expected"
    # Kernels with folios of several pages write the file at once.
    if grep -q 'write_begin offset 0 to 5000' "$1.seen"; then
        sed -i '/write_begin offset 4096/d; s/write_begin offset 0 to 4096/write_begin offset 0 to 5000/' "$1.expected"
        LC_ALL=C sort -uo "$1.expected" "$1.expected"
    fi
    # Older ones ask for no more than the file has.
    if grep -q 'proc[34].read_setup 904,4096' "$1.seen"; then
        sed -i '/\.proc[34]\.read/{s/ 4096,4096 / 904,4096 /;s/size 4096/size 904/};/nfsd\.read /s/count 4096/count 904/' "$1.expected"
        LC_ALL=C sort -uo "$1.expected" "$1.expected"
    fi
    LC_ALL=C comm -13 "$1.seen" "$1.expected" >"$1.missing"
    is_equal "what is missing of version $1" "$(cat "$1.missing")" ''
}
./mount_nfs "$three" "${handle#\\x}"
watch 3 "$three $W/mount_nfs $three ${handle#\\x}"
./mount_nfs "$four"
watch 4 "$four $W/mount_nfs $four"
