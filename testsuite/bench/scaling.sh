#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# scaling.sh [--check] [-n COUNT] [STAP]: whether the work of passes 1 to 3 grows as scripts do. Each kind of script is made
# with COUNT parts (default 1000) and with four times as many. Prints the instructions of both in millions, by valgrind,
# without those of a script of no part, and their ratio; 4 is linear. --check: fails if a ratio is over 5.
set -eu
check=0 count=1000
if [ "${1:-}" = --check ]; then
	check=1
	shift
fi
while getopts n: option; do
	case $option in
	n) count=$OPTARG ;;
	*) sed -n '3,5s/^# //p' "$0" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
stap=${1:-$(dirname "$0")/../../build/bin/stap}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TAPIR_CACHE_DIR=$work/cache
. "$(dirname "$0")/instructions.sh"

# script KIND COUNT
script() {
	awk -v kind="$1" -v n="$2" 'BEGIN {
		for (i = 0; i < n; i++) {
			if (kind == "functions") print "function f" i "(x) { return x + " i " }"
			if (kind == "unused functions") print "function f" i "(x) { return x + " i " }"
			if (kind == "globals") print "global g" i
			if (kind == "unused globals") print "global g" i
			if (kind == "chain of calls") print "function f" i "(x) { return " (i + 1 < n ? "f" i + 1 "(x + 1)" : "x") " }"
			if (kind == "chain of printing calls") print "function f" i "() { " (i + 1 < n ? "f" i + 1 "()" : "println(1)") " }"
			if (kind == "chain of types") print "function f" i "() { return " (i + 1 < n ? "f" i + 1 "()" : "\"text\"") " }"
			if (kind == "aliases") print "probe a" i " = begin { v = " i " }"
			if (kind == "probes") print "probe begin { println(" i ") }"
		}
		print "probe begin {"
		if (kind == "functions") for (i = 0; i < n; i++) print "println(f" i "(1))"
		if (kind == "globals") for (i = 0; i < n; i++) print "g" i "++"
		if (kind == "chain of calls") print "println(f0(1))"
		if (kind == "chain of printing calls") print "f0()"
		if (kind == "chain of types") print "println(f0())"
		if (kind == "statements") for (i = 0; i < n; i++) print "v" i " = " i "; println(v" i ")"
		if (kind == "dead stores") print "v0 = 1"
		if (kind == "dead stores") for (i = 0; i < n; i++) print "v" i + 1 " = v" i
		print "println(0) }"
		if (kind == "aliases") for (i = 0; i < n; i++) print "probe a" i " { println(v) }"
	}'
}

# Instructions of passes 1 to 3, in thousands.
instructions() { # KIND COUNT
	script "$1" "$2" >"$work/script.stp"
	if ! "${counting[@]}" "$stap" -w -p3 "$work/script.stp" >"$work/out" 2>&1; then
		echo "$1 ($2): failed" >&2
		head -20 "$work/out" >&2
		exit 2
	fi
	echo $(($(counted) / 1000))
}

"$stap" -p3 -e 'probe begin { println(0) }' >/dev/null # makes the library's index
base=$(instructions nothing 1)
over=0
for kind in functions "unused functions" globals "unused globals" "chain of calls" "chain of printing calls" \
	"chain of types" aliases probes statements "dead stores"; do
	few=$(($(instructions "$kind" "$count") - base))
	many=$(($(instructions "$kind" $((4 * count))) - base))
	ratio=$((100 * many / few))
	printf '%-24s %8d  %8d million  ratio %d.%02d\n' "$kind" $((few / 1000)) $((many / 1000)) $((ratio / 100)) $((ratio % 100))
	[ $ratio -le 500 ] || over=1
done
[ $check = 0 ] || exit $over
