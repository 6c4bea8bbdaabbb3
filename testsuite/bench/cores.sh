#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cores.sh [--check] [STAP]: what a script on a core file or a living process costs, and the same by GDB's Python, drgn and eu-stack
# where they are here. Processor time (user and system, the least of three runs, RUNS says otherwise) in milliseconds, one line each,
# with its bar. --check: fails if a bar is passed.
set -eu
check=0
if [ "${1:-}" = --check ]; then
	check=1
	shift
fi
here=$(cd "$(dirname "$0")" && pwd)
stap=$(realpath "${1:-$here/../../build/bin/stap}")
work=$(mktemp -d)
trap 'kill $pid 2>/dev/null; rm -rf "$work"' EXIT
export TAPIR_CACHE_DIR=$work/cache
over=0
TIMEFORMAT='%U %S'

# least COMMAND...: milliseconds
least() {
	local best= spent i
	for i in $(seq "${RUNS:-3}"); do
		spent=$( { time "$@" >"$work/out" 2>"$work/err"; } 2>&1 | awk '{ printf "%d", ($1 + $2) * 1000 }')
		[ -n "$best" ] && [ "$spent" -ge "$best" ] || best=$spent
	done
	echo "$best"
}

# bar NAME MILLISECONDS BAR
bar() {
	local verdict=
	[ "$2" -le "$3" ] || { verdict=OVER over=1; }
	printf '%-50s %7d ms   bar %6d  %s\n' "$1" "$2" "$3" "$verdict"
}

# other NAME MILLISECONDS OURS [TIMES]: what another program takes, and how often ours fits in there, at least TIMES
other() {
	local verdict= ours=$(($3 > 0 ? $3 : 1))
	[ "$2" -ge $((${4:-0} * ours)) ] || { verdict=OVER over=1; }
	printf '%-50s %7d ms   %6d times ours%s  %s\n' "$1" "$2" $(($2 / ours)) "${4:+, bar $4}" "$verdict"
}

gcc -g -O0 -pthread -o "$work/program" "$here/../core/program.c"
"$work/program" 1000000 2 >"$work/ready" &
pid=$!
until grep -q ready "$work/ready"; do sleep 0.2; done
gdb -batch -nx -p $pid -ex "generate-core-file $work/core" >/dev/null 2>&1

cat >"$work/walk.stp" <<'END'
probe process.snapshot {
	for (node = @var("list"); node; node = @cast(node, "node")->next) {
		n++
		sum += @cast(node, "node")->value + @cast(node, "node")->color
	}
	println(n, " ", sum)
}
END
cat >"$work/walk.py" <<'END'
import gdb
node = gdb.parse_and_eval("list")
n = total = 0
while node:
    n += 1
    total += int(node["value"]) + int(node["color"])
    node = node["next"]
print(n, total)
END
bar "a new script, to its end" "$(least "$stap" --disable-cache --core "$work/core" -e 'probe process.snapshot { println(pid()) }')" 150
walk=$(least "$stap" --core "$work/core" "$work/walk.stp")
answer=$(cat "$work/out")
bar "1,000,000 nodes, script unchanged" "$walk" 80
bar "an unchanged script, nothing to do" "$(least "$stap" --core "$work/core" -e 'probe process.snapshot { println(pid()) }')" 30
say_same() { [ "$(tail -n 1 "$work/out")" = "$answer" ] || { echo "$1 says $(tail -n 1 "$work/out"), and stap $answer" >&2; exit 1; }; }
by_gdb=$(least gdb -batch -nx "$work/program" "$work/core" -x "$work/walk.py")
say_same GDB
other "1,000,000 nodes, GDB's Python" "$by_gdb" "$walk" 50
if command -v drgn >/dev/null; then
	cat >"$work/walk.drgn.py" <<'END'
node = prog["list"]
n = total = 0
while node:
    n += 1
    total += node.value.value_() + node.color.value_()
    node = node.next
print(n, total)
END
	by_drgn=$(least drgn --quiet -c "$work/core" "$work/walk.drgn.py")
	say_same drgn
	other "1,000,000 nodes, drgn" "$by_drgn" "$walk" 25
fi

# ---- the process itself

snapshot=$(least "$stap" -w -x $pid --snapshot "$work/walk.stp")
say_same --snapshot
bar "1,000,000 nodes by --snapshot, script unchanged" "$snapshot" 100
kill $pid

# ---- a thousand threads, all stacks with source lines

"$work/program" 10 1000 >"$work/ready" &
pid=$!
until grep -q ready "$work/ready"; do sleep 0.2; done
gdb -batch -nx -p $pid -ex "generate-core-file $work/threads" >/dev/null 2>&1
echo 'probe process.thread.snapshot { print_ubacktrace_fileline() }' >"$work/stacks.stp"
"$stap" --core "$work/threads" "$work/stacks.stp" >/dev/null
stacks=$(least "$stap" --core "$work/threads" "$work/stacks.stp")
[ "$(grep -c 'main\|start_thread\|clone' "$work/out")" -ge 1000 ] || { echo "few stacks: $(wc -l <"$work/out") lines" >&2; exit 1; }
bar "stacks with lines of 1,000 threads" "$stacks" 100
bar "the same by --snapshot" "$(least "$stap" -w -x $pid --snapshot "$work/stacks.stp")" 150
command -v eu-stack >/dev/null && other "the same by eu-stack, without lines" "$(least eu-stack --core "$work/threads" -e "$work/program")" "$stacks"
other "the same by GDB" "$(least gdb -batch -nx "$work/program" "$work/threads" -ex "thread apply all bt")" "$stacks"

# ---- ten gigabytes, of which nearly all are holes

kill $pid
"$work/program" 10 1 >"$work/ready" &
pid=$!
until grep -q ready "$work/ready"; do sleep 0.2; done
gdb -batch -nx -p $pid -ex "generate-core-file $work/small" >/dev/null 2>&1
python3 - "$work/small" "$work/large" <<'END'
import struct, sys
core = bytearray(open(sys.argv[1], "rb").read())
place, = struct.unpack_from("<Q", core, 32)
count, = struct.unpack_from("<H", core, 56)
parts = core[place : place + 56 * count]
core += bytes(-len(core) % 4096)
size, start = 10 << 30, len(core) + 4096 * (1 + len(parts) // 4096 + 1)
parts += struct.pack("<IIQQQQQQ", 1, 6, start, 0x100000000000, 0, size, size, 4096)
struct.pack_into("<Q", core, 32, len(core))
struct.pack_into("<H", core, 56, count + 1)
with open(sys.argv[2], "wb") as file:
    file.write(core + parts)
    file.truncate(start + size)
END
echo 'probe process.snapshot { println(user_int(0x100000000000 + 5000000000)) }' >"$work/far.stp"
"$stap" --core "$work/large" "$work/far.stp" >/dev/null
bar "one word of a core of 10 GB, script unchanged" "$(least "$stap" --core "$work/large" "$work/far.stp")" 50
[ $check = 0 ] || exit $over
