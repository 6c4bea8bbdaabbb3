#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares what stap --cost says with instructions that are counted: one guest boot, whose clock counts instructions, runs each script
# of the lists beside a load (load.c) and prints what a turn of the load takes longer. The rates are those of the run's own ledger.
#   run.sh [--check] [--keep DIR] [--only WORD] [--list FILE] [RELEASE]
#     --check      fails if a prediction is not within 30 % of what was counted
#     --list FILE  parts.list or tools.list; repeatable (default: both)
#     --only WORD  only the scripts whose name begins so; repeatable
#     --keep DIR   leaves figures and ledgers there, for --again
#     --again DIR  compares those once more, without a guest
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=${TAPIR_BIN:-$root/build/bin}
check=0 keep='' again='' lists=() only=()
while [ $# -gt 0 ]; do
    case $1 in
    --check) check=1 ;;
    --keep) keep=$2; shift ;;
    --again) again=$2; shift ;;
    --list) lists+=("$2"); shift ;;
    --only) only+=("$2"); shift ;;
    *) break ;;
    esac
    shift
done
[ ${#lists[@]} -gt 0 ] || lists=("$here/parts.list" "$here/tools.list")
release=$("$bin/stap-vm" --print-kernel --headers ${1:+-k "$1"} | sed -n 's/^release //p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

wanted() { # NAME
    local word
    [ ${#only[@]} -gt 0 ] || return 0
    for word in "${only[@]}"; do [[ $1 != "$word"* ]] || return 0; done
    return 1
}
# Prints NAME LOAD SCRIPT [ARGUMENTS] of the lists, by tabs; the last are those of staprun, for options that are set at the start.
rows() { cat "${lists[@]}" | sed '/^#/d; /^$/d'; }
# Sets `words` to those with which stap gets a script: "run NAME WORD..." is a tool, others are texts.
words_of() { # SCRIPT
    local script=${1//LOAD/$program}
    case $script in
    run\ *) read -ra words <<<"$script" ;;
    *) words=(-e "$script") ;;
    esac
}

program=/tmp/tapir-cost-load
gcc -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -no-pie -pthread -o "$program" "$here/load.c"

measure() { # DIR: leaves "base LOAD NS TURNS", "script NAME NS TURNS" and "ledger NAME JSON" in DIR/figures
    : >"$work/measure.sh"
    local name load script arguments loads=
    while IFS=$'\t' read -r name load script arguments; do
        wanted "$name" || continue
        words_of "$script"
        (cd "$work" && "$bin/stap" -r "$release" -p4 -w -m "cost_${name//-/_}" "${words[@]}" >/dev/null) || { echo "$name: not built" >&2; continue; }
        [[ " $loads " == *" $load "* ]] || loads+=" $load"
        echo "measure $name cost_${name//-/_} $load $arguments" >>"$work/measure.sh"
    done < <(rows)
    cp "$program" "$work/load"
    cat >"$work/guest.sh" <<GUEST
set -u
cd $work
cp load $program
# A busy machine runs this guest slowly; stap-vm waits for it as long as it says something.
mkfifo /tmp/never
while :; do read -r -t 0.2 _ <>/tmp/never; echo .; done &
modprobe -a sch_fq brd 2>/dev/null
measure() { # NAME MODULE LOAD ARGUMENTS...
    rm -f /tmp/ledger /tmp/time
    $bin/staprun -w -o /dev/null --ledger /tmp/ledger -c "sh -c '$program \$3 >/tmp/time'" \$2.ko "\${@:4}"
    [ -s /tmp/time ] || { echo "failed \$1"; return; }
    echo "script \$1 \$(cat /tmp/time)"
    echo "ledger \$1 \$(tr -d '\n' </tmp/ledger)"
}
for load in $loads; do echo "base \$load \$($program \$load)"; done
. ./measure.sh
for load in $loads; do echo "base \$load \$($program \$load)"; done
kill %1
GUEST
    mkdir "$work/bin"
    local qemu
    qemu=$(command -v qemu-system-x86_64)
    printf '#!/bin/sh\nexec %s "$@" -icount shift=0,sleep=off\n' "$qemu" >"$work/bin/qemu-system-x86_64"
    chmod +x "$work/bin/qemu-system-x86_64"
    mkdir -p "$1"
    PATH=$work/bin:$PATH "$bin/stap-vm" -k "$release" --accel tcg --cpus 1 --timeout 7200 --hang 600 --console="$work/console" \
        -- bash "$work/guest.sh" >"$1/figures" || { tail -5 "$1/figures"; tail -40 "$work/console"; exit 2; }
}

figures=${again:-${keep:-$work/kept}}
[ -n "$again" ] || measure "$figures"
rows | while IFS=$'\t' read -r name load script _; do
    wanted "$name" || continue
    words_of "$script"
    printf '%s\t%s\t%s\n' "$name" "$load" "$(IFS=$'\x1f'; printf '%s' "${words[*]}")"
done >"$work/rows"
args=()
[ $check = 0 ] || args=(--check)
python3 "$here/compare.py" "$figures/figures" "$bin/stap" "$release" "${args[@]}" <"$work/rows"
