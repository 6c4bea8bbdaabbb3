#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# soak.sh [SECONDS]: random scripts of the guest tests on the debug kernel for that time (1800), see README.md.
# SEED=N repeats a run's choices, SCRIPTS=N takes that many test cases' scripts (40), HOSTILE=N that many of hostile.py (20), RELEASE=R
# another kernel.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
run=$here/../vm/run.sh
seconds=${1:-1800}
SEED=${SEED:-$RANDOM}
release=${RELEASE:-$("$here/build.sh" | tail -n 1)}
echo "# seed $SEED: SEED=$SEED repeats this"

# Which cases' scripts: a sample that only the seed decides.
RANDOM=$SEED
mapfile -t cases < <("$run" --list)
chosen=()
while [ "${#chosen[@]}" -lt "${SCRIPTS:-40}" ] && [ "${#cases[@]}" -gt 0 ]; do
    i=$((RANDOM % ${#cases[@]}))
    case=${cases[i]}
    unset 'cases[i]'
    cases=("${cases[@]}")
    # Not those that crash the guest on purpose, not programs' packages, which are fetched, and not what probes every function: with the
    # kernel's checks under emulation nothing else would get to run.
    [[ $case == programs/* || $case == function/everything ]] || grep -qs 'expect: crash' "$here/../vm/$case".* || chosen+=("$case")
done
prepared=$here/../../build/guest-tests/$release
"$run" -k "$release" --prepare "${chosen[@]}"
list=$prepared/soak-modules
hostile=$prepared/hostile
rm -rf "$hostile" && mkdir -p "$hostile"
"$here/hostile.py" "$hostile" "${HOSTILE:-20}" "$SEED"
for script in "$hostile"/*.stp; do
    mapfile -t options <"${script%.stp}.options"
    (cd "$hostile" && "$here/../../build/bin/stap" -w -p4 -r "$release" -m "$(basename "$script" .stp)" "${options[@]}" "$script" >/dev/null)
done
# Some tests have modules of their own beside those of scripts.
for case in "${chosen[@]}"; do find "$prepared/$case" -name '*.ko' -exec grep -qF tapir_abi {} \; -print | sort; done >"$list"
find "$hostile" -name '*.ko' | sort >>"$list"
export SEED MODULES=$list SECONDS_OF_LOAD=$seconds
status=0
"$run" -k "$release" --cpus 4 --cases "$here" soak/ || status=$?
cat "$prepared/soak/random_scripts/summary" 2>/dev/null || :
exit $status
