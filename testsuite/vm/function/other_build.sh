# SPDX-License-Identifier: GPL-2.0-or-later
# A module that is loaded later as another build than the one the script was translated for: its probes stay off, and that is said.
# When the right one comes they are armed.
#: long: two builds of a module come and go
#: requires: debug-info dummy
#: requires: program python3
#: host: "$STAP" -p4 -r "$R" -m build -e 'global n probe begin { println("started") } probe module("dummy").function("dummy_setup").call { n++ } probe end { println(n) }' >/dev/null
modprobe -C /dev/null dummy 2>/dev/null || skip "module dummy cannot be loaded here"
file=$(modinfo -n dummy)
id=$(od -An -v -tx1 /sys/module/dummy/notes/.note.gnu.build-id | tr -d ' \n' | cut -c 33-)
rmmod dummy
case $file in
*.xz) xz -dc "$file" >other.ko ;;
*.zst) zstd -qdc "$file" >other.ko ;;
*) cp "$file" other.ko ;;
esac
python3 - "$id" <<'PY'
import sys
wanted = bytes.fromhex(sys.argv[1])
text = open("other.ko", "rb").read()
magic = b"~Module signature appended~\n"
if text.endswith(magic):  # it would not fit any more
    text = text[: -len(magic)]
    text = text[: -12 - int.from_bytes(text[-4:], "big")]
assert text.count(wanted) == 1
open("other.ko", "wb").write(text.replace(wanted, bytes([wanted[0] ^ 1]) + wanted[1:]))
PY
"$STAPRUN" build.ko --ledger=build.json >out 2>err &
pid=$!
eventually 20 is_armed build
insmod other.ko numdummies=3
rmmod dummy
kill -INT $pid
wait $pid || fail "status $?"
cat out err
grep -qx 0 out || fail "wrong hits"
is_equal "messages" "$(cat err)" "WARNING: module 'dummy' was loaded as another build than the script's debug information is for (build-id $id): its probes stay off; translate the script again with debug information of this build"
grep -A3 dummy_setup build.json | grep -q '"attached": 0' || { cat build.json; fail "it claims to be attached"; }

rm out
"$STAPRUN" build.ko >out 2>err &
pid=$!
eventually 20 is_armed build
insmod other.ko numdummies=3
rmmod dummy
modprobe -C /dev/null dummy numdummies=2
rmmod dummy
kill -INT $pid
wait $pid || fail "status $?"
cat out err
grep -qx 2 out || fail "wrong hits when the right one comes"
