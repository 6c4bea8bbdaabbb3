# SPDX-License-Identifier: GPL-2.0-or-later
# A capture tells a member of stapusr names of the kernel's functions, and not where they are.
#: host: "$STAP" -p4 -r "$R" -m ticking -e '@profile("ticks", "") probe timer.profile { @sample(backtrace(), 1); if (++n >= 20) exit() } global n' >/dev/null
#: long: each of four captures reads the symbols of the kernel
#: timeout: 200
#: requires: program openssl setpriv python3 zstd
. "$AREA/_common.sh"
cp ticking.ko $place
sign --for=stapusr $place/ticking.ko
cp $place/ticking.ko $place/4004/own.ko
chown 4004:4004 $place/4004/own.ko

# Numbers of ten bytes for addresses from 0xffffffff80000000 on, as functions' starts have them.
count_addresses() {
    python3 - "$1" <<'END'
import re, struct, subprocess, sys
data, at, frames = open(sys.argv[1], 'rb').read(), 12, b''
while at < len(data):
    size = struct.unpack_from('<I', data, at)[0]
    frames += data[at + 8:at + 8 + size]
    at += 8 + size
text = subprocess.run(['zstd', '-dcq'], input=frames, stdout=subprocess.PIPE, check=True).stdout
print(len(re.findall(rb'[\x80-\xff]{4}[\xf8-\xff]\xff{4}\x01', text)))
END
}
# names_kernel FILE: most samples are in functions with a name.
names_kernel() { "$BIN/stap-report" "$1" --accept-partial --format=folded | grep -v '^#' | grep -v '\[kernel\]' | grep -q '[a-z_]* [0-9]*$'; }

echo 1 >/proc/sys/kernel/kptr_restrict
"$STAPRUN" --record root.tapir ticking.ko || fail 'root'
names_kernel root.tapir || fail "root's capture has no names"
[ "$(count_addresses root.tapir)" -gt 0 ] || fail "root's capture has no addresses"
become user $place/staprun --record $place/4001/run.tapir $place/ticking.ko || fail 'user'
names_kernel $place/4001/run.tapir || fail "the user's capture has no names"
is_equal "addresses in the user's capture" "$(count_addresses $place/4001/run.tapir)" 0
become developer $place/staprun --record $place/4004/run.tapir $place/4004/own.ko || fail 'developer'
[ "$(count_addresses $place/4004/run.tapir)" -gt 0 ] || fail "the developer's capture has no addresses"
# A user who sees them in /proc/kallsyms may know them.
echo 0 >/proc/sys/kernel/kptr_restrict
echo 1 >/proc/sys/kernel/perf_event_paranoid
become user $place/staprun --record $place/4001/seen.tapir $place/ticking.ko || fail 'user who sees addresses'
[ "$(count_addresses $place/4001/seen.tapir)" -gt 0 ] || fail 'no addresses for who sees them'
