# SPDX-License-Identifier: GPL-2.0-or-later
# The environment that every case may rely on.
#: stdout: ^ok$
#: records: no, it has no session
is_equal 'the kernel' "$(uname -r)" "$R"
is_equal 'the user' "$(id -u)" 0
[ -e /sys/kernel/tracing/trace ] || fail 'no tracefs'
[ -d "/lib/modules/$R/kernel" ] || fail 'no modules'
echo here >"$W/file" || fail 'the work folder is not writable'
modprobe dummy || fail 'modprobe does not work'
echo ok
