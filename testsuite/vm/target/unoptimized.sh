# SPDX-License-Identifier: GPL-2.0-or-later
#: host: printf 'obj-m := _frames.o\n' > Makefile && cp "$AREA/_frames.c" . && "$AREA/../make-module.sh" "$TREE" "$PWD"
#: scripts: _unoptimized.stp _unoptimized_writes.stp
#: stap: -g
#: script-args: "$W/_frames.ko"
#: host: "$STAP" -p4 -r "$R" -g -P -m behind "$AREA/_unoptimized.stp" "$W/_frames.ko" >/dev/null
# Parameters of a module's functions that put them into their frames first, read where they are before that; and written there.
insmod ./_frames.ko
cat /sys/module/_frames/parameters/call > plain
is_equal 'what the module computes' "$(cat plain)" '1099511693424 4000000003'
cat > expected <<'END'
call -3 text 65535 1 -5 6 1099511627776 -7
parms a=0xfffffffffffffffd name=0xADDRESS c=0xffff d=0x1 e=? f=0x10000000000 g=0xfffffffffffffff9
return -3 text 65535 1 6 1099511627776 -7
wide -9 1 3 4000000000
wide returns 4000000003 after -9 2
END
for module in _unoptimized behind; do
    "$STAPRUN" ./$module.ko -c 'cat /sys/module/_frames/parameters/call' > said
    grep -v '^[0-9]' said | grep -v '^locals' | sed 's/name=0x[0-9a-f]*/name=0xADDRESS/' > printed
    diff expected printed
done
# A local variable has no value before its function has begun. -P does not change that here: the rest of the module is
# optimized, and in such files lines do not tell where a prologue ends.
grep -q '^locals sum=?$' said || fail "locals: $(grep '^locals' said)"
"$STAPRUN" ./_unoptimized_writes.ko -c 'cat /sys/module/_frames/parameters/call' > written
is_equal 'after writes' "$(cat written)" "$((100 + 116 + 65535 + 1 + 6 - 1 + 1000)) 4000000003"
rmmod _frames
