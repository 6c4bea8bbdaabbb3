#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# startup.sh [-n ROUNDS] [-r RELEASE] [STAP]: how long it takes from a script to a module, by stage. Prints one line per stage: the
# best and the median of ROUNDS (default 10) in milliseconds, and the bar it must stay under. Uses a cache of its own. Exits 1
# when a median is over its bar.
set -eu
rounds=10
release=$(uname -r)
while getopts n:r: option; do
	case $option in
	n) rounds=$OPTARG ;;
	r) release=$OPTARG ;;
	*) sed -n '3,5s/^# //p' "$0" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
stap=${1:-$(dirname "$0")/../../build/bin/stap}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Unpacked kernels stay usable: they are the only thing taken from the user's cache.
user_cache=${TAPIR_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/tapir}
mkdir -p "$work/cache"
[ -d "$user_cache/kernels" ] && ln -s "$user_cache/kernels" "$work/cache/kernels"
export TAPIR_CACHE_DIR=$work/cache
over=0

# stage NAME BAR_MS ROUNDS COMMAND...: the command may use $round to make each run's script new.
stage() {
	local name=$1 bar=$2 count=$3 times=() start end best median
	shift 3
	for ((round = 1; round <= count; round++)); do
		start=$(date +%s%N)
		if ! "$@" >"$work/out" 2>&1; then
			echo "$name: failed" >&2
			cat "$work/out" >&2
			exit 2
		fi
		end=$(date +%s%N)
		times+=($(((end - start) / 10000)))
	done
	mapfile -t times < <(printf '%s\n' "${times[@]}" | sort -n)
	best=${times[0]} median=${times[$((count / 2))]}
	printf '%-44s best %8s  median %8s  bar %6s ms\n' "$name" "$(ms "$best")" "$(ms "$median")" "$bar"
	[ "$median" -le $((bar * 100)) ] || over=1
}

ms() { printf '%d.%02d' $(($1 / 100)) $(($1 % 100)); }

prepare() { rm -rf "$work/cache/templates"; "$stap" --prepare -r "$release"; }
hello() { "$stap" -p4 -r "$release" -e "probe begin { println(\"hello $round $RANDOM\") exit() }"; }
unchanged() { "$stap" -p4 -r "$release" -e 'probe begin { println("hello") exit() }'; }
aggregate() {
	"$stap" -p4 -r "$release" -e "global s probe kernel.function(\"vfs_read\") { s[execname()] <<< $round }
		probe end { foreach (n in s- limit 5) printf(\"%s %d\\n\", n, @count(s[n])) }"
}
passes() { "$stap" -p3 -r "$release" -e "probe begin { println(\"hello $round\") exit() }"; }

stage "prepare a kernel" 8000 1 prepare
stage "passes 1 to 3, hello world" 100 "$rounds" passes
stage "new script, hello world, -p4" 150 "$rounds" hello
stage "new script, function probe and aggregate, -p4" 300 "$rounds" aggregate
unchanged >/dev/null
stage "unchanged script, -p4" 30 "$rounds" unchanged
exit $over
