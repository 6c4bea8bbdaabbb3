# SPDX-License-Identifier: GPL-2.0-or-later
# Returns of functions of Go: a thousand goroutines on several threads, stacks that move while calls are under way, and panics. The same
# of a program without symbols and debug information.
#: host: ! command -v go >/dev/null || { export GO111MODULE=off GOCACHE=$W/cache GOTMPDIR=$W && mkdir -p "$GOCACHE" && cp "$AREA/_goroutines.go" goroutines.go && go build -o goroutines goroutines.go && go build -ldflags='-s -w' -o stripped goroutines.go && rm -rf "$GOCACHE"; }
#: host: [ ! -e goroutines ] || for p in goroutines stripped; do "$STAP" -p4 -r "$R" -m $p "$AREA/_goroutines.stp" "$W/$p" >/dev/null || exit; done
#: timeout: 300
[ -e goroutines ] || skip "Go is not installed"
for program in goroutines stripped; do
    ./$program >said
    "$STAPRUN" --ledger ledger.json $program.ko -c "./$program >told" >out 2>err || { cat out err; fail "$program: status $?"; }
    is_equal "$program: messages" "$(cat err)" ''
    is_equal "$program: result" "$(cat told)" "$(cat said)"
    is_equal "$program: output" "$(cat out)" "$(cat said)"
    read -r _ calls _ returned _ <said
    read -r followed back left inside missed <<<"$(grep '"calls"' ledger.json | tr -c '0-9\n' ' ')"
    is_equal "$program: followed, returned, missed" "$followed $back $missed" "$calls $returned 0"
    is_equal "$program: left and inside" "$((left + inside))" "$((calls - returned))"
done
