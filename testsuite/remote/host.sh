# SPDX-License-Identifier: GPL-2.0-or-later
# The work of a guest of run.sh: lets root in by ssh, into a root directory with busybox and the kernel's file systems. $1: where the keys are.
set -eu
root=/run/host
mkdir -p $root
mount -t tmpfs -o mode=755 none $root
mkdir -p $root/bin $root/usr/bin $root/dev $root/proc $root/sys $root/tmp $root/run $root/root
cp "$(command -v busybox)" $root/bin/busybox
chroot $root /bin/busybox --install -s /bin
for name in dev proc sys; do mount --rbind /$name $root/$name; done
# The login shell is run inside.
sed -i 's|^root:\(.*\):[^:]*$|root:\1:/bin/sh|' /etc/passwd
mkdir -p /run/sshd /run/keys
chmod 755 /run/sshd
cp "$1/host" "$1/user.pub" /run/keys/
chmod 600 /run/keys/host
cat >/run/keys/config <<END
ListenAddress 0.0.0.0
HostKey /run/keys/host
AuthorizedKeysFile /run/keys/user.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
ChrootDirectory $root
Subsystem sftp internal-sftp
END
exec /usr/sbin/sshd -D -e -f /run/keys/config
