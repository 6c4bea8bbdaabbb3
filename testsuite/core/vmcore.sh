#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A script on the memory of a kernel that QEMU has dumped: the same tasks as the guest itself lists. As an ELF file, and in the format
# of kdump with each kind of compression.
#
# Usage: vmcore.sh BIN [RELEASE]      needs QEMU, busybox, and the kernel that stap-vm has fetched, with its debug information
BIN=$1
release=${2:-$("$BIN/stap-vm" --print-kernel | sed -n 's/^release //p')}
. "$(dirname "$0")/lib.sh"
unset TAPIR_CACHE_DIR
kernel=${XDG_CACHE_HOME:-$HOME/.cache}/tapir/kernels/$release
for needed in "$(command -v qemu-system-x86_64)" "$(command -v busybox)" "$kernel"; do
    [ -e "$needed" ] || { echo "skipped: QEMU, busybox or the kernel $release is not here"; exit 77; }
done
image=$(find "$kernel" -name "vmlinuz*" | head -n 1)
modules=$(find "$kernel" -name 'qemu_fw_cfg.ko*' | head -n 1)

# ---- a guest that lists its tasks and waits

root=$work/root
mkdir -p "$root/bin" "$root/proc" "$root/sys"
cp "$(command -v busybox)" "$root/bin/busybox"
case $modules in
    *.xz) xz -dc "$modules" >"$root/fw.ko" ;;
    *) cp "$modules" "$root/fw.ko" ;;
esac
cat >"$root/init" <<'END'
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox insmod /fw.ko
/bin/busybox sleep 100000 &
/bin/busybox sleep 1
for task in /proc/[0-9]*; do
    read -r name <$task/comm && echo "task ${task#/proc/} $name"
done
echo listed
/bin/busybox tail -f /proc/version
END
chmod +x "$root/init"
(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null) >"$work/initrd"
qemu-system-x86_64 -nodefaults -no-user-config -display none -m 256 -cpu max -device vmcoreinfo \
    -kernel "$image" -initrd "$work/initrd" -append "console=ttyS0 quiet panic=-1" \
    -serial "file:$work/console" -qmp "unix:$work/qmp,server,nowait" &
started="$started $!"
patiently 300 grep -qs '^listed' "$work/console" || { fail "the guest does not start: $(tail -n 5 "$work/console")"; exit 1; }

python3 - "$work" <<'END'
import json, socket, sys
qmp = socket.socket(socket.AF_UNIX)
qmp.connect(sys.argv[1] + "/qmp")
lines = qmp.makefile("rw")
def run(command, **arguments):
    lines.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
    lines.flush()
    while True:
        answer = json.loads(lines.readline())
        if "return" in answer or "error" in answer:
            if "error" in answer: print(answer)
            return answer
lines.readline()
run("qmp_capabilities")
run("stop")
run("dump-guest-memory", paging=False, protocol="file:" + sys.argv[1] + "/vmcore")
run("dump-guest-memory", paging=False, protocol="file:" + sys.argv[1] + "/vmcore.zlib", format="kdump-zlib")
END

# ---- its tasks; the kernel's workers come and go

lists() { run_stap --core "$1" "$here/../vm/process/_kernel_lists.stp"; }
lists "$work/vmcore"
expect "what is said of the dump" "" "$err"
lasting() { tr -d '\r' | grep '^task' | grep -v "kworker\| busybox$" | sort -n -k 2 | awk "{ print \$2, substr(\$NF, 1, 15) }"; }
expect "tasks" "$(lasting <"$work/console")" "$(lasting <<<"$out")"
grep -q '^module qemu_fw_cfg$' <<<"$out" || fail "the module: $out"

# ---- the same pages, compressed; QEMU's file is flattened

of_elf=$out
lists "$work/vmcore.zlib"
expect "what is said of a dump by zlib" "" "$err"
expect "tasks and modules by zlib" "$of_elf" "$out"
if command -v makedumpfile >/dev/null; then
    makedumpfile -R "$work/vmcore.straight" <"$work/vmcore.zlib" >/dev/null
    for kind in lzo snappy zstd; do
        python3 "$here/recompress.py" $kind "$work/vmcore.straight" "$work/vmcore.$kind"
        lists "$work/vmcore.$kind"
        expect "tasks and modules by $kind" "$of_elf" "$out"
    done
    head -c 20000000 "$work/vmcore.straight" >"$work/vmcore.cut"
    lists "$work/vmcore.cut"
    [ "$status" != 0 ] || fail "a dump that was cut off is as good as a whole one"
fi

# ---- a rare event is of the current thread, and a dump has none

run_stap --core "$work/vmcore" -e 'probe begin { @recall(seen, 10, "task %d", 1) @trigger(late, 1, "late") }'
[ "$status" = 1 ] || fail "a trigger on a dump: status $status"
expect "what is said of a trigger" 1 \
    "$(grep -c "^semantic error: @trigger asks a process or the running kernel, and the memory of a kernel has none: " <<<"$err")"

[ "$failures" = 0 ] && echo "all passed" || { echo "$failures failed"; exit 1; }
