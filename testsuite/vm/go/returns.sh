# SPDX-License-Identifier: GPL-2.0-or-later
# Returns of functions of Go: none is lost while stacks grow and goroutines move between threads, and the program ends as ever.
#: host: ! command -v go >/dev/null || { export GO111MODULE=off GOCACHE=$W/cache GOTMPDIR=$W && mkdir -p "$GOCACHE" && cp "$AREA/_returns.go" returns.go && go build -o fast returns.go && go build -gcflags='-N -l' -o plain returns.go && rm -rf "$GOCACHE"; }
#: host: [ ! -e fast ] || "$STAP" -p4 -r "$R" -m go_fast_returns "$AREA/_returns.stp" "$W/fast" >/dev/null
#: host: [ ! -e plain ] || "$STAP" -p4 -r "$R" -m go_plain_returns "$AREA/_returns.stp" "$W/plain" >/dev/null
#: long: a thousand goroutines whose stacks grow, in two programs
#: timeout: 180
#: records: also
[ -e fast ] || skip "Go is not installed"
for program in fast plain; do
    "$STAPRUN" go_${program}_returns.ko -c "./$program 1000 >said" >out 2>err || { cat out err; fail "status $?"; }
    is_equal "$program: messages" "$(cat err)" ''
    is_equal "$program" "$(sort out)" "$(sort said)"
done
