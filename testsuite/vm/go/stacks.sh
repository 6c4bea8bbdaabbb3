# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of Go go to the first function of the goroutine, or of the thread: of calls the program counts itself, of samples, and of
# waits. It asks the vDSO, allocates, is preempted by signals, and grows its stacks. Another one calls C, and C calls it. The same
# without symbols and debug information is walked and named by the tables of Go's runtime.
#: long: three programs of Go are built, and run seven times
#: host: ! command -v go >/dev/null || { export GO111MODULE=off CGO_ENABLED=0 GOCACHE=$W/cache GOTMPDIR=$W && mkdir -p "$GOCACHE" && cp "$AREA/_stacks.go" stacks.go && go build -o stacks stacks.go && go build -ldflags='-s -w' -o stripped stacks.go && cp "$AREA/_cgo.go" cgo.go && CGO_ENABLED=1 go build -o cgo cgo.go && rm -rf "$GOCACHE"; }
#: host: [ ! -e stacks ] || "$STAP" -p4 -r "$R" -m marks -e '@profile("marks", "calls") probe process(@1).function("main.mark") { @sample(ubacktrace(), 1) }' "$W/stacks" >/dev/null
#: host: [ ! -e stacks ] || for t in oncpu offcpu; do "$STAP" -p4 -r "$R" -m $t -c /bin/true run $t >/dev/null || exit; done
#: timeout: 180
[ -e stacks ] || skip "Go is not installed"
# run MODULE PROGRAM MILLISECONDS: MODULE.folded, and what the program says.
run() {
    local status=0
    # 3: the shell that starts the program is stripped, and much of so short a run.
    "$STAPRUN" $1.ko -o $1.folded -c "./$2 $3 2>said" >out 2>err || status=$?
    [ $status = 0 ] || [ $status = 3 ] || { cat out err; fail "$1: status $status"; }
    echo "== $2 $1"
    grep '^# \(quality\|samples\|missing\|without\)' $1.folded
}
# whole MODULE: at most one of a hundred stacks with functions of Go, or of the program's C, is incomplete.
whole() {
    local shares
    # The shell that starts the program has others.
    shares=$(awk '!/^#/ && /(^|;)(runtime|main|time)[.]|;(spin|wait)_in_c[; ]/ { all += $NF; sub(/^\[idle\];\[[^;]*\];/, ""); if (/^\[[a-z ]* [a-z]/) cut += $NF } END { print all + 0, cut + 0 }' $1.folded)
    echo "$shares: all and incomplete"
    echo "$shares" | awk '{ exit !($1 > 0 && 100 * $2 <= $1) }' || bad="$bad $2:$1($shares)"
    grep '^\(\[idle\];\[[^;]*\];\)\?\[[a-z ]* [a-z].*\(runtime\|main\)[.]' $1.folded | cut -c1-300 | head -5 || :
}
bad=
run marks stacks 1
marks=$(awk '$1 == "marks" { print $2 }' said)
is_equal 'calls with the whole stack' "$(sed -n 's/^runtime\.goexit\(\.abi0\)\?;main\.main\..*;main\.deep;main\.mark \([0-9]*\)$/\2/p' marks.folded | awk "{ s += \$1 } END { print s + 0 }")" "$marks"
for kind in oncpu offcpu; do
    for program in stacks stripped; do
        run $kind $program 1500
        whole $kind $program
        [ $kind = offcpu ] || grep -q '^runtime\.goexit.*;main\.askTime' oncpu.folded || fail "no samples of main.askTime in $program"
    done
    run $kind cgo 1500
    whole $kind cgo
    [ $kind = offcpu ] || grep -q 'runtime\.asmcgocall.*;spin_in_c' oncpu.folded || fail 'no samples of spin_in_c'
    [ $kind = oncpu ] || grep -q 'runtime\.asmcgocall.*;wait_in_c.*nanosleep' offcpu.folded || fail 'no waits of wait_in_c'
done
is_equal 'programs and kinds with incomplete stacks' "$bad" ''
