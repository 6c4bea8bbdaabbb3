#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The guest tests and the whole tapset library on every kernel of `kernels`, and docs/kernels.md of the results. See README.md.
set -u -o pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
BUILD=${TAPIR_BUILD:-$ROOT/build}
CACHE=${TAPIR_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/tapir}
STATE=$CACHE/matrix
. "$HERE/fetch.sh"

usage() {
    cat <<EOF
usage: run.sh [--fetch|--release|--report|--list|--brief|--smoke|--bpf|--failed|--tools] [--again] [--guests N] [KERNEL...]
  KERNEL     names of testsuite/matrix/kernels (default: all)
  --fetch    only get what the kernels need
  --release  only get image and headers, and print the release of each
  --report   only write docs/kernels.md, from the results that are there
  --list     only show the kernels, their releases and the state of their results
  --brief    only the tests in testsuite/matrix/brief that do not take long, without debug information, and report them
  --smoke    likewise, the few in testsuite/matrix/smoke
  --bpf      likewise, those of testsuite/vm/bpf, which build no module
  --failed   only the guest tests that failed when they were last run, on any sources; the new results replace those
  --tools    only whether the probe points of each tool are there, and the guest tests that run tools; then the table of tools is written;
             with --failed, of the guest tests only those that failed when they were last run, or were not run yet
  --again    also what was run on these sources before
  --guests N this many guests at once (default: one per processor, at most 4)
Results are kept in Tapir's cache; a run that was interrupted goes on where it was. Status 1 if a test failed, 2 if something could not be
had.
EOF
}

mode=all again= failed= wanted=() guests=$(nproc)
[ "$guests" -le 4 ] || guests=4
while [ $# -gt 0 ]; do
    case $1 in
    --fetch | --release | --report | --list | --brief | --smoke | --bpf | --tools) mode=${1#--} ;;
    --failed) failed=yes ;;
    --again) again=yes ;;
    --guests) guests=${2:?} && shift ;;
    -h | --help) usage && exit 0 ;;
    -*) usage >&2 && exit 2 ;;
    *) wanted+=("$1") ;;
    esac
    shift
done
[ -z "$failed" ] || [ $mode != all ] || mode=failed

