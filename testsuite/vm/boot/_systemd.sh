# SPDX-License-Identifier: GPL-2.0-or-later
# A real systemd beside the guest's own first process, for the units of some cases. Sourced by them.

# Units that a guest has no use for, and those that would hide its files.
masked="tmp.mount systemd-tmpfiles-setup.service systemd-timesyncd.service systemd-udevd.service systemd-networkd.service
    systemd-networkd-wait-online.service networking.service ifupdown-wait-online.service systemd-remount-fs.service"

# start_systemd UNIT...: runs systemd with these, until end_systemd. Its output is in systemd.log.
start_systemd() {
    local unit
    printf '[Unit]\nWants=%s systemd-journald.service\n' "$*" >/etc/systemd/system/only.target
    for unit in $masked; do ln -s /dev/null "/etc/systemd/system/$unit"; done
    mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
    unshare --pid --fork --mount-proc env container=guest /lib/systemd/systemd --system --unit=only.target --log-target=console --show-status=0 >systemd.log 2>&1 &
}

end_systemd() {
    local unit
    pkill -KILL -f '^/lib/systemd/systemd --system' || :
    for unit in only.target $masked; do rm -f "/etc/systemd/system/$unit"; done
}

# The manager talks to processes that it can see.
manage() { nsenter --target "$(pgrep -o -f '^/lib/systemd/systemd --system')" --pid --mount systemctl "$@"; }

# state UNIT PROPERTY: what it is, or nothing.
state() { manage show --property="$2" --value "$1" 2>/dev/null; }

# told UNIT PATTERN: whether a line of its journal matches.
told() { journalctl --no-pager --output=cat --unit="$1" | grep -q "$2"; }

# tells UNIT PATTERN: waits for that line; fails with all there is otherwise.
tells() {
    (eventually 120 told "$1" "$2") && return
    cat systemd.log
    journalctl --no-pager --unit="$1"
    fail "$1 does not say $2"
}
