# SPDX-License-Identifier: GPL-2.0-or-later
# Returns of functions of Go: a thousand goroutines on several threads, stacks that move while calls are under way, and panics.
#: host: ! command -v go >/dev/null || { export GO111MODULE=off GOCACHE=$W/cache GOTMPDIR=$W && mkdir -p "$GOCACHE" && cp "$AREA/_goroutines.go" goroutines.go && go build -o goroutines goroutines.go && rm -rf "$GOCACHE"; }
#: host: [ ! -e goroutines ] || "$STAP" -p4 -r "$R" -m goroutines "$AREA/_goroutines.stp" "$W/goroutines" >/dev/null
#: timeout: 300
[ -e goroutines ] || skip "Go is not installed"
./goroutines >said
"$STAPRUN" --ledger ledger.json goroutines.ko -c "./goroutines >told" >out 2>err || { cat out err; fail "status $?"; }
is_equal 'messages' "$(cat err)" ''
is_equal "the program's result" "$(cat told)" "$(cat said)"
is_equal 'output' "$(cat out)" "$(cat said)"
read -r _ calls _ returned _ <said
read -r followed back left inside missed <<<"$(grep '"calls"' ledger.json | tr -c '0-9\n' ' ')"
is_equal 'followed, returned, missed' "$followed $back $missed" "$calls $returned 0"
is_equal 'left and inside' "$((left + inside))" "$((calls - returned))"
