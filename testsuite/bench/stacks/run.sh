#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Cost of a user stack of some 20 frames in one guest boot: Tapir's walk by unwind tables next to one by frame pointers written by
# hand (walker/), and of stored stacks of 60 frames. Absolute times are the emulator's; only compare them with each other.
#   run.sh [--check] [--instructions] [RELEASE]     as hits/run.sh; kernels whose uprobe_register() takes an inode
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${TAPIR_BIN:-$here/../../../build/bin}
limit=3 stored_limit=14000 # instructions of a stored stack of 60 frames
check=0 instructions=0
while [ $# -gt 0 ]; do
    case $1 in
    --check) check=1 ;;
    --instructions) instructions=1 ;;
    *) break ;;
    esac
    shift
done
kernel=$("$bin/stap-vm" --print-kernel --headers ${1:+-k "$1"})
release=$(sed -n "s/^release //p" <<<"$kernel")
build=$(sed -n "s/^build //p" <<<"$kernel")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o "$work/load" "$here/load.c"
cp -r "$here/walker" "$work/walker"
make -s -C "$build" M="$work/walker" CONFIG_DEBUG_INFO_BTF_MODULES= modules >/dev/null
place=$((0x$(nm "$work/load" | sed -n 's/ T hit$//p'))) # the segment of code is mapped as it is linked

translate() { # NAME SCRIPT
    (cd "$work" && "$bin/stap" -r "$release" -p4 -w -m "$1" -e "$2" >/dev/null)
}
probe="process(\"$work/load\").function(\"hit\").call"
translate nothing "global n; probe $probe { n++ } probe end { println(n) }"
translate same "global n, last; probe $probe { n++; last = ustack(19) } probe end { println(n, last) }" # the 20 frames that have pointers
translate walked "global n, last; probe $probe { n++; last = ustack(1000) } probe end { println(n, last) }"
translate text "global n; probe $probe { n += ubacktrace() != \"\" } probe end { println(n) }"
translate key "global s; probe $probe { s[ubacktrace()]++ } probe end { foreach (k in s) println(s[k]) }"
translate both "global s; probe $probe { s[stacks()]++ } probe end { foreach (k in s) println(s[k]) }"

cat >"$work/guest.sh" <<END
set -eu
cd $work
for walk in 0 1; do
    insmod walker/walker.ko path=$work/load place=$place walk=\$walk
    echo "pointers\$walk \$(./load)"
    rmmod walker
done
dmesg | sed -n 's/.*walker: \([0-9]*\) frames/frames \1/p'
for script in nothing same walked text; do
    $bin/staprun -w --ledger ledger.json -o /dev/null -c "sh -c './load >time'" \$script.ko
    echo "\$script \$(cat time)"
    grep -o '"user_stacks": {"complete": [0-9]*' ledger.json | sed 's/.* /complete /' || :
done
for script in nothing key both; do
    $bin/staprun -w -o /dev/null -c "sh -c './load 2000 54 >time'" \$script.ko
    echo "deep_\$script \$(cat time)"
done
END
cpus=2 path=$PATH
if [ $instructions = 1 ]; then
    cpus=1
    mkdir "$work/bin"
    qemu=$(command -v qemu-system-x86_64)
    printf '#!/bin/sh\nexec %s "$@" -icount shift=0,sleep=off\n' "$qemu" >"$work/bin/qemu-system-x86_64"
    chmod +x "$work/bin/qemu-system-x86_64"
    path=$work/bin:$PATH
fi
PATH=$path "$bin/stap-vm" -k "$release" --accel tcg --cpus $cpus --timeout 7200 --hang 600 -- bash "$work/guest.sh" >"$work/times"
awk -v check=$check -v limit=$limit -v stored_limit=$stored_limit -v counted=$instructions '
    { time[$1] = $2 }
    END {
        pointers = time["pointers1"] - time["pointers0"]; same = time["same"] - time["nothing"]
        walked = time["walked"] - time["nothing"]; text = time["text"] - time["nothing"]
        printf "%d frames; ns per hit\n", time["frames"]
        printf "%-34s %10.1f\n", "a hit with nothing to do, by hand", time["pointers0"]
        printf "%-34s %10.1f\n", "a hit with nothing to do, Tapir", time["nothing"]
        printf "%-34s %10.1f\n", "walk by frame pointers", pointers
        printf "%-34s %10.1f %8.2f\n", "the same by unwind tables", same, same / pointers
        printf "%-34s %10.1f %8.2f\n", "... to the outermost frame", walked, walked / pointers
        printf "%-34s %10.1f %8.2f\n", "... as text, ubacktrace()", text, text / pointers
        printf "%-34s %10.1f\n", "60 frames: s[ubacktrace()]++", time["deep_key"] - time["deep_nothing"]
        printf "%-34s %10.1f\n", "60 frames: s[stacks()]++", time["deep_both"] - time["deep_nothing"]
        stored = time["deep_both"] - time["deep_nothing"]
        exit check && (same > limit * pointers || (counted && stored > stored_limit))
    }' "$work/times"
