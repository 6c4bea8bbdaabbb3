# SPDX-License-Identifier: GPL-2.0-or-later
# stap@NAME.service with a real systemd, all of its restrictions included: what the script prints is in the journal, stopping runs its end probes,
# and settings that are wrong are told and not tried again.
#: scripts: _counted.stp
#: requires: program systemctl unshare nsenter journalctl
#: timeout: 240
#: host: "$STAP" -r "$R" -p4 -m boot_compiled -e 'probe begin { println("compiled") exit() }' >/dev/null
root=$(cd "$AREA/../../.." && pwd)
cp "$root/systemd/stap@.service" /etc/systemd/system/
cp "$root/systemd/stap-boot" "$STAPRUN" /usr/bin/
mkdir -p /etc/tapir/boot.d /srv/modules
# A translator that is a copier, but mounts what stap does for compilers of other systems.
cat >/usr/bin/stap <<END
#!/bin/sh
[ "\$1" != -V ] || exit 0
unshare --mount mount --bind /usr /usr || exit
cp "$PWD/boot_compiled.ko" "\$3.ko"
END
chmod 755 /usr/bin/stap
: >/etc/tapir/boot.d/compiled.conf
echo 'probe begin {}' >/etc/tapir/boot.d/compiled.stp
cp _counted.ko "/srv/modules/$(uname -r).ko"
printf 'module=/srv/modules/%%r.ko\nglobal=name=boot\n' >/etc/tapir/boot.d/counted.conf
echo 'module=/srv/modules/none.ko' >/etc/tapir/boot.d/wrong.conf
cat >/etc/systemd/system/only.target <<END
[Unit]
Wants=stap@counted.service stap@compiled.service stap@wrong.service systemd-journald.service
END
# What a guest has no use for, and what would hide its files.
for unit in tmp.mount systemd-tmpfiles-setup.service systemd-timesyncd.service systemd-udevd.service systemd-networkd.service systemd-networkd-wait-online.service networking.service ifupdown-wait-online.service systemd-remount-fs.service; do ln -s /dev/null "/etc/systemd/system/$unit"; done
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
leave() {
    pkill -KILL -f '^/lib/systemd/systemd --system' || :
    rm -rf /etc/systemd/system/*.target /etc/systemd/system/stap@.service /usr/bin/stap /usr/bin/stap-boot /usr/bin/staprun
}
trap leave EXIT
unshare --pid --fork --mount-proc env container=guest /lib/systemd/systemd --system --unit=only.target --log-target=console --show-status=0 >systemd.log 2>&1 &
# The manager talks to processes that it can see.
manage() { nsenter --target "$(pgrep -o -f '^/lib/systemd/systemd --system')" --pid --mount systemctl "$@"; }
state() { manage show --property="$1" --value "$2" 2>/dev/null; }
journal() { journalctl --no-pager --output=cat --unit="$1"; }
told() { journal "stap@$1" | grep -q "$2"; }
eventually 60 told counted '^begun for boot$' || { cat systemd.log; journal '*'; fail 'the script does not run'; }
eventually 30 eval '[ "$(state ActiveState stap@counted)" = active ]'
grep -q '^_counted\|^counted' /proc/modules || fail 'no module'
eventually 60 told compiled '^compiled$' || { journal stap@compiled; fail 'what has to be compiled does not run'; }
eventually 60 told wrong "^ERROR: The module '/srv/modules/none.ko' of 'wrong' is not there" || fail 'wrong settings are not told'
eventually 30 eval '[ "$(state ActiveState stap@wrong)" = failed ]'
is_equal 'status of wrong settings' "$(state ExecMainStatus stap@wrong)" 78
is_equal 'further attempts' "$(state NRestarts stap@wrong)" 0
manage stop stap@counted || fail 'it cannot be stopped'
is_equal 'result' "$(state Result stap@counted)" success
eventually 30 told counted '^ended with ticks$' || { journal stap@counted; fail 'no end probe'; }
! grep -q '^_counted\|^counted' /proc/modules || fail 'the module is still there'
