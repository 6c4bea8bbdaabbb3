# SPDX-License-Identifier: GPL-2.0-or-later
# stap@NAME.service with a real systemd, all of its restrictions included: what the script prints is in the journal, stopping runs its end probes,
# and settings that are wrong are told and not tried again.
#: long: a service manager boots
#: scripts: _counted.stp
#: requires: program systemctl unshare nsenter journalctl
#: timeout: 240
#: host: "$STAP" -r "$R" -p4 -m boot_compiled -e 'probe begin { println("compiled") exit() }' >/dev/null
. "$AREA/_systemd.sh"
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
leave() {
    end_systemd
    rm -rf /etc/systemd/system/stap@.service /usr/bin/stap /usr/bin/stap-boot /usr/bin/staprun
}
trap leave EXIT
start_systemd stap@counted.service stap@compiled.service stap@wrong.service
tells stap@counted '^begun for boot$'
eventually 30 eval '[ "$(state stap@counted ActiveState)" = active ]'
grep -q '^_counted\|^counted' /proc/modules || fail 'no module'
tells stap@compiled '^compiled$'
tells stap@wrong "^ERROR: The module '/srv/modules/none.ko' of 'wrong' is not there"
eventually 30 eval '[ "$(state stap@wrong ActiveState)" = failed ]'
is_equal 'status of wrong settings' "$(state stap@wrong ExecMainStatus)" 78
is_equal 'further attempts' "$(state stap@wrong NRestarts)" 0
manage stop stap@counted || fail 'it cannot be stopped'
is_equal 'result' "$(state stap@counted Result)" success
tells stap@counted '^ended with ticks$'
! grep -q '^_counted\|^counted' /proc/modules || fail 'the module is still there'
