#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# startup.sh [--check] [-i] [-n ROUNDS] [-r RELEASE] [-t FILES [-l DIRECTORY]] [-d PROGRAM] [STAP]: how long it takes
# from a script to a module, by stage. Prints one line per stage: the best and the median of ROUNDS (default 10) in
# milliseconds, and the bar. Uses a cache of its own. --check: fails if a median is over its bar. -i counts instructions of
# passes 1 to 3 instead, in millions and by valgrind: the same on every machine. -t adds a tapset library of so many files,
# 230 lines and 22 names each, to the one that is there; with -l that library is written to DIRECTORY, and nothing is
# measured. -d adds stages with a program of debug_program.sh.
set -eu
rounds=10
release=$(uname -r)
files=0
program=
library_only=
check=0
last=-p4
if [ "${1:-}" = --check ]; then
	check=1
	shift
fi
while getopts in:r:t:l:d: option; do
	case $option in
	i) last=-p3 rounds=1 ;;
	n) rounds=$OPTARG ;;
	r) release=$OPTARG ;;
	t) files=$OPTARG ;;
	l) library_only=$OPTARG ;;
	d) program=$(realpath "$OPTARG") ;;
	*) sed -n '3,8s/^# //p' "$0" >&2; exit 2 ;;
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
count=()
. "$(dirname "$0")/instructions.sh"
[ $last = -p4 ] || count=("${counting[@]}")

# library DIRECTORY COUNT: so many tapset files of functions, aliases, globals and comments, a macro file for every ten.
library() {
	mkdir -p "$1/x86_64" "$1/linux/net"
	awk -v count="$2" -v top="$1" 'BEGIN {
		for (n = 0; n < count; n++) {
			file = top (n % 7 == 0 ? "/linux/net/t" : n % 11 == 0 ? "/x86_64/t" : "/t") n ".stp"
			print "global t_state_" n ", t_seen_" n "[1000]" >file
			for (i = 0; i < 12; i++) {
				print "/* @function t_" n "_" i ": what the argument means." >file
				print " * The text that a reader of the library wants to see, in a few lines," >file
				print " * with \"quotes\" and function words in it, as probe { } is. */" >file
				print "function t_" n "_" i ":string (value:long, name:string) {" >file
				print "\tif (value < 0) return sprintf(\"%s<%d>\", name, -value)" >file
				print "\tt_state_" n "++" >file
				print "\tforeach (key in t_seen_" n "- limit 3) value += t_seen_" n "[key]" >file
				print "\treturn sprintf(\"%s=%#x\", name, value)" >file
				print "}\n" >file
			}
			for (i = 0; i < 10; i++) {
				print "# entry of call " i >file
				print "probe t" n ".call" i " = kernel.function(\"t_call_" n "_" i "\")!, kernel.function(\"t_old_" n "_" i "\") ? {" >file
				print "\tname = \"call" i "\"" >file
				print "\targstr = sprintf(\"%s %d\", name, pid())" >file
				print "\tt_seen_" n "[pid()]++" >file
				print "\t%( kernel_v >= \"4.0\" %? size = 8 %: size = 4 %)" >file
				print "\tif (size > 4) size = size * 2" >file
				print "\telse size = 0" >file
				print "\tdev = 1 << 20" >file
				print "}\n" >file
			}
			close(file)
			if (n % 10) continue
			file = top "/m" n ".stpm"
			for (i = 0; i < 20; i++) print "@define t_macro_" n "_" i "(a, b) %( (@a + @b) %)" >file
			close(file)
		}
	}'
}
tapset=()
if [ -n "$library_only" ]; then
	library "$library_only" "$files"
	exit
fi
if [ "$files" -ne 0 ]; then
	library "$work/tapset" "$files"
	tapset=(-I "$work/tapset")
fi

# stage NAME BAR_MS BAR_MILLIONS ROUNDS COMMAND...: the command may use $round to make each run's script new. A bar of 0: it is
# not measured so.
stage() {
	local name=$1 bar=$2 rounds=$4 unit=ms figures=() start best median
	[ $last = -p4 ] || bar=$3 rounds=1 unit=million
	[ "$bar" -ne 0 ] || return 0
	shift 4
	for ((round = 1; round <= rounds; round++)); do
		start=$(date +%s%N)
		if ! "$@" >"$work/out" 2>&1; then
			echo "$name: failed" >&2
			cat "$work/out" >&2
			exit 2
		fi
		if [ $last = -p4 ]; then
			figures+=($((($(date +%s%N) - start) / 10000)))
		else
			figures+=($(($(counted) / 10000)))
		fi
	done
	mapfile -t figures < <(printf '%s\n' "${figures[@]}" | sort -n)
	best=${figures[0]} median=${figures[$((rounds / 2))]}
	printf '%-44s best %8s  median %8s  bar %6s %s\n' "$name" "$(hundredths "$best")" "$(hundredths "$median")" "$bar" $unit
	[ "$median" -le $((bar * 100)) ] || over=1
}

