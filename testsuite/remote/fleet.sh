#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One report of 37 hosts, which a stand-in for ssh plays (player.sh), with all that can be wrong with a host. Another program (fleet.py) adds up
# what each of them told. run.sh has hosts that are real; testsuite/bench/fleet.sh has 1,000.
# Ends with "# N passed, N failed, N skipped".
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$here/../../build/bin" && pwd)
work=$(mktemp -d /tmp/tapir-fleet-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
. "$here/../patiently.sh"
. "$here/../own_library.sh"
passed=0 failed=0

. "$here/expect.sh"

mkdir "$work/records"
python3 "$here/fleet.py" make "$work/records" 30 60 3
cd "$work/records" || exit 1
for host in early1 late1 set1 stuck1; do cp "web000${#host}.records" $host.records; done
# It breaks in a table.
head -n 5 web0001.records >lost1.records
ls | sed 's/\.records$//' >"$work/whole"
printf '%s\n' dead1 noisy1 >"$work/silent"
cat "$work/whole" "$work/silent" >"$work/hosts"
FLEET=$work/records FLEET_VERSION=$("$bin/staprun" --version)
FLEET_RELEASE=${FLEET_RELEASE:-$("$bin/stap-vm" --print-kernel | sed -n 's/^release //p')}
export FLEET FLEET_VERSION FLEET_RELEASE
merge() {
    "$bin/stap" --remote=@"$work/hosts" --remote-ssh="$here/player.sh" --remote-width=20 --remote-deadline=$((20 * patience)) --merge "$@" \
        -e 'probe begin { exit() }' 2>"$work/err" </dev/null
}

merge --format=json -v --record="$work/all.tapir" >"$work/report"
expect 'a fleet in which hosts fail' $? 1
expect 'the sums of another program' "$(python3 "$here/fleet.py" judge "$work/records" "$work/report" 2>&1 | cut -d : -f 1)" good
expect 'hosts that are not as they should be' "$(python3 "$here/fleet.py" hosts "$work/report" 2>&1 | sort)" \
    "dead1: cannot connect: ssh: connect to host dead1 port 22: Connection refused
early1: clock behind by 1.0 h
late1: clock ahead by 1.0 h
lost1: the connection was lost; the host ends the script by itself
noisy1: it tells what is no record, 1000 times: a line is no object of JSON with a type; 1000 bad lines
set1: clock set by 2.0 h
stuck1: it took longer than $((20 * patience)) seconds (--remote-deadline) and does not end; the host ends it by itself"
# said TEXT: the number of hosts that say it, and whether that took fewer lines than hosts.
said() { awk -v text=": $1" 'substr($0, length($0) - length(text) + 1) == text { sum += $2 == "hosts:" ? $1 : 1; n++ } END { print sum + 0, n < sum / 2 }' "$work/err"; }
expect 'what all hosts say is told once for many' "$(said 'one of its disks is full')" '36 1'
expect 'what stap says of all hosts, too' "$(said "running on kernel $FLEET_RELEASE")" '36 1'
"$bin/stap-report" "$work/all.tapir" --format=folded --accept-partial >"$work/folded" 2>"$work/err"
expect 'the capture has the stacks of all hosts' "$(python3 "$here/fleet.py" stacks "$work/records" "$work/folded" 2>&1 | cut -d : -f 1)" good

# For people, of those that end by themselves.
grep -v 'stuck\|noisy' "$work/hosts" >"$work/quick" && mv "$work/quick" "$work/hosts"
merge -o "$work/where.html" >"$work/text"
expect 'a fleet in which hosts fail, and a picture' $? 1
expect 'the text begins with the hosts' "$(sed -n '1p; /^  [a-z]/p' "$work/text" | sed 's/  */ /g; s/3[56][0-9][0-9] s/about 3600 s/; s/s is about/s is about/')" \
    "34 of 35 hosts in this report, 2 failed
 early1 its clock is about 3600 s behind
 late1 its clock is about 3600 s ahead
 lost1 failed: the connection was lost; the host ends the script by itself; cut off, what it told by then counts
 set1 its clock was set 7200 s forward while the script ran
 dead1 failed: cannot connect: ssh: connect to host dead1 port 22: Connection refused"
expect 'the picture has functions of the hosts' "$(grep -o 'work[0-9][0-9]*' "$work/where.html" | sort -u | wc -l)" \
    "$(cat web*.records | grep -o '"name":"work[0-9]*"' | sort -u | wc -l)"

echo "# $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
