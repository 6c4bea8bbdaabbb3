# SPDX-License-Identifier: GPL-2.0-or-later
# Returns of functions of Go: a thousand goroutines on several threads, stacks that move while calls are under way, and panics. The same
# of a program without symbols and debug information.
#: host: ! command -v go >/dev/null || { export GO111MODULE=off GOCACHE=$W/cache GOTMPDIR=$W && mkdir -p "$GOCACHE" && cp "$AREA/_goroutines.go" goroutines.go && go build -o goroutines goroutines.go && go build -ldflags='-s -w' -o stripped goroutines.go && rm -rf "$GOCACHE"; }
#: host: [ ! -e goroutines ] || for p in goroutines stripped; do "$STAP" -p4 -r "$R" -m $p "$AREA/_goroutines.stp" "$W/$p" >/dev/null || exit; done
#: timeout: 300
#: long: a thousand goroutines, twice
#: records: also
[ -e goroutines ] || skip "Go is not installed"
. "$AREA/_followed.sh"
for program in goroutines stripped; do
    followed_as_counted $program $program ./$program
done
