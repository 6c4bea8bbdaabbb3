# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of scripts on core files; sourced, with BIN set to the programs' directory.
set -u
BIN=$(realpath "$BIN")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../patiently.sh"
. "$here/../own_library.sh"
work=$(mktemp -d)
export TAPIR_CACHE_DIR=$work/cache
failures=0
started=
finish() {
    [ -z "$started" ] || kill $started 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect NAME EXPECTED ACTUAL
expect() {
    [ "$2" = "$3" ] && return
    fail "$1"
    diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | head -20
}

# run_stap ARGUMENT...: sets out, err and status.
run_stap() {
    run_stap_on /dev/null "$@"
}
# run_stap_on INPUT ARGUMENT...: the same, with this standard input.
run_stap_on() {
    out=$("$BIN/stap" "${@:2}" 2>"$work/err" <"$1")
    status=$?
    err=$(cat "$work/err")
}

build() { # OUTPUT OPTION...
    local output=$1
    shift
    gcc -g -pthread -Wl,--build-id "$@" -o "$work/$output" "$here/program.c"
}

# start PROGRAM ARGUMENT...: runs it until it says that it is ready; sets pid.
start() {
    local name=$1
    shift
    rm -f "$work/ready"  # of another program
    "$work/$name" "$@" >"$work/ready" &
    pid=$!
    started="$started $pid"
    patiently 20 grep -q ready "$work/ready" || fail "$name does not get ready"
}

# The kernel's core of a program that dies: sets core, or makes it "" where the kernel sends cores elsewhere.
crash() { # PROGRAM ARGUMENT...
    core=
    mkdir -p "$work/dead"
    case $(cat /proc/sys/kernel/core_pattern) in
        core*) ;;
        *) return ;;
    esac
    { (cd "$work/dead" && ulimit -c unlimited && "$work/$1" "${@:2}" >/dev/null 2>&1); } 2>/dev/null
    for core in "$work"/dead/core*; do :; done
    [ -s "$core" ] || core=
}

# A core of a live process by GDB: sets core.
gcore_of() { # PID
    gdb -batch -nx -p "$1" -ex "generate-core-file $work/gcore.$1" >"$work/gdb.log" 2>&1
    core=$work/gcore.$1
    [ -s "$core" ] || fail "GDB made no core: $(tail -n 3 "$work/gdb.log")"
}
