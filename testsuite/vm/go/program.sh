# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of Go, optimized and not: parameters, strings and slices, goroutines, and calls of which each counts once though
# stacks grow. The program says what is right.
#: host: ! command -v go >/dev/null || { export GO111MODULE=off GOCACHE=$W/cache GOTMPDIR=$W && mkdir -p "$GOCACHE" && cp "$AREA/_program.go" program.go && go build -o fast program.go && go build -gcflags='-N -l' -o plain program.go && rm -rf "$GOCACHE"; }
#: host: [ ! -e fast ] || "$STAP" -p4 -r "$R" -DMAXSTRINGLEN=16384 -m go_fast "$AREA/_program.stp" "$W/fast" >/dev/null
#: host: [ ! -e plain ] || "$STAP" -p4 -r "$R" -DMAXSTRINGLEN=16384 -m go_plain "$AREA/_program.stp" "$W/plain" >/dev/null
#: host: [ ! -e fast ] || { ! "$STAP" -p2 -r "$R" -e 'probe process(@1).function("main.Unused") { println($id) }' "$W/fast" 2>lost && grep -q "'id' cannot be read: the function does not use it, and Go loses it when the stack grows" lost; }
#: host: [ ! -e plain ] || "$STAP" -p2 -r "$R" -e 'probe process(@1).function("main.Unused") { println($id) }' "$W/plain" >/dev/null
#: timeout: 180
[ -e fast ] || skip "Go is not installed"
for program in fast plain; do
    "$STAPRUN" go_$program.ko -c "./$program 100 >said" >out 2>err || { cat out err; fail "status $?"; }
    is_equal "$program: messages" "$(cat err)" ''
    is_equal "$program" "$(sort out)" "$(sort said)"
done
