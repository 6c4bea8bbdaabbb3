# SPDX-License-Identifier: GPL-2.0-or-later
# A bundle runs where there is a shell and nothing of Tapir; it refuses what was damaged, and another kernel.
# It is the same each time, but for kernels with KASAN: for these the compiler writes the path of what it compiles into the module.
#: long: a root file system is made for it
#: timeout: 120
#: requires: program busybox chroot
#: host: "$STAP" -r "$R" -p4 -m word -G word=bundled --bundle=word.tar "$AREA/_word.stp" | grep -qx word.tar
#: host: "$STAP" -r "$R" -p4 -m word -G word=bundled --bundle=again.tar "$AREA/_word.stp" >/dev/null && { cmp word.tar again.tar || grep -aq __asan_register_globals word.tar; }
#: host: [ "$(tar tf word.tar | tr '\n' ' ')" = "word/ word/SHA256SUMS word/metadata.json word/run word/staprun word/word.ko " ]
root=/run/bundle-root
mkdir -p $root
mount -t tmpfs -o mode=755 none $root
mkdir $root/bin $root/proc $root/sys $root/dev $root/tmp
cp "$(command -v busybox)" $root/bin/busybox
chroot $root /bin/busybox --install -s /bin
mount --rbind /proc $root/proc
mount --rbind /sys $root/sys
mount --rbind /dev $root/dev
cp word.tar $root
inside() { chroot $root /bin/env -i PATH=/bin HOME=/ /bin/sh -c "$1" >out 2>err; }
said() { is_equal "what $1 says" "$(cat err)" "$2"; }
printed() { is_equal "output of $1" "$(cat out)" "$2"; }

inside 'command -v stap staprun' && fail 'something of Tapir is there'
inside 'cd /tmp && tar xf /word.tar' || fail "tar: $(cat err)"

inside '/tmp/word/run' || fail "run: $(cat err)"
printed run bundled
said run ''
inside 'cd /tmp/word && ./run word=changed -x 1' || fail "run -x: $(cat err)"
printed 'run -x' "changed
target"
inside '/tmp/word/run --format=json' || fail "run --format: $(cat err)"
is_equal 'records of a bundle' "$(sed 's/.*"type":"\([a-z]*\)".*/\1/' out | tr '\n' ' ')" 'meta print ledger quality end '
grep -q '"text":"bundled\\n"' out || fail "records of a bundle: $(cat out)"
inside 'cd / && sh tmp/word/run -c "echo from the command" -o /tmp/output wait=1' || fail "run -c: $(cat err)"
printed 'run -c' 'from the command'
is_equal 'output file' "$(cat $root/tmp/output)" "bundled
target"

# Changed, then cut off.
inside 'cd /tmp && cp -r word damaged && printf x >>damaged/word.ko && damaged/run' && fail 'a changed module was run'
said 'a changed one' "ERROR: The files in '/tmp/damaged' are not those that were bundled (see SHA256SUMS): unpack the bundle again."
inside 'rm /tmp/damaged/staprun; /tmp/damaged/run' && fail 'half a bundle was run'
said 'half of one' "ERROR: '/tmp/damaged/staprun' is missing: unpack the bundle again, all of it."

# For another kernel: of the same bundle, with its sums, as if made for that.
inside "cd /tmp && cp -r word other && cd other && sed -i \"s/^release=.*/release='1.2.3'/\" run && sha256sum word.ko metadata.json run staprun >SHA256SUMS && ./run" &&
    fail 'a bundle for another kernel was run'
said 'one for another kernel' "ERROR: The module is for the kernel 1.2.3, and this one is $R: make a bundle for it with 'stap -p4 --bundle -r $R'."

umount -l $root/proc $root/sys $root/dev $root
