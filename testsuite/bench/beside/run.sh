#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares tools with those that they stand for: in one guest boot, each pair of tools.list watches the same load, and the table says what both
# counted. Needs Debian's bpftrace; a pair whose peer is not installed is left out. Takes half an hour.
#   run.sh [--only WORD] [--keep DIR] [RELEASE]
#     --only WORD  only the pairs whose tool or peer begins so; repeatable
#     --keep DIR   leaves the outputs there
# Status 1: a count of ours is not the load's own, or differs from the peer's without a reason in the list, or no longer differs.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=${TAPIR_BIN:-$root/build/bin}
keep='' only=()
while [ $# -gt 0 ]; do
    case $1 in
    --keep) keep=$(realpath -m "$2"); shift ;;
    --only) only+=("$2"); shift ;;
    *) break ;;
    esac
    shift
done
release=$("$bin/stap-vm" --print-kernel --headers ${1:+-k "$1"} | sed -n 's/^release //p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kept=${keep:-$work/kept}
mkdir -p "$kept"

wanted() {
    local word
    [ ${#only[@]} -gt 0 ] || return 0
    for word in "${only[@]}"; do [[ $tool != "$word"* && $peer != "$word"* ]] || return 0; done
    return 1
}
# Makes the module of a pair, and says what the guest and the table need, in DIR/pair.
keys=(tool set peer load own ours theirs why)
pair() { # NUMBER
    local words key
    wanted || return 0
    command -v "${peer%% *}" >/dev/null || { echo "not installed: ${peer%% *}" >&2; return 0; }
    # A script, or the words of a tool.
    [[ $tool = probe* ]] && words=(-e "$tool") || eval "words=(run $tool)"
    mkdir -p "$kept/$1"
    (cd "$kept/$1" && "$bin/stap" -r "$release" -p4 -w -m "beside_$1" "${words[@]}" >/dev/null)
    for key in "${keys[@]}"; do printf '%s\t%s\n' "$key" "${!key}"; done >"$kept/$1/pair"
}
number=0 tool=''
while IFS= read -r line <&3; do
    case $line in
    '#'*) ;;
    '')
        [ -z "$tool" ] || pair $((++number))
        for key in "${keys[@]}"; do printf -v "$key" '%s' ''; done
        ;;
    *) read -r key value <<<"$line" && printf -v "$key" '%s' "$value" ;;
    esac
done 3< <(cat "$here/tools.list"; echo)

for name in loads:app peers:peer machine:mach; do gcc -O1 -static -pthread -o "$work/${name#*:}" "$root/testsuite/vm/tool/_${name%:*}.c"; done
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=beside -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
cat "$work"/{key,cert}.pem >"$work/both.pem"
# stap-vm waits for a slow guest as long as it says something.
"$bin/stap-vm" -k "$release" --cpus 4 --memory 2048 --timeout 7200 --hang 600 --append no_timer_check --share "$kept" --console "$work/console" \
    -- bash "$here/guest.sh" "$bin/staprun" "$kept" "$work" >"$work/said" 2>&1 || { tail -n 20 "$work/said" "$work/console"; exit 2; }
python3 "$here/table.py" "$kept"
