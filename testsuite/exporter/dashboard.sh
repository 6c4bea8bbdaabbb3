#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The Grafana dashboard: its queries are Prometheus', as promtool has it, and its metrics are those of the tools. Usage: dashboard.sh SOURCES
set -u -o pipefail
here=$(dirname "$(realpath "$0")")
sources=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() { "$here/check_dashboard.py" "$1" "$sources/tools" --rules "$work/rules.yml"; }
check "$sources/exporter/dashboard.json" || exit 1
# The check finds what is wrong.
broken() {
    sed "$1" "$sources/exporter/dashboard.json" >"$work/broken.json"
    ! check "$work/broken.json" >"$work/said" 2>&1 && grep -q "$2" "$work/said" || { cat "$work/said"; echo "FAIL: $1 is not found"; exit 1; }
}
cp "$work/rules.yml" "$work/good.yml"
broken 's/tapir_syserr_hits_total/tapir_syserr_hit_total/' 'nothing declares'
broken 's/{{of}}/{{off}}/' 'have no label'
broken 's/tapir_runqlen_unclaimed_total/tapir_runqlen_waiting_total/' 'no panel has'
command -v promtool >/dev/null || { echo 'no promtool'; exit 77; }
promtool check rules "$work/good.yml" || exit 1
sed 's/rate(/rates(/' "$work/good.yml" >"$work/bad.yml"
! promtool check rules "$work/bad.yml" >/dev/null 2>&1 || { echo 'FAIL: promtool takes any query'; exit 1; }
