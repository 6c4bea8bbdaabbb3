#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cores.sh [--check] [STAP]: what a script on a core file costs, and the same in GDB's Python. Processor time (user and system, the
# least of three runs) in milliseconds, one line each, with its bar. --check: fails if a bar is passed.
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
	for i in 1 2 3; do
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
by_gdb=$(least gdb -batch -nx "$work/program" "$work/core" -x "$work/walk.py")
[ "$(tail -n 1 "$work/out")" = "$answer" ] || { echo "GDB says $(tail -n 1 "$work/out"), and stap $answer" >&2; exit 1; }
printf '%-50s %7d ms\n' "1,000,000 nodes, GDB's Python" "$by_gdb"
[ $((by_gdb)) -ge $((50 * (walk > 0 ? walk : 1))) ] || { echo "less than 50 times faster than GDB"; over=1; }
[ $check = 0 ] || exit $over