# rows: NAME SUITES PACKAGE TOOLS of the kernels that were asked for.
rows() {
    grep -v '^#' "$HERE/kernels" | while read -r name rest; do
        [ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " = *" $name "* ]] || continue
        echo "$name $rest"
    done
}

for name in "${wanted[@]:+${wanted[@]}}"; do
    grep -q "^$name	" "$HERE/kernels" || {
        echo "run.sh: there is no kernel '$name' in $HERE/kernels" >&2
        exit 2
    }
done

# Files that results depend on: results of other sources do not count.
sources() {
    local parts=(arch translator runtime kmod machine staprun trust unwind tapsets tools testsuite/vm testsuite/accept)
    (cd "$ROOT" && git ls-files -s -- "${parts[@]}" && git diff HEAD -- "${parts[@]}") | sha256sum | cut -c1-16
}

say() { echo "# $*"; }

# get NAME SUITES PACKAGE TOOLS: packages and tool chain; its state's folder gets the release.
get() {
    local name=$1 suites=$2 package=$3 tools=$4 place=$STATE/$1 release
    mkdir -p "$place"
    # A release that is there is kept for a week.
    if [ -z "$(find "$place/kernel" -mtime -7 2>/dev/null)" ] || { [ -n "$debug_info" ] && ! grep -qs '^debug .' "$place/kernel"; }; then
        (
            use_suites "$suites" || exit 1
            release=$(newest_release "$package")
            [ -n "$release" ] || { echo "$name: apt knows no $package in $suites" >&2 && exit 1; }
            "$BUILD/bin/stap-vm" -k "$release" --print-kernel --headers $debug_info >"$place/kernel.new" &&
                mv "$place/kernel.new" "$place/kernel"
        ) || return 1
    fi
    [ "$tools" = - ] || [ $mode = bpf ] || get_toolchain "$tools"
}

release_of() { sed -n 's/^release //p' "$STATE/$1/kernel" 2>/dev/null; }
build_of() { sed -n 's/^build //p' "$STATE/$1/kernel" 2>/dev/null; }

# step NAME STEP COMMAND...: runs it unless it has ended before on these sources; its output is in the state's folder.
step() {
    local place=$STATE/$1 what=$2 stamp status
    shift 2
    stamp="$(release_of "${place##*/}") $sources_now"
    [ -z "$again" ] && [ "$(cat "$place/$what.done" 2>/dev/null)" = "$stamp" ] && return 0
    rm -f "$place/$what.done"
    "$@" >"$place/$what.log" 2>&1
    status=$?
    # Failed tests are results, too.
    [ $status -le 1 ] && echo "$stamp" >"$place/$what.done"
    return $status
}

# Preparing a kernel whose packages are there may take as many milliseconds.
prepare_limit=8000

# Milliseconds that preparing takes, without what earlier runs left. Status 1: too many.
prepare() {
    local release=$1 place=$2 empty begun
    empty=$(mktemp -d)
    ln -s "$CACHE/toolchains" "$CACHE/kernels" "$empty/"
    begun=$(date +%s%N)
    TAPIR_CACHE_DIR=$empty "$BUILD/bin/stap" -r "$release" --prepare || { rm -rf "$empty" && return 2; }
    echo $((($(date +%s%N) - begun) / 1000000)) >"$place/prepared"
    # Our own sources compile without a warning everywhere.
    ! grep -A 3 ': warning: ' "$empty"/templates/*/build.log || begun=
    rm -rf "$empty"
    [ -n "$begun" ] || return 2
    [ "$(cat "$place/prepared")" -le $prepare_limit ] || { echo "preparing took $(cat "$place/prepared") ms, more than $prepare_limit" && return 1; }
}

# Nothing is called that the kernel does not export (devel/check-module-calls); status 1 if something is.
calls() {
    local release=$1 tools=$2 template
    "$BUILD/bin/stap" -r "$release" --prepare >/dev/null || return 2
    template=$(ls -td "$CACHE/templates/$release@"*/plan | head -n 1)
    # shellcheck disable=SC2046 # an option and its value, or nothing
    python3 "$ROOT/devel/check-module-calls" --kernel "$(build_of "$3")" $([ "$tools" = - ] || echo "--system $CACHE/toolchains/$tools") "${template%/plan}"
}

# The points of each tool.
check_tools() {
    local place=$STATE/$1
    again=$again$failed step "$1" tools "$BUILD/bin/stap" run --check-all -r "$(release_of "$1")"
    grep -E 'MISSING|not checked:.*installed' "$place/tools.log"
    tail -n 1 "$place/tools.log"
    [ -e "$place/tools.done" ] && ! grep -q MISSING "$place/tools.log"
}

run_tools() {
    local place=$STATE/$1 result=0 cases
    check_tools "$1" || result=1
    mapfile -t cases < <(python3 "$HERE/tools_report.py" --cases)
    if [ -n "$failed" ]; then
        again_failed "$1" tools-guest "${cases[@]}" || return
        return $result
    fi
    step "$1" tools-guest "$ROOT/testsuite/vm/run.sh" --build "$BUILD" -k "$(release_of "$1")" --cpus 4 --guests "$guests" "${cases[@]}"
    [ -e "$place/tools-guest.done" ] || { tail -n 20 "$place/tools-guest.log" && return 2; }
    grep -A 12 '^not ok' "$place/tools-guest.log"
    tail -n 1 "$place/tools-guest.log"
    ! grep -q '^not ok' "$place/tools-guest.log" && return $result
}

run_kernel() {
    local name=$1 tools=$2 place=$STATE/$1 release result=0
    release=$(release_of "$name")
    say "$name: $release"
    step "$name" prepare prepare "$release" "$place"
    [ -e "$place/prepare.done" ] || { tail -n 20 "$place/prepare.log" && return 2; }
    if [ "$(cat "$place/prepared")" -le $prepare_limit ]; then
        say "$name: prepared in $(cat "$place/prepared") ms"
    else
        echo "not ok - $name: preparing took $(cat "$place/prepared") ms, more than $prepare_limit"
        result=1
    fi
    step "$name" calls calls "$release" "$tools" "$name" || result=1
    [ -e "$place/calls.done" ] || { tail -n 20 "$place/calls.log" && return 2; }
    tail -n 5 "$place/calls.log"
    step "$name" library python3 "$ROOT/testsuite/accept/library.py" --release "$release" --bin "$BUILD/bin" --table "$place/library.tsv"
    [ -e "$place/library.done" ] || { tail -n 20 "$place/library.log" && return 2; }
    tail -n 2 "$place/library.log"
    check_tools "$name" || result=1
    step "$name" guest "$ROOT/testsuite/vm/run.sh" --build "$BUILD" -k "$release" --cpus 4 --guests "$guests"
    [ -e "$place/guest.done" ] || { tail -n 20 "$place/guest.log" && return 2; }
    grep '^not ok' "$place/guest.log"
    tail -n 1 "$place/guest.log"
    ! grep -q '^not ok' "$place/guest.log" && return $result
}

# again_failed NAME STEP CASE...: runs what failed when it was last run, and those of the cases that were not run yet. Appends to the step's
# report, of which the last word on a test counts.
again_failed() {
    local name=$1 log=$STATE/$1/$2.log
    shift 2
    [ -e "$log" ] || { echo "$name: nothing was run yet" >&2 && return 2; }
    mapfile -t cases < <(printf '%s\n' "$@" | awk '
        NR == FNR { if (/^(not )?ok [0-9]+ - /) state[$($1 == "not" ? 5 : 4)] = $1; next }
        $1 && !($1 in state) { state[$1] = "not" }
        END { for (t in state) if (state[t] == "not") print t }' "$log" -)
    [ ${#cases[@]} -gt 0 ] || { say "$name: no test failed" && return 0; }
    "$ROOT/testsuite/vm/run.sh" --build "$BUILD" -k "$(release_of "$name")" --cpus 4 --guests "$guests" "${cases[@]}" | tee -a "$log"
}

sources_now=$(sources)
debug_info=--debug-info=ext4,dummy,nfs,nfsv2,nfsv3,nfsv4,nfsd,sunrpc,scsi_mod,watchdog
case $mode in brief | smoke | bpf | release) debug_info= ;; esac
status=0
case $mode in
list)
    rows | while read -r name _; do
        state=
        for what in prepare calls library guest; do
            [ "$(cat "$STATE/$name/$what.done" 2>/dev/null)" = "$(release_of "$name") $sources_now" ] && state+=" $what"
        done
        echo "$name	$(release_of "$name")	${state:- nothing}"
    done
    exit 0
    ;;
esac
if [ $mode != report ]; then
    # On another descriptor: what is run may read its input.
    while read -r name suites package tools <&3; do
        get "$name" "$suites" "$package" "$tools" || status=2
        [ $mode = fetch ] || [ ! -s "$STATE/$name/kernel" ] && continue
        if [ $mode = release ]; then
            release_of "$name"
        elif [[ $mode = brief || $mode = smoke ]]; then
            mapfile -t tests < <(grep -v '^#' "$HERE/$mode")
            "$ROOT/testsuite/vm/run.sh" --quick --build "$BUILD" -k "$(release_of "$name")" --cpus 4 --guests "$guests" "${tests[@]}"
        elif [ $mode = bpf ]; then
            "$ROOT/testsuite/vm/run.sh" --build "$BUILD" -k "$(release_of "$name")" --cpus 1 --guests "$guests" bpf/
        elif [ $mode = failed ]; then
            again_failed "$name" guest
        elif [ $mode = tools ]; then
            say "$name: $(release_of "$name")"
            run_tools "$name"
        else
            run_kernel "$name" "$tools"
        fi
        result=$?
        [ $result -le $status ] || status=$result
    done 3< <(rows)
fi
if [[ $mode = all || $mode = report || $mode = failed ]] && [ ${#wanted[@]} -eq 0 ]; then
    python3 "$HERE/report.py" --state "$STATE" --kernels "$HERE/kernels" --document "$ROOT/docs/kernels.md" || status=2
fi
if [[ $mode = all || $mode = report || $mode = tools ]] && [ ${#wanted[@]} -eq 0 ]; then
    python3 "$HERE/tools_report.py" --state "$STATE" --kernels "$HERE/kernels" --document "$ROOT/docs/kernels.md" || status=2
fi
exit $status
