# SPDX-License-Identifier: GPL-2.0-or-later
# tools/runtimes/gogc.stp and gosched.stp with a program of Go that knows how often it collects garbage and waits.
#: host: ! command -v go >/dev/null || { export GO111MODULE=off CGO_ENABLED=0 GOCACHE=$W/cache GOTMPDIR=$W && mkdir -p "$GOCACHE" && cp "$AREA/_waits.go" waits.go && go build -o waits waits.go && rm -rf "$GOCACHE"; }
#: host: for t in gogc gosched; do [ ! -e waits ] || "$STAP" -p4 -r "$R" -m $t run $t "$W/waits" >/dev/null || exit 1; done
#: requires: program python3
#: timeout: 200
#: long: programs of Go are slow in a guest
#: records: also
. "$AREA/_lib.sh"
[ -e waits ] || skip 'Go is not installed'
traced "bash -c './waits gc >said'" gogc each=1
read -r cycles paused <said
is_equal 'cycles' "$(rows cycles | cut -f 1,3)" "$(printf 'waits\t%d' "$cycles")"
is_equal 'each cycle' "$(rows one | wc -l)" "$cycles"
# Go adds the time up between the same points, a few instructions later or earlier.
rows cycles | awk -F '\t' -v own="$paused" '{ print "stopped for", $6, "us; Go says", own; exit !($6 > 0 && $6 <= own * 1.05 + 200 && $6 >= own * 0.7 - 200) }' ||
    fail 'the time for which the program was stopped'
is_equal 'the sum of the cycles' "$(rows one | awk -F '\t' '{ took += $3; stop += $4 } END { print stop }')" "$(rows cycles | cut -f 6)"

traced "bash -c './waits waits >said'" gosched
while read -r times where; do
    is_equal "waits: $where" "$(row waits 1 "$where")" "$times"
done <said
read -r sleeps _ <said
# Each is of 10 ms; what is waited before the goroutine stops counts for the sleep, not here.
[ "$(row waits 4 time.Sleep)" -ge $((sleeps * 3000)) ] || fail 'the time of sleeps'
traced "bash -c './waits waits >said'" gosched min=3000
all_took waits 2 3000
for tool in gogc gosched; do
    traced 'sleep 0.2' $tool
    grep -q 'no garbage\|no goroutine' out || fail "$tool says nothing when there is nothing"
done
sample 'gogc ./waits' gogc -c "bash -c './waits gc >said'"
sample 'gosched ./waits' gosched -c "bash -c './waits waits >said'"