stap() { "${count[@]}" "$stap" "$@"; }
hundredths() { printf '%d.%02d' $(($1 / 100)) $(($1 % 100)); }

prepare() { rm -rf "$work/cache/templates"; stap --prepare -r "$release"; }
hello() { stap "${tapset[@]}" $last -r "$release" -e "probe begin { println(\"hello $round $RANDOM\") exit() }"; }
unchanged() { stap "${tapset[@]}" $last -r "$release" -e 'probe begin { println("hello") exit() }'; }
aggregate() {
	stap "${tapset[@]}" $last -r "$release" -e "global s probe kernel.function(\"vfs_read\") { s[execname()] <<< $round }
		probe end { foreach (n in s- limit 5) printf(\"%s %d\\n\", n, @count(s[n])) }"
}
passes() { stap "${tapset[@]}" -p3 -r "$release" -e "probe begin { println(\"hello $round\") exit() }"; }

variable() { stap "${tapset[@]}" $last -r "$release" -e "probe kernel.function(\"vfs_read\") { println(\$count + $round$RANDOM) }"; }
cold() { rm -rf "$work/cache/index"; variable; }
listing() { stap "${tapset[@]}" -r "$release" -l 'kernel.function("*")'; }
wildcard() {
	stap "${tapset[@]}" $last -r "$release" -e "global n probe kernel.function(\"*@fs/*.c\").call { n += $round$RANDOM; $1 }
		probe end { println(n) }"
}

of_calls() { # POINTS STATEMENT
	stap "${tapset[@]}" $last -r "$release" -e "global c probe $1 { $2; if (pid() == -$round$RANDOM) exit() } probe end { foreach (n in c- limit 10) println(n) }"
}
list_calls() { stap "${tapset[@]}" -r "$release" "$1" 'syscall.*'; }

of_program() { # POINT STATEMENT
	stap "${tapset[@]}" $last -r "$release" -e "global n probe process(\"$program\").$1 { n += $round$RANDOM; $2 } probe end { println(n) }"
}
program_cold() { rm -rf "$work/cache/index"; of_program 'function("step").call' 'println($value)'; }

stage "prepare a kernel" 8000 0 1 prepare
described=$("$stap" -r "$release" -l 'kernel.function("vfs_read").call' | grep @ || true) # makes the index, too
stage "passes 1 to 3, hello world" 100 50 "$rounds" passes
stage "new script, hello world, -p4" 150 0 "$rounds" hello
stage "new script, function probe and aggregate, -p4" 300 60 "$rounds" aggregate
unchanged >/dev/null
stage "unchanged script, -p4" 30 0 "$rounds" unchanged
if [ -n "$described" ]; then
	stage "function probe with \$var, index cold, -p4" 1500 0 3 cold
	stage "function probe with \$var, index warm, -p4" 300 55 "$rounds" variable
	stage "list kernel.function(\"*\")" 1000 2400 "$rounds" listing
	stage "probe *@fs/*.c, counter, -p4" 1000 200 "$rounds" wildcard ""
	stage "probe *@fs/*.c, pp(), -p4" 1000 200 "$rounds" wildcard "println(pp())"
	stage "probe *@fs/*.c, \$inode where it is, -p4" 1000 2750 "$rounds" wildcard "if (@defined(\$inode)) println(\$inode)"
else
	echo "skipped: function probes with variables (no debug information of $release)"
fi
stage "syscall.* counted by name, -p4" 500 450 "$rounds" of_calls 'syscall.*' 'c[name] <<< 1'
stage "syscall.* with all texts, -p4" 1000 600 "$rounds" of_calls 'syscall.*' 'c[name . argstr] <<< 1'
stage "list syscall.*" 500 0 "$rounds" list_calls -l
stage "list syscall.* with variables" 1000 0 "$rounds" list_calls -L
if [ -n "$program" ]; then
	stage "program with much debug information, cold, -p4" 3000 0 3 program_cold
	stage "... function with \$var, warm, -p4" 500 0 "$rounds" of_program 'function("step").call' 'println($value)'
	stage "... function(\"*\"), warm, -p4" 500 0 "$rounds" of_program 'function("*").call' ''
	stage "... statement by line, warm, -p4" 500 0 "$rounds" of_program 'statement("*@unit0.cc:22")' ''
fi
exit $((check && over))
