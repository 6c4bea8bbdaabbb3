# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of Go go to the first function of the goroutine, or of the thread: of calls the program counts itself, of samples, and of
# waits. It asks the vDSO, allocates, is preempted by signals, and grows its stacks.
#: long: a program of Go is built, and runs three times
#: host: ! command -v go >/dev/null || { export GO111MODULE=off CGO_ENABLED=0 GOCACHE=$W/cache GOTMPDIR=$W && mkdir -p "$GOCACHE" && cp "$AREA/_stacks.go" stacks.go && go build -o stacks stacks.go && rm -rf "$GOCACHE"; }
#: host: [ ! -e stacks ] || "$STAP" -p4 -r "$R" -m marks -e '@profile("marks", "calls") probe process(@1).function("main.mark") { @sample(ubacktrace(), 1) }' "$W/stacks" >/dev/null
#: host: [ ! -e stacks ] || for t in oncpu offcpu; do "$STAP" -p4 -r "$R" -m $t -c /bin/true "$AREA/../../../tools/$t.stp" >/dev/null || exit; done
#: timeout: 180
[ -e stacks ] || skip "Go is not installed"
# run MODULE MILLISECONDS: MODULE.folded, and what the program says.
run() {
    local status=0
    # 3: the shell that starts the program is stripped, and much of so short a run.
    "$STAPRUN" $1.ko -o $1.folded -c "./stacks $2 2>said" >out 2>err || status=$?
    [ $status = 0 ] || [ $status = 3 ] || { cat out err; fail "$1: status $status"; }
    grep '^# \(quality\|samples\|stacks\|missing\)' $1.folded
}
run marks 1
marks=$(awk '$1 == "marks" { print $2 }' said)
is_equal 'calls with the whole stack' "$(sed -n 's/^runtime\.goexit\(\.abi0\)\?;main\.main\..*;main\.deep;main\.mark \([0-9]*\)$/\2/p' marks.folded | awk "{ s += \$1 } END { print s + 0 }")" "$marks"
for kind in oncpu offcpu; do
    run $kind 1500
    # Of stacks with functions of Go; the shell that starts the program has others.
    shares=$(awk '!/^#/ && /(^|;)(runtime|main|time)[.]/ { all += $NF; if (/^\[[a-z ]* [a-z]/) cut += $NF } END { print all + 0, cut + 0 }' $kind.folded)
    echo "$shares" | awk '{ exit !($1 > 0 && 100 * $2 <= $1) }' || { grep '^\[[a-z ]* [a-z].*runtime[.]' $kind.folded; fail "$kind: all and incomplete: $shares"; }
done
grep -q '^runtime\.goexit.*;main\.askTime' oncpu.folded || fail 'no samples of main.askTime'
